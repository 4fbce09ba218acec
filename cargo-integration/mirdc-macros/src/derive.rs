//! `#[derive(KernelArg)]` and `#[derive(Plain)]`.

use crate::lex::*;
use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

struct Field {
    /// As `offset_of!` wants it: a name or a number.
    name: String,
    ty: Vec<TokenTree>,
}

struct Item {
    name: String,
    name_span: Span,
    keyword: String,
    /// Between the angle brackets, defaults removed.
    generics: Vec<Vec<TokenTree>>,
    where_clause: Vec<TokenTree>,
    fields: Vec<Field>,
    /// The fields of all variants, for an enum.
    variant_types: Vec<Vec<TokenTree>>,
}

fn parse(item: TokenStream) -> Result<Item> {
    let t = vec(item);
    let mut i = 0;
    while is_punct(t.get(i), '#') {
        i += 2;
    }
    while !matches!(t.get(i), Some(TokenTree::Ident(k))
        if matches!(k.to_string().as_str(), "struct" | "enum" | "union"))
    {
        i += 1;
        if i >= t.len() {
            return error(Span::call_site(), "expected a struct or an enum");
        }
    }
    let keyword = t[i].to_string();
    let (name, name_span) = (t[i + 1].to_string(), t[i + 1].span());
    i += 2;
    let mut generics = Vec::new();
    if is_punct(t.get(i), '<') {
        let (start, mut angles) = (i + 1, Angles::default());
        loop {
            angles.see(&t[i]);
            i += 1;
            if angles.depth == 0 {
                break;
            }
        }
        generics = split_commas(&t[start..i - 1]).iter().map(|g| without_default(g)).collect();
    }
    let mut item = Item {
        name,
        name_span,
        keyword,
        generics,
        where_clause: Vec::new(),
        fields: Vec::new(),
        variant_types: Vec::new(),
    };
    body(&t[i..], &mut item);
    Ok(item)
}

fn without_default(g: &[TokenTree]) -> Vec<TokenTree> {
    let mut angles = Angles::default();
    let mut out = Vec::new();
    for t in g {
        if angles.depth == 0 && is_punct(Some(t), '=') {
            break;
        }
        angles.see(t);
        out.push(t.clone());
    }
    out
}

fn body(t: &[TokenTree], item: &mut Item) {
    let mut in_where = false;
    for tok in t {
        match tok {
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => {
                if item.keyword == "enum" {
                    variants(g, item);
                } else {
                    item.fields = named(g);
                }
                return;
            }
            TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis && !in_where => {
                item.fields = positional(g);
            }
            t if is_punct(Some(t), ';') => return,
            t => {
                in_where |= is_ident(Some(t), "where");
                if in_where {
                    item.where_clause.push(t.clone());
                }
            }
        }
    }
}

/// Drops attributes and visibility.
fn bare(part: &[TokenTree]) -> &[TokenTree] {
    let mut p = part;
    while is_punct(p.first(), '#') && p.len() > 2 {
        p = &p[2..];
    }
    if is_ident(p.first(), "pub") {
        p = &p[1..];
        // `pub (A, B)` is a type after `pub`, `pub(crate) T` is a visibility.
        if group_of(p.first(), Delimiter::Parenthesis).is_some() && p.len() > 1 {
            p = &p[1..];
        }
    }
    p
}

fn named(g: &Group) -> Vec<Field> {
    let parts = split_commas(&vec(g.stream()));
    let field = |p: &Vec<TokenTree>| {
        let p = bare(p);
        Field { name: p[0].to_string(), ty: p[2..].to_vec() }
    };
    parts.iter().map(field).collect()
}
fn positional(g: &Group) -> Vec<Field> {
    let parts = split_commas(&vec(g.stream()));
    let field =
        |(i, p): (usize, &Vec<TokenTree>)| Field { name: i.to_string(), ty: bare(p).to_vec() };
    parts.iter().enumerate().map(field).collect()
}
fn variants(g: &Group, item: &mut Item) {
    for v in split_commas(&vec(g.stream())) {
        let fields = match bare(&v).get(1) {
            Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace => named(g),
            Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis => positional(g),
            _ => Vec::new(),
        };
        item.variant_types.extend(fields.into_iter().map(|f| f.ty));
    }
}

/// `unsafe impl<G> PATH for NAME<G> where …`, with a bound on every field's type.
fn header(out: &mut Out, item: &Item, path: &str, types: &[&Vec<TokenTree>]) {
    out.src("unsafe impl <");
    for g in &item.generics {
        out.tokens(g).src(",");
    }
    out.src(&format!("> {path} for {} <", item.name));
    for g in &item.generics {
        let n = if is_punct(g.first(), '\'') { 2 } else { 1 };
        let from = is_ident(g.first(), "const") as usize;
        out.tokens(&g[from..from + n]).src(",");
    }
    out.src(">");
    if item.where_clause.is_empty() {
        out.src("where");
    } else {
        out.tokens(&item.where_clause);
        if !is_punct(item.where_clause.last(), ',') {
            out.src(",");
        }
    }
    // Only types that mention a parameter may be bounds; the rest is checked in the body.
    for ty in types {
        if !item.generics.is_empty() {
            out.tokens(ty).src(&format!(": {path},"));
        }
    }
}

fn run(
    code: &'static str,
    item: TokenStream,
    f: impl FnOnce(&Item) -> Result<TokenStream>,
) -> TokenStream {
    match coded(code, parse(item).and_then(|i| f(&i))) {
        Ok(t) => t,
        Err(e) => e.tokens(),
    }
}

pub fn kernel_arg(item: TokenStream) -> TokenStream {
    run("MD0620", item, |item| {
        if item.keyword == "union" {
            return error(item.name_span, "a union cannot be a kernel parameter");
        }
        let types: Vec<_> =
            item.fields.iter().map(|f| &f.ty).chain(item.variant_types.iter()).collect();
        let mut out = Out::default();
        header(&mut out, item, "::mirdc::KernelArg", &types);
        let mut body = Out::default();
        body.src("const KIND: u32 =").group(Delimiter::Brace, bound_checks(&types, "KernelArg"));
        body.src(";");
        body.src("const FIELDS: &'static [::mirdc::rt::Field] = &");
        let mut list = Out::default();
        for f in &item.fields {
            list.src("::mirdc::rt::Field::of::<").tokens(&f.ty);
            list.src(&format!(">({:?}, ::core::mem::offset_of!(Self, {})),", f.name, f.name));
        }
        body.group(Delimiter::Bracket, list).src(";");
        out.group(Delimiter::Brace, body);
        header(&mut out, item, "::mirdc::Element", &types_for_element(item, &types));
        out.src("{}");
        Ok(out.done())
    })
}

/// An element needs no bound of its own: being a parameter is the stronger one.
fn types_for_element<'a>(item: &Item, types: &[&'a Vec<TokenTree>]) -> Vec<&'a Vec<TokenTree>> {
    if item.generics.is_empty() {
        Vec::new()
    } else {
        types.to_vec()
    }
}

/// `{ const fn check<T: Trait>() {} check::<A>(); …; KIND_AGGREGATE }`
fn bound_checks(types: &[&Vec<TokenTree>], bound: &str) -> Out {
    let mut b = Out::default();
    b.src(&format!("const fn check<T: ::mirdc::{bound}>() {{}}"));
    for ty in types {
        b.src("check::<").tokens(ty).src(">();");
    }
    b.src("::mirdc::rt::KIND_AGGREGATE");
    b
}

pub fn plain(item: TokenStream) -> TokenStream {
    run("MD0627", item, |item| {
        if item.keyword != "struct" {
            let text =
                "only structs can be `Plain`: not every pattern of bits is a value of an enum";
            return error(item.name_span, text);
        }
        let types: Vec<_> = item.fields.iter().map(|f| &f.ty).collect();
        let mut out = Out::default();
        header(&mut out, item, "::mirdc::Plain", &types);
        out.src("{}");
        if item.generics.is_empty() {
            out.src("const _: u32 =").group(Delimiter::Brace, bound_checks(&types, "Plain"));
            out.src(";");
        }
        Ok(out.done())
    })
}
