//! A plot of how many records have each value of a field, for a page or a report.
//!
//! Its colours are CSS properties of the page around it: `--ink` and `--muted` for texts, `--rule` for
//! lines, `--pale` for the bars of all records, and `--bar` for the bars of the shown ones.

use indicatif::HumanCount;

use super::{END, MIDDLE, START, Svg};

/// The width of every plot. The page scales it; at this width its texts are as large as those of the page.
const WIDTH: f64 = 360.0;
/// The height of the title.
const HEAD: f64 = 26.0;

const INK: &str = "var(--ink, #222)";
const RULE: &str = "var(--rule, #ddd)";
const PALE: &str = "var(--pale, #c4d9e6)";
const FULL: &str = "var(--bar, #0072b2)";

/// Attributes of small texts, and their font size.
const SMALL: &str = "fill=\"var(--muted, #666)\" font-size=\"11\"";
const SMALL_FONT: f64 = 11.0;

/// A plot with a bar for each value of a field. Names become horizontal bars, because names are long, and
/// numbers become vertical bars.
#[derive(Clone, Debug)]
pub(crate) struct BarPlot {
    /// The title.
    pub(crate) title: &'static str,
    /// The name of the field in a filter.
    pub(crate) field: &'static str,
    /// The bars, from the left or the top.
    pub(crate) bars: Vec<Bar>,
    /// The number of records whose value is known.
    pub(crate) total: Total,
    /// Whether the bars are buttons that filter records.
    pub(crate) has_buttons: bool,
}

/// Numbers of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Total {
    /// All records.
    pub(crate) all: u64,
    /// The shown ones among them.
    pub(crate) shown: u64,
}

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// The least and the greatest number that the bar counts; `None` if its records have a name, which is
    /// then the label.
    pub(crate) bounds: Option<(String, String)>,
    /// What its records have in common, in words.
    pub(crate) name: String,
    /// The text at the axis.
    pub(crate) label: String,
    /// How soon the label is left out if there is too little space: labels with 0 stay longest.
    pub(crate) label_rank: u8,
    /// The number of records that it counts.
    pub(crate) total: Total,
}

impl BarPlot {
    /// Draws the plot as an SVG element for an HTML page, with the width of its container.
    pub(crate) fn to_svg(&self) -> String {
        let has_names = self.bars.iter().all(|bar| bar.bounds.is_none());
        if has_names { rows(self) } else { columns(self) }
    }

    /// Begins the element with the title.
    fn begin(&self, height: f64) -> Svg {
        let role = if self.has_buttons { "group" } else { "img" };
        let records = self.total.in_words(self.has_buttons);
        let mut svg = Svg::embedded((WIDTH, height), role, &format!("{}: {records}", self.title));
        svg.text((0.0, 15.0), START, "font-weight=\"bold\" font-size=\"14\"", self.title);
        svg.text((WIDTH, 15.0), END, SMALL, &records);
        svg
    }

    /// Draws a bar with `draw`, and a region around it that takes clicks.
    fn draw_bar(&self, bar: &Bar, region: Rect, svg: &mut Svg, draw: impl FnOnce(&mut Svg)) {
        let field = self.field;
        let key = match &bar.bounds {
            Some((least, most)) => format!("data-least=\"{least}\" data-most=\"{most}\""),
            None => format!("data-value=\"{}\"", bar.label),
        };
        let button = if self.has_buttons { " tabindex=\"0\" role=\"button\"" } else { "" };
        let words = format!("{}: {}", bar.name, bar.total.in_words(self.has_buttons));
        svg.group(&format!("class=\"bar\" data-field=\"{field}\" {key}{button}"), &words, |svg| {
            svg.region(region);
            draw(svg);
        });
    }

    /// The count of the highest bar, at least 1.
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

/// Estimates the width of a text.
fn text_width(text: &str, font_size: f64) -> f64 {
    0.6 * font_size * text.chars().count() as f64
}

/// Estimates the width of the widest text.
fn widest<T>(items: &[T], text: impl Fn(&T) -> String, font_size: f64) -> f64 {
    items.iter().map(|item| text_width(&text(item), font_size)).fold(0.0, f64::max)
}

/// The upper and the lower end of the axis.
const TOP: f64 = HEAD + 18.0;
const BOTTOM: f64 = 180.0;
const HEIGHT: f64 = 204.0;
/// The greatest width of a bar, including the space next to it.
const WIDEST: f64 = 56.0;
/// The least space between two counts.
const COUNT_SPACE: f64 = 5.0;

/// The places of the bars.
struct BarFrame {
    left: f64,
    /// The width of a bar, including the space next to it.
    slot: f64,
    most: u64,
}

/// Draws a plot of vertical bars.
fn columns(plot: &BarPlot) -> String {
    let mut svg = plot.begin(HEIGHT);
    let most = plot.most();
    let rules = rules(most);
    let left = widest(&rules, |&rule| short_count(rule), SMALL_FONT) + 8.0;
    let frame = BarFrame { left, slot: ((WIDTH - left) / plot.bars.len() as f64).min(WIDEST), most };
    for rule in rules {
        let y = frame.y(rule);
        svg.line(RULE, 1.0, (left, y), (WIDTH, y));
        svg.text((left - 6.0, y + 4.0), END, SMALL, &short_count(rule));
    }
    let count = |bar: &Bar| HumanCount(bar.total.shown).to_string();
    let has_counts = widest(&plot.bars, count, SMALL_FONT) + COUNT_SPACE <= frame.slot;
    let bars = plot.bars.iter().enumerate();
    for (index, bar) in bars.filter(|(_, bar)| bar.total.all > 0) {
        let region = [frame.x(index), HEAD, frame.slot, HEIGHT - HEAD];
        plot.draw_bar(bar, region, &mut svg, |svg| frame.draw(index, bar, has_counts, svg));
    }
    svg.line(INK, 1.0, (left, BOTTOM), (WIDTH, BOTTOM));
    frame.draw_labels(&plot.bars, &mut svg);
    svg.finish()
}

/// Returns whether a bar counts a single number. Its label is then below its middle.
fn is_single(bar: &Bar) -> bool {
    bar.bounds.as_ref().is_some_and(|(least, most)| least == most)
}

impl BarFrame {
    fn x(&self, index: usize) -> f64 {
        self.left + self.slot * index as f64
    }

    fn y(&self, count: u64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * count as f64 / self.most as f64
    }

    /// Draws the bar of all records, in front of it the bar of the shown ones, and their count.
    fn draw(&self, index: usize, bar: &Bar, has_count: bool, svg: &mut Svg) {
        let gap = (self.slot * 0.15).min(4.0);
        let total = bar.total;
        let layers = [(PALE, total.all, total.all != total.shown), (FULL, total.shown, true)];
        for (color, count, _) in layers.into_iter().filter(|(_, count, is_seen)| *is_seen && *count > 0) {
            // Even a single record gets a visible bar.
            let y = self.y(count).min(BOTTOM - 1.5);
            svg.rect(color, [self.x(index) + gap / 2.0, y, self.slot - gap, BOTTOM - y]);
        }
        if has_count && total.shown > 0 {
            let above = (self.x(index) + self.slot / 2.0, self.y(total.all).min(BOTTOM - 1.5) - 4.0);
            svg.text(above, MIDDLE, SMALL, &HumanCount(total.shown).to_string());
        }
    }

    /// Draws labels below the bars: below the middle of a bar for one number, or where a bar for several
    /// numbers begins.
    fn draw_labels(&self, bars: &[Bar], svg: &mut Svg) {
        let place = |(index, bar): (usize, &Bar)| {
            let offset = if is_single(bar) { self.slot / 2.0 } else { 0.0 };
            let width = text_width(&bar.label, SMALL_FONT);
            // The last label must stay inside the plot.
            let center = (self.x(index) + offset).min(WIDTH - width / 2.0);
            LabelPlace { center, width, rank: bar.label_rank }
        };
        let places: Vec<LabelPlace> = bars.iter().enumerate().map(place).collect();
        for index in with_room(&places) {
            let (bar, center) = (&bars[index], places[index].center);
            if !is_single(bar) {
                let x = self.x(index);
                svg.line(INK, 1.0, (x, BOTTOM), (x, BOTTOM + 5.0));
            }
            svg.text((center, BOTTOM + 17.0), MIDDLE, SMALL, &bar.label);
        }
    }
}

/// The height of a row, and of its bar.
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const LABEL_FONT: f64 = 12.0;

/// Draws a plot of horizontal bars.
fn rows(plot: &BarPlot) -> String {
    let mut svg = plot.begin(HEAD + ROW * plot.bars.len() as f64);
    let left = widest(&plot.bars, |bar| bar.label.clone(), LABEL_FONT) + 8.0;
    let right = WIDTH - widest(&plot.bars, |bar| counts(plot, bar), SMALL_FONT) - 6.0;
    for (index, bar) in plot.bars.iter().enumerate() {
        let top = HEAD + ROW * index as f64;
        plot.draw_bar(bar, [0.0, top, WIDTH, ROW], &mut svg, |svg| {
            let y = top + ROW / 2.0;
            svg.text((0.0, y + 4.0), START, "", &bar.label);
            svg.text((WIDTH, y + 4.0), END, SMALL, &counts(plot, bar));
            let total = bar.total;
            for (color, count) in [(PALE, total.all), (FULL, total.shown)] {
                let length = (right - left) * count as f64 / plot.most() as f64;
                if count > 0 {
                    svg.rect(color, [left, y - BAR / 2.0, length.max(1.5), BAR]);
                }
            }
        });
    }
    svg.finish()
}

/// Writes the counts at the right.
fn counts(plot: &BarPlot, bar: &Bar) -> String {
    let (all, shown) = (HumanCount(bar.total.all), HumanCount(bar.total.shown));
    match plot.has_buttons && plot.total.all != plot.total.shown {
        true => format!("{shown} of {all}"),
        false => all.to_string(),
    }
}

/// The maximal number of lines across the plot, not counting the ground.
const MOST_RULES: u64 = 4;

/// The least space between two labels.
const LABEL_SPACE: f64 = 7.0;

/// Where a label may be drawn.
#[derive(Clone, Copy, Debug)]
struct LabelPlace {
    center: f64,
    width: f64,
    /// How soon it is left out: labels with 0 stay longest.
    rank: u8,
}

/// Chooses the counts with a line across the plot: multiples of 1, 2 or 5 times a power of ten.
pub(super) fn rules(most: u64) -> Vec<u64> {
    let steps = (0..19).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
    let step = steps.into_iter().find(|step| most / step <= MOST_RULES).unwrap_or(most);
    (1..=most / step).map(|index| index * step).collect()
}

/// Writes a count as short as possible, e.g. 9,500, 20k, 1.5M.
pub(crate) fn short_count(count: u64) -> String {
    let unit = [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)];
    match unit.into_iter().find(|(_, size)| count >= 10_000 && count >= *size) {
        Some((name, size)) => format!("{}{name}", count as f64 / size as f64),
        None => HumanCount(count).to_string(),
    }
}

/// Chooses the labels that have space: all labels of as many ranks as possible. If even the first rank does
/// not fit, every second (third, ...) label of it.
fn with_room(places: &[LabelPlace]) -> Vec<usize> {
    let up_to = |rank: u8| (0..places.len()).filter(|index| places[*index].rank <= rank).collect::<Vec<_>>();
    let highest = places.iter().map(|place| place.rank).max().unwrap_or(0);
    let fitting = (0..=highest).rev().map(up_to).find(|indices| has_room(places, indices));
    fitting.unwrap_or_else(|| {
        let first = up_to(0);
        let every = |step: usize| first.iter().copied().step_by(step).collect::<Vec<_>>();
        (2..=first.len()).map(every).find(|indices| has_room(places, indices)).unwrap_or_default()
    })
}

fn has_room(places: &[LabelPlace], indices: &[usize]) -> bool {
    indices.windows(2).all(|pair| {
        let (left, right) = (places[pair[0]], places[pair[1]]);
        right.center - left.center >= f64::midpoint(left.width, right.width) + LABEL_SPACE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_at_round_counts() {
        assert_eq!(rules(1), [1]);
        assert_eq!(rules(9), [2, 4, 6, 8]);
        assert_eq!(rules(1_000), [500, 1_000]);
        assert_eq!(rules(4_321), [1_000, 2_000, 3_000, 4_000]);
        assert!(rules(u64::MAX).len() <= 4, "{:?}", rules(u64::MAX));
    }

    #[test]
    fn long_counts_are_shortened() {
        let shown = [0, 9_500, 20_000, 1_500_000, 3_000_000_000].map(short_count);
        assert_eq!(shown, ["0", "9,500", "20k", "1.5M", "3G"]);
    }

    #[test]
    fn labels_of_lower_rank_are_left_out_first() {
        let places = |distance: f64| -> Vec<LabelPlace> {
            let rank = |index: usize| u8::from(!index.is_multiple_of(5));
            (0..20)
                .map(|index| LabelPlace { center: distance * index as f64, width: 10.0, rank: rank(index) })
                .collect()
        };
        assert_eq!(with_room(&places(20.0)).len(), 20);
        assert_eq!(with_room(&places(4.0)), [0, 5, 10, 15]);
        assert_eq!(with_room(&places(2.0)), [0, 10]);
        assert!(with_room(&[]).is_empty());
    }
}
