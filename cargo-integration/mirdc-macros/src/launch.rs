//! What a launch needs: a function beside each kernel that takes the host's arguments, and the
//! macro `launch!` that calls it.

use crate::args::Args;
use crate::kernel::{erase_lifetimes, facts, instance_name, is_generic, Role};
use crate::lex::*;
use crate::signature::{GenericKind, Signature};
use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// How the host gives a parameter.
enum Slot {
    /// Device memory of these elements, read or also written.
    Read(Vec<TokenTree>),
    Write(Vec<TokenTree>),
    /// The same with the width of a row.
    Write2d(Vec<TokenTree>),
    Value,
}

fn bare(name: &str) -> &str {
    name.trim_start_matches("r#")
}

/// The last name of a path and its generic arguments that are no lifetimes: `a::B<'_, T>`.
fn last_segment(ty: &[TokenTree]) -> Option<(String, Vec<Vec<TokenTree>>)> {
    let open = ty.iter().position(|t| is_punct(Some(t), '<'))?;
    let Some(TokenTree::Ident(name)) = ty.get(open.checked_sub(1)?) else { return None };
    let inner = ty.get(open + 1..ty.len() - 1)?;
    let args = split_commas(inner).into_iter().filter(|a| !is_punct(a.first(), '\'')).collect();
    Some((name.to_string(), args))
}

/// `Atomic<u32>` is written by the kernel through a shared reference.
fn atomic_value(elem: &[TokenTree]) -> Option<Vec<TokenTree>> {
    match last_segment(elem) {
        Some((name, args)) if name == "Atomic" && args.len() == 1 => args.into_iter().next(),
        _ => None,
    }
}

fn slot(ty: &[TokenTree]) -> Slot {
    if is_punct(ty.first(), '&') {
        let mut rest = &ty[1..];
        if is_punct(rest.first(), '\'') {
            rest = &rest[2..];
        }
        let exclusive = is_ident(rest.first(), "mut");
        let Some(TokenTree::Group(g)) = rest.last() else { return Slot::Value };
        let elem = vec(g.stream());
        return match atomic_value(&elem) {
            Some(value) => Slot::Write(value),
            None if exclusive => Slot::Write(elem),
            None => Slot::Read(elem),
        };
    }
    match last_segment(ty) {
        Some((name, mut args)) if args.len() == 1 => match name.as_str() {
            "PerThread" | "Buffer" => Slot::Write(args.remove(0)),
            "PerThread2d" => Slot::Write2d(args.remove(0)),
            _ => Slot::Value,
        },
        _ => Slot::Value,
    }
}

/// `__MirdcKey_map<T, F, { N }>`: a type that stands for the instance. Its name as rustc gives it is
/// the text that names the instance on both sides.
fn key(s: &Signature) -> String {
    let mut args = String::new();
    for g in &s.generics {
        match g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Type => args += &format!("{},", g.name),
            GenericKind::Const(_) => args += &format!("{{ {} }},", g.name),
        }
    }
    format!("__MirdcKey_{}<{args}>", bare(&s.name))
}

fn key_type(out: &mut Out, s: &Signature) {
    let mut list = Out::default();
    let mut used = String::new();
    for g in &s.generics {
        match &g.kind {
            GenericKind::Lifetime => {}
            GenericKind::Type => {
                list.src(&format!("{}: ?Sized,", g.name));
                used += &format!("*const {},", g.name);
            }
            GenericKind::Const(ty) => {
                list.src(&format!("const {}:", g.name)).tokens(ty).src(",");
            }
        }
    }
    out.tokens(&s.cfgs);
    out.src("#[doc(hidden)] #[allow(non_camel_case_types, dead_code)]");
    out.tokens(&s.visibility);
    out.src(&format!("struct __MirdcKey_{} <", bare(&s.name))).stream(list.done());
    out.src(&format!("> (::core::marker::PhantomData<({used})>);"));
}

/// Text as a type, sixteen bytes at a time: types are printed with their values by any rustc.
fn chars(krate: &str, text: &str) -> String {
    let mut ty = "()".to_string();
    for chunk in text.as_bytes().chunks(16).rev() {
        let mut bytes = [0; 16];
        bytes[..chunk.len()].copy_from_slice(chunk);
        ty = format!("{krate}::rt::Chars<{}, {ty}>", u128::from_le_bytes(bytes));
    }
    ty
}

/// The digest of the key and the launch facts.
fn key_and_facts(body: &mut Out, s: &Signature, a: &Args, krate: &str) -> Out {
    facts(body, a, krate, Role::Kernel);
    body.src(&format!("const _: () = {krate}::rt::check_facts(&__FACTS);"));
    let key = key(s);
    let mut list = Out::default();
    for name in ["LO", "HI", "HAS_CLOSURE"] {
        list.src(&format!("{krate}::rt::Digest::<{key}>::{name},"));
    }
    for fact in [
        "flags",
        "block[0]",
        "block[1]",
        "block[2]",
        "max_block",
        "min_blocks",
        "cluster[0]",
        "cluster[1]",
        "cluster[2]",
        "dyn_shared as u32",
        "dyn_shared_align",
    ] {
        list.src(&format!("{{ const V: u32 = __FACTS.{fact}; V }},"));
    }
    list
}

/// A kernel that is not generic only has to be named.
fn mention(s: &Signature, a: &Args, krate: &str) -> Out {
    let mut body = Out::default();
    let mut list = key_and_facts(&mut body, s, a, krate);
    list.src(&s.name);
    let names: String = s.params.iter().map(|p| chars(krate, bare(&p.name)) + ",").collect();
    body.src(&format!("{krate}::rt::site_kernel::<{}, ({names}), _>", key(s)));
    body.group(Delimiter::Parenthesis, list).src(";");
    body.src(&format!("{krate}::rt::Launch::none()"));
    body
}

/// The region that is never entered: a call of the kernel with all types in place, which the pass
/// finds wherever rustc inlined the function around it, and cuts out.
fn region(s: &Signature, a: &Args, krate: &str) -> Out {
    let mut body = Out::default();
    let key = key(s);
    let begin = key_and_facts(&mut body, s, a, krate);
    body.src(&format!("{krate}::rt::site_begin::<{key}>"));
    body.group(Delimiter::Parenthesis, begin).src(";");
    let mut call = Out::default();
    for (i, p) in s.params.iter().enumerate() {
        call.src(&format!("{krate}::rt::site_arg::<")).tokens(&erase_lifetimes(&p.ty));
        call.src(&format!(", {i}, {}>(),", chars(krate, bare(&p.name))));
    }
    let generics = key.split_once('<').map_or("", |(_, list)| list);
    body.src(&format!("{}::<{generics}", s.name)).group(Delimiter::Parenthesis, call).src(";");
    body.src(&format!("{krate}::rt::site_end();"));
    let mut inner = Out::default();
    inner.src("unsafe").group(Delimiter::Brace, body);
    let mut out = Out::default();
    out.src(&format!("if {krate}::rt::site_never()")).group(Delimiter::Brace, inner);
    out.src(&format!("{krate}::rt::Launch::none()"));
    out
}

fn host(s: &Signature, a: &Args, krate: &str) -> Out {
    let name = bare(&s.name);
    let key = key(s);
    let generics = key.split_once('<').map_or("", |(_, list)| list);
    let named = if !is_generic(s) {
        format!(
            "::core::option::Option::Some(::core::concat!(::core::module_path!(), \"::{name}\"))"
        )
    } else if a.instances.is_empty() {
        "::core::option::Option::None".to_string()
    } else {
        format!("__mirdc_named_{name}(::core::any::type_name::<{key}>())")
    };
    let mut out = Out::default();
    // Nothing else may call the kernel on the host.
    out.src(&format!("let _ = {}::<{generics};", s.name));
    out.src(&format!(
        "{krate}::rt::Launch::new::<{key}>(\"{name}\", ::core::module_path!(), {named})"
    ));
    for (i, p) in s.params.iter().enumerate() {
        out.src(&match slot(&p.ty) {
            Slot::Value => format!(".value(__a{i})"),
            Slot::Write2d(_) => format!(".slice2d(__a{i}.0, __a{i}.1)"),
            Slot::Read(_) | Slot::Write(_) => format!(".slice(__a{i})"),
        });
    }
    out
}

/// The path of the instance that has this key, of those named by the attribute. No parameter of the
/// kernel is in scope where the types of the attribute stand.
fn named(out: &mut Out, s: &Signature, a: &Args) {
    if a.instances.is_empty() {
        return;
    }
    let name = bare(&s.name);
    let mut body = Out::default();
    for inst in &a.instances {
        let mut args = Out::default();
        let wanted = s.generics.iter().filter(|g| !matches!(g.kind, GenericKind::Lifetime));
        for (g, value) in wanted.zip(&inst.args) {
            let mut one = Out::default();
            one.tokens(value);
            match g.kind {
                GenericKind::Const(_) => args.group(Delimiter::Brace, one),
                _ => args.stream(one.done()),
            };
            args.src(",");
        }
        body.src(&format!("if key == ::core::any::type_name::<__MirdcKey_{name} <"));
        body.stream(args.done()).src("> >()");
        let mut found = Out::default();
        let path =
            format!("::core::concat!(::core::module_path!(), \"::{}\")", instance_name(s, inst));
        found.src(&format!("return ::core::option::Option::Some({path});"));
        body.group(Delimiter::Brace, found);
    }
    body.src("::core::option::Option::None");
    out.tokens(&s.cfgs);
    out.src("#[doc(hidden)] #[allow(clippy::all, dead_code, non_snake_case, unused_braces)]");
    out.src(&format!("fn __mirdc_named_{name}(key: &str) -> ::core::option::Option<&'static str>"));
    out.group(Delimiter::Brace, body);
}

/// The function behind `launch!(…, NAME(…))`.
pub fn launcher(out: &mut Out, s: &Signature, a: &Args) {
    let krate = a.krate.as_ref().map_or("::mirdc".to_string(), |k| text(k));
    key_type(out, s);
    named(out, s, a);
    out.tokens(&s.cfgs);
    out.src(
        "#[doc(hidden)] #[track_caller] #[inline(always)] #[allow(clippy::all, dead_code, \
         non_snake_case, unused_variables, unused_unsafe, unused_mut, deprecated, \
         private_interfaces, private_bounds)]",
    );
    out.tokens(&s.visibility);
    out.src(&format!("fn __mirdc_launch_{} <", bare(&s.name))).tokens(&s.generics_src).src(">");
    let mut params = Out::default();
    for (i, p) in s.params.iter().enumerate() {
        params.src(&format!("__a{i}:"));
        let device = |elem: &[TokenTree]| {
            let mut t = Out::default();
            t.src(&format!("impl {krate}::DeviceSlice<Elem =")).tokens(elem).src(">");
            t
        };
        match slot(&p.ty) {
            Slot::Value => params.tokens(&p.ty),
            Slot::Read(e) => params.src("&").group(Delimiter::Parenthesis, device(&e)),
            Slot::Write(e) => params.src("&mut").group(Delimiter::Parenthesis, device(&e)),
            Slot::Write2d(e) => {
                let mut pair = Out::default();
                pair.src("&mut").group(Delimiter::Parenthesis, device(&e)).src(", usize");
                params.group(Delimiter::Parenthesis, pair)
            }
        };
        params.src(",");
    }
    out.group(Delimiter::Parenthesis, params).src(&format!("-> {krate}::rt::Launch"));
    out.tokens(&s.where_src);
    let mut both = Out::default();
    let device = if is_generic(s) { region(s, a, &krate) } else { mention(s, a, &krate) };
    both.group(Delimiter::Brace, device);
    both.group(Delimiter::Brace, host(s, a, &krate));
    let mut body = Out::default();
    body.src(&format!("{krate}::__mirdc_device_or_host!")).group(Delimiter::Brace, both);
    out.group(Delimiter::Brace, body);
}

/// Tells the pass which instance the kernel of a descriptor is.
pub fn declare(body: &mut Out, s: &Signature, krate: &str, name: &str) {
    let key = key(s);
    let mut device = Out::default();
    device.src(&format!(
        "fn __mirdc_declared() {{ {krate}::rt::site_declare::<{key}, {}>\
         ({krate}::rt::Digest::<{key}>::LO, {krate}::rt::Digest::<{key}>::HI) }}",
        chars(krate, name)
    ));
    let mut both = Out::default();
    both.group(Delimiter::Brace, device).group(Delimiter::Brace, Out::default());
    body.src(&format!("{krate}::__mirdc_device_or_host!")).group(Delimiter::Brace, both);
}

const SHAPE: &str =
    "expected `launch!(MODULE, GRID, BLOCK, kernel(ARGUMENTS))`, or with the bytes of \
                     dynamic shared memory before the kernel";

/// Splits at commas. An angle bracket opens only behind `::`, so that `a < b` is none.
fn split_expressions(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut angles = Angles::default();
    for (i, t) in tokens.iter().enumerate() {
        let behind_path = i > 0 && is_punct(tokens.get(i - 1), ':');
        if angles.depth > 0 || (behind_path && is_punct(Some(t), '<')) {
            angles.see(t);
        } else if is_punct(Some(t), ',') {
            parts.push(Vec::new());
            continue;
        }
        parts.last_mut().unwrap().push(t.clone());
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// The call at the end: path, and the group with the arguments.
fn split_call(call: &[TokenTree]) -> Result<(Vec<TokenTree>, Group)> {
    match call {
        [path @ .., TokenTree::Group(g)]
            if g.delimiter() == Delimiter::Parenthesis && !path.is_empty() =>
        {
            Ok((path.to_vec(), g.clone()))
        }
        _ => error_at(call, Span::call_site(), SHAPE),
    }
}

/// `a::map::<f32, _>` → `a::__mirdc_launch_map::<f32, _>`
fn rename(path: &mut [TokenTree]) -> Result<()> {
    let mut angles = Angles::default();
    let mut last = None;
    for (i, t) in path.iter().enumerate() {
        angles.see(t);
        if angles.depth == 0 && matches!(t, TokenTree::Ident(_)) {
            last = Some(i);
        }
    }
    let Some(i) = last else { return error_at(path, Span::call_site(), SHAPE) };
    let name = format!("__mirdc_launch_{}", bare(&path[i].to_string()));
    path[i] = Ident::new(&name, path[i].span()).into();
    Ok(())
}

fn build(input: TokenStream) -> Result<TokenStream> {
    let parts = split_expressions(&vec(input));
    let (module, grid, block, shared, call) = match &parts[..] {
        [m, g, b, c] => (m, g, b, None, c),
        [m, g, b, s, c] => (m, g, b, Some(s), c),
        _ => return error(Span::call_site(), SHAPE),
    };
    let (mut path, args) = split_call(call)?;
    rename(&mut path)?;
    let mut inner = Out::default();
    inner.src("let __mirdc_call =").tokens(&path).src("; let __mirdc_launch = __mirdc_call");
    // The place that `Location::caller()` gives is then that of the macro.
    let call = Group::new(Delimiter::Parenthesis, args.stream());
    inner.tokens(&[call.into()]).src(";");
    let mut on = Out::default();
    on.tokens(module);
    inner.group(Delimiter::Parenthesis, on).src(".launch_prepared");
    let mut list = Out::default();
    list.tokens(grid).src(",").tokens(block).src(",");
    match shared {
        Some(s) => {
            let mut bytes = Out::default();
            bytes.tokens(s);
            list.src("::core::option::Option::Some").group(Delimiter::Parenthesis, bytes);
        }
        None => {
            list.src("::core::option::Option::None");
        }
    }
    list.src(", &__mirdc_launch");
    inner.group(Delimiter::Parenthesis, list);
    let mut out = Out::default();
    out.group(Delimiter::Brace, inner);
    Ok(out.done())
}

pub fn expand(input: TokenStream) -> TokenStream {
    coded("MD0910", build(input)).unwrap_or_else(|e| e.tokens())
}
