//! The kinds of puzzles that jobs accept, and the search for jobs that need to know how many solutions a
//! puzzle has.

use std::fmt;
use std::sync::atomic::AtomicBool;

use super::{Result, StatusInfo, WrongAnswer};
use crate::grid::rules::{self, Conflict};
use crate::grid::{Digit, Grid, Pencilmarks, Puzzle, Solution, symbol};
use crate::solver::{
    AsGrid, Bitmask, Bounds, CluePuzzle, Engine, EngineKind, Outcome, Request, SolutionEngine, SolutionLimit,
    Solvable, Solver, SplitCounter, StagedCounter,
};

/// A kind of puzzle that jobs accept: [`Puzzle`], [`Grid`] or anything that is [`AsGrid`], and
/// [`Pencilmarks`].
pub trait JobPuzzle: Solvable + Clone + Send + 'static {
    /// The digits of a solution in reading order.
    fn digits_of(solution: &Self::Solution) -> &[u8];

    /// Makes an engine for these puzzles.
    fn solver(engine: Engine) -> Box<dyn SolutionEngine<Self>>;

    /// Makes a solver that counts solutions.
    fn counter(engine: Engine, options: CountOptions) -> Box<dyn Solver<Self>>;

    /// The character that a digit is written as, if it has one: `1` to `9` and letters from `A` on, unless
    /// the puzzle has an alphabet of its own.
    fn symbol(&self, digit: Digit) -> Option<char> {
        Some(symbol(digit.get()))
    }

    /// The candidates, if the puzzle has some that its cells do not show.
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        None
    }

    /// Finds the first house that holds a digit twice, if any.
    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(self.shape(), self.cells())
    }

    /// Counts the clues.
    fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }
}

/// Properties of a count that decide how its search is split over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountOptions {
    /// Whether the time of each puzzle is bounded.
    pub is_timed: bool,
    /// Whether the count of each puzzle ends at a limit, and not with the last solution.
    pub is_limited: bool,
    /// Whether another engine than the chosen one may be used.
    pub may_change_engine: bool,
}

/// The number of guesses after which a search in lanes is split if its time is bounded. A small number is
/// better, because a single puzzle fills only one lane, and one lane makes a fifth as many guesses a second as all
/// lanes or `bitmask` do.
const ONE_LANE_GUESSES: u64 = 1 << 10;

/// A digit that occurs twice in a house. As text it is e.g. `row 1 holds two 5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateDigit {
    /// The digit and the house.
    pub conflict: Conflict,
    /// The character that the digit is written as, if it has one.
    pub symbol: Option<char>,
}

impl DuplicateDigit {
    /// Finds the first duplicate digit of a puzzle, if any.
    #[must_use]
    pub fn find(puzzle: &impl JobPuzzle) -> Option<DuplicateDigit> {
        let conflict = puzzle.find_conflict()?;
        Some(DuplicateDigit { conflict, symbol: puzzle.symbol(conflict.digit) })
    }
}

impl fmt::Display for DuplicateDigit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conflict { house, digit, .. } = self.conflict;
        match self.symbol {
            Some(symbol) => write!(f, "{house} holds two {symbol}s"),
            None => write!(f, "{house} holds {digit} twice"),
        }
    }
}

/// Makes a counter that splits long searches over all threads. The parts of a puzzle are searched together.
/// With a limit they are searched one by one, and lanes are slow at that, so `bitmask` is used if that is
/// allowed.
fn split_counter<P: JobPuzzle + CluePuzzle>(engine: Engine, options: CountOptions) -> Box<dyn Solver<P>> {
    let CountOptions { is_timed, is_limited, may_change_engine } = options;
    let of_parts = if is_limited && may_change_engine { Engine::Other(EngineKind::Bitmask) } else { engine };
    let mut counter = SplitCounter::new(P::solver(engine), Box::new(move || of_parts.any_shape()));
    if is_timed && may_change_engine && matches!(engine, Engine::Lockstep(_)) {
        counter = counter.with_patience(ONE_LANE_GUESSES);
    }
    Box::new(if is_limited { counter.up_to_limit() } else { counter })
}

impl JobPuzzle for Puzzle {
    #[inline]
    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn SolutionEngine<Puzzle>> {
        engine.classic()
    }

    fn counter(engine: Engine, options: CountOptions) -> Box<dyn Solver> {
        let counter = split_counter(engine, options);
        match engine {
            // Two searches are made only without a time limit, because each of them would have the whole
            // time.
            Engine::Other(_) if !options.is_timed && !options.is_limited => {
                Box::new(StagedCounter::new(engine.classic(), SolutionLimit::UNIQUENESS, counter))
            }
            _ => counter,
        }
    }
}

impl<G: AsGrid + Clone + Send + 'static> JobPuzzle for G {
    fn digits_of(solution: &Grid) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn SolutionEngine<G>> {
        engine.any_shape()
    }

    fn counter(engine: Engine, options: CountOptions) -> Box<dyn Solver<G>> {
        split_counter(engine, options)
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        AsGrid::symbol(self, digit)
    }
}

/// The engine is always `bitmask`, because no other one takes candidates.
impl JobPuzzle for Pencilmarks {
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        Some(self)
    }

    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(_: Engine) -> Box<dyn SolutionEngine<Pencilmarks>> {
        Box::new(Bitmask::new())
    }

    fn counter(engine: Engine, _: CountOptions) -> Box<dyn Solver<Pencilmarks>> {
        Pencilmarks::solver(engine)
    }
}

/// The status of a puzzle by the number of its solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly one solution, which is proved.
    Unique,
    /// A solution was found, but no other was looked for.
    Solved,
    /// More than one solution.
    Multiple,
    /// No solution, although no two clues contradict each other directly.
    None,
    /// The search was given up early.
    Budget,
    /// Two clues of a house are equal.
    Conflict,
    /// The record is not a puzzle.
    Malformed,
}

impl Status {
    /// Every status, in the order in which summaries list them.
    pub const ALL: [Status; 7] = [
        Status::Unique,
        Status::Solved,
        Status::Multiple,
        Status::None,
        Status::Budget,
        Status::Conflict,
        Status::Malformed,
    ];

    /// The statuses as schemas list them, in the order of [`Status::ALL`].
    pub const INFOS: &[StatusInfo] = &[
        StatusInfo::right("unique"),
        StatusInfo::right("solved"),
        StatusInfo::right("multiple"),
        StatusInfo::right("none"),
        StatusInfo::wrong("budget"),
        StatusInfo::CONFLICT,
        StatusInfo::MALFORMED,
    ];

    /// The statuses, with some of them replaced, for jobs that need other names or grades.
    pub(super) const fn infos_with<const N: usize>(others: [(Status, StatusInfo); N]) -> [StatusInfo; 7] {
        let mut infos = *Status::INFOS.first_chunk().expect("there are seven");
        let mut index = 0;
        while index < N {
            infos[others[index].0 as usize] = others[index].1;
            index += 1;
        }
        infos
    }

    /// The name of the status in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Status::INFOS[self as usize].name
    }

    /// The status of a puzzle, given the outcome of a search for two solutions.
    #[must_use]
    pub fn proved<P: JobPuzzle>(puzzle: &P, found: &Outcome<P::Solution>) -> Status {
        Status::from_two(puzzle, found.solutions, found.is_given_up)
    }

    /// The status of a puzzle, given how many solutions a search for two found.
    pub(super) fn from_two<P: JobPuzzle>(puzzle: &P, solutions: u64, is_given_up: bool) -> Status {
        Status::from_count(puzzle, solutions, is_given_up, SolutionLimit::UNIQUENESS)
    }

    /// The status of a puzzle, given how many solutions a search up to `limit` found.
    pub(super) fn from_count<P: JobPuzzle>(
        puzzle: &P,
        solutions: u64,
        is_given_up: bool,
        limit: SolutionLimit,
    ) -> Status {
        match solutions {
            _ if is_given_up => Status::Budget,
            0 if puzzle.find_conflict().is_some() => Status::Conflict,
            0 => Status::None,
            1 if limit == SolutionLimit::FIRST => Status::Solved,
            1 => Status::Unique,
            _ => Status::Multiple,
        }
    }

    /// Checks whether the record can be searched: it is a puzzle without a conflict.
    #[must_use]
    pub const fn is_searchable(self) -> bool {
        !matches!(self, Status::Conflict | Status::Malformed)
    }
}

/// An engine with its bounds, and the outcomes of its last batch. Every solution is checked against the
/// rules.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{BatchSearch, Status};
/// use gridmill_core::solver::{Engine, NEVER};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzles = [line.parse::<Puzzle>()?];
/// let mut search = BatchSearch::proof(Engine::default());
/// let found = search.run(&puzzles, &NEVER)?;
/// assert_eq!(Status::proved(&puzzles[0], &found[0]), Status::Unique);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchSearch<P: JobPuzzle> {
    engine: Box<dyn Solver<P>>,
    bounds: Bounds,
    /// Whether solutions are kept, and therefore checked.
    pub(super) keeps_solutions: bool,
    outcomes: Vec<Outcome<P::Solution>>,
    /// How many solutions had been found of the first puzzle whose search was stopped, or 0 if none was.
    pub(super) found_when_stopped: u64,
}

impl<P: JobPuzzle> BatchSearch<P> {
    /// Makes a search that keeps the first solution of each puzzle.
    pub(super) fn new(engine: Box<dyn Solver<P>>, bounds: Bounds) -> BatchSearch<P> {
        BatchSearch { engine, bounds, keeps_solutions: true, outcomes: Vec::new(), found_when_stopped: 0 }
    }

    /// Makes a search for two solutions, which can prove that a solution is the only one.
    #[must_use]
    pub fn proof(engine: Engine) -> BatchSearch<P> {
        BatchSearch::new(P::solver(engine), Bounds::solutions(2))
    }

    /// Searches puzzles, and checks every solution against the rules. Returns an outcome for each puzzle that
    /// was searched, from the first one on, which is all of them unless `stop` became true.
    ///
    /// # Errors
    ///
    /// If the engine gives a solution that breaks the rules.
    pub fn run(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<&[Outcome<P::Solution>]> {
        let BatchSearch { bounds, keeps_solutions, .. } = *self;
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let request = Request { bounds, keeps_solutions, stop };
        let searched = self.engine.solve_until(puzzles, &request, &mut self.outcomes);
        self.found_when_stopped = self.outcomes.get(searched).map_or(0, |stopped| stopped.solutions);
        let outcomes = &self.outcomes[..searched];
        if keeps_solutions
            && let Some(puzzle) =
                puzzles.iter().zip(outcomes).position(|(puzzle, found)| !puzzle.is_consistent_with(found))
        {
            return Err(WrongAnswer { puzzle, engine: self.engine.name() });
        }
        Ok(outcomes)
    }

    /// Searches puzzles for two solutions. Returns each puzzle that was searched with its status, and with
    /// the digits of its solution if that is the only one.
    pub(super) fn prove<'a>(
        &'a mut self,
        puzzles: &'a [P],
        stop: &AtomicBool,
    ) -> Result<impl Iterator<Item = (&'a P, Status, Option<&'a [u8]>)>> {
        let found = self.run(puzzles, stop)?;
        Ok(puzzles.iter().zip(found).map(|(puzzle, found)| {
            let status = Status::proved(puzzle, found);
            let only = found.solution.as_ref().filter(|_| status == Status::Unique);
            (puzzle, status, only.map(P::digits_of))
        }))
    }
}
