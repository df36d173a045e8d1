//! Plots as SVG: the times of puzzles, with a curve for each engine that shows which share of the puzzles
//! it solves within a time; and counts, with a bar for each value of a field (`bars.rs`).

mod bars;

use std::fmt::Write;

use gridmill_data::bench::Distribution;
use gridmill_data::output::{duration, exact_duration};

use crate::histogram::decades;
pub(crate) use bars::{Bar, BarPlot, Total, short_count};

/// Colours that people with colour blindness can distinguish (Okabe and Ito, 2008).
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

const WIDTH: f64 = 900.0;
/// The height of the space above the first panel.
const HEAD: f64 = 72.0;
/// The left and the right end of a panel's axes.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 660.0;
/// The height of a panel's axes, and of the space above and below them.
const AXES: f64 = 270.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 64.0;
/// The height of an engine in the legend.
const ENTRY: f64 = 44.0;

const SMALL_GREY: &str = "fill=\"#666\" font-size=\"11\"";

/// A panel of a plot.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title, e.g. the name of the file with the puzzles.
    pub title: String,
    /// The times of each engine, with its name.
    pub curves: Vec<(String, Distribution)>,
}

/// The place and the scale of a panel's axes.
struct Axes {
    top: f64,
    bottom: f64,
    decades: Vec<u64>,
}

/// Draws an SVG document with a panel for each file, from top to bottom, and a curve for each engine. All
/// panels share one scale, so that you can compare them.
///
/// ```
/// use gridmill_report::{Panel, plot_svg};
///
/// let times = [900, 1_000, 1_100].into_iter().collect();
/// let panel = Panel { title: "a.txt".to_owned(), curves: vec![("bitmask".to_owned(), times)] };
/// assert!(plot_svg("Times", "", &[panel]).starts_with("<svg "));
/// ```
#[must_use]
pub fn plot_svg(title: &str, subtitle: &str, panels: &[Panel]) -> String {
    let height = HEAD + panels.iter().map(Panel::height).sum::<f64>();
    let mut svg = Svg::new(WIDTH, height, title);
    svg.text((LEFT, 32.0), START, "font-size=\"20\" font-weight=\"bold\"", title);
    svg.text((LEFT, 54.0), START, SMALL_GREY, subtitle);
    let curves = || panels.iter().flat_map(|panel| &panel.curves);
    let least = curves().map(|(_, times)| times.least()).min().unwrap_or(0);
    let most = curves().map(|(_, times)| times.most()).max().unwrap_or(0);
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in curves() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut top = HEAD;
    for panel in panels {
        let bottom = top + panel.height() - BELOW;
        let axes = Axes { top: top + ABOVE, bottom, decades: decades(least, most) };
        axes.draw(&panel.title, &mut svg);
        for (place, (name, times)) in panel.curves.iter().enumerate() {
            let index = names.iter().position(|known| known == name).unwrap_or(0);
            let color = COLORS[index % COLORS.len()];
            axes.draw_curve(times, color, &mut svg);
            let y = axes.top + 14.0 + ENTRY * place as f64;
            draw_entry(y, name, times, color, &mut svg);
        }
        top += panel.height();
    }
    svg.finish()
}

impl Panel {
    fn height(&self) -> f64 {
        ABOVE + AXES.max(ENTRY * self.curves.len() as f64) + BELOW
    }
}

impl Axes {
    fn x(&self, nanos: f64) -> f64 {
        let first = self.decades[0] as f64;
        let last = self.decades[self.decades.len() - 1] as f64;
        LEFT + (RIGHT - LEFT) * (nanos.max(first) / first).log10() / (last / first).log10()
    }

    fn y(&self, share: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * share
    }

    fn draw(&self, title: &str, svg: &mut Svg) {
        svg.text((LEFT, self.top - 10.0), START, "font-size=\"14\" font-weight=\"bold\"", title);
        self.draw_times(svg);
        for percent in [0, 25, 50, 75, 100] {
            let y = self.y(f64::from(percent) / 100.0);
            svg.line("#ddd", 1.0, (LEFT, y), (RIGHT, y));
            svg.text((LEFT - 8.0, y + 4.0), END, "", &format!("{percent} %"));
        }
        svg.line("#222", 1.0, (LEFT, self.bottom), (RIGHT, self.bottom));
        svg.line("#222", 1.0, (LEFT, self.top), (LEFT, self.bottom));
        let middle = (self.top + self.bottom) / 2.0;
        let rotated = format!("transform=\"rotate(-90 20 {middle:.1})\"");
        svg.text((20.0, middle), MIDDLE, &rotated, "share of the puzzles solved by then");
        let below = (f64::midpoint(LEFT, RIGHT), self.bottom + 40.0);
        svg.text(below, MIDDLE, "", "time per puzzle (logarithmic scale)");
    }

    /// Draws lines and labels for times. Between decades, labels are drawn only if there is space.
    fn draw_times(&self, svg: &mut Svg) {
        for (index, &decade) in self.decades.iter().enumerate() {
            let steps = if index + 1 < self.decades.len() { 9 } else { 1 };
            for step in 1..=steps {
                let nanos = decade.saturating_mul(step);
                let x = self.x(nanos as f64);
                svg.line(if step == 1 { "#ccc" } else { "#f0f0f0" }, 1.0, (x, self.top), (x, self.bottom));
                let has_room = self.decades.len() <= 4 && [2, 5].contains(&step);
                if step == 1 || has_room {
                    svg.line("#222", 1.0, (x, self.bottom), (x, self.bottom + 5.0));
                    svg.text((x, self.bottom + 19.0), MIDDLE, "", &exact_duration(nanos));
                }
            }
        }
    }

    /// Draws a step for each time. Its height is the share of the puzzles that took this time. Steps of
    /// less than half a pixel are drawn together with the next one, so that the file stays small.
    fn draw_curve(&self, times: &Distribution, color: &str, svg: &mut Svg) {
        let start = (self.x(times.least() as f64), self.y(0.0));
        let mut path = format!("M{:.1} {:.1}", start.0, start.1);
        let (mut drawn, mut count) = (start, 0);
        for (nanos, more) in times.values() {
            count += more;
            let point = (self.x(nanos as f64), self.y(count as f64 / times.len() as f64));
            let is_far = point.0 - drawn.0 >= 0.5 || drawn.1 - point.1 >= 0.5;
            if is_far || count == times.len() {
                path += &format!("H{:.1}V{:.1}", point.0, point.1);
                drawn = point;
            }
        }
        svg.path(color, 2.0, &path);
        svg.circle(color, 4.0, (self.x(times.within(0.5) as f64), self.y(0.5)));
    }
}

/// Draws an engine's entry in the legend, with figures that you can't read off the curve.
fn draw_entry(y: f64, name: &str, times: &Distribution, color: &str, svg: &mut Svg) {
    let x = RIGHT + 24.0;
    svg.line(color, 3.0, (x, y - 4.0), (x + 22.0, y - 4.0));
    svg.circle(color, 4.0, (x + 11.0, y - 4.0));
    svg.text((x + 30.0, y), START, "font-weight=\"bold\"", name);
    let [half, most] = [times.within(0.5), times.within(0.99)].map(duration);
    let figures = format!("median {half}, p99 {most}");
    svg.text((x + 30.0, y + 16.0), START, SMALL_GREY, &figures);
}

/// Which point of a text is at its position.
pub(super) const START: &str = "start";
pub(super) const MIDDLE: &str = "middle";
pub(super) const END: &str = "end";

/// A document that is being written. Lengths are in pixels (in points on paper), from the upper left.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Svg {
        Svg::document("", (width, height), title)
    }

    /// Begins a document in points, for paper.
    pub(super) fn in_points(width: f64, height: f64, title: &str) -> Svg {
        Svg::document("pt", (width, height), title)
    }

    fn document(unit: &str, (width, height): (f64, f64), title: &str) -> Svg {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}{unit}\" height=\"{height}{unit}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" \
             font-size=\"12\" fill=\"#222\">\n"
        );
        let _ = writeln!(text, "<title>{}</title>", escape(title));
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>");
        Svg { text }
    }

    /// Begins an element for an HTML page. It has the width of its container, and the font and the
    /// background of the page. `label` describes the picture for people who can't see it.
    pub(super) fn embedded((width, height): (f64, f64), role: &str, label: &str) -> Svg {
        let mut svg = Svg { text: String::new() };
        svg.element(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {width} {height}\" \
             role=\"{role}\" aria-label=\"{}\" font-size=\"12\" fill=\"var(--ink, #222)\">",
            escape(label)
        ));
        svg
    }

    /// Adds rules of CSS, which must not contain `<` or `&`.
    pub(super) fn style(&mut self, rules: &str) {
        self.element(format_args!("<style>{rules}</style>"));
    }

    /// Adds a group with further attributes; `draw` draws its content. `words` name it, and appear when the
    /// pointer is over it.
    pub(super) fn group(&mut self, attributes: &str, words: &str, draw: impl FnOnce(&mut Svg)) {
        let words = escape(words);
        self.element(format_args!("<g {attributes} aria-label=\"{words}\"><title>{words}</title>"));
        draw(self);
        self.text.push_str("</g>\n");
    }

    /// Adds a rectangle, given by its left and upper end, its width and its height. `fill` is a colour.
    pub(super) fn rect(&mut self, fill: &str, [x, y, width, height]: [f64; 4]) {
        self.element(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    /// Adds an invisible rectangle that reacts to the pointer.
    pub(super) fn region(&mut self, region: [f64; 4]) {
        self.rect("none\" pointer-events=\"all", region);
    }

    /// Adds a text with its baseline at `(x, y)`. `style` has further attributes.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &str, style: &str, text: &str) {
        let text = escape(text);
        self.element(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{text}</text>"
        ));
    }

    /// Adds a path that is stroked but not filled.
    fn path(&mut self, color: &str, width: f64, path: &str) {
        self.element(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
        ));
    }

    pub(super) fn line(&mut self, color: &str, width: f64, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        self.path(color, width, &format!("M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}"));
    }

    fn circle(&mut self, color: &str, radius: f64, (x, y): (f64, f64)) {
        self.element(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\"/>"));
    }

    /// Takes the text so far, because memory should not hold a long document.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        // A `String` takes every character.
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

    fn times(nanos: &[u64]) -> Distribution {
        nanos.iter().copied().collect()
    }

    #[test]
    fn a_curve_rises_from_0_to_100_percent() {
        let axes = Axes { top: 0.0, bottom: 100.0, decades: vec![10, 100, 1000] };
        let mut svg = Svg::new(1.0, 1.0, "");
        axes.draw_curve(&times(&[10, 100, 100, 1000]), "red", &mut svg);
        let middle = (LEFT + RIGHT) / 2.0;
        let path = format!("M{LEFT:.1} 100.0H{LEFT:.1}V75.0H{middle:.1}V25.0H{RIGHT:.1}V0.0\"");
        let drawn = svg.finish();
        assert!(drawn.contains(&path), "{drawn}");
    }

    /// It depends on the width of the plot, but not on the number of puzzles.
    #[test]
    fn the_length_of_a_curve_is_limited() {
        let axes = Axes { top: 0.0, bottom: 100.0, decades: vec![10, 100_000] };
        let mut svg = Svg::new(1.0, 1.0, "");
        axes.draw_curve(&(10..100_000).collect(), "red", &mut svg);
        assert!(svg.finish().len() < 20_000);
    }

    #[test]
    fn an_engine_has_one_colour_in_all_panels() {
        let panel = |names: &[&str]| Panel {
            title: String::new(),
            curves: names.iter().map(|name| ((*name).to_owned(), times(&[50]))).collect(),
        };
        let panels = vec![panel(&["a", "b"]), panel(&["b", "c"])];
        let svg = plot_svg("", "", &panels);
        let curves = |color: &str| svg.matches(&format!("stroke=\"{color}\" stroke-width=\"2\"")).count();
        assert_eq!(COLORS[..4].iter().map(|color| curves(color)).collect::<Vec<_>>(), [1, 2, 1, 0]);
    }
}

#[cfg(test)]
mod svg_tests {
    use super::*;

    #[test]
    fn names_of_files_are_escaped() {
        assert_eq!(escape("a<b> & \"c\"\u{1}é.txt"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}é.txt");
    }
}
