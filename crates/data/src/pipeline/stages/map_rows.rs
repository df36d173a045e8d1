//! Text → puzzles → answers of a command → rows: the stage of commands that do more with a puzzle
//! than search it.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Puzzle;
use gridmill_core::logic::Rating;
use gridmill_core::solver::Outcome;

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{ChunkOutcomes, PlacedRecord, PuzzleLike, Status, Tally, Totals};
use crate::text::{Batch, Cut, Format};

/// Puzzles that are answered before the stop flag is read again.
const PORTION: usize = 256;

/// Bytes of rows that are handed over before their chunk is done: a record may have many.
const PART_BYTES: usize = 4 << 20;

/// Answers puzzles, and writes the answers as rows. Each worker has one.
pub trait RowMapper<P: PuzzleLike = Puzzle>: Send {
    /// The answer for one puzzle.
    type Answer;

    /// Appends an answer for each puzzle. The first puzzle is number `first` of the file, from 0; records
    /// that can't be read are not counted, so that an answer depends on nothing else in the file. When `stop`
    /// becomes true, the answers may end early, behind any of the puzzles.
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Vec<Self::Answer>);

    /// Returns how many puzzles are answered before the stop flag is read again: fewer, where one takes long.
    fn portion(&self) -> usize {
        PORTION
    }

    /// Returns the engine, if its answer breaks the rules.
    fn refuted(&self, _puzzle: &P, _answer: &Self::Answer) -> Option<&'static str> {
        None
    }

    /// Returns the rating of the puzzle, where the command counts ratings.
    fn rating(&self, _answer: &Self::Answer) -> Option<Rating> {
        None
    }

    /// Appends the rows of a record, with its puzzle and the answer if it could be read, and returns its status.
    fn rows(
        &self,
        record: &PlacedRecord<'_>,
        answered: Option<(&P, &Self::Answer)>,
        out: &mut Vec<u8>,
    ) -> Status;
}

/// The stage that answers every puzzle, and writes rows for every record.
pub struct MapRows<'a, M, P: PuzzleLike = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// The header above the rows.
    pub header: Vec<u8>,
    /// Makes a mapper, once for each worker.
    pub mapper: Box<dyn Fn() -> M + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleLike, M: RowMapper<P>> Stage for MapRows<'_, M, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(MapProcessor {
            stage: self,
            mapper: (self.mapper)(),
            batch: Batch::default(),
            answers: Vec::new(),
            tally: Tally::default(),
            stop,
        })
    }
}

struct MapProcessor<'a, M: RowMapper<P>, P: PuzzleLike> {
    stage: &'a MapRows<'a, M, P>,
    mapper: M,
    batch: Batch<P>,
    answers: Vec<M::Answer>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleLike, M: RowMapper<P>> ChunkProcessor for MapProcessor<'_, M, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let first = rows.earlier_records + rows.output.report.before.puzzles;
        rows.output.cut_short = !self.answer(first);
        let statuses = self.write_rows(chunk, rows);
        let outcomes = vec![Outcome::NONE; statuses.len()];
        let outcomes = ChunkOutcomes {
            place: rows.place(),
            chunk: &chunk.text,
            batch: &self.batch,
            outcomes: &outcomes,
            statuses: &statuses,
        };
        rows.output.report_on(&outcomes, &mut self.tally, self.stage.diagnostics);
        rows.output.invalid = self.first_refuted().map(|(puzzle, engine)| {
            InvalidSolution::in_batch(engine, &self.batch, puzzle, &rows.output.report)
        });
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<P: PuzzleLike, M: RowMapper<P>> MapProcessor<'_, M, P> {
    fn first_refuted(&self) -> Option<(usize, &'static str)> {
        let mut answered = self.batch.puzzles.iter().zip(&self.answers).enumerate();
        answered.find_map(|(index, (puzzle, answer))| Some((index, self.mapper.refuted(puzzle, answer)?)))
    }

    /// Writes the rows of the batch, and returns the status of each puzzle. If the run is stopped meanwhile, cuts the
    /// batch behind the last record that was written.
    fn write_rows(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) -> Vec<Status> {
        let mut statuses = Vec::with_capacity(self.batch.puzzles.len());
        let (place, chunk) = (rows.place(), &*chunk.text);
        let lines = &place.lines(chunk);
        let mut written = 0;
        for (number, (record, read)) in (place.before.records + 1..).zip(self.batch.iter()) {
            let is_gone = rows.output.rows.len() >= PART_BYTES && !rows.flush_part();
            if is_gone || written > 0 && self.stop.load(Ordering::Relaxed) {
                break;
            }
            let answered = read.map(|(index, puzzle)| (puzzle, &self.answers[index]));
            if let Some(rating) = answered.and_then(|(_, answer)| self.mapper.rating(answer)) {
                self.tally.add_rating(rating);
            }
            let record = PlacedRecord { chunk, record, file: place.file, number, lines };
            let status = self.mapper.rows(&record, answered, &mut rows.output.rows);
            statuses.extend(read.map(|_| status));
            written += 1;
        }
        rows.output.cut_short |= written < self.batch.records.len();
        self.batch.records.truncate(written);
        self.batch.puzzles.truncate(statuses.len());
        statuses
    }

    /// Answers the puzzles of the batch; `first` is the number of the first one. If the run is stopped
    /// meanwhile, cuts the batch behind the last answer and returns false.
    fn answer(&mut self, first: u64) -> bool {
        self.answers.clear();
        for portion in self.batch.puzzles.chunks(self.mapper.portion()) {
            if self.stop.load(Ordering::Relaxed) && !self.answers.is_empty() {
                break;
            }
            let wanted = self.answers.len() + portion.len();
            let first = first + self.answers.len() as u64;
            self.mapper.answer(portion, first, self.stop, &mut self.answers);
            if self.answers.len() < wanted {
                break;
            }
        }
        let is_whole = self.answers.len() == self.batch.puzzles.len();
        if !is_whole {
            self.batch.truncate_before(self.answers.len());
        }
        is_whole
    }
}
