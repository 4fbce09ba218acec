//! `ptx!`: inline PTX. In a device build it becomes `asm!` with a marked template, which is never
//! assembled but read back by the compiler.

use crate::lex::*;
use proc_macro::{Delimiter, Literal, Span, TokenStream, TokenTree};

struct Operand {
    direction: &'static str,
    ty: Vec<TokenTree>,
    value: Vec<TokenTree>,
}

struct Input {
    template: String,
    operands: Vec<Operand>,
    pure: bool,
    host: Option<TokenStream>,
}

pub fn expand(input: TokenStream) -> TokenStream {
    coded("MD0631", parse(vec(input))).map(|i| build(&i)).unwrap_or_else(|e| e.tokens())
}

fn parse(t: Vec<TokenTree>) -> Result<Input> {
    let mut input =
        Input { template: String::new(), operands: Vec::new(), pure: false, host: None };
    let mut lines = Vec::new();
    let mut first_span = Span::call_site();
    let parts = split_commas(&t);
    for (n, part) in parts.iter().enumerate() {
        let at = part.first().map_or(Span::call_site(), |t| t.span());
        if n == 0 {
            first_span = at;
        }
        if let ([one], true) = (&part[..], input.operands.is_empty()) {
            if let Some(s) = string_literal(one) {
                lines.push(s);
                continue;
            }
        }
        match part.first() {
            Some(TokenTree::Ident(id)) if id.to_string() == "options" => options(part, &mut input)?,
            Some(TokenTree::Ident(id)) if id.to_string() == "host" => {
                let Some(g) = group_of(part.get(1), Delimiter::Brace) else {
                    return error_at(part, at, "expected `host { … }`");
                };
                input.host = Some(g.stream());
            }
            _ => input.operands.push(operand(part, at)?),
        }
    }
    if lines.is_empty() {
        return error(Span::call_site(), "expected the PTX text as a string literal");
    }
    input.template = lines.join("\n");
    check_template(&input, first_span)?;
    Ok(input)
}

fn options(part: &[TokenTree], input: &mut Input) -> Result<()> {
    let Some(g) = group_of(part.get(1), Delimiter::Parenthesis) else {
        return error_at(part, Span::call_site(), "expected `options(pure)`");
    };
    for o in split_commas(&vec(g.stream())) {
        match text(&o).as_str() {
            "pure" => input.pure = true,
            // Said for clarity by those who know `asm!`; implied by `pure`.
            "nomem" if input.pure => {}
            other => {
                let text = format!("unknown option `{other}`; `pure` is the only one");
                return error_at(&o, Span::call_site(), text);
            }
        }
    }
    Ok(())
}

fn operand(part: &[TokenTree], at: Span) -> Result<Operand> {
    const SHAPE: &str = "expected `in(TYPE) value`, `out(TYPE) place` or `inout(TYPE) place`";
    let direction = match part.first().map(|t| t.to_string()).as_deref() {
        Some("in") => "in",
        Some("out") => "out",
        Some("inout") => "inout",
        _ => return error_at(part, at, SHAPE),
    };
    let Some(g) = group_of(part.get(1), Delimiter::Parenthesis) else {
        return error_at(part, at, SHAPE);
    };
    let ty = vec(g.stream());
    const TYPES: [&str; 8] = ["u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"];
    if !TYPES.contains(&text(&ty).as_str()) {
        let found = text(&ty);
        let text = format!("an operand must be one of {}, not `{found}`", TYPES.join(", "));
        return error_at(&ty, at, text);
    }
    if part.len() < 3 {
        return error_at(part, at, SHAPE);
    }
    Ok(Operand { direction, ty, value: part[2..].to_vec() })
}

/// Every operand is named by number at least once, and no other; no stray braces.
fn check_template(input: &Input, at: Span) -> Result<()> {
    let mut used = vec![false; input.operands.len()];
    let mut rest = input.template.as_str();
    while let Some(i) = rest.find(['{', '}']) {
        let c = rest.as_bytes()[i];
        rest = &rest[i + 1..];
        if rest.as_bytes().first() == Some(&c) {
            rest = &rest[1..];
            continue;
        }
        let number = rest.split('}').next().and_then(|n| n.parse::<usize>().ok());
        match number {
            Some(n) if c == b'{' && n < used.len() => {
                used[n] = true;
                rest = &rest[rest.find('}').unwrap_or(0) + 1..];
            }
            Some(n) if c == b'{' => {
                return error(at, format!("`{{{n}}}` names no operand; there are {}", used.len()));
            }
            _ => {
                return error(at, "braces of PTX are written doubled, `{{ }}`; operands are `{0}`");
            }
        }
    }
    match used.iter().position(|u| !u) {
        Some(n) => error_at(&input.operands[n].value, at, format!("`{{{n}}}` is not in the text")),
        None => Ok(()),
    }
}

fn build(input: &Input) -> TokenStream {
    let mut out = Out::default();
    out.src("::mirdc::__mirdc_device_or_host!");
    let mut both = Out::default();
    both.group(Delimiter::Brace, device(input)).group(Delimiter::Brace, host(input));
    out.group(Delimiter::Brace, both);
    let mut block = Out::default();
    block.group(Delimiter::Brace, out);
    block.done()
}

/// Inputs are bound to variables of the declared type first, so that a literal or a wrong type is
/// settled by ordinary type checking.
fn device(input: &Input) -> Out {
    let mut out = Out::default();
    let mut asm = Out::default();
    // Only the text is wanted; the marker names the option that cannot be read off the operands.
    let mark = if input.pure { "// mirdc-ptx pure:\n" } else { "// mirdc-ptx:\n" };
    asm.src(&Literal::string(&format!("{mark}{}", input.template)).to_string()).src(",");
    let mut after = Out::default();
    for (i, o) in input.operands.iter().enumerate() {
        let name = format!("__op{i}");
        match o.direction {
            "out" => {
                out.src(&format!("let {name}:")).tokens(&o.ty).src(";");
            }
            _ => {
                let mutable = if o.direction == "inout" { "mut" } else { "" };
                out.src(&format!("let {mutable} {name}:")).tokens(&o.ty).src("=");
                out.tokens(&o.value).src(";");
            }
        }
        asm.src(&format!("{}(reg) {name},", o.direction));
        if o.direction != "in" {
            after.tokens(&o.value).src(&format!("= {name};"));
        }
    }
    asm.src(if input.pure { "options(pure, nomem, nostack)" } else { "options(nostack)" });
    out.src("#[allow(asm_sub_register)]");
    let mut call = Out::default();
    call.src("::core::arch::asm!").group(Delimiter::Parenthesis, asm).src(";");
    let mut unsafe_block = Out::default();
    unsafe_block.src("unsafe").group(Delimiter::Brace, call);
    out.stream(unsafe_block.done()).src(";").stream(after.done());
    out
}

/// The host's own body, or a panic; either way the operands are type-checked.
fn host(input: &Input) -> Out {
    let mut out = Out::default();
    if let Some(h) = &input.host {
        // The inputs count as used, whether the host's body reads them or not.
        for o in input.operands.iter().filter(|o| o.direction == "in") {
            let mut value = Out::default();
            value.src("let __op:").tokens(&o.ty).src("=").tokens(&o.value).src("; let _ = __op;");
            out.group(Delimiter::Brace, value);
        }
        out.stream(h.clone());
        return out;
    }
    let mut never = Out::default();
    for (i, o) in input.operands.iter().enumerate() {
        if o.direction == "out" {
            never.tokens(&o.value).src("= ::core::default::Default::default();");
        } else {
            never.src(&format!("let __op{i}:")).tokens(&o.ty).src("=").tokens(&o.value);
            never.src(&format!("; let _ = __op{i};"));
        }
    }
    out.src("if true { ::mirdc::rt::no_host_body() }");
    out.stream(never.done());
    out
}
