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

pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut out = Out::default();
    match coded("MD0633", build(args, item)) {
        Ok(all) => out.stream(all),
        Err(e) => out.stream(e.tokens()),
    };
    out.done()
}

fn build(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let Facts { provider, entry, model } = facts(args)?;
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
    out.src("#[inline] #[allow(unused_variables, clippy::needless_pass_by_value)]");
    out.tokens(&whole);
    let mut both = Out::default();
    let generics = turbofish(&s);
    let mut modelled = Out::default();
    if let Some(model) = &model {
        let names: Vec<_> = s.params.iter().map(|p| p.name.as_str()).collect();
        modelled.tokens(model).src(&format!("::<{generics}>({})", names.join(", ")));
    }
    let modelled = modelled.done();
    let mut on_device = Out::default();
    if model.is_some() {
        let mut early = Out::default();
        early.src("return").stream(modelled.clone()).src(";");
        on_device.src("if ::mirdc::rt::emulated()").group(Delimiter::Brace, early);
    }
    device(&mut on_device, &s, &callbacks, &provider, &entry, model.is_some());
    both.group(Delimiter::Brace, on_device);
    let mut host = Out::default();
    match model {
        Some(_) => host.stream(modelled),
        None => host.src(&format!("::mirdc::rt::native_on_host(\"{provider}::{entry}\")")),
    };
    both.group(Delimiter::Brace, host);
    let mut body = Out::default();
    body.src("::mirdc::__mirdc_device_or_host!").group(Delimiter::Brace, both);
    out.group(Delimiter::Brace, body);
    Ok(out.done())
}

struct Facts {
    provider: String,
    entry: String,
    /// A function of the same signature that stands for the native one where there is no GPU.
    model: Option<Vec<TokenTree>>,
}

/// `provider = "…", entry = "…"`, both words, and `model = path`.
fn facts(args: TokenStream) -> Result<Facts> {
    let (mut provider, mut entry, mut model) = (None, None, None);
    for part in split_commas(&vec(args)) {
        let Some(TokenTree::Ident(key)) = part.first() else {
            return error_at(&part, Span::call_site(), "expected `key = \"value\"`");
        };
        if is_ident(part.first(), "model") && is_punct(part.get(1), '=') && part.len() > 2 {
            model = Some(part[2..].to_vec());
            continue;
        }
        let slot = match key.to_string().as_str() {
            "provider" => &mut provider,
            "entry" => &mut entry,
            other => {
                let text =
                    format!("unknown argument `{other}`; known are `provider`, `entry`, `model`");
                return error(key.span(), text);
            }
        };
        let value = part.get(2).filter(|_| is_punct(part.get(1), '=')).and_then(string_literal);
        let Some(value) = value.filter(|_| part.len() == 3) else {
            return error_at(&part, key.span(), format!("expected `{key} = \"NAME\"`"));
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if value.is_empty()
            || !value.chars().all(word)
            || value.starts_with(|c: char| c.is_ascii_digit())
        {
            return error(part[2].span(), "a name is made of letters, digits and `_`");
        }
        if slot.replace(value).is_some() {
            return error(key.span(), format!("`{key}` is given twice"));
        }
    }
    match (provider, entry) {
        (Some(provider), Some(entry)) => Ok(Facts { provider, entry, model }),
        _ => error(Span::call_site(), "expected `provider = \"…\", entry = \"…\"`"),
    }
}

/// Type parameters with a bound `Fn(A, B) -> R`, inline or in the `where` clause.
fn callbacks(s: &Signature) -> Result<Vec<String>> {
    let mut bounds = split_commas(&s.generics_src);
    bounds.extend(split_commas(s.where_src.get(1..).unwrap_or_default()));
    let mut all = Vec::new();
    for g in s.generics.iter().filter(|g| matches!(g.kind, GenericKind::Type)) {
        for b in bounds.iter().filter(|b| is_ident(b.first(), &g.name) && is_punct(b.get(1), ':')) {
            if is_fn_bound(&b[2..]) {
                all.push(g.name.clone());
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

fn is_fn_bound(bound: &[TokenTree]) -> bool {
    bound.windows(2).any(|t| {
        FN_TRAITS.iter().any(|k| is_ident(Some(&t[0]), k))
            && group_of(Some(&t[1]), Delimiter::Parenthesis).is_some()
    })
}

fn encoded(
    s: &Signature,
    callbacks: &[String],
    provider: &str,
    entry: &str,
    modelled: bool,
    signs: &str,
) -> String {
    let mut name = String::from("__mirdc_native");
    let mut part = |kind: char, text: &str| name += &format!("_{kind}{}{text}", text.len());
    part('p', provider);
    part('e', entry);
    for g in &s.generics {
        match g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Const(_) => part('n', &g.name),
            GenericKind::Type if callbacks.contains(&g.name) => part('c', &g.name),
            GenericKind::Type => part('t', &g.name),
        }
    }
    if modelled {
        part('m', "");
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

fn device(
    out: &mut Out,
    s: &Signature,
    callbacks: &[String],
    provider: &str,
    entry: &str,
    modelled: bool,
) {
    let generics = turbofish(s);
    let option = option_of(&s.output);
    let (mut formal, mut actual, mut signs) = (Out::default(), Out::default(), String::new());
    for p in &s.params {
        let which = callbacks.iter().position(|c| type_is(&p.ty, c));
        formal.src("_:");
        match which {
            Some(k) => {
                formal.src(&format!("*const {},", callbacks[k]));
                actual.src(&format!("&raw const {},", p.name));
                signs.push(char::from(b'A' + k as u8));
            }
            None => {
                formal.tokens(&p.ty).src(",");
                actual.src(&format!("{},", p.name));
                signs.push('v');
            }
        }
    }
    if let Some(inner) = option {
        formal.src("_: *mut").tokens(inner).src(",");
        actual.src("__mirdc_out.as_mut_ptr(),");
        signs.push('v');
    }
    let native = encoded(s, callbacks, provider, entry, modelled, &signs);
    let call = format!("{native}::<{generics}>");
    out.src("#[inline(never)] #[allow(unused_variables, non_snake_case, clippy::all)]");
    out.src(&format!("fn {native}<")).tokens(&s.generics_src);
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
    if option.is_some() {
        out.src("let mut __mirdc_out = ::core::mem::MaybeUninit::uninit();");
        out.src(&format!("if {call}")).group(Delimiter::Parenthesis, actual);
        out.src("{ ::core::option::Option::Some(unsafe { __mirdc_out.assume_init() }) } else { ::core::option::Option::None }");
    } else {
        out.src(&call).group(Delimiter::Parenthesis, actual);
    }
}

/// The generic parameters as arguments.
fn turbofish(s: &Signature) -> String {
    let mut all = String::new();
    for g in &s.generics {
        match g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Const(_) => all += &format!("{{ {} }},", g.name),
            GenericKind::Type => all += &format!("{},", g.name),
        }
    }
    all
}
