//! `#[register]`: gives a registration function its body, which is one call of native code.
//!
//! The compiler finds the call by the name of the nested function, which says what it needs to know:
//! `__mirdc_native` and then, each with its length, `_p` provider, `_e` entry, `_t` a type
//! parameter, `_n` a constant, `_c` a callback; at last `_a` and one sign for each argument: `v` for
//! a value, `A` for the first callback and so on. Behind the arguments stand the thunks.

use crate::lex::*;
use crate::signature::{self, GenericKind, Signature};
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

const FN_TRAITS: [&str; 3] = ["Fn", "FnMut", "FnOnce"];
/// More would not be told apart by one letter.
const MAX_CALLBACKS: usize = 10;

struct Callback {
    param: String,
    kind: usize,
    args: Vec<Vec<TokenTree>>,
    ret: Vec<TokenTree>,
}

pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut out = Out::default();
    match coded("MD0633", build(args, item)) {
        Ok(all) => out.stream(all),
        Err(e) => out.stream(e.tokens()),
    };
    out.done()
}

fn build(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let (provider, entry) = names(args)?;
    let s = signature::parse(item.clone(), "a registration function")?;
    let mut whole = vec(item);
    match whole.pop() {
        Some(t) if is_punct(Some(&t), ';') => {}
        Some(t) => {
            let text = "a registration function has no body: it ends with `;`, and the provider's \
                        C++ is what it does";
            return error(t.span(), text);
        }
        None => return error(Span::call_site(), "expected a function"),
    }
    if let Some(abi) = &s.abi {
        return error(s.name_span, format!("a registration function is not `extern \"{abi}\"`"));
    }
    let callbacks = callbacks(&s)?;
    let mut out = Out::default();
    out.src("#[inline(never)] #[allow(unused_variables, clippy::needless_pass_by_value)]");
    out.tokens(&whole);
    let mut both = Out::default();
    both.group(Delimiter::Brace, device(&s, &callbacks, &provider, &entry)?);
    let mut host = Out::default();
    host.src(&format!("::mirdc::rt::native_on_host(\"{provider}::{entry}\")"));
    both.group(Delimiter::Brace, host);
    let mut body = Out::default();
    body.src("::mirdc::__mirdc_device_or_host!").group(Delimiter::Brace, both);
    out.group(Delimiter::Brace, body);
    Ok(out.done())
}

/// `provider = "…", entry = "…"`, both words.
fn names(args: TokenStream) -> Result<(String, String)> {
    let (mut provider, mut entry) = (None, None);
    for part in split_commas(&vec(args)) {
        let Some(TokenTree::Ident(key)) = part.first() else {
            return error_at(&part, Span::call_site(), "expected `key = \"value\"`");
        };
        let slot = match key.to_string().as_str() {
            "provider" => &mut provider,
            "entry" => &mut entry,
            other => {
                let text = format!("unknown argument `{other}`; known are `provider`, `entry`");
                return error(key.span(), text);
            }
        };
        let value = part.get(2).filter(|_| is_punct(part.get(1), '=')).and_then(string_literal);
        let Some(value) = value.filter(|_| part.len() == 3) else {
            return error_at(&part, key.span(), format!("expected `{key} = \"NAME\"`"));
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if value.is_empty() || !value.chars().all(word) || value.starts_with(|c: char| c.is_ascii_digit()) {
            return error(part[2].span(), "a name is made of letters, digits and `_`");
        }
        if slot.replace(value).is_some() {
            return error(key.span(), format!("`{key}` is given twice"));
        }
    }
    match (provider, entry) {
        (Some(p), Some(e)) => Ok((p, e)),
        _ => error(Span::call_site(), "expected `provider = \"…\", entry = \"…\"`"),
    }
}

/// Type parameters with a bound `Fn(A, B) -> R`, inline or in the `where` clause.
fn callbacks(s: &Signature) -> Result<Vec<Callback>> {
    let mut bounds = split_commas(&s.generics_src);
    bounds.extend(split_commas(s.where_src.get(1..).unwrap_or_default()));
    let mut all = Vec::new();
    for g in s.generics.iter().filter(|g| matches!(g.kind, GenericKind::Type)) {
        for b in bounds.iter().filter(|b| is_ident(b.first(), &g.name) && is_punct(b.get(1), ':')) {
            if let Some(c) = fn_bound(&g.name, &b[2..])? {
                all.push(c);
            }
        }
    }
    for p in &s.params {
        if is_ident(p.ty.first(), "impl") || is_ident(p.ty.first(), "dyn") {
            let text = "name the type of a callback: `F: Fn(T, T) -> T` as a type parameter";
            return error_at(&p.ty, p.span, text);
        }
    }
    if all.len() > MAX_CALLBACKS {
        return error(s.name_span, format!("at most {MAX_CALLBACKS} callbacks"));
    }
    Ok(all)
}

fn fn_bound(param: &str, bound: &[TokenTree]) -> Result<Option<Callback>> {
    for (i, t) in bound.iter().enumerate() {
        let Some(kind) = FN_TRAITS.iter().position(|k| is_ident(Some(t), k)) else { continue };
        let Some(list) = group_of(bound.get(i + 1), Delimiter::Parenthesis) else { continue };
        let mut ret = Vec::new();
        if is_punct(bound.get(i + 2), '-') && is_punct(bound.get(i + 3), '>') {
            let mut angles = Angles::default();
            for t in &bound[i + 4..] {
                if angles.depth == 0 && (is_punct(Some(t), '+') || is_punct(Some(t), '=')) {
                    break;
                }
                angles.see(t);
                ret.push(t.clone());
            }
        }
        let args = split_commas(&vec(list.stream()));
        return Ok(Some(Callback { param: param.into(), kind, args, ret }));
    }
    Ok(None)
}

fn encoded(s: &Signature, callbacks: &[Callback], provider: &str, entry: &str, signs: &str) -> String {
    let mut name = String::from("__mirdc_native");
    let mut part = |kind: char, text: &str| name += &format!("_{kind}{}{text}", text.len());
    part('p', provider);
    part('e', entry);
    for g in &s.generics {
        match g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Const(_) => part('n', &g.name),
            GenericKind::Type if callbacks.iter().any(|c| c.param == g.name) => part('c', &g.name),
            GenericKind::Type => part('t', &g.name),
        }
    }
    part('a', signs);
    name
}

fn type_is(ty: &[TokenTree], name: &str) -> bool {
    matches!(ty, [one] if is_ident(Some(one), name))
}

/// `Option<X>`, by whatever path it is written: X.
fn option_of(ty: &[TokenTree]) -> Option<&[TokenTree]> {
    let open = ty.iter().position(|t| is_punct(Some(t), '<'))?;
    let last = ty.len() - 1;
    (open > 0 && is_ident(ty.get(open - 1), "Option") && is_punct(ty.get(last), '>'))
        .then(|| &ty[open + 1..last])
}

fn device(s: &Signature, callbacks: &[Callback], provider: &str, entry: &str) -> Result<Out> {
    let generics = turbofish(s, &vec![true; s.generics.len()]);
    let option = option_of(&s.output);
    let (mut formal, mut actual, mut signs) = (Out::default(), Out::default(), String::new());
    for (i, p) in s.params.iter().enumerate() {
        let which = callbacks.iter().position(|c| type_is(&p.ty, &c.param));
        formal.src("_:");
        match which {
            Some(k) => {
                formal.src(&format!("*const {},", callbacks[k].param));
                actual.src(&format!("&raw const {},", argument(s, i)));
                signs.push(char::from(b'A' + k as u8));
            }
            None => {
                formal.tokens(&p.ty).src(",");
                actual.src(&format!("{},", argument(s, i)));
                signs.push('v');
            }
        }
    }
    if let Some(inner) = option {
        formal.src("_: *mut").tokens(inner).src(",");
        actual.src("__mirdc_out.as_mut_ptr(),");
        signs.push('v');
    }
    let mut extra = String::new();
    for (i, c) in callbacks.iter().enumerate() {
        formal.src(&format!("_: __MirdcThunk{i},"));
        actual.src(&format!("__mirdc_thunk_{i}::<{}>,", turbofish(s, &needed(s, c))));
        extra += &format!("__MirdcThunk{i},");
    }
    let native = encoded(s, callbacks, provider, entry, &signs);
    let inferred = "_,".repeat(callbacks.len());
    let call = format!("{native}::<{generics} {inferred}>");
    let mut out = Out::default();
    out.src("#[inline(never)] #[allow(unused_variables, non_snake_case, clippy::all)]");
    out.src(&format!("fn {native}<")).tokens(&s.generics_src);
    if !extra.is_empty() {
        out.src(&format!("{} {extra}", if s.generics_src.is_empty() || ends_in_comma(s) { "" } else { "," }));
    }
    out.src(">").group(Delimiter::Parenthesis, formal);
    match option {
        Some(_) => {
            out.src("-> bool");
        }
        None if !s.output.is_empty() => {
            out.src("->").tokens(&s.output);
        }
        None => {}
    }
    out.tokens(&s.where_src).src("{ loop {} }");
    for (i, c) in callbacks.iter().enumerate() {
        thunk(&mut out, s, i, c);
    }
    if option.is_some() {
        out.src("let mut __mirdc_out = ::core::mem::MaybeUninit::uninit();");
        out.src(&format!("if {call}")).group(Delimiter::Parenthesis, actual);
        out.src("{ ::core::option::Option::Some(unsafe { __mirdc_out.assume_init() }) } else { ::core::option::Option::None }");
    } else {
        out.src(&call).group(Delimiter::Parenthesis, actual);
    }
    Ok(out)
}

fn ends_in_comma(s: &Signature) -> bool {
    is_punct(s.generics_src.last(), ',')
}

fn argument(s: &Signature, i: usize) -> String {
    s.params[i].name.clone()
}

/// Does the text mention the identifier, at any depth?
fn mentions(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|t| match t {
        TokenTree::Ident(i) => i.to_string() == name,
        TokenTree::Group(g) => mentions(&vec(g.stream()), name),
        _ => false,
    })
}

/// The generic parameters that the callback's own signature needs: the compiler binds a thunk's
/// parameters by its signature alone.
fn needed(s: &Signature, c: &Callback) -> Vec<bool> {
    let parts = split_commas(&s.generics_src);
    let mut need: Vec<bool> = s.generics.iter().map(|g| g.name == c.param).collect();
    loop {
        let before = need.clone();
        for (k, g) in s.generics.iter().enumerate() {
            let mentioned = c.args.iter().any(|a| mentions(a, &g.name)) || mentions(&c.ret, &g.name);
            let by_bound = (0..need.len()).any(|j| j != k && need[j] && mentions(&parts[j], &g.name));
            need[k] |= mentioned || by_bound;
        }
        if before == need {
            return need;
        }
    }
}

/// The predicates of the `where` clause about needed parameters only.
fn where_of(s: &Signature, need: &[bool], out: &mut Out) {
    let Some(all) = s.where_src.get(1..) else { return };
    out.src("where");
    for p in split_commas(all) {
        let foreign = s.generics.iter().zip(need).any(|(g, n)| !n && mentions(&p, &g.name));
        if !foreign {
            out.tokens(&p).src(",");
        }
    }
}

fn turbofish(s: &Signature, need: &[bool]) -> String {
    let mut all = String::new();
    for (g, _) in s.generics.iter().zip(need).filter(|(_, n)| **n) {
        match g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Const(_) => all += &format!("{{ {} }},", g.name),
            GenericKind::Type => all += &format!("{},", g.name),
        }
    }
    all
}

/// The C function that native code calls: `(env, arguments…) -> result`.
fn thunk(out: &mut Out, s: &Signature, i: usize, c: &Callback) {
    let f = &c.param;
    let need = needed(s, c);
    out.src("#[allow(improper_ctypes_definitions, non_snake_case, clippy::all)]");
    out.src(&format!("unsafe extern \"C\" fn __mirdc_thunk_{i}<"));
    for (part, _) in split_commas(&s.generics_src).iter().zip(&need).filter(|(_, n)| **n) {
        out.tokens(part).src(",");
    }
    out.src(">");
    let (mut formal, mut actual) = (Out::default(), String::new());
    formal.src(&format!("env: *const {f},"));
    for (k, ty) in c.args.iter().enumerate() {
        formal.src(&format!("a{k}:")).tokens(ty).src(",");
        actual += &format!("a{k},");
    }
    out.group(Delimiter::Parenthesis, formal);
    if !c.ret.is_empty() {
        out.src("->").tokens(&c.ret);
    }
    where_of(s, &need, out);
    let callee = match FN_TRAITS[c.kind] {
        "Fn" => "(*env)".to_string(),
        "FnMut" => format!("(*(env as *mut {f}))"),
        _ => "env.read()".to_string(),
    };
    out.src(&format!("{{ unsafe {{ {callee}({actual}) }} }}"));
}
