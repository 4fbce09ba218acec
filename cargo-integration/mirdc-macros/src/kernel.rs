//! `#[kernel]` and `#[device_export]`: checks the function and adds its descriptor beside it.

use crate::args::{self, Args, Instance};
use crate::launch;
use crate::lex::*;
use crate::signature::{self, GenericKind, Signature};
use proc_macro::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};

#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Kernel,
    Export,
}

pub fn expand(args: TokenStream, item: TokenStream, role: Role) -> TokenStream {
    let mut out = Out::default();
    match coded("MD0629", build(args, item.clone(), role)) {
        Ok(extra) => {
            // rustc does not flatten exported functions into others, and the pass names them itself.
            if role == Role::Export && std::env::var_os("MIRDC_PASS").is_none() {
                out.src("#[unsafe(no_mangle)]");
            }
            out.stream(item).stream(extra);
        }
        // The function stays, so that its uses do not add errors of their own.
        Err(e) => {
            out.stream(item).stream(e.tokens());
        }
    }
    out.done()
}

fn build(args: TokenStream, item: TokenStream, role: Role) -> Result<TokenStream> {
    let what = if role == Role::Kernel { "a kernel" } else { "a device export" };
    let s = signature::parse(item, what)?;
    let only: &[&str] = if role == Role::Kernel { &[] } else { &["crate"] };
    let a = coded("MD0628", args::parse(args, only))?;
    check_signature(&s, &a, role)?;
    let mut out = Out::default();
    if role == Role::Kernel {
        warn_mut_slices(&s, &mut out);
    }
    for inst in &a.instances {
        check_instance(&s, inst)?;
    }
    if role == Role::Kernel {
        launch::launcher(&mut out, &s, &a);
    }
    if a.instances.is_empty() && !is_generic(&s) {
        descriptor(&mut out, &s, &a, None, role);
    }
    for inst in &a.instances {
        descriptor(&mut out, &s, &a, Some(inst), role);
    }
    Ok(out.done())
}

pub fn is_generic(s: &Signature) -> bool {
    s.generics.iter().any(|g| !matches!(g.kind, GenericKind::Lifetime))
}

fn check_signature(s: &Signature, a: &Args, role: Role) -> Result<()> {
    let generic = is_generic(s);
    if role == Role::Export {
        if s.abi.as_deref() != Some("C") {
            return error(s.name_span, "a device export must be `extern \"C\"`");
        }
        if generic {
            return error(s.name_span, "a device export cannot be generic");
        }
        return Ok(());
    }
    let unit = s.output.is_empty()
        || matches!(&s.output[..], [TokenTree::Group(g)]
            if g.delimiter() == Delimiter::Parenthesis && g.stream().is_empty());
    if !unit {
        return error_at(
            &s.output,
            s.name_span,
            "a kernel returns nothing; write results through a `PerThread<T>`, a `Buffer<T>` or a \
             raw pointer parameter",
        );
    }
    if let Some(abi) = s.abi.as_deref().filter(|abi| !matches!(*abi, "C" | "Rust")) {
        return error(s.name_span, format!("a kernel cannot be `extern \"{abi}\"`"));
    }
    for p in &s.params {
        check_param(&p.ty, p.span)?;
    }
    match a.instances.first() {
        Some(first) if !generic => {
            error(first.span, format!("`{}` is not generic and has no instances", s.name))
        }
        _ => Ok(()),
    }
}

/// What is wrong with a parameter's type as written; aliases are left to the trait bound.
fn check_param(ty: &[TokenTree], span: Span) -> Result<()> {
    let fail = |code, text: &str| coded(code, error_at(ty, span, text));
    if is_ident(ty.first(), "impl") {
        return fail(
            "MD0623",
            "a kernel parameter cannot be `impl Trait`; use a type parameter and `instances(…)`",
        );
    }
    if is_ident(ty.first(), "dyn") {
        return fail("MD0623", "a kernel parameter cannot be a trait object");
    }
    if !is_punct(ty.first(), '&') {
        return Ok(());
    }
    let mut rest = &ty[1..];
    if is_punct(rest.first(), '\'') {
        rest = &rest[2..];
    }
    if is_ident(rest.first(), "mut") {
        rest = &rest[1..];
    }
    let slice = group_of(rest.first(), Delimiter::Bracket);
    match slice {
        Some(g) if !vec(g.stream()).iter().any(|t| is_punct(Some(t), ';')) => Ok(()),
        Some(_) => fail(
            "MD0621",
            "a reference to an array would point into host memory; take `&[T]`, or the array by value",
        ),
        None if is_ident(rest.first(), "str") => {
            fail("MD0622", "a kernel parameter cannot be `&str`; take its bytes as `&[u8]`")
        }
        None if is_ident(rest.first(), "dyn") => {
            fail("MD0623", "a kernel parameter cannot be a trait object")
        }
        None => fail(
            "MD0621",
            "a reference would point into host memory; take the value itself, `&[T]`, or a raw \
             pointer to device memory",
        ),
    }
}

fn check_instance(s: &Signature, inst: &Instance) -> Result<()> {
    let want: Vec<_> =
        s.generics.iter().filter(|g| !matches!(g.kind, GenericKind::Lifetime)).collect();
    if want.len() != inst.args.len() {
        let names: Vec<_> = want.iter().map(|g| g.name.as_str()).collect();
        let text = format!(
            "`{}` has {} generic parameters ({}), the instance gives {}",
            s.name,
            want.len(),
            names.join(", "),
            inst.args.len()
        );
        return error(inst.span, text);
    }
    if inst.name.as_deref() == Some(&s.name) {
        return error(inst.span, "an instance cannot have the name of the generic function");
    }
    Ok(())
}

/// A `&mut [T]` parameter works, but every thread gets the same one: warned about by means of a
/// deprecated item used at the parameter's place.
fn warn_mut_slices(s: &Signature, out: &mut Out) {
    for p in &s.params {
        let mut rest = &p.ty[..];
        if !is_punct(rest.first(), '&') {
            continue;
        }
        rest = &rest[1..];
        if is_punct(rest.first(), '\'') {
            rest = &rest[2..];
        }
        if !is_ident(rest.first(), "mut") {
            continue;
        }
        let note = format!(
            "all threads would hold the same `&mut`, which Rust takes for exclusive, so that reads \
             may be merged across barriers: make `{}` a `PerThread<T>`, a `Buffer<T>`, `&[Atomic<T>]` \
             or a raw pointer",
            p.name
        );
        let name = "kernel_parameter_is_a_mutable_slice";
        let mut inner = Out::default();
        inner.src(&format!("#[deprecated(note = {})]", Literal::string(&note)));
        inner.src("#[allow(non_upper_case_globals)]");
        inner.src(&format!("const {name}: () = ();"));
        inner.tokens(&[TokenTree::Ident(Ident::new(name, p.span))]);
        out.src("const _: () =").group(Delimiter::Brace, inner).src(";");
    }
}

/// Lifetimes of the function mean nothing in the descriptor: each becomes `'_`.
pub fn erase_lifetimes(ty: &[TokenTree]) -> Vec<TokenTree> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < ty.len() {
        if is_punct(ty.get(i), '\'') && !is_ident(ty.get(i + 1), "static") {
            out.push(ty[i].clone());
            let span = ty[i + 1].span();
            out.push(Ident::new("_", span).into());
            i += 2;
            continue;
        }
        if let TokenTree::Group(g) = &ty[i] {
            let inner = erase_lifetimes(&vec(g.stream()));
            let mut new = proc_macro::Group::new(g.delimiter(), inner.into_iter().collect());
            new.set_span(g.span());
            out.push(new.into());
        } else {
            out.push(ty[i].clone());
        }
        i += 1;
    }
    out
}

/// `scale` with `<f32, 4>` is exported as `scale_f32_4` unless the attribute names it.
pub fn instance_name(s: &Signature, inst: &Instance) -> String {
    if let Some(n) = &inst.name {
        return n.clone();
    }
    let mut name = s.name.clone();
    for arg in &inst.args {
        let mut part = String::new();
        for c in text(arg).chars() {
            match c {
                c if c.is_ascii_alphanumeric() || c == '_' => part.push(c),
                '-' => part.push_str("neg"),
                _ if part.ends_with('_') || part.is_empty() => {}
                _ => part.push('_'),
            }
        }
        name.push('_');
        name.push_str(part.trim_end_matches('_'));
    }
    name
}

fn descriptor(out: &mut Out, s: &Signature, a: &Args, inst: Option<&Instance>, role: Role) {
    let krate = a.krate.as_ref().map_or("::mirdc".to_string(), |k| text(k));
    let name = inst.map_or(s.name.clone(), |i| instance_name(s, i));
    let bare = name.trim_start_matches("r#").to_string();
    let (item, prefix) = match role {
        Role::Kernel => ("__MIRDC_KERNEL", "__mirdc_kernel"),
        Role::Export => ("__MIRDC_EXPORT", "__mirdc_export"),
    };
    out.tokens(&s.cfgs);
    out.src(
        "#[doc(hidden)] #[allow(non_upper_case_globals, dead_code, non_snake_case, \
         clippy::all, deprecated)]",
    );
    out.tokens(&s.visibility);
    out.src(&format!("const {prefix}_{bare}: &'static {krate}::rt::Kernel ="));

    let mut outer = Out::default();
    let mut body = Out::default();
    let mut entry = s.name.clone();
    if let Some(inst) = inst {
        entry = wrapper(&mut outer, &mut body, s, inst, &bare);
    }
    if role == Role::Kernel {
        launch::declare(&mut body, s, &krate, &bare);
    }
    body.src(&format!("static __PARAMS: [{krate}::rt::Param; {}] =", s.params.len()));
    let mut list = Out::default();
    for p in &s.params {
        list.src(&format!("{krate}::rt::Param::of::<"));
        list.tokens(&erase_lifetimes(&p.ty));
        list.src(&format!(">({}),", Literal::string(p.name.trim_start_matches("r#"))));
    }
    body.group(Delimiter::Bracket, list).src(";");
    facts(&mut body, a, &krate, role);
    body.src(&format!(
        "static {item}: {krate}::rt::Kernel = {krate}::rt::Kernel::new(__FACTS, \
         {entry} as *const (), {0}, ::core::concat!(::core::module_path!(), \"::\", {0}), &__PARAMS);",
        Literal::string(&bare)
    ));
    body.src(&format!(
        "#[doc(hidden)] pub fn {prefix}() -> &'static {krate}::rt::Kernel {{ &{item} }} &{item}"
    ));
    outer.group(Delimiter::Brace, body);
    out.group(Delimiter::Brace, outer).src(";");
}

/// A function of its own for an instance: the generics become aliases of the same names. What the
/// aliases mean stands in a block further out, where a type of the name `T` is still the user's.
fn wrapper(outer: &mut Out, body: &mut Out, s: &Signature, inst: &Instance, name: &str) -> String {
    let mut pass = Out::default();
    let wanted = s.generics.iter().filter(|g| !matches!(g.kind, GenericKind::Lifetime));
    for (i, (g, value)) in wanted.zip(&inst.args).enumerate() {
        let name = &g.name;
        if let GenericKind::Const(ty) = &g.kind {
            outer.src(&format!("#[allow(unused_braces)] const __MIRDC_ARG{i}:"));
            outer.tokens(ty).src("=").tokens(value).src(";");
            body.src(&format!("const {name}:")).tokens(ty).src(&format!("= __MIRDC_ARG{i};"));
            pass.src(&format!("{{ {name} }},"));
        } else {
            outer.src(&format!("type __MirdcArg{i} =")).tokens(value).src(";");
            body.src(&format!("type {name} = __MirdcArg{i};"));
            pass.src(&format!("{name},"));
        }
    }
    let mut list = Out::default();
    let mut call = Out::default();
    for (i, p) in s.params.iter().enumerate() {
        list.src(&format!("__a{i}:")).tokens(&erase_lifetimes(&p.ty)).src(",");
        call.src(&format!("__a{i},"));
    }
    body.src(&format!("pub {} fn {name}", if s.is_unsafe { "unsafe" } else { "" }));
    body.group(Delimiter::Parenthesis, list);
    let mut inner = Out::default();
    inner.src(&format!("{}::<", s.name)).stream(pass.done()).src(">");
    inner.group(Delimiter::Parenthesis, call);
    let mut braces = Out::default();
    if s.is_unsafe {
        braces.src("unsafe").group(Delimiter::Brace, inner);
    } else {
        braces.stream(inner.done());
    }
    body.group(Delimiter::Brace, braces);
    name.to_string()
}

pub fn facts(body: &mut Out, a: &Args, krate: &str, role: Role) {
    let mut flags = vec!["0".to_string()];
    let mut fields = Out::default();
    let mut flag = |name: &str| flags.push(format!("{krate}::rt::FLAG_{name}"));
    if role == Role::Export {
        flag("EXPORT");
    }
    let mut three = |name: &str, v: &Option<[Vec<TokenTree>; 3]>| {
        let Some(v) = v else { return false };
        let mut list = Out::default();
        for e in v {
            list.tokens(e).src(",");
        }
        fields.src(&format!("{name}:")).group(Delimiter::Bracket, list).src(",");
        true
    };
    if three("block", &a.block) {
        flag("BLOCK");
    }
    if three("cluster", &a.cluster) {
        flag("CLUSTER");
    }
    let mut one = |name: &str, v: &Option<Vec<TokenTree>>| {
        let Some(v) = v else { return false };
        fields.src(&format!("{name}:")).tokens(v).src(",");
        true
    };
    if one("max_block", &a.max_block) {
        flag("MAX_BLOCK");
    }
    if one("min_blocks", &a.min_blocks) {
        flag("MIN_BLOCKS");
    }
    if one("dyn_shared", &a.dynamic_shared) {
        flag("DYNAMIC_SHARED");
        if !one("dyn_shared_align", &a.dynamic_shared_align) {
            fields.src("dyn_shared_align: 16,");
        }
    }
    fields.src(&format!("flags: {}, ..{krate}::rt::NO_FACTS", flags.join(" | ")));
    body.src(&format!("const __FACTS: {krate}::rt::Facts = {krate}::rt::Facts"));
    body.group(Delimiter::Brace, fields).src(";");
}

/// `kernel_of!(a::b::name)` → `a::b::__mirdc_kernel_name`
pub fn kernel_of(input: TokenStream) -> TokenStream {
    let mut t = vec(input);
    let Some(TokenTree::Ident(last)) = t.pop() else {
        return Error {
            first: Span::call_site(),
            last: Span::call_site(),
            text: "expected the path of a kernel".into(),
            code: "MD0629",
        }
        .tokens();
    };
    let name = format!("__mirdc_kernel_{}", last.to_string().trim_start_matches("r#"));
    t.push(Ident::new(&name, last.span()).into());
    t.into_iter().collect()
}
