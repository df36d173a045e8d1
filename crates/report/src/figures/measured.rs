//! Computes what is counted for each record of a collection. Workers do this, a batch at a time.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Symmetry;
use gridmill_core::hunt::{BackdoorFinder, base_keys};
use gridmill_core::jobs::{BatchSearch, Keys, PuzzleKey, Status, WrongAnswer};
use gridmill_core::logic::{PuzzleRating, Rater, Rating, RatingEnd, Scale};
use gridmill_core::minlex::{Minlex, band_classes};
use gridmill_core::solver::{Budget, Engine, Outcome};
use gridmill_data::collection::{DuplicateFinder, KeyMapper, Place, SpaceError};
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, MapStage, ReadChunk, Stage};
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_data::with_kind;

use super::{CollectionCounts, RecordFigures};

/// The figures that take time of their own, and so are only computed if they are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// The scale on which puzzles are rated.
    pub scale: Option<Scale>,
    /// Whether neighbors are found.
    pub neighbors: bool,
    /// Whether the sizes of backdoors are found.
    pub backdoors: bool,
    /// Whether the classes of the bands of classic solutions are found.
    pub bands: bool,
}

/// The figures of a record, its key and its rating.
pub struct MeasuredRecord {
    figures: RecordFigures,
    /// The key of its puzzle, if it has one.
    key: Option<PuzzleKey>,
    /// Its rating, if it was rated.
    rating: Option<PuzzleRating>,
    /// The keys that it shares with its neighbors, if they are wanted.
    pub(super) neighbor_keys: Vec<PuzzleKey>,
    pub(super) solution: SolutionFigures,
}

/// The figures of a puzzle that come from its only solution, if they are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SolutionFigures {
    /// The number of cells of the smallest backdoors, or one more than the most that are tried.
    pub(super) backdoor: Option<usize>,
    /// The classes of the bands and stacks.
    pub(super) bands: Option<[u16; 6]>,
}

impl MeasuredRecord {
    /// The entry for a malformed record.
    #[must_use]
    pub fn malformed() -> MeasuredRecord {
        let figures = RecordFigures { status: Some(Status::Malformed), ..RecordFigures::default() };
        MeasuredRecord {
            figures,
            key: None,
            rating: None,
            neighbor_keys: Vec::new(),
            solution: SolutionFigures::default(),
        }
    }

    /// Makes the stage that computes this for the records of a file.
    #[must_use]
    pub fn stage<'a>(
        keys: Keys,
        extras: Extras,
        layout: &Layout,
        diagnostics: bool,
    ) -> Box<dyn Stage<Vec<MeasuredRecord>> + 'a> {
        let engine = layout.fastest_engine();
        let sizing = match extras {
            Extras { scale: Some(_), .. } | Extras { backdoors: true, .. } => ChunkSizing::GRIDS,
            _ => ChunkSizing::for_puzzles(layout.kind(), engine),
        };
        with_kind!(layout.kind(), P => {
            let mapper = move || FigureMapper::<P>::new(engine, keys, extras);
            MapStage::stage(layout, diagnostics, sizing, mapper)
        })
    }
}

impl CollectionCounts {
    /// Counts the records of a chunk, and adds their keys to `finder`. The first record has the number
    /// `first` in its file.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written.
    pub fn add_chunk(
        &mut self,
        records: &[MeasuredRecord],
        finder: &mut DuplicateFinder,
        file: u32,
        first: u64,
    ) -> Result<(), SpaceError> {
        for (number, record) in (first..).zip(records) {
            self.add(&record.figures, record.rating.as_ref());
            self.add_solution(&record.solution);
            let place = Place { file, record: number, line: 0 };
            record.key.map_or(Ok(()), |key| finder.add(&key, place))?;
        }
        Ok(())
    }
}

/// Computes what is counted for each record.
pub struct FigureMapper<P: PuzzleText> {
    search: BatchSearch<P>,
    rater: Option<(Scale, Rater)>,
    keys: KeyMapper<P>,
    /// Finds the keys that neighbors share, if they are wanted.
    minlex: Option<Minlex>,
    backdoors: Option<BackdoorFinder>,
    bands: bool,
}

/// Collects the figures of a puzzle after its search, except its rating.
fn figures_of<P: PuzzleText>((puzzle, outcome): (&P, &Outcome<P::Solution>)) -> RecordFigures {
    let bits = Symmetry::ALL.into_iter().enumerate();
    let is_of = |symmetry: Symmetry| symmetry.holds_for(puzzle.shape(), puzzle.cells());
    let status = Status::proved(puzzle, outcome);
    let is_searched = status != Status::Conflict;
    RecordFigures {
        status: Some(status),
        clues: Some(puzzle.clue_count() as u16),
        symmetries: Some(bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum()),
        guesses: is_searched.then_some(outcome.guesses),
        nanos: is_searched.then_some(outcome.nanos),
        ..RecordFigures::default()
    }
}

impl<P: PuzzleText> FigureMapper<P> {
    /// Uses an engine for searches, and `keys` for comparisons.
    #[must_use]
    pub fn new(engine: Engine, keys: Keys, extras: Extras) -> FigureMapper<P> {
        let rater = |scale| (scale, Rater::new(scale, Rating::BEYOND));
        FigureMapper {
            search: BatchSearch::proof(engine),
            rater: extras.scale.map(rater),
            keys: KeyMapper::new(keys),
            minlex: extras.neighbors.then(Minlex::new),
            backdoors: extras.backdoors.then(|| BackdoorFinder::new(None, Budget::NONE)),
            bands: extras.bands,
        }
    }

    /// Computes the entries of puzzles; `None` if `stop` became true meanwhile.
    ///
    /// # Errors
    ///
    /// If the answer of an engine or a technique breaks the rules of Sudoku.
    pub fn compute(
        &mut self,
        puzzles: &[P],
        stop: &AtomicBool,
    ) -> Result<Option<Vec<MeasuredRecord>>, WrongAnswer> {
        let outcomes = self.search.run(puzzles, stop)?;
        let figures: Vec<RecordFigures> = puzzles.iter().zip(outcomes).map(figures_of).collect();
        let of_solution = |(puzzle, outcome): (&P, &Outcome<P::Solution>)| {
            let only =
                outcome.solution.as_ref().filter(|_| Status::proved(puzzle, outcome) == Status::Unique);
            let Some(only) = only.map(P::digits_of) else { return SolutionFigures::default() };
            let backdoors = self.backdoors.as_mut().and_then(|finder| finder.find(puzzle, only, false, stop));
            let backdoor = backdoors.map(|found| found.size.unwrap_or(BackdoorFinder::MAX_SIZE + 1));
            let bands = only.try_into().ok().filter(|_| self.bands).map(band_classes);
            SolutionFigures { backdoor, bands }
        };
        // If a search of backdoors was stopped, so is the search for keys, whose result is missing below.
        let of_solutions: Vec<SolutionFigures> = puzzles.iter().zip(outcomes).map(of_solution).collect();
        let is_searched = figures.len() == puzzles.len();
        let (ratings, keys) = (self.rate(puzzles, &figures, stop)?, self.keys.answer(puzzles, stop)?);
        let (true, Some(ratings), Some(keys)) = (is_searched, ratings, keys) else { return Ok(None) };
        let mut ratings = ratings.into_iter();
        let measured = figures.into_iter().enumerate().map(|(index, mut figures)| {
            let is_proper = figures.status == Some(Status::Unique);
            let rating = if is_proper { ratings.next() } else { None };
            let solved = rating.as_ref().filter(|rating| rating.end == RatingEnd::Solved);
            figures.er = solved.map(|rating| rating.er);
            let clues = puzzles[index].clues();
            let neighbor_keys = self.minlex.as_mut().map_or_else(Vec::new, |minlex| base_keys(minlex, clues));
            MeasuredRecord {
                figures,
                key: keys.key(index),
                rating,
                neighbor_keys,
                solution: of_solutions[index],
            }
        });
        Ok(Some(measured.collect()))
    }

    /// Rates the proper puzzles, if ratings are wanted; `None` if the run was stopped meanwhile. Fails at
    /// the first puzzle where the techniques lead to a contradiction.
    fn rate(
        &mut self,
        puzzles: &[P],
        figures: &[RecordFigures],
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PuzzleRating>>, WrongAnswer> {
        let Some((scale, rater)) = &mut self.rater else { return Ok(Some(Vec::new())) };
        let is_proper = |index: &usize| figures[*index].status == Some(Status::Unique);
        let proper: Vec<usize> = (0..figures.len()).filter(is_proper).collect();
        let rated = rater.rate_all(proper.iter().map(|&index| &puzzles[index]), stop);
        if let Some(wrong) = rated.iter().position(|(rating, _)| rating.is_refuted()) {
            return Err(WrongAnswer { puzzle: proper[wrong], engine: scale.version() });
        }
        let is_whole = rated.len() == proper.len();
        Ok(is_whole.then(|| rated.into_iter().map(|(rating, _)| rating).collect()))
    }
}

impl<P: PuzzleText> BatchMapper<P, Vec<MeasuredRecord>> for FigureMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        records: &mut Vec<MeasuredRecord>,
    ) -> Result<ControlFlow<()>, WrongAnswer> {
        let Some(measured) = self.compute(&chunk.batch.puzzles, chunk.stop)? else {
            return Ok(ControlFlow::Break(()));
        };
        let mut measured = measured.into_iter();
        let of_record =
            |read: Option<_>| read.and_then(|_| measured.next()).unwrap_or_else(MeasuredRecord::malformed);
        records.extend(chunk.batch.iter().map(|(_, read)| read).map(of_record));
        Ok(ControlFlow::Continue(()))
    }
}
