//! Small helpers over token trees. Errors carry the tokens they are about.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

pub struct Error {
    pub first: Span,
    pub last: Span,
    pub text: String,
    /// Of the diagnostic that `mirdc explain` knows; empty until somebody who knows it says so.
    pub code: &'static str,
}
pub type Result<T> = std::result::Result<T, Error>;

pub fn error<T>(at: Span, text: impl Into<String>) -> Result<T> {
    Err(Error { first: at, last: at, text: text.into(), code: "" })
}
pub fn error_at<T>(tokens: &[TokenTree], fallback: Span, text: impl Into<String>) -> Result<T> {
    let first = tokens.first().map_or(fallback, |t| t.span());
    let last = tokens.last().map_or(fallback, |t| t.span());
    Err(Error { first, last, text: text.into(), code: "" })
}

/// Gives an error its code, unless it has a closer one.
pub fn coded<T>(code: &'static str, r: Result<T>) -> Result<T> {
    r.map_err(|mut e| {
        if e.code.is_empty() {
            e.code = code;
        }
        e
    })
}

impl Error {
    /// `::core::compile_error!{"text"}` whose tokens cover the range of the error.
    pub fn tokens(&self) -> TokenStream {
        let mut message = Literal::string(&format!("{} [{}]", self.text, self.code));
        message.set_span(self.last);
        let mut group = Group::new(Delimiter::Brace, TokenTree::from(message).into());
        group.set_span(self.last);
        let mut out = Vec::new();
        for name in ["core", "compile_error"] {
            for spacing in [Spacing::Joint, Spacing::Alone] {
                let mut p = Punct::new(':', spacing);
                p.set_span(self.first);
                out.push(TokenTree::from(p));
            }
            out.push(Ident::new(name, self.first).into());
        }
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.first);
        out.push(bang.into());
        out.push(group.into());
        out.into_iter().collect()
    }
}

pub fn is_punct(t: Option<&TokenTree>, c: char) -> bool {
    matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == c)
}
pub fn is_ident(t: Option<&TokenTree>, name: &str) -> bool {
    matches!(t, Some(TokenTree::Ident(i)) if i.to_string() == name)
}
pub fn group_of(t: Option<&TokenTree>, d: Delimiter) -> Option<&Group> {
    match t {
        Some(TokenTree::Group(g)) if g.delimiter() == d => Some(g),
        _ => None,
    }
}
pub fn text(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

/// Tells the depth in angle brackets, token by token. The `>` of `->` and `=>` does not close.
#[derive(Default)]
pub struct Angles {
    pub depth: usize,
    arrow: bool,
}
impl Angles {
    pub fn see(&mut self, t: &TokenTree) {
        if let TokenTree::Punct(p) = t {
            match p.as_char() {
                '<' => self.depth += 1,
                '>' if !self.arrow => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.arrow = matches!(p.as_char(), '-' | '=') && p.spacing() == Spacing::Joint;
        } else {
            self.arrow = false;
        }
    }
}

/// Splits at commas outside angle brackets; an empty last part is dropped.
pub fn split_commas(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut angles = Angles::default();
    for t in tokens {
        if angles.depth == 0 && is_punct(Some(t), ',') {
            parts.push(Vec::new());
            continue;
        }
        angles.see(t);
        parts.last_mut().unwrap().push(t.clone());
    }
    if parts.last().unwrap().is_empty() {
        parts.pop();
    }
    parts
}

pub fn vec(s: TokenStream) -> Vec<TokenTree> {
    s.into_iter().collect()
}

/// Builds output from source text and from the user's own tokens.
#[derive(Default)]
pub struct Out(TokenStream);
impl Out {
    /// Source text; identifiers resolve where the macro was called.
    pub fn src(&mut self, s: &str) -> &mut Self {
        self.0.extend(s.parse::<TokenStream>().expect("macro output is well-formed"));
        self
    }
    pub fn tokens(&mut self, t: &[TokenTree]) -> &mut Self {
        self.0.extend(t.iter().cloned());
        self
    }
    pub fn stream(&mut self, t: TokenStream) -> &mut Self {
        self.0.extend(t);
        self
    }
    pub fn group(&mut self, d: Delimiter, inner: Out) -> &mut Self {
        self.0.extend([TokenTree::from(Group::new(d, inner.0))]);
        self
    }
    pub fn done(self) -> TokenStream {
        self.0
    }
}

/// The text of a plain string literal, escapes resolved. None for anything else.
pub fn string_literal(t: &TokenTree) -> Option<String> {
    if let TokenTree::Group(g) = t {
        // A literal that came through macro_rules is wrapped in an invisible group.
        let inner = vec(g.stream());
        return match (g.delimiter(), inner.as_slice()) {
            (Delimiter::None, [one]) => string_literal(one),
            _ => None,
        };
    }
    let TokenTree::Literal(l) = t else { return None };
    let s = l.to_string();
    if let Some(raw) = s.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let body = &raw[hashes..raw.len() - hashes];
        return Some(body.strip_prefix('"')?.strip_suffix('"')?.to_string());
    }
    unescape(s.strip_prefix('"')?.strip_suffix('"')?)
}

fn unescape(s: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = s.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            c @ ('\\' | '"' | '\'') => out.push(c),
            'x' => {
                let hex: String = [chars.next()?, chars.next()?].iter().collect();
                out.push(u8::from_str_radix(&hex, 16).ok()? as char);
            }
            'u' => {
                let hex: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&hex.replace('_', ""), 16).ok()?)?);
            }
            '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            _ => return None,
        }
    }
    Some(out)
}
