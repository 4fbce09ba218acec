//! The arguments of `#[kernel(…)]`.

use crate::lex::*;
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

pub struct Instance {
    pub name: Option<String>,
    pub span: Span,
    pub args: Vec<Vec<TokenTree>>,
}

/// Values are constant expressions of the user, kept as tokens.
#[derive(Default)]
pub struct Args {
    pub block: Option<[Vec<TokenTree>; 3]>,
    pub max_block: Option<Vec<TokenTree>>,
    pub min_blocks: Option<Vec<TokenTree>>,
    pub cluster: Option<[Vec<TokenTree>; 3]>,
    pub dynamic_shared: Option<Vec<TokenTree>>,
    pub dynamic_shared_align: Option<Vec<TokenTree>>,
    pub instances: Vec<Instance>,
    pub krate: Option<Vec<TokenTree>>,
}

const KEYS: [&str; 8] = [
    "block",
    "max_block",
    "min_blocks",
    "cluster",
    "dynamic_shared",
    "dynamic_shared_align",
    "instances",
    "crate",
];

pub fn parse(args: TokenStream, only: &[&str]) -> Result<Args> {
    let mut a = Args::default();
    let mut seen: Vec<String> = Vec::new();
    for part in split_commas(&vec(args)) {
        let key = match part.first() {
            Some(TokenTree::Ident(id)) => id.clone(),
            _ => return error_at(&part, Span::call_site(), "expected `key = value`"),
        };
        let name = key.to_string();
        if !KEYS.contains(&name.as_str()) || !(only.is_empty() || only.contains(&&name[..])) {
            return unknown(&name, key.span(), if only.is_empty() { &KEYS } else { only });
        }
        if seen.contains(&name) {
            return error(key.span(), format!("`{name}` is given twice"));
        }
        seen.push(name.clone());
        if name == "instances" {
            a.instances = instances(&part, key.span())?;
            continue;
        }
        if !is_punct(part.get(1), '=') || part.len() < 3 {
            return error_at(&part, key.span(), format!("expected `{name} = VALUE`"));
        }
        set(&mut a, &name, part[2..].to_vec(), key.span())?;
    }
    if a.dynamic_shared_align.is_some() && a.dynamic_shared.is_none() {
        return error(Span::call_site(), "`dynamic_shared_align` needs `dynamic_shared = BYTES`");
    }
    Ok(a)
}

fn set(a: &mut Args, name: &str, value: Vec<TokenTree>, key: Span) -> Result<()> {
    match name {
        "block" => {
            a.block = Some(extents(&value, key)?);
            limit(a.block.as_ref(), &value, 1024, "a block has at most 1024 threads")?;
        }
        "cluster" => {
            a.cluster = Some(extents(&value, key)?);
            limit(a.cluster.as_ref(), &value, 16, "a cluster has at most 16 blocks")?;
        }
        "max_block" => {
            number(&value, 1, 1024, "`max_block` must be 1 to 1024")?;
            a.max_block = Some(value);
        }
        "min_blocks" => {
            number(&value, 1, 32, "`min_blocks` must be 1 to 32")?;
            a.min_blocks = Some(value);
        }
        "dynamic_shared" => {
            number(&value, 0, 232_448, "`dynamic_shared` is at most 232448 bytes")?;
            a.dynamic_shared = Some(value);
        }
        "dynamic_shared_align" => a.dynamic_shared_align = Some(value),
        _ => a.krate = Some(value),
    }
    Ok(())
}

fn unknown<T>(name: &str, at: Span, keys: &[&str]) -> Result<T> {
    let close = keys.iter().find(|k| close_to(name, k));
    let hint = match close {
        Some(k) => format!("; did you mean `{k}`?"),
        None => format!("; expected one of: {}", keys.join(", ")),
    };
    error(at, format!("unknown argument `{name}`{hint}"))
}

/// At most two edits apart, or one begins with the other.
fn close_to(a: &str, b: &str) -> bool {
    if a.len() > 2 && (b.starts_with(a) || a.starts_with(b)) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut left_up = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = left_up + (ca != cb) as usize;
            left_up = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(left_up + 1);
        }
    }
    row[b.len()] <= 2
}

/// `N`, `(x, y)` or `(x, y, z)`.
fn extents(value: &[TokenTree], key: Span) -> Result<[Vec<TokenTree>; 3]> {
    let one = || "1u32".parse::<TokenStream>().map(vec).unwrap_or_default();
    let parts = match value {
        [TokenTree::Group(g)] if g.delimiter() == Delimiter::Parenthesis => {
            split_commas(&vec(g.stream()))
        }
        _ => vec![value.to_vec()],
    };
    if parts.is_empty() || parts.len() > 3 || parts.iter().any(|p| p.is_empty()) {
        return error_at(value, key, "expected a number, `(x, y)` or `(x, y, z)`");
    }
    let mut it = parts.into_iter();
    Ok(std::array::from_fn(|_| it.next().unwrap_or_else(one)))
}

/// The value of a plain integer literal; None for any other constant expression.
fn literal(t: &[TokenTree]) -> Option<u64> {
    let [TokenTree::Literal(l)] = t else { return None };
    let s = l.to_string().replace('_', "");
    let (radix, digits) = match s.get(..2) {
        Some("0x") => (16, &s[2..]),
        Some("0b") => (2, &s[2..]),
        Some("0o") => (8, &s[2..]),
        _ => (10, &s[..]),
    };
    let end = digits.find(['u', 'i']).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], radix).ok()
}

fn number(t: &[TokenTree], min: u64, max: u64, message: &str) -> Result<()> {
    match literal(t) {
        Some(v) if v < min || v > max => error_at(t, Span::call_site(), message),
        _ => Ok(()),
    }
}

fn limit(e: Option<&[Vec<TokenTree>; 3]>, at: &[TokenTree], max: u64, text: &str) -> Result<()> {
    let Some(known) = e.and_then(|e| {
        let [x, y, z] = e;
        Some([literal(x)?, literal(y)?, literal(z)?])
    }) else {
        return Ok(()); // constants are checked when they are evaluated
    };
    if known.contains(&0) {
        return error_at(at, Span::call_site(), "every extent must be at least 1");
    }
    if known.iter().try_fold(1u64, |n, &v| n.checked_mul(v)).is_none_or(|n| n > max) {
        return error_at(at, Span::call_site(), text);
    }
    Ok(())
}

/// `instances(<f32>, f64, name = <f64, 4>)`: one argument needs no brackets.
fn instances(part: &[TokenTree], key: Span) -> Result<Vec<Instance>> {
    const SHAPE: &str = "expected `instances(f32, <f32, 4>, name = <f64, 4>)`";
    let Some(list) = group_of(part.get(1), Delimiter::Parenthesis) else {
        return error_at(part, key, SHAPE);
    };
    let mut all = Vec::new();
    for one in split_commas(&vec(list.stream())) {
        let (name, rest) = match &one[..] {
            [TokenTree::Ident(n), eq, rest @ ..] if is_punct(Some(eq), '=') => {
                (Some(n.to_string()), rest)
            }
            rest => (None, rest),
        };
        let span = one.first().map_or(key, |t| t.span());
        let args = match rest {
            [open, inner @ .., close] if is_list(open, inner, close) => split_commas(inner),
            [] => return error_at(&one, key, SHAPE),
            _ => vec![rest.to_vec()],
        };
        if args.is_empty() {
            return error_at(&one, key, SHAPE);
        }
        all.push(Instance { name, span, args });
    }
    if all.is_empty() {
        return error_at(part, key, SHAPE);
    }
    Ok(all)
}

/// `<f32, 4>`, but not `<A as B>::C<D>`.
fn is_list(open: &TokenTree, inner: &[TokenTree], close: &TokenTree) -> bool {
    let mut angles = Angles::default();
    angles.see(open);
    let stays_open = inner.iter().all(|t| {
        angles.see(t);
        angles.depth > 0
    });
    is_punct(Some(open), '<') && stays_open && is_punct(Some(close), '>')
}
