//! `gridmill enumerate`: every solution of each puzzle.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::End;
use super::count::{finish, put};
use super::puzzles::{PuzzleArgs, judge};
use crate::error::{Error, ErrorKind};
use crate::grid::rules;
use crate::solver::{Bounds, go_on};
use crate::text::GridLine;

const EXAMPLES: &str = "\
Examples:
  gridmill enumerate puzzles.txt -o solutions.csv
      a row for every solution: record,solution; records count from 1
  echo ................ | gridmill enumerate - --limit 10
      ten of the grids of 4x4
  gridmill enumerate hexadecimal.txt --alphabet 0-9A-F | head
      16x16 puzzles whose 0 is a digit; ends when its reader does

A puzzle without a solution has no row. Solutions come in the order of the engine's search, the same for
any number of threads.

Exit codes: 0 every record was searched, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Solutions are kept for their turn up to so many bytes a puzzle, and searched anew if there are more.
const KEPT: usize = 64 * 1024;

/// List every solution of each puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Enumerate {
    #[command(flatten)]
    puzzles: PuzzleArgs,

    /// List up to so many solutions of a puzzle, 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,
}

/// What became of a search whose solutions are kept until their turn.
enum Listed {
    Whole(Vec<String>),
    /// More than may be kept.
    TooMany,
    /// A grid that is no solution.
    Wrong,
}

impl Enumerate {
    pub(super) fn run(self) -> Result<End, Error> {
        let mut opened = self.puzzles.open()?;
        let stop = opened.stop.clone();
        let mut rows = 0;
        put(&mut opened.output, b"record,solution\n")?;
        let refused = opened.each(&|line| self.list(line, &stop), &mut |answered, lines, output| {
            let number = answered.index + 1;
            let mut row = |solution: &str| {
                rows += 1;
                put(output, format!("{number},{solution}\n").as_bytes())
            };
            match answered.answer {
                Err(_) => {}
                Ok(Listed::Whole(solutions)) => solutions.iter().try_for_each(|solution| row(solution))?,
                Ok(Listed::TooMany | Listed::Wrong) => {
                    if let Ok(line) = judge(lines, &answered.record) {
                        self.stream(&line, number, &stop, &mut row)?;
                    }
                }
            }
            Ok(go_on(&stop))
        })?;
        finish(opened.output, &stop, refused, format_args!("{rows} solutions"))
    }

    /// Lists the solutions of a puzzle, if they are not too many.
    fn list(&self, line: &GridLine<'_>, stop: &AtomicBool) -> Listed {
        let (mut solutions, mut room) = (Vec::new(), KEPT);
        let mut too_many = false;
        let wrong = self.stream(line, 0, stop, &mut |solution| {
            too_many = solution.len() > room;
            if too_many {
                // Any error ends the search; this one is never seen.
                return Err(ErrorKind::NothingToRead.into());
            }
            room -= solution.len();
            solutions.push(solution.to_owned());
            Ok(())
        });
        match wrong {
            _ if too_many => Listed::TooMany,
            Err(_) => Listed::Wrong,
            Ok(()) => Listed::Whole(solutions),
        }
    }

    /// Hands out the solutions of a puzzle as they are found, each checked.
    fn stream(
        &self,
        line: &GridLine<'_>,
        record: u64,
        stop: &AtomicBool,
        take: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut engine = self.puzzles.engine();
        let name = engine.name();
        let mut taken = Ok(());
        engine.search(&line.grid, &Bounds::solutions(self.limit), &mut |cells| {
            taken = if rules::is_solution(line.grid.shape(), line.grid.cells(), cells) {
                take(&line.alphabet.write(cells))
            } else {
                let puzzle = line.grid.to_string();
                Err(ErrorKind::WrongSolution { record, engine: name, puzzle }.into())
            };
            if taken.is_err() { ControlFlow::Break(()) } else { go_on(stop) }
        });
        taken
    }
}
