//! The tokens of DOT, each with its place in the text, so that the text can be edited.
//!
//! Source: the language's description and its scanner in Graphviz, whose meaning of quotes and comments is kept.

use std::borrow::Cow;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'t> {
    /// A name without quotes, which may be a keyword.
    Word(&'t str),
    /// A number, or a name in quotes, which are not part of it.
    Name(Cow<'t, str>),
    /// Text between `<` and `>`.
    Html,
    /// `->`
    Arrow,
    /// `--`
    Line,
    /// One of `{}[]=;,:`
    Mark(u8),
    End,
}

#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub kind: Kind<'t>,
    pub span: Range<usize>,
}

impl Token<'_> {
    pub fn is_mark(&self, mark: u8) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub fn is_id(&self) -> bool {
        matches!(self.kind, Kind::Word(_) | Kind::Name(_) | Kind::Html)
    }

    /// Whatever the case of its letters.
    pub fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.kind, Kind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// Where there is no token, and why.
pub type Fault = (usize, &'static str);

/// The first token at or after a place. A word takes all bytes of a letter beyond ASCII, so no place is within one.
pub fn next(text: &str, place: usize) -> Result<Token<'_>, Fault> {
    let start = skip_blank(text, place)?;
    let bytes = text.as_bytes();
    let rest = &bytes[start..];
    let token = |length: usize, kind| Ok(Token { kind, span: start..start + length });
    match *rest {
        [] => token(0, Kind::End),
        [b'"', ..] => quoted(text, start),
        [b'<', ..] => html(text, start),
        [b'-', b'>', ..] => token(2, Kind::Arrow),
        [b'-', b'-', ..] => token(2, Kind::Line),
        [mark @ (b'{' | b'}' | b'[' | b']' | b'=' | b';' | b',' | b':'), ..] => token(1, Kind::Mark(mark)),
        [first, ..] if is_letter(first) => {
            let length = run(rest, |byte| is_letter(byte) || byte.is_ascii_digit());
            token(length, Kind::Word(&text[start..start + length]))
        }
        _ => match number(rest) {
            0 => Err((start, "a character that no token begins with")),
            length => token(length, Kind::Name(text[start..start + length].into())),
        },
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(**byte)).count()
}

/// The length of a number with an optional sign and point; 0 where there is none.
fn number(bytes: &[u8]) -> usize {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = run(&bytes[sign..], |byte| byte.is_ascii_digit());
    let mut length = sign + whole;
    let mut fraction = 0;
    if bytes.get(length) == Some(&b'.') {
        fraction = run(&bytes[length + 1..], |byte| byte.is_ascii_digit());
        length += 1 + fraction;
    }
    if whole + fraction > 0 { length } else { 0 }
}

/// Passes over white space, comments, and lines that begin with #.
fn skip_blank(text: &str, mut place: usize) -> Result<usize, Fault> {
    loop {
        let rest = &text[place..];
        let is_line_start = place == 0 || text[..place].ends_with(['\n', '\r']);
        place += match rest.as_bytes() {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'#', ..] if is_line_start => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            [b'/', b'/', ..] => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            [b'/', b'*', ..] => match rest[2..].find("*/") {
                Some(length) => length + 4,
                None => return Err((place, "a comment is opened and never closed")),
            },
            _ => return Ok(place),
        };
    }
}

/// A name in quotes, or several joined by +.
fn quoted(text: &str, start: usize) -> Result<Token<'_>, Fault> {
    let (mut name, mut end) = quoted_part(text, start)?;
    loop {
        let plus = skip_blank(text, end)?;
        if !text[plus..].starts_with('+') {
            return Ok(Token { kind: Kind::Name(name), span: start..end });
        }
        let part = skip_blank(text, plus + 1)?;
        if !text[part..].starts_with('"') {
            return Err((part, "expected text in quotes after +"));
        }
        let (more, after) = quoted_part(text, part)?;
        name.to_mut().push_str(&more);
        end = after;
    }
}

/// What is between two quotes, and the place after them. `\"` means a quote, a line end after `\` nothing; other
/// escapes are left to whoever draws the graph.
fn quoted_part(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), Fault> {
    let mut name = Cow::Borrowed("");
    let mut copied = start + 1;
    let mut place = copied;
    loop {
        let Some(length) = text[place..].find(['"', '\\']) else {
            return Err((start, "a quote is opened and never closed"));
        };
        place += length;
        let rest = &text[place..];
        // How much of the escape is left out of the name, and how much is passed over.
        let (out, over) = match rest.as_bytes() {
            [b'"', ..] => (1, 1),
            [b'\\', b'\r', b'\n', ..] => (3, 3),
            [b'\\', b'\n' | b'\r', ..] => (2, 2),
            [b'\\', b'"', ..] => (1, 2),
            [b'\\', b'\\', ..] => (0, 2),
            _ => (0, 1),
        };
        if out > 0 {
            match name.is_empty() {
                true => name = text[copied..place].into(),
                false => name.to_mut().push_str(&text[copied..place]),
            }
            copied = place + out;
        }
        place += over;
        if rest.starts_with('"') {
            return Ok((name, place));
        }
    }
}

/// Text in which every `<` has its `>`, but in comments.
fn html(text: &str, start: usize) -> Result<Token<'_>, Fault> {
    let (mut place, mut depth) = (start + 1, 1usize);
    while let Some(length) = text[place..].find(['<', '>']) {
        place += length;
        let rest = &text[place..];
        if rest.starts_with("<!--") {
            place += rest.find("-->").map_or(rest.len(), |length| length + 3);
            continue;
        }
        place += 1;
        match rest.starts_with('<') {
            true => depth += 1,
            false => depth -= 1,
        }
        if depth == 0 {
            return Ok(Token { kind: Kind::Html, span: start..place });
        }
    }
    Err((start, "a < is opened and never closed"))
}
