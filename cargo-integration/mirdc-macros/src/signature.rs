//! Reads the signature of a function item.

use crate::lex::*;
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

pub struct Param {
    pub name: String,
    pub ty: Vec<TokenTree>,
    pub span: Span,
}

pub struct Generic {
    pub name: String,
    pub kind: GenericKind,
}
pub enum GenericKind {
    Lifetime,
    Type,
    /// With the type of the constant.
    Const(Vec<TokenTree>),
}

pub struct Signature {
    pub visibility: Vec<TokenTree>,
    /// `#[cfg(…)]` attributes: what is generated must go with the function.
    pub cfgs: Vec<TokenTree>,
    pub is_unsafe: bool,
    /// `extern` with its ABI text (`"C"` when none is written).
    pub abi: Option<String>,
    pub name: String,
    pub name_span: Span,
    pub generics: Vec<Generic>,
    /// What stands between the angle brackets, with bounds.
    pub generics_src: Vec<TokenTree>,
    /// `where …`, with the word.
    pub where_src: Vec<TokenTree>,
    pub params: Vec<Param>,
    pub output: Vec<TokenTree>,
}

pub fn parse(item: TokenStream, what: &str) -> Result<Signature> {
    let t = vec(item);
    let mut i = 0;
    let mut cfgs = Vec::new();
    while is_punct(t.get(i), '#') {
        if let Some(g) = group_of(t.get(i + 1), Delimiter::Bracket) {
            if is_ident(vec(g.stream()).first(), "cfg") {
                cfgs.extend_from_slice(&t[i..i + 2]);
            }
        }
        i += 2;
    }
    let start = i;
    if is_ident(t.get(i), "pub") {
        i += 1;
        if group_of(t.get(i), Delimiter::Parenthesis).is_some() {
            i += 1;
        }
    }
    let visibility = t[start..i].to_vec();
    let mut s = Signature {
        visibility,
        cfgs,
        is_unsafe: false,
        abi: None,
        name: String::new(),
        name_span: Span::call_site(),
        generics: Vec::new(),
        generics_src: Vec::new(),
        where_src: Vec::new(),
        params: Vec::new(),
        output: Vec::new(),
    };
    qualifiers(&t, &mut i, &mut s, what)?;
    match t.get(i) {
        Some(TokenTree::Ident(n)) => {
            s.name = n.to_string();
            s.name_span = n.span();
        }
        _ => return error(Span::call_site(), "expected the name of the function"),
    }
    i += 1;
    if is_punct(t.get(i), '<') {
        i = generics(&t, i, &mut s)?;
    }
    let Some(list) = group_of(t.get(i), Delimiter::Parenthesis) else {
        return error(s.name_span, "expected the parameters of the function");
    };
    params(&vec(list.stream()), &mut s, what)?;
    output(&t, i + 1, &mut s);
    Ok(s)
}

fn qualifiers(t: &[TokenTree], i: &mut usize, s: &mut Signature, what: &str) -> Result<()> {
    loop {
        match t.get(*i) {
            Some(TokenTree::Ident(id)) => match id.to_string().as_str() {
                "fn" => {
                    *i += 1;
                    return Ok(());
                }
                "const" | "safe" => {}
                "unsafe" => s.is_unsafe = true,
                "async" => return error(id.span(), format!("{what} cannot be `async`")),
                "extern" => {
                    s.abi = Some("C".into());
                    if let Some(abi) = t.get(*i + 1).and_then(string_literal) {
                        s.abi = Some(abi);
                        *i += 1;
                    }
                }
                other => {
                    let text = format!("{what} must be a function, found `{other}`");
                    return error(id.span(), text);
                }
            },
            Some(other) => return error(other.span(), format!("{what} must be a function")),
            None => return error(Span::call_site(), format!("{what} must be a function")),
        }
        *i += 1;
    }
}

/// `t[i]` is `<`; gives the index after the matching `>`.
fn generics(t: &[TokenTree], mut i: usize, s: &mut Signature) -> Result<usize> {
    let mut angles = Angles::default();
    let start = i + 1;
    loop {
        let Some(tok) = t.get(i) else { return error(s.name_span, "unclosed generics") };
        angles.see(tok);
        i += 1;
        if angles.depth == 0 {
            break;
        }
    }
    s.generics_src = t[start..i - 1].to_vec();
    for part in split_commas(&s.generics_src.clone()) {
        let g = if is_punct(part.first(), '\'') {
            Generic { name: text(&part[..2]), kind: GenericKind::Lifetime }
        } else if is_ident(part.first(), "const") {
            let ty: Vec<_> =
                part.iter().skip(3).take_while(|t| !is_punct(Some(t), '=')).cloned().collect();
            Generic { name: part[1].to_string(), kind: GenericKind::Const(ty) }
        } else {
            Generic { name: part[0].to_string(), kind: GenericKind::Type }
        };
        s.generics.push(g);
    }
    Ok(i)
}

fn params(list: &[TokenTree], s: &mut Signature, what: &str) -> Result<()> {
    for part in split_commas(list) {
        let mut p = &part[..];
        while is_punct(p.first(), '#') && p.len() > 2 {
            p = &p[2..];
        }
        let is_self = p.iter().take(4).take_while(|t| !is_punct(Some(t), ':'));
        if is_self.into_iter().any(|t| is_ident(Some(t), "self")) {
            return error_at(
                p,
                s.name_span,
                format!("{what} cannot take `self`; make it a free function"),
            );
        }
        let Some(colon) = single_colon(p) else {
            return error_at(p, s.name_span, "expected `name: Type`");
        };
        let ty = p[colon + 1..].to_vec();
        let pattern = match p[..colon].first() {
            Some(t) if is_ident(Some(t), "mut") || is_ident(Some(t), "ref") => &p[1..colon],
            _ => &p[..colon],
        };
        let name = match pattern {
            [TokenTree::Ident(id)] if id.to_string() != "_" => id.to_string(),
            _ => format!("arg{}", s.params.len()),
        };
        let span = ty.first().map_or(s.name_span, |t| t.span());
        s.params.push(Param { name, ty, span });
    }
    Ok(())
}

/// The `:` between pattern and type, not the `::` of a path.
fn single_colon(p: &[TokenTree]) -> Option<usize> {
    let mut i = 0;
    while i < p.len() {
        if is_punct(p.get(i), ':') {
            if !is_punct(p.get(i + 1), ':') {
                return Some(i);
            }
            i += 1;
        }
        i += 1;
    }
    None
}

/// The result and the `where` clause. The function's body is the last token, so that braces of
/// constants in the clause are none of it.
fn output(t: &[TokenTree], mut i: usize, s: &mut Signature) {
    let end = t.len().saturating_sub(1);
    if is_punct(t.get(i), '-') && is_punct(t.get(i + 1), '>') {
        i += 2;
        while i < end && !is_ident(t.get(i), "where") {
            s.output.push(t[i].clone());
            i += 1;
        }
    }
    s.where_src = t.get(i..end).unwrap_or_default().to_vec();
}
