//! Records of a file that have been read, whatever the kind of their puzzles.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Pencilmarks, Puzzle, Shape, Symmetry};
use gridmill_core::jobs::{Search, Status};
use gridmill_core::logic::{BatchRater, Profile, Rater, Rating};
use gridmill_core::solver::{Engine, Outcome, SolutionLimit};
use gridmill_data::text::{Batch, Cut, Format, GridPuzzle, Layout, PuzzleKind, PuzzleText, Record};

use super::entry::{Found, RatingMark};
use crate::questions::PageGrid;
use crate::refusal::Refusal;

/// The facts of a record that are seen without a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) status: Option<Status>,
    pub(super) clues: u16,
    pub(super) symmetries: u8,
}

/// An engine gave a grid that is no solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refuted {
    pub(super) engine: &'static str,
    /// The place of the record.
    pub(super) place: usize,
}

/// Reads records of a file, and says and finds out what is to be known of those that were read last.
pub(super) trait RecordReader: Send {
    /// Returns how the file may be cut.
    fn cut(&self) -> &dyn Cut;

    /// Reads a text of whole records, or of one record that is too long, and returns its records.
    fn read(&mut self, text: &[u8], is_too_long: bool) -> &[Record];

    /// Returns the records that were read.
    fn records(&self) -> &[Record];

    /// Returns what is seen of a record without a search.
    fn seen(&self, place: usize) -> Seen;

    /// Searches puzzles until `stop` becomes true, and returns their places and what was found, as far as it came. Records
    /// without a puzzle are left out.
    fn search(&mut self, places: &[usize], stop: &AtomicBool) -> Result<Vec<(usize, Found)>, Refuted>;

    /// Rates proper puzzles until `stop` becomes true, and returns their places and ratings. Only 9x9 puzzles have them.
    fn rate(&mut self, places: &[usize], stop: &AtomicBool) -> Vec<(usize, RatingMark)>;

    /// Returns a puzzle, if it could be read: on a line.
    fn line(&self, place: usize) -> Option<String>;

    /// Returns the shape of a puzzle, if it could be read.
    fn shape(&self, place: usize) -> Option<Shape>;

    /// Returns a puzzle, if it could be read: as a grid of the page, if that shows such grids.
    fn grid(&self, place: usize) -> Option<Result<PageGrid, Refusal>>;
}

/// A kind of puzzles that the page has a grid for.
trait Showable: PuzzleText {
    /// Returns the puzzle as a grid of the page. Refuses one that is too large.
    fn page_grid(&self) -> Result<PageGrid, Refusal>;
}

impl Showable for Puzzle {
    fn page_grid(&self) -> Result<PageGrid, Refusal> {
        PageGrid::of_clues(Shape::CLASSIC, self.cells())
    }
}

impl Showable for GridPuzzle {
    fn page_grid(&self) -> Result<PageGrid, Refusal> {
        PageGrid::of_clues(self.grid.shape(), self.grid.cells())
    }
}

impl Showable for Pencilmarks {
    fn page_grid(&self) -> Result<PageGrid, Refusal> {
        Ok(PageGrid::of_marks(self))
    }
}

/// Makes the reader for a file.
pub(super) fn reader_for(layout: &Layout) -> Box<dyn RecordReader> {
    match layout.kind() {
        PuzzleKind::Classic => Box::new(Reader::<Puzzle>::new(layout)),
        PuzzleKind::AnyShape => Box::new(Reader::<GridPuzzle>::new(layout)),
        PuzzleKind::Pencilmarks => Box::new(Reader::<Pencilmarks>::new(layout)),
    }
}

/// Reads records of one kind.
struct Reader<P: PuzzleText> {
    format: Box<dyn Format<P>>,
    batch: Batch<P>,
    /// For each record the place of its puzzle in the batch.
    puzzles: Vec<Option<usize>>,
    kind: Engine,
    /// Made when they are needed first.
    search: Option<Search<P>>,
    rater: Option<BatchRater<P>>,
}

impl<P: PuzzleText> Reader<P> {
    fn new(layout: &Layout) -> Reader<P> {
        Reader {
            format: layout.format::<P>(),
            batch: Batch::default(),
            puzzles: Vec::new(),
            kind: layout.fastest_engine(),
            search: None,
            rater: None,
        }
    }

    fn puzzle(&self, place: usize) -> Option<&P> {
        self.puzzles[place].map(|puzzle| &self.batch.puzzles[puzzle])
    }
}

impl<P: Showable> RecordReader for Reader<P> {
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

    fn seen(&self, place: usize) -> Seen {
        let Some(puzzle) = self.puzzle(place) else {
            return Seen { status: Some(Status::Malformed), clues: 0, symmetries: 0 };
        };
        let bits = Symmetry::ALL.into_iter().enumerate();
        let is_of = |symmetry: Symmetry| symmetry.is_of_cells(puzzle.shape(), puzzle.cells());
        Seen {
            status: puzzle.find_conflict().map(|_| Status::Conflict),
            clues: puzzle.clue_count() as u16,
            symmetries: bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum(),
        }
    }

    fn search(&mut self, places: &[usize], stop: &AtomicBool) -> Result<Vec<(usize, Found)>, Refuted> {
        let of_place = |&place: &usize| Some((place, self.puzzle(place)?.clone()));
        let (places, puzzles): (Vec<usize>, Vec<P>) = places.iter().filter_map(of_place).unzip();
        let search = self.search.get_or_insert_with(|| Search::new(self.kind));
        let outcomes = search.run(&puzzles, SolutionLimit::UNIQUENESS, stop);
        let outcomes =
            outcomes.map_err(|refuted| Refuted { engine: refuted.engine, place: places[refuted.puzzle] })?;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let found = |(puzzle, outcome): (&P, &Outcome<P::Solution>)| Found {
            status: Status::proved(puzzle, outcome),
            guesses: small(outcome.guesses),
            nanos: small(outcome.nanos),
        };
        Ok(places.into_iter().zip(puzzles.iter().zip(outcomes).map(found)).collect())
    }

    fn rate(&mut self, places: &[usize], stop: &AtomicBool) -> Vec<(usize, RatingMark)> {
        let is_classic = |place: &usize| self.shape(*place) == Some(Shape::CLASSIC);
        let (places, others): (Vec<usize>, Vec<usize>) = places.iter().copied().partition(is_classic);
        let new = || BatchRater::new(Rater::new(Profile::Sukaku, Rating::BEYOND));
        let mut rater = self.rater.take().unwrap_or_else(new);
        let puzzles = places.iter().filter_map(|&place| self.puzzle(place));
        let rated = rater.rate(puzzles, stop);
        self.rater = Some(rater);
        let ratings = rated.iter().map(|rated| RatingMark::of(&rated.rating));
        let never = others.into_iter().map(|place| (place, RatingMark::NEVER));
        places.into_iter().zip(ratings).chain(never).collect()
    }

    fn line(&self, place: usize) -> Option<String> {
        let mut line = Vec::new();
        self.puzzle(place)?.write(&mut line);
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn shape(&self, place: usize) -> Option<Shape> {
        self.puzzle(place).map(P::shape)
    }

    fn grid(&self, place: usize) -> Option<Result<PageGrid, Refusal>> {
        self.puzzle(place).map(P::page_grid)
    }
}
