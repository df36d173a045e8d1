//! The run of `count --grids`: how many full grids a shape has.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gridmill_core::census::{CensusError, CensusProgress, count_grids_with};
use gridmill_core::grid::Shape;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;
use gridmill_report::eprint_message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::inputs::InputArgs;
use super::interrupt::{report_interrupted, stop_on_interrupt};
use crate::cli::End;

/// Counts the full grids of a shape, and writes the number.
pub(crate) fn count_full_grids(input: &InputArgs, shape: Shape) -> Result<End, Error> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(input.common.threads());
    let pool = threads.build().map_err(Error::other)?;
    let mut output = Destination::create(input.output_file())?;
    let (stop, bar, begun) = (stop_on_interrupt(), bar(input.common.shows_progress()), Instant::now());
    let counted = pool.install(|| count_with_bar(shape, &stop, &bar));
    let (done, all) = (bar.position(), bar.length().unwrap_or(0));
    bar.finish_and_clear();
    let grids = match counted {
        Err(CensusError::Stopped) => {
            report_interrupted(format_args!("{done} of {all} steps, without a number"), None);
            return Ok(End::Interrupted);
        }
        counted => counted.map_err(Error::other)?,
    };
    writeln!(output, "{grids}").map_err(|error| ErrorKind::Write { error })?;
    output.commit()?;
    if !input.common.quiet {
        let (side, seconds) = (shape.side(), begun.elapsed().as_secs_f64());
        let grids = separated(grids);
        eprint_message(format_args!("{grids} full grids of {side}x{side}, counted in {seconds:.3} s\n"));
    }
    Ok(End::Good)
}

fn count_with_bar(shape: Shape, stop: &AtomicBool, bar: &ProgressBar) -> Result<u128, CensusError> {
    let step = |CensusProgress { done, all }| {
        bar.set_length(all as u64);
        // Steps of several threads may come out of order.
        bar.set_position(bar.position().max(done as u64));
    };
    count_grids_with(shape, stop, &step)
}

fn bar(is_shown: bool) -> ProgressBar {
    let target = if is_shown { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
    let template = "{bar:30} {percent:>3} %  {human_pos} of {human_len} steps  {elapsed} gone";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(0), target).with_style(style)
}

/// Returns a number with a comma before every three digits.
fn separated(number: u128) -> String {
    let digits = number.to_string();
    let comma = |(at, digit): (usize, char)| {
        let is_between = at > 0 && (digits.len() - at).is_multiple_of(3);
        is_between.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(comma).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(separated(288), "288");
        assert_eq!(separated(28_200_960), "28,200,960");
        assert_eq!(separated(6_670_903_752_021_072_936_960), "6,670,903,752,021,072,936,960");
    }
}
