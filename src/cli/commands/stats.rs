//! `gridmill stats`: what is in a collection.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;

use crate::cli::End;
use crate::cli::support::compare::CompareArgs;
use crate::cli::support::encoded::{EncodedRecord, Kind, put_encoded};
use crate::cli::support::figures::Counts;
use crate::cli::support::input_set::check_files;
use crate::cli::support::shared::{put, stop_on_interrupt};
use crate::cli::support::tabulate::status;
use crate::collection::{CanonicalKey, DuplicateFinder, Equivalence, KeyBuilder, PatternSymmetry, Place};
use crate::error::Error;
use crate::grid::Puzzle;
use crate::output::{Destination, eprint_message};
use crate::pipeline::BatchEncoder;
use crate::record::{PuzzleLike, Status};
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solver, SolverKind};
use crate::text::Batch;

const EXAMPLES: &str = "\
Examples:
  gridmill stats puzzles.txt
      verdicts, numbers of clues, symmetries, guesses and times; how many puzzles come twice
  gridmill stats train.csv test.csv --json > stats.json
      two files as one collection, for a program
  gridmill stats puzzles.txt --isomorphic
      how many puzzles are others in disguise

Duplicates are records with the same cells as an earlier one, or with --isomorphic the same puzzle in disguise
(gridmill dedupe names them). Symmetries are those of
the places of clues; a puzzle may have several. Guesses and times are those of the lockstep engine, over puzzles
that obey the rules.

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Say what is in a collection: verdicts, clues, symmetries, guesses, times, duplicates
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stats {
    /// Files of puzzles; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Count puzzles as duplicates that are others in disguise too: rows, columns or digits permuted
    #[arg(long)]
    isomorphic: bool,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Stats {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(&self.files)?;
        let mut output = Destination::create(None)?;
        let stop = stop_on_interrupt();
        let pass = self.comparing.pass(&stop);
        let mut twins = DuplicateFinder::new(&self.comparing.space())?;
        let mut counts = Counts::new();
        let make = || Tallying::new(self.isomorphic);
        for (file, path) in (0..).zip(&self.files) {
            let input = pass.common.open_input(path)?;
            let Some((input, layout)) = pass.open(input)? else { return Ok(End::Interrupted) };
            let mut record = 0;
            let take = |(_, note): EncodedRecord<'_>| {
                let place = Place { file, record, line: 0 };
                record += 1;
                add(note, place, &mut counts, &mut twins)
            };
            if pass.run(input, &layout, &make, pass.messages, take)?.is_none() {
                return Ok(interrupted());
            }
        }
        let mut duplicates = 0;
        for twin in twins.find(&stop)? {
            twin?;
            duplicates += 1;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(interrupted());
        }
        let bad = counts.statuses[Status::Malformed as usize] + counts.statuses[Status::Conflict as usize];
        let files = self.files.iter().map(|path| path.display().to_string()).collect();
        let figures = counts.figures(files, duplicates);
        let text = match self.json {
            true => serde_json::to_string_pretty(&figures).expect("figures are numbers and names") + "\n",
            false => figures.to_string(),
        };
        put(&mut output, text.as_bytes())?;
        output.commit()?;
        Ok(if bad == 0 { End::Good } else { End::Imperfect })
    }
}

fn interrupted() -> End {
    eprint_message("gridmill: interrupted; there are no figures of a part\n");
    End::Interrupted
}

/// Counts a note of [`Tallying`].
fn add(note: &[u8], place: Place, counts: &mut Counts, twins: &mut DuplicateFinder) -> Result<(), Error> {
    counts.records += 1;
    let (&[status, clues, symmetries], rest) = note.split_first_chunk().expect("three bytes at least");
    counts.statuses[usize::from(status)] += 1;
    if status == Status::Malformed as u8 {
        return Ok(());
    }
    *counts.clues.entry(clues).or_default() += 1;
    for (bit, count) in counts.symmetries.iter_mut().enumerate() {
        *count += u64::from(symmetries >> bit & 1);
    }
    counts.asymmetric += u64::from(symmetries == 0);
    let (form, rest) = rest.split_first_chunk().expect("a form");
    if let Some((guesses, nanos)) = rest.split_first_chunk()
        && status != Status::Conflict as u8
    {
        let nanos = u64::from_le_bytes(nanos.try_into().expect("eight bytes"));
        let guesses = u32::from_le_bytes(*guesses);
        counts.add_search(&Outcome { guesses, nanos, ..Outcome::NONE });
    }
    twins.add(&CanonicalKey::from_bytes(*form), place)
}

/// EncodedRecords for each record its status, clues and symmetries, then its form, guesses and time.
struct Tallying {
    engine: Lockstep,
    outcomes: Vec<Outcome>,
    former: KeyBuilder,
}

impl Tallying {
    fn new(isomorphic: bool) -> Tallying {
        let former = KeyBuilder::new(Equivalence { isomorphic, solution: false });
        Tallying { engine: Lockstep::new(), outcomes: Vec::new(), former }
    }
}

fn describe(puzzle: &Puzzle, outcome: &Outcome, form: &CanonicalKey, note: &mut Vec<u8>) {
    let bits = PatternSymmetry::ALL.into_iter().enumerate();
    let symmetries = bits.map(|(bit, symmetry)| u8::from(symmetry.is_of(puzzle)) << bit).sum();
    note.extend_from_slice(&[status(puzzle, outcome) as u8, puzzle.clue_count() as u8, symmetries]);
    note.extend_from_slice(form.bytes());
    note.extend_from_slice(&outcome.guesses.to_le_bytes());
    note.extend_from_slice(&outcome.nanos.to_le_bytes());
}

impl BatchEncoder for Tallying {
    fn note(&mut self, _: &[u8], batch: &Batch, out: &mut Vec<u8>) -> Result<(), (usize, &'static str)> {
        self.outcomes.resize(batch.puzzles.len(), Outcome::NONE);
        self.engine.solve_batch(&batch.puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let mut searched = batch.puzzles.iter().zip(&self.outcomes).enumerate();
        let mut note = Vec::new();
        for record in &batch.records {
            let read = if record.fault.is_none() { searched.next() } else { None };
            note.clear();
            match read {
                Some((index, (puzzle, found))) if !puzzle.agrees(found) => {
                    return Err((index, SolverKind::Lockstep.name()));
                }
                Some((_, (puzzle, found))) => describe(puzzle, found, &self.former.form(puzzle), &mut note),
                None => note.extend_from_slice(&[Status::Malformed as u8, 0, 0]),
            }
            put_encoded(Kind::Record, &note, out);
        }
        Ok(())
    }
}
