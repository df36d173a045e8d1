//! A plot of how many records have each value of a field, for a page or a report.
//!
//! Its colours are properties of the page that it stands in: `--ink` and `--muted` of texts, `--rule` of lines, `--pale` of
//! the bars of all records, `--bar` of those that are shown.

mod axis;
mod columns;
mod rows;

use indicatif::HumanCount;

use super::svg::{Anchor, Svg};
pub(crate) use axis::short_count;

/// The width of every plot. The page scales it: at this width the texts are as large as in the page.
const WIDTH: f64 = 360.0;
/// The height of the title.
const HEAD: f64 = 26.0;

const INK: &str = "var(--ink, #222)";
const RULE: &str = "var(--rule, #ddd)";
const PALE: &str = "var(--pale, #c4d9e6)";
const FULL: &str = "var(--bar, #0072b2)";

/// Attributes of small texts.
const SMALL: &str = "fill=\"var(--muted, #666)\" font-size=\"11\"";

/// A plot with a bar for each value of a field. Values that have names become bars from the left, numbers bars from the
/// ground.
#[derive(Clone, Debug)]
pub(crate) struct BarPlot {
    /// The title.
    pub(crate) title: &'static str,
    /// The name of the field in a filter.
    pub(crate) field: &'static str,
    /// The bars, from the left or the top.
    pub(crate) bars: Vec<Bar>,
    /// The records whose value is known.
    pub(crate) total: Total,
    /// Whether the bars are buttons that choose records.
    pub(crate) has_buttons: bool,
}

/// How many records there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Total {
    /// All records.
    pub(crate) all: u64,
    /// Those of them that are shown.
    pub(crate) shown: u64,
}

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// Which records it stands for.
    pub(crate) key: BarKey,
    /// The property of its records, in words.
    pub(crate) name: String,
    /// The text at the axis.
    pub(crate) label: String,
    /// How soon the label gives way where there is no room for all: 0 stays longest.
    pub(crate) label_rank: u8,
    /// The records that it stands for.
    pub(crate) total: Total,
}

/// Which records a bar stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BarKey {
    /// Those with a number from the first to the second, both included.
    Numbers(String, String),
    /// Those with a name.
    Name(&'static str),
}

impl BarPlot {
    /// Returns the plot as an SVG element for an HTML page, of the width of its surroundings.
    pub(crate) fn to_svg(&self) -> String {
        let has_names = self.bars.iter().all(|bar| matches!(bar.key, BarKey::Name(_)));
        if has_names { rows::svg(self) } else { columns::svg(self) }
    }

    /// Begins the element, with the title.
    fn begin(&self, height: f64) -> Svg {
        let role = if self.has_buttons { "group" } else { "img" };
        let mut svg = Svg::embedded((WIDTH, height), role, &format!("{}: {}", self.title, self.counted()));
        svg.text((0.0, 15.0), Anchor::Start, "font-weight=\"bold\" font-size=\"14\"", self.title);
        svg.text((WIDTH, 15.0), Anchor::End, SMALL, &self.counted());
        svg
    }

    /// Returns how many records the plot is of, in words.
    fn counted(&self) -> String {
        self.total.in_words(self.has_buttons)
    }

    /// Draws a bar: what `draw` draws, and a region that takes clicks.
    fn draw_bar(&self, bar: &Bar, region: Rect, svg: &mut Svg, draw: impl FnOnce(&mut Svg)) {
        let field = self.field;
        let key = match &bar.key {
            BarKey::Numbers(least, most) => format!("data-least=\"{least}\" data-most=\"{most}\""),
            BarKey::Name(name) => format!("data-value=\"{name}\""),
        };
        let button = if self.has_buttons { " tabindex=\"0\" role=\"button\"" } else { "" };
        let words = format!("{}: {}", bar.name, bar.total.in_words(self.has_buttons));
        svg.begin_group(&format!("class=\"bar\" data-field=\"{field}\" {key}{button}"), &words);
        svg.region(region);
        draw(svg);
        svg.end_group();
    }

    /// Returns the height of the highest bar, at least 1.
    fn most(&self) -> u64 {
        self.bars.iter().map(|bar| bar.total.all).max().unwrap_or(0).max(1)
    }
}

impl Total {
    fn in_words(self, has_shown: bool) -> String {
        let all = HumanCount(self.all);
        let records = if self.all == 1 { "record" } else { "records" };
        match has_shown {
            true => format!("{} of {all} {records}", HumanCount(self.shown)),
            false => format!("{all} {records}"),
        }
    }
}

/// The left and the upper end, the width and the height of a rectangle.
type Rect = [f64; 4];

/// Returns about how wide a text is.
fn text_width(text: &str, font_size: f64) -> f64 {
    0.6 * font_size * text.chars().count() as f64
}
