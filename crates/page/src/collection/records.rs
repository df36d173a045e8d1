//! Records of a file that have been read, whatever the kind of their puzzles.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Pencilmarks, Puzzle, Shape, Symmetry};
use gridmill_core::jobs::{Answers, Job, Rate, Refuted, Solve, Status, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::text::{Batch, Cut, Format, GridPuzzle, Layout, PuzzleKind, PuzzleText, Record};

use super::entry::{Entry, Pass, RatingMark};
use crate::questions::PageGrid;
use crate::reply::Refusal;

/// Reads records of a file, says what is seen of those that were read last, and asks jobs of them.
pub(super) trait RecordReader: Send {
    /// Returns how the file may be cut.
    fn cut(&self) -> &dyn Cut;

    /// Reads a text of whole records, or of one record that is too long, and returns its records.
    fn read(&mut self, text: &[u8], is_too_long: bool) -> &[Record];

    /// Returns the records that were read.
    fn records(&self) -> &[Record];

    /// Returns what is seen of a record without a search, as an entry whose place is still to be filled in.
    fn seen(&self, place: usize) -> Entry;

    /// Asks a job of puzzles until `stop` becomes true. Returns their places and the answers, which may be fewer. Places
    /// whose records are no puzzles for the job are left out.
    fn ask(
        &mut self,
        pass: Pass,
        places: &[usize],
        stop: &AtomicBool,
    ) -> Result<(Vec<usize>, &Answers), Refuted>;

    /// Returns a puzzle, if it could be read: on a line.
    fn line(&self, place: usize) -> Option<String>;

    /// Returns a puzzle, if it could be read: as a grid of the page, if that shows such grids.
    fn grid(&self, place: usize) -> Option<Result<PageGrid, Refusal>>;
}

/// Makes the reader for a file.
pub(super) fn reader_for(layout: &Layout) -> Box<dyn RecordReader> {
    match layout.kind() {
        PuzzleKind::Classic => Box::new(Reader::<Puzzle>::new(layout, grid_of_clues)),
        PuzzleKind::AnyShape => Box::new(Reader::<GridPuzzle>::new(layout, grid_of_clues)),
        PuzzleKind::Pencilmarks => {
            Box::new(Reader::<Pencilmarks>::new(layout, |marks| Ok(PageGrid::of_marks(marks))))
        }
    }
}

fn grid_of_clues<P: PuzzleText>(puzzle: &P) -> Result<PageGrid, Refusal> {
    PageGrid::of_clues(puzzle.shape(), puzzle.cells())
}

/// Reads records of one kind.
struct Reader<P: PuzzleText> {
    format: Box<dyn Format<P>>,
    batch: Batch<P>,
    /// For each record the place of its puzzle in the batch.
    puzzles: Vec<Option<usize>>,
    engine: Engine,
    /// Makes a grid of the page. Refuses one that is too large.
    page_grid: fn(&P) -> Result<PageGrid, Refusal>,
    /// The workers of the passes, made when they are needed first.
    asked: [Option<Asked<P>>; 2],
}

/// The worker of a job, and its last answers.
struct Asked<P> {
    worker: Box<dyn Worker<P>>,
    answers: Answers,
}

impl<P: PuzzleText> Asked<P> {
    fn new(pass: Pass, engine: Engine) -> Asked<P> {
        match pass {
            Pass::Search => Asked::from_job(Solve { engine, ..Solve::default() }),
            Pass::Rate => Asked::from_job(Rate { engine, ..Rate::default() }),
        }
    }

    fn from_job(job: impl Job) -> Asked<P> {
        Asked { worker: job.worker(), answers: Answers::new(job.schema()) }
    }
}

impl<P: PuzzleText> Reader<P> {
    fn new(layout: &Layout, page_grid: fn(&P) -> Result<PageGrid, Refusal>) -> Reader<P> {
        Reader {
            format: layout.format::<P>(),
            batch: Batch::default(),
            puzzles: Vec::new(),
            engine: layout.fastest_engine(),
            page_grid,
            asked: [None, None],
        }
    }

    fn puzzle(&self, place: usize) -> Option<&P> {
        self.puzzles[place].map(|puzzle| &self.batch.puzzles[puzzle])
    }
}

impl<P: PuzzleText> RecordReader for Reader<P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn read(&mut self, text: &[u8], is_too_long: bool) -> &[Record] {
        self.batch.clear();
        match is_too_long {
            true => self.format.read_too_long(text, &mut self.batch),
            false => self.format.read(text, &mut self.batch),
        }
        self.puzzles.clear();
        self.puzzles.extend(self.batch.iter().map(|(_, read)| read.map(|(puzzle, _)| puzzle)));
        &self.batch.records
    }

    fn records(&self) -> &[Record] {
        &self.batch.records
    }

    fn seen(&self, place: usize) -> Entry {
        let Some(puzzle) = self.puzzle(place) else { return Entry::MALFORMED };
        let bits = Symmetry::ALL.into_iter().enumerate();
        let is_of = |symmetry: Symmetry| symmetry.is_of_cells(puzzle.shape(), puzzle.cells());
        Entry {
            status: puzzle.find_conflict().map(|_| Status::Conflict),
            clues: puzzle.clue_count() as u16,
            rating: if puzzle.shape() == Shape::CLASSIC { RatingMark::NONE } else { RatingMark::NEVER },
            symmetries: bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum(),
            ..Entry::MALFORMED
        }
    }

    fn ask(
        &mut self,
        pass: Pass,
        places: &[usize],
        stop: &AtomicBool,
    ) -> Result<(Vec<usize>, &Answers), Refuted> {
        let suits = |puzzle: &&P| pass == Pass::Search || puzzle.shape() == Shape::CLASSIC;
        let of_place = |&place: &usize| Some((place, self.puzzle(place).filter(suits)?.clone()));
        let (places, puzzles): (Vec<usize>, Vec<P>) = places.iter().filter_map(of_place).unzip();
        let asked = self.asked[pass as usize].get_or_insert_with(|| Asked::new(pass, self.engine));
        asked.answers.clear();
        let of_place = |refuted: Refuted| Refuted { puzzle: places[refuted.puzzle], ..refuted };
        asked.worker.answer(&puzzles, 0, stop, &mut asked.answers).map_err(of_place)?;
        Ok((places, &asked.answers))
    }

    fn line(&self, place: usize) -> Option<String> {
        let mut line = Vec::new();
        self.puzzle(place)?.write(&mut line);
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn grid(&self, place: usize) -> Option<Result<PageGrid, Refusal>> {
        self.puzzle(place).map(self.page_grid)
    }
}
