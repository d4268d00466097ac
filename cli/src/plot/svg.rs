//! Text, numbers and names in SVG and HTML.

use std::fmt;

/// Text as it stands in an element or in a quoted attribute. What XML forbids, even escaped, becomes a question mark.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A coordinate with at most two decimals, and none that says nothing.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{:.2}", self.0);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if short == "-0" { "0" } else { short })
    }
}

/// Bytes with three digits or more of the largest unit that they fill: 3.98 MiB.
pub fn short_bytes(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} {}", if bytes == 1 { "byte" } else { UNITS[0] });
    }
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_control_bytes_are_replaced() {
        assert_eq!(escape("A&B<\"x\">'"), "A&amp;B&lt;&quot;x&quot;&gt;&#39;");
        assert_eq!(escape("a\u{1b}[1m\u{0}\u{9f}\u{ffff}"), "a\u{fffd}[1m\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn coordinates_are_short() {
        let shown = [0.0, -0.001, 1.0, 0.5, 10.0, 2.71528, 100.0].map(|value| Number(value).to_string());
        assert_eq!(shown, ["0", "0", "1", "0.5", "10", "2.72", "100"]);
    }

    #[test]
    fn bytes_are_shown_in_the_largest_unit_that_they_fill() {
        let shown = [0, 1, 1023, 1024, 1536, 102400, 1048064, 1048576, 4177536].map(short_bytes);
        let expected = ["0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.5 KiB", "100 KiB", "1 MiB", "1 MiB", "3.98 MiB"];
        assert_eq!(shown, expected);
        assert_eq!(short_bytes(u64::MAX.into()), "16 EiB");
    }
}
