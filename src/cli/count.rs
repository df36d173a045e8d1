//! `gridmill count`: how many solutions each puzzle has.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use super::End;
use super::puzzles::{Answered, PuzzleArgs};
use super::shared::{seconds, tell_interrupted};
use crate::error::{Error, ErrorKind};
use crate::grid::Grid;
use crate::output::{Destination, printable};
use crate::record::{Reason, Status};
use crate::solver::{self, Bounds, Searched, count_split, go_on};

const EXAMPLES: &str = "\
Examples:
  gridmill count puzzles.txt -o counts.csv
      a row for every puzzle: puzzle,solutions,status,guesses,time_ns
  gridmill count hexadecimal.txt --alphabet 0-9A-F --limit 1000
      16x16 puzzles whose 0 is a digit, counted to a thousand
  echo ................ | gridmill count -
      the 288 grids of 4x4
  gridmill count wide.txt --shape 3x2 --budget-time 10
      boxes of 3 rows and 2 columns, ten seconds a puzzle

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not be
read), budget (the count is not finished), solved (--limit 1 looks for no second solution).

Exit codes: 0 every record was counted, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Count the solutions of every puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Count {
    #[command(flatten)]
    puzzles: PuzzleArgs,

    /// Count up to so many solutions, 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,

    /// Give a puzzle up after so many guesses
    #[arg(long, value_name = "N")]
    budget_guesses: Option<u64>,

    /// Give a puzzle up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget_time: Option<Duration>,
}

/// What came of a search, and the cells as they were written.
struct Counted {
    puzzle: String,
    searched: Searched,
    nanos: u128,
}

impl Count {
    pub(super) fn run(self) -> Result<End, Error> {
        let mut opened = self.puzzles.open()?;
        let stop = opened.stop.clone();
        let (mut over_budget, mut rows) = (0, 0);
        put(&mut opened.output, b"puzzle,solutions,status,guesses,time_ns\n")?;
        let refused = opened.each(
            &|line| {
                let begun = Instant::now();
                let searched = self.search(&line.grid, &stop);
                let nanos = begun.elapsed().as_nanos();
                Counted { puzzle: String::from_utf8_lossy(line.text).into_owned(), searched, nanos }
            },
            &mut |answered, _, output| {
                if answered.answer.as_ref().is_ok_and(|counted| counted.searched.end == solver::End::Stopped)
                {
                    return Ok(ControlFlow::Break(()));
                }
                let row = self.row(answered);
                over_budget += u64::from(row[2] == "budget");
                rows += 1;
                write_row(output, &row)?;
                Ok(ControlFlow::Continue(()))
            },
        )?;
        finish(opened.output, &stop, refused + over_budget, format_args!("{rows} records"))
    }

    fn search(&self, grid: &Grid, stop: &AtomicBool) -> Searched {
        let engine = || self.puzzles.engine();
        let deadline = self.budget_time.and_then(|time| Instant::now().checked_add(time));
        // A count with an end must come to the same end on any number of threads: it goes in order.
        if self.limit == 0 && self.budget_guesses.is_none() {
            return count_split(grid, &engine, deadline, stop);
        }
        let bounds = Bounds::solutions(self.limit).and_guesses(self.budget_guesses.unwrap_or(u64::MAX));
        let bounds = self.budget_time.map_or(bounds, |time| bounds.and_time(time));
        engine().search(grid, &bounds, &mut |_| go_on(stop))
    }

    fn row(&self, answered: Answered<Counted>) -> [String; 5] {
        match answered.answer {
            Ok(Counted { puzzle, searched, nanos }) => [
                puzzle,
                searched.solutions.to_string(),
                self.status(&searched).to_owned(),
                searched.guesses.to_string(),
                nanos.to_string(),
            ],
            Err(refusal) => {
                let status = match refusal.reason {
                    Reason::Fault(_) => Status::Malformed,
                    Reason::Conflict(_) => Status::Conflict,
                };
                let zero = || "0".to_owned();
                [printable(&answered.record.text), zero(), status.name().to_owned(), zero(), zero()]
            }
        }
    }

    fn status(&self, searched: &Searched) -> &'static str {
        match (searched.end, searched.solutions) {
            (solver::End::Budget | solver::End::Stopped, _) => "budget",
            (_, 0) => Status::None.name(),
            (solver::End::Limit, 1) => Status::Solved.name(),
            (_, 1) => Status::Unique.name(),
            _ => Status::Multiple.name(),
        }
    }
}

pub(super) fn put(output: &mut dyn Write, bytes: &[u8]) -> Result<(), Error> {
    output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
}

/// Gives the output its name, or what there is of it if the run was stopped.
pub(super) fn finish(
    mut output: Destination,
    stop: &AtomicBool,
    imperfect: u64,
    done: std::fmt::Arguments<'_>,
) -> Result<End, Error> {
    output.flush().map_err(|error| ErrorKind::Write { error })?;
    if stop.load(Ordering::Relaxed) {
        let kept = output.keep_partial()?;
        tell_interrupted(done, kept.as_deref());
        return Ok(End::Interrupted);
    }
    output.commit()?;
    Ok(if imperfect == 0 { End::Good } else { End::Imperfect })
}

fn write_row(output: &mut dyn Write, row: &[String]) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let mut writer = csv::Writer::from_writer(&mut bytes);
    // Neither call can fail: there is no other row to differ from, and memory takes every byte.
    let _ = writer.write_record(row);
    let _ = writer.flush();
    drop(writer);
    put(output, &bytes)
}
