//! The rows of `gridmill canon`: what a thread makes of a chunk.

use crate::collection::{Canonical, Minlex};
use crate::grid::{Puzzle, Shape, rules};
use crate::output::{CsvRows, puzzle_alone};
use crate::record::{ChunkReport, Complaint, Places, Reason, Status, Totals, count_lines};
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solver};
use crate::text::{Batch, CsvHeader, Format, Record};

/// What the rows show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// The form of the solution in place of the puzzle's.
    pub(super) grid: bool,
    pub(super) transform: bool,
    pub(super) automorphisms: bool,
}

/// A thread's work, with everything that it uses again from chunk to chunk.
pub(super) struct Canonizer {
    columns: Columns,
    minlex: Minlex,
    /// What solves the puzzles, if their solutions are wanted.
    engine: Option<Lockstep>,
    batch: Batch,
    outcomes: Vec<Outcome>,
}

/// What became of a chunk.
#[derive(Default)]
pub(super) struct Done {
    pub(super) rows: Vec<u8>,
    pub(super) report: ChunkReport,
    /// A record, from 1 in the chunk, with a solution that is none.
    pub(super) wrong: Option<(u64, Puzzle)>,
}

/// The last columns of a row.
struct Answer {
    status: &'static str,
    canonical: Option<Canonical>,
    /// What is wrong, and where in the chunk.
    reason: Option<(Reason, usize)>,
}

impl Columns {
    /// Rows for an input with that header, or with none.
    pub(super) fn rows(self, header: Option<&CsvHeader>) -> CsvRows {
        let columns = [
            ("canonical", true),
            ("transform", self.transform),
            ("automorphisms", self.automorphisms),
            ("status", true),
        ];
        let names = columns.into_iter().filter_map(|(name, is_wanted)| is_wanted.then_some(name));
        CsvRows::with_columns(header.unwrap_or(&puzzle_alone()), &names.collect::<Vec<_>>())
    }

    /// What becomes of a record, and of its puzzle if it could be read.
    fn answer(self, minlex: &mut Minlex, record: &Record, solved: Option<(&Puzzle, &Outcome)>) -> Answer {
        let Some((puzzle, outcome)) = solved else {
            let reason = record.fault.map(|fault| (Reason::Fault(fault), fault.offset as usize));
            return Answer { status: Status::Malformed.name(), canonical: None, reason };
        };
        let (status, canonical) = if self.grid {
            let status = Status::of(puzzle, outcome, SolutionLimit::UNIQUENESS);
            let solution = outcome.solution.filter(|_| status == Status::Unique);
            (status.name(), solution.and_then(|solution| minlex.of_grid(&solution)))
        } else {
            let canonical = minlex.of(puzzle);
            (if canonical.is_some() { "ok" } else { Status::Conflict.name() }, canonical)
        };
        let mut reason = None;
        if status == Status::Conflict.name() {
            let conflict = rules::find_conflict(Shape::CLASSIC, puzzle.cells());
            reason = conflict.map(|conflict| (Reason::Conflict(conflict), record.first_cell()));
        }
        Answer { status, canonical, reason }
    }

    fn write(self, answer: &Answer, rows: &mut Vec<u8>) {
        let mut field = |text: &[u8]| {
            rows.push(b',');
            rows.extend_from_slice(text);
        };
        let canonical = answer.canonical.as_ref();
        field(canonical.map(|canonical| canonical.form.to_ascii()).as_ref().map_or(b"", |form| form));
        if self.transform {
            field(canonical.map_or(String::new(), |canonical| canonical.symmetry.to_string()).as_bytes());
        }
        if self.automorphisms {
            field(
                canonical.map_or(String::new(), |canonical| canonical.automorphisms.to_string()).as_bytes(),
            );
        }
        field(answer.status.as_bytes());
        rows.push(b'\n');
    }
}

impl Canonizer {
    pub(super) fn new(columns: Columns) -> Canonizer {
        let engine = columns.grid.then(Lockstep::new);
        Canonizer { columns, minlex: Minlex::new(), engine, batch: Batch::default(), outcomes: Vec::new() }
    }

    /// The rows of a chunk.
    pub(super) fn work(&mut self, format: &dyn Format, rows: &CsvRows, chunk: &[u8]) -> Done {
        self.read(format, chunk);
        let mut done = Done::default();
        let mut places = Places::of(chunk);
        let mut puzzles = self.batch.puzzles.iter().zip(&self.outcomes);
        for (index, record) in (0..).zip(&self.batch.records) {
            let solved = if record.fault.is_none() { puzzles.next() } else { None };
            let answer = self.columns.answer(&mut self.minlex, record, solved);
            rows.lead(record, record.text(chunk), solved.map(|(puzzle, _)| puzzle), &mut done.rows);
            self.columns.write(&answer, &mut done.rows);
            if let Some((reason, offset)) = answer.reason {
                let (line, column) = places.at(offset);
                done.report.complaints.push(Complaint { record: index, line, column, reason });
            }
            let wrong =
                solved.filter(|(puzzle, outcome)| outcome.solution.is_some_and(|it| !it.solves(puzzle)));
            done.wrong = done.wrong.or(wrong.map(|(&puzzle, _)| (index + 1, puzzle)));
        }
        done.report.size = Totals {
            records: self.batch.records.len() as u64,
            lines: count_lines(chunk) + u64::from(!chunk.ends_with(b"\n")),
            bytes: chunk.len() as u64,
        };
        done
    }

    /// Reads a chunk, and solves its puzzles if that is wanted.
    fn read(&mut self, format: &dyn Format, chunk: &[u8]) {
        self.batch.clear();
        format.read(chunk, &mut self.batch);
        self.outcomes.clear();
        self.outcomes.resize(self.batch.puzzles.len(), Outcome::NONE);
        if let Some(engine) = &mut self.engine {
            engine.solve_batch(&self.batch.puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        }
    }
}
