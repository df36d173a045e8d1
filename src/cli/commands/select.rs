//! `gridmill select`: the records of a file that meet conditions, or a random sample of them.

use std::io::{BufWriter, Write};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::HumanCount;

use crate::cli::End;
use crate::cli::support::encoded::{EncodedPart, PartKind, PartReader, lines_of, put_part};
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::interrupt::stop_on_interrupt;
use crate::cli::support::outputs::{finish_output, put, unbuffered};
use crate::cli::support::sample::Sample;
use crate::cli::support::tabulate::status;
use crate::cli::support::values::{Span, span};
use crate::error::{Error, ErrorKind};
use crate::generate::Minimizer;
use crate::grid::{CELLS, Puzzle};
use crate::output::eprint_message;
use crate::pipeline::{BatchEncoder, Encode, ReadChunk, Refuted};
use crate::record::Status;
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solvable, Solver, SolverKind};

const EXAMPLES: &str = "\
Examples:
  gridmill select puzzles.txt --clues 17..24 --status unique -o few.txt
      proper puzzles of 17 to 24 clues
  gridmill select train.csv --guesses 1.. --sample 1000 --seed 7 -o hard.csv
      a thousand of those that need a guess, chosen at random, in their order
  gridmill select puzzles.txt --minimal --invert
      all that are not minimal puzzles, those that can't be read too
  zcat big.txt.gz | gridmill select - --sample 100
      from a pipe; memory holds the sample

All conditions must hold. Rows and lines stay as they are; a CSV header stays, comments go. Records that can't
be read meet no condition but --status malformed. Guesses are those of the lockstep engine.

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Select the records of a file that meet conditions, or a random sample of them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Select {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    conditions: Conditions,

    /// Take the records that do not meet all conditions
    #[arg(long)]
    invert: bool,

    /// Take so many of the records, at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,

    /// Seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Debug, Args)]
struct Conditions {
    /// How many clues: a number, or a range such as 17..24, 30.. or ..24
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// The verdict, or several with a comma between them
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = status_parser())]
    status: Vec<Status>,

    /// How many guesses it takes to prove the verdict: a number or a range
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    guesses: Option<Span>,

    /// Proper puzzles from which no clue can be taken
    #[arg(long)]
    minimal: bool,
}

fn status_parser() -> impl TypedValueParser<Value = Status> {
    let known = [Status::Unique, Status::Multiple, Status::None, Status::Conflict, Status::Malformed];
    PossibleValuesParser::new(known.map(Status::name)).map(move |name| {
        known.into_iter().find(|status| status.name() == name).expect("one of those that are possible")
    })
}

impl Select {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut files = self.input.open()?;
        let output = self.input.open_output(&files)?;
        let stop = stop_on_interrupt();
        if !self.input.detect_classic(&mut files, &stop)? {
            return Ok(End::Interrupted);
        }
        let mut output = BufWriter::with_capacity(1 << 18, output);
        if let Some(header) = files.layout().header.as_ref().filter(|header| header.is_written) {
            put_line(&mut output, &header.text)?;
        }
        let mut selected = 0_u64;
        let mut sample = self.sample.map(|size| Sample::new(size, self.seed));
        let mut reader = PartReader::new(|(_, record): EncodedPart<'_>| match &mut sample {
            Some(sample) => {
                sample.offer(record);
                Ok(())
            }
            None => {
                selected += 1;
                put_line(&mut output, record)
            }
        });
        let quiet = self.input.common.quiet;
        let encoder = || SelectEncoder::new(self.conditions.clone(), self.invert);
        let totals = files.run(&mut reader, &stop, &|layout| {
            Ok(Box::new(Encode { format: layout.format(), encoder: &encoder, diagnostics: !quiet }))
        });
        if let Some(failed) = reader.failed {
            return Err(failed);
        }
        let totals = totals?;
        for record in sample.into_iter().flat_map(Sample::into_records) {
            selected += 1;
            put_line(&mut output, &record)?;
        }
        let mut output = unbuffered(output)?;
        output.flush().map_err(|error| ErrorKind::Write { error })?;
        if !quiet && !totals.stopped {
            let (selected, records) = (HumanCount(selected), HumanCount(totals.records));
            eprint_message(format_args!("selected {selected} of {records} records\n"));
        }
        finish_output(output, None, &totals, format_args!("{} records were looked at", totals.records))
    }
}

/// Writes a record, or a header, as lines of its own.
fn put_line(output: &mut dyn Write, text: &[u8]) -> Result<(), Error> {
    put(output, text)?;
    if text.ends_with(b"\n") { Ok(()) } else { put(output, b"\n") }
}

/// Encodes the lines of the selected records.
struct SelectEncoder {
    conditions: Conditions,
    invert: bool,
    engine: Lockstep,
    minimizer: Minimizer,
    outcomes: Vec<Outcome>,
    minimal: Vec<bool>,
}

impl SelectEncoder {
    fn new(conditions: Conditions, invert: bool) -> SelectEncoder {
        let (engine, minimizer) = (Lockstep::new(), Minimizer::new(None));
        SelectEncoder { conditions, invert, engine, minimizer, outcomes: Vec::new(), minimal: Vec::new() }
    }

    /// Searches the puzzles and tests them for minimality, where a condition needs that. Returns the first
    /// puzzle with an invalid solution.
    fn search(&mut self, puzzles: &[Puzzle]) -> Option<usize> {
        self.outcomes.clear();
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        if self.conditions.needs_search() {
            self.engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        }
        self.minimal.clear();
        if self.conditions.minimal {
            let redundant = self.minimizer.redundant(puzzles);
            let minimal = redundant.iter().map(|(outcome, cells)| outcome.solutions == 1 && cells.is_empty());
            self.minimal.extend(minimal);
        } else {
            self.minimal.resize(puzzles.len(), false);
        }
        let solutions = puzzles.iter().zip(&self.outcomes);
        solutions.map(|(puzzle, found)| puzzle.agrees(found)).position(|agrees| !agrees)
    }

    /// Returns whether the puzzle at `index` meets the conditions.
    fn is_wanted(&self, index: usize, puzzle: &Puzzle) -> bool {
        let outcome = &self.outcomes[index];
        self.conditions.has_clues(puzzle)
            && self.conditions.has_status(|| status(puzzle, outcome))
            && self.conditions.has_guesses(outcome)
            && (!self.conditions.minimal || self.minimal[index])
    }
}

impl Conditions {
    fn needs_search(&self) -> bool {
        !self.status.is_empty() || self.guesses.is_some()
    }

    fn has_clues(&self, puzzle: &Puzzle) -> bool {
        self.clues.is_none_or(|clues| clues.up_to(CELLS as u64).contains(&(puzzle.clue_count() as u64)))
    }

    fn has_status(&self, status: impl Fn() -> Status) -> bool {
        self.status.is_empty() || self.status.contains(&status())
    }

    fn has_guesses(&self, outcome: &Outcome) -> bool {
        self.guesses.is_none_or(|guesses| guesses.up_to(u64::MAX).contains(&outcome.guesses))
    }

    /// Returns whether records that can't be read meet the conditions.
    fn has_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        self.status.contains(&Status::Malformed) && !others
    }
}

impl BatchEncoder for SelectEncoder {
    fn encode(&mut self, chunk: &ReadChunk<'_>, out: &mut Vec<u8>) -> Result<(), Refuted> {
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        if let Some(invalid) = self.search(&batch.puzzles) {
            return Err((invalid, SolverKind::Lockstep.name()));
        }
        let mut done = 0;
        for (index, (record, read)) in batch.iter().enumerate() {
            let (start, end) = lines_of(chunk, record, batch.records.get(index + 1), done);
            done = end;
            let is_wanted = read.map_or_else(
                || self.conditions.has_malformed(),
                |(number, puzzle)| self.is_wanted(number, puzzle),
            );
            if is_wanted != self.invert {
                put_part(PartKind::Record, &chunk[start..end], out);
            }
        }
        Ok(())
    }
}
