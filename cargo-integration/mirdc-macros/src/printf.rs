//! `printf!`: checks the conversions and packs the arguments as C's variable arguments are.

use crate::lex::*;
use proc_macro::{Delimiter, Literal, Span, TokenStream, TokenTree};

pub fn expand(input: TokenStream) -> TokenStream {
    coded("MD0630", build(vec(input))).unwrap_or_else(|e| e.tokens())
}

#[derive(Clone, Copy)]
enum Kind {
    Int,
    Float,
    Ptr,
    Text,
}

fn build(t: Vec<TokenTree>) -> Result<TokenStream> {
    let parts = split_commas(&t);
    let Some((first, args)) = parts.split_first() else {
        return error(Span::call_site(), "expected a format string");
    };
    let format = match &first[..] {
        [one] => string_literal(one),
        _ => None,
    };
    let at = first.first().map_or(Span::call_site(), |t| t.span());
    let Some(format) = format else {
        return error_at(first, at, "the format must be a string literal");
    };
    if format.contains('\0') {
        return error(at, "the format cannot contain a zero byte");
    }
    let conversions = conversions(&format, at)?;
    if conversions.len() != args.len() {
        let text = format!(
            "the format has {} conversions, but there are {} arguments",
            conversions.len(),
            args.len()
        );
        return error(at, text);
    }
    if args.len() > 16 {
        return error(at, "at most 16 arguments");
    }
    Ok(pack(&format, &conversions, args))
}

fn conversions(format: &str, at: Span) -> Result<Vec<(Kind, &'static str)>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(i) = rest.find('%') {
        rest = &rest[i + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let digits = rest.trim_start_matches(['-', '+', ' ', '#', '0']);
        let digits = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if digits.starts_with('*') {
            return error(at, "a `*` width is not supported");
        }
        let conv = digits.trim_start_matches(['l', 'h', 'z', 'j', 't']);
        let length = &digits[..digits.len() - conv.len()];
        let wide = if length.contains(['l', 'z', 'j', 't']) { "i64" } else { "" };
        let Some(c) = conv.chars().next() else {
            return error(at, "the format ends inside a conversion");
        };
        found.push(match c {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' => (Kind::Int, wide),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => (Kind::Float, ""),
            'p' => (Kind::Ptr, ""),
            's' => (Kind::Text, ""),
            c => {
                return error(
                    at,
                    format!("unknown conversion `%{c}`; write `%%` for a percent sign"),
                )
            }
        });
        rest = &conv[c.len_utf8()..];
    }
    Ok(found)
}

/// The packed area is one of the `repr(C)` structs of the device crate, which have a field for each
/// argument. A 64-bit integer needs `%ld`, a 32-bit one `%d`: the called function checks that.
fn pack(format: &str, conversions: &[(Kind, &str)], args: &[Vec<TokenTree>]) -> TokenStream {
    let mut body = Out::default();
    let format = Literal::string(&format!("{format}\0"));
    if conversions.is_empty() {
        body.src(&format!("::mirdc::rt::print_plain({format})"));
    } else {
        let mut list = Out::default();
        for ((kind, wide), arg) in conversions.iter().zip(args) {
            let f = match (kind, *wide) {
                (Kind::Int, "") => "print_int32",
                (Kind::Int, _) => "print_int64",
                (Kind::Float, _) => "PrintFloat::promote",
                (Kind::Ptr, _) => "PrintPtr::promote",
                (Kind::Text, _) => "PrintText::promote",
            };
            let mut call = Out::default();
            call.tokens(arg);
            list.src(&format!("::mirdc::rt::{f}")).group(Delimiter::Parenthesis, call).src(",");
        }
        body.src(&format!("let args = ::mirdc::rt::Args{}", conversions.len()));
        body.group(Delimiter::Parenthesis, list);
        body.src(&format!("; ::mirdc::rt::print({format}, &args)"));
    }
    let mut out = Out::default();
    out.group(Delimiter::Brace, body);
    out.done()
}
