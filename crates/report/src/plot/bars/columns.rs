//! Bars from the ground, of numbers.

use indicatif::HumanCount;

use super::axis::{Place, rules, short_count, with_room};
use super::{Bar, BarKey, BarPlot, FULL, HEAD, INK, PALE, RULE, SMALL, WIDTH, text_width};
use crate::plot::svg::{Anchor, Svg};

/// The upper and lower end of the axis.
const TOP: f64 = HEAD + 18.0;
const BOTTOM: f64 = 180.0;
const HEIGHT: f64 = 204.0;
/// The font size of counts and labels.
const FONT: f64 = 11.0;
/// The greatest width of a bar with the space beside it.
const WIDEST: f64 = 56.0;
/// The least space between two counts.
const SPACE: f64 = 5.0;

/// Where the bars are.
struct Frame {
    left: f64,
    /// The width of a bar with the space beside it.
    slot: f64,
    most: u64,
}

/// Returns a plot of bars from the ground.
pub(super) fn svg(plot: &BarPlot) -> String {
    let mut svg = plot.begin(HEIGHT);
    let most = plot.most();
    let rules = rules(most);
    let widest = rules.iter().map(|rule| text_width(&short_count(*rule), FONT)).fold(0.0, f64::max);
    let left = widest + 8.0;
    let frame = Frame { left, slot: ((WIDTH - left) / plot.bars.len() as f64).min(WIDEST), most };
    for rule in rules {
        let y = frame.y(rule);
        svg.line(RULE, 1.0, (left, y), (WIDTH, y));
        svg.text((left - 6.0, y + 4.0), Anchor::End, SMALL, &short_count(rule));
    }
    let has_counts = frame.has_room_for_counts(plot);
    let bars = plot.bars.iter().enumerate();
    for (index, bar) in bars.filter(|(_, bar)| bar.total.all > 0) {
        let region = [frame.x(index), HEAD, frame.slot, HEIGHT - HEAD];
        plot.draw_bar(bar, region, &mut svg, |svg| frame.draw(index, bar, has_counts, svg));
    }
    svg.line(INK, 1.0, (left, BOTTOM), (WIDTH, BOTTOM));
    frame.draw_labels(&plot.bars, &mut svg);
    svg.finish()
}

/// Returns whether a bar stands for one number, and so has its label below its middle.
fn is_single(bar: &Bar) -> bool {
    matches!(&bar.key, BarKey::Numbers(least, most) if least == most)
}

impl Frame {
    fn x(&self, index: usize) -> f64 {
        self.left + self.slot * index as f64
    }

    fn y(&self, count: u64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * count as f64 / self.most as f64
    }

    fn has_room_for_counts(&self, plot: &BarPlot) -> bool {
        let width = |bar: &Bar| text_width(&HumanCount(bar.total.shown).to_string(), FONT);
        plot.bars.iter().map(width).fold(0.0, f64::max) + SPACE <= self.slot
    }

    /// Draws the bar of all records, that of the shown ones in front of it, and the count of these.
    fn draw(&self, index: usize, bar: &Bar, has_count: bool, svg: &mut Svg) {
        let gap = (self.slot * 0.15).min(4.0);
        let total = bar.total;
        let layers = [(PALE, total.all, total.all != total.shown), (FULL, total.shown, true)];
        for (color, count, _) in layers.into_iter().filter(|(_, count, is_seen)| *is_seen && *count > 0) {
            // A bar of a single record can be seen too.
            let y = self.y(count).min(BOTTOM - 1.5);
            svg.rect(color, [self.x(index) + gap / 2.0, y, self.slot - gap, BOTTOM - y]);
        }
        if has_count && total.shown > 0 {
            let above = (self.x(index) + self.slot / 2.0, self.y(total.all).min(BOTTOM - 1.5) - 4.0);
            svg.text(above, Anchor::Middle, SMALL, &HumanCount(total.shown).to_string());
        }
    }

    /// Draws labels below the bars: below the middle of a bar of one number, and where a bar of several begins.
    fn draw_labels(&self, bars: &[Bar], svg: &mut Svg) {
        let place = |(index, bar): (usize, &Bar)| {
            let offset = if is_single(bar) { self.slot / 2.0 } else { 0.0 };
            let width = text_width(&bar.label, FONT);
            // The last label stays within the plot.
            let center = (self.x(index) + offset).min(WIDTH - width / 2.0);
            Place { center, width, rank: bar.label_rank }
        };
        let places: Vec<Place> = bars.iter().enumerate().map(place).collect();
        for index in with_room(&places) {
            let (bar, center) = (&bars[index], places[index].center);
            if !is_single(bar) {
                let x = self.x(index);
                svg.line(INK, 1.0, (x, BOTTOM), (x, BOTTOM + 5.0));
            }
            svg.text((center, BOTTOM + 17.0), Anchor::Middle, SMALL, &bar.label);
        }
    }
}
