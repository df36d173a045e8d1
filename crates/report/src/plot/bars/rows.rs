//! Bars from the left, of values that have names.

use indicatif::HumanCount;

use super::{Bar, BarPlot, FULL, HEAD, PALE, SMALL, WIDTH, text_width};
use crate::plot::svg::Anchor;

/// The height of a row, and of its bar.
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const FONT: f64 = 12.0;
/// The font size of counts.
const SMALL_FONT: f64 = 11.0;

/// Returns a plot of bars from the left.
pub(super) fn svg(plot: &BarPlot) -> String {
    let mut svg = plot.begin(HEAD + ROW * plot.bars.len() as f64);
    let widest = |width: &dyn Fn(&Bar) -> f64| plot.bars.iter().map(width).fold(0.0, f64::max);
    let left = widest(&|bar| text_width(&bar.label, FONT)) + 8.0;
    let right = WIDTH - widest(&|bar| text_width(&counts(plot, bar), SMALL_FONT)) - 6.0;
    for (index, bar) in plot.bars.iter().enumerate() {
        let top = HEAD + ROW * index as f64;
        plot.draw_bar(bar, [0.0, top, WIDTH, ROW], &mut svg, |svg| {
            let y = top + ROW / 2.0;
            svg.text((0.0, y + 4.0), Anchor::Start, "", &bar.label);
            svg.text((WIDTH, y + 4.0), Anchor::End, SMALL, &counts(plot, bar));
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

/// Returns the counts that stand at the right.
fn counts(plot: &BarPlot, bar: &Bar) -> String {
    let (all, shown) = (HumanCount(bar.total.all), HumanCount(bar.total.shown));
    match plot.has_buttons && plot.total.all != plot.total.shown {
        true => format!("{shown} of {all}"),
        false => all.to_string(),
    }
}
