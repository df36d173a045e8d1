//! Elements of an SVG document.

use std::fmt::Write;

/// Which point of a text its position means.
pub(super) const START: &str = "start";
pub(super) const MIDDLE: &str = "middle";
pub(super) const END: &str = "end";

/// A document that is being written. Lengths are in pixels, from the upper left.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" \
             font-size=\"12\" fill=\"#222\">\n"
        );
        let _ = writeln!(text, "<title>{}</title>", escape(title));
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>");
        Svg { text }
    }

    /// Returns an element for an HTML page: of the width of its surroundings, in the font of the page, on its ground.
    /// `label` says what can be seen to those who can't see it.
    pub(super) fn embedded((width, height): (f64, f64), role: &str, label: &str) -> Svg {
        let mut svg = Svg { text: String::new() };
        svg.element(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {width} {height}\" \
             role=\"{role}\" aria-label=\"{}\" font-size=\"12\" fill=\"var(--ink, #222)\">",
            escape(label)
        ));
        svg
    }

    /// Begins a group, with further attributes. `words` name it, and are shown where the pointer is above it.
    pub(super) fn begin_group(&mut self, attributes: &str, words: &str) {
        let words = escape(words);
        self.element(format_args!("<g {attributes} aria-label=\"{words}\"><title>{words}</title>"));
    }

    pub(super) fn end_group(&mut self) {
        self.text.push_str("</g>\n");
    }

    /// Adds a rectangle, given by its left and upper end, its width and its height. `fill` holds a colour.
    pub(super) fn rect(&mut self, fill: &str, [x, y, width, height]: [f64; 4]) {
        self.element(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    /// Adds a rectangle that can't be seen, and that the pointer meets.
    pub(super) fn region(&mut self, region: [f64; 4]) {
        self.rect("none\" pointer-events=\"all", region);
    }

    /// Adds a text with its baseline at `(x, y)`. `style` holds further attributes.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &str, style: &str, text: &str) {
        let text = escape(text);
        self.element(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{text}</text>"
        ));
    }

    /// Adds a path that is drawn and not filled.
    pub(super) fn path(&mut self, color: &str, width: f64, path: &str) {
        self.element(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
        ));
    }

    pub(super) fn line(&mut self, color: &str, width: f64, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        self.path(color, width, &format!("M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}"));
    }

    pub(super) fn circle(&mut self, color: &str, radius: f64, (x, y): (f64, f64)) {
        self.element(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\"/>"));
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        // Memory takes every character.
        let _ = writeln!(self.text, "{element}");
    }
}

/// Escapes a text for an element or an attribute. Characters that XML does not allow become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
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
