//! `shared!`: a static of its own for every use.
//!
//! rustc prints statics of the same name in one function alike, so each gets another name: a
//! counter, since all macros of a crate are expanded in order by one process.

use crate::lex::*;
use proc_macro::{Delimiter, Span, TokenStream};
use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

pub fn expand(input: TokenStream) -> TokenStream {
    coded("MD0632", build(input)).unwrap_or_else(|e| e.tokens())
}

fn build(input: TokenStream) -> Result<TokenStream> {
    let t = vec(input);
    let Some(semi) = t.iter().position(|t| is_punct(Some(t), ';')) else {
        return error_at(&t, Span::call_site(), "expected `shared![TYPE; LENGTH]`");
    };
    let (ty, len) = (&t[..semi], &t[semi + 1..]);
    if ty.is_empty() || len.is_empty() {
        return error_at(&t, Span::call_site(), "expected `shared![TYPE; LENGTH]`");
    }
    let name = format!("__MIRDC_SHARED_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let mut n = Out::default();
    n.tokens(len);
    let mut body = Out::default();
    body.src(&format!("#[allow(unused_braces)] static {name}: ::mirdc::Shared<"));
    body.tokens(ty).src(",").group(Delimiter::Brace, n);
    body.src(&format!("> = ::mirdc::Shared::new(); &{name}"));
    let mut out = Out::default();
    out.group(Delimiter::Brace, body);
    Ok(out.done())
}
