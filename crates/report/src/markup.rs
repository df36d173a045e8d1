//! Text in SVG and HTML.

/// Escapes a text for an element or an attribute. Characters that XML does not allow become U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stay_text() {
        assert_eq!(escape("a<b> & \"c\"\u{1}é.txt"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}é.txt");
    }
}
