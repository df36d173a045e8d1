//! The puzzles that jobs take, of every kind, and the search for the jobs that need to know how many solutions there are.

use std::fmt;
use std::sync::atomic::AtomicBool;

use super::{Refuted, Result, StatusInfo};
use crate::grid::rules::{self, Conflict};
use crate::grid::{Digit, Grid, Pencilmarks, Puzzle, Solution, symbol};
use crate::solver::{
    AsGrid, Bitmask, Bounds, Engine, GridLike, GridSolver, Outcome, Request, SolutionLimit, Solvable, Solver,
    SolverKind, SplitCounter, StagedCounter,
};

/// A kind of puzzle that jobs take: [`Puzzle`], [`Grid`] or whatever is [`AsGrid`], and [`Pencilmarks`].
pub trait Searchable: Solvable + Clone + Send + 'static {
    /// Returns the digits of a solution in reading order.
    fn digits_of(solution: &Self::Solution) -> &[u8];

    /// Makes an engine for these puzzles.
    fn solver(engine: Engine) -> Box<dyn GridSolver<Self>>;

    /// Makes a solver that counts solutions.
    fn counter(engine: Engine, terms: CountTerms) -> Box<dyn Solver<Self>>;

    /// Returns the character of a digit, if it is written as one: `1` to `9`, and letters from `A` on, unless the puzzle has
    /// an alphabet of its own.
    fn symbol(&self, digit: Digit) -> Option<char> {
        Some(symbol(digit.get()))
    }

    /// Returns the candidates, where the puzzle has some that its cells do not show.
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        None
    }

    /// Returns the first house that holds a digit twice, if any.
    fn find_conflict(&self) -> Option<Conflict> {
        rules::find_conflict(self.shape(), self.cells())
    }

    /// Returns how many clues there are.
    fn clue_count(&self) -> usize {
        self.cells().iter().filter(|&&cell| cell != 0).count()
    }
}

/// The terms of a count, which decide how its search is split over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountTerms {
    /// Whether the time of each puzzle is bounded.
    pub is_timed: bool,
    /// Whether the count of each puzzle ends at a limit, and not with the last solution.
    pub is_limited: bool,
    /// Whether another engine may take part.
    pub may_change: bool,
}

/// Guesses after which a search in lanes is split where its time is bounded. A puzzle that is alone has one lane, which makes a
/// fifth of the guesses that all lanes make, or `bitmask`.
const IN_ONE_LANE: u64 = 1 << 10;

/// A digit that is in a house twice, as text: `row 1 holds two 5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateDigit {
    /// The digit and the house.
    pub conflict: Conflict,
    /// The character of the digit, if it is written as one.
    pub symbol: Option<char>,
}

impl DuplicateDigit {
    /// Returns the first duplicate digit of a puzzle, if any.
    #[must_use]
    pub fn find(puzzle: &impl Searchable) -> Option<DuplicateDigit> {
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

/// Makes a counter that splits what takes long over all threads. The parts of a puzzle are searched together, and one by one
/// where there is a limit, where lanes are slow.
fn split_counter<P: Searchable + GridLike>(engine: Engine, terms: CountTerms) -> Box<dyn Solver<P>> {
    let CountTerms { is_timed, is_limited, may_change } = terms;
    let of_parts = if is_limited && may_change { Engine::Other(SolverKind::Bitmask) } else { engine };
    let mut counter = SplitCounter::new(P::solver(engine), Box::new(move || of_parts.any_shape()));
    if is_timed && may_change && matches!(engine, Engine::Lockstep(_)) {
        counter = counter.with_patience(IN_ONE_LANE);
    }
    Box::new(if is_limited { counter.up_to_limit() } else { counter })
}

impl Searchable for Puzzle {
    #[inline]
    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn GridSolver<Puzzle>> {
        engine.classic()
    }

    fn counter(engine: Engine, terms: CountTerms) -> Box<dyn Solver> {
        let counter = split_counter(engine, terms);
        match engine {
            // Each of two searches would have the whole time.
            Engine::Other(_) if !terms.is_timed && !terms.is_limited => {
                Box::new(StagedCounter::new(engine.classic(), SolutionLimit::UNIQUENESS, counter))
            }
            _ => counter,
        }
    }
}

impl<G: AsGrid + Clone + Send + 'static> Searchable for G {
    fn digits_of(solution: &Grid) -> &[u8] {
        solution.cells()
    }

    fn solver(engine: Engine) -> Box<dyn GridSolver<G>> {
        engine.any_shape()
    }

    fn counter(engine: Engine, terms: CountTerms) -> Box<dyn Solver<G>> {
        split_counter(engine, terms)
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        AsGrid::symbol(self, digit)
    }
}

/// Always the engine that takes candidates.
impl Searchable for Pencilmarks {
    fn pencilmarks(&self) -> Option<&Pencilmarks> {
        Some(self)
    }

    fn digits_of(solution: &Solution) -> &[u8] {
        solution.cells()
    }

    fn solver(_: Engine) -> Box<dyn GridSolver<Pencilmarks>> {
        Box::new(Bitmask::new())
    }

    fn counter(engine: Engine, _: CountTerms) -> Box<dyn Solver<Pencilmarks>> {
        Pencilmarks::solver(engine)
    }
}

/// The status of a puzzle by the number of its solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly one solution: proved.
    Unique,
    /// A solution was found, and no other was looked for.
    Solved,
    /// More than one solution.
    Multiple,
    /// No solution, though no two clues contradict each other directly.
    None,
    /// The search was given up before its end.
    Budget,
    /// Two equal clues in a house.
    Conflict,
    /// The record is no puzzle.
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

    /// The statuses as jobs have them, in the order of [`Status::ALL`].
    pub const INFOS: &[StatusInfo] = &[
        StatusInfo::right("unique"),
        StatusInfo::right("solved"),
        StatusInfo::right("multiple"),
        StatusInfo::right("none"),
        StatusInfo::wrong("budget"),
        StatusInfo::CONFLICT,
        StatusInfo::MALFORMED,
    ];

    /// Returns the statuses with others in the places of some of them, for jobs that need other names or grades.
    pub(super) const fn infos_with<const N: usize>(others: [(Status, StatusInfo); N]) -> [StatusInfo; 7] {
        let mut infos = *Status::INFOS.first_chunk().expect("there are seven");
        let mut index = 0;
        while index < N {
            infos[others[index].0 as usize] = others[index].1;
            index += 1;
        }
        infos
    }

    /// Returns the name of the status in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Status::INFOS[self as usize].name
    }

    /// Returns the status of a puzzle, from what a search for two solutions found.
    #[must_use]
    pub fn proved<P: Searchable>(puzzle: &P, found: &Outcome<P::Solution>) -> Status {
        Status::of_two(puzzle, found.solutions, found.is_given_up)
    }

    /// Returns the status of a puzzle of which a search for two solutions found so many.
    pub(super) fn of_two<P: Searchable>(puzzle: &P, solutions: u64, is_given_up: bool) -> Status {
        Status::of_count(puzzle, solutions, is_given_up, SolutionLimit::UNIQUENESS)
    }

    pub(super) fn of_count<P: Searchable>(
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

    /// Returns whether the record is a puzzle without a conflict.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        !matches!(self, Status::Conflict | Status::Malformed)
    }
}

/// An engine, what it is asked, and the outcomes of its last batch. Every solution is checked against the rules.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Search, Status};
/// use gridmill_core::solver::{Engine, NEVER};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzles = [line.parse::<Puzzle>()?];
/// let mut search = Search::proof(Engine::default());
/// let found = search.run(&puzzles, &NEVER)?;
/// assert_eq!(Status::proved(&puzzles[0], &found[0]), Status::Unique);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search<P: Searchable> {
    engine: Box<dyn Solver<P>>,
    bounds: Bounds,
    /// Whether solutions are kept, and checked.
    pub(super) keeps_solutions: bool,
    outcomes: Vec<Outcome<P::Solution>>,
    /// The solutions that were found of the first puzzle whose search was stopped; 0 where none was.
    pub(super) unfinished: u64,
}

impl<P: Searchable> Search<P> {
    /// Returns a search that keeps the first solution of each puzzle.
    pub(super) fn new(engine: Box<dyn Solver<P>>, bounds: Bounds) -> Search<P> {
        Search { engine, bounds, keeps_solutions: true, outcomes: Vec::new(), unfinished: 0 }
    }

    /// Makes a search for two solutions, which proves that there is one.
    #[must_use]
    pub fn proof(engine: Engine) -> Search<P> {
        Search::new(P::solver(engine), Bounds::solutions(2))
    }

    /// Searches puzzles, and checks every solution against the rules. Returns an outcome for each puzzle in front that was
    /// searched: all of them, unless `stop` became true.
    ///
    /// # Errors
    ///
    /// Where the engine gives a solution that breaks the rules.
    pub fn run(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<&[Outcome<P::Solution>]> {
        let Search { bounds, keeps_solutions, .. } = *self;
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let request = Request { bounds, keeps_solutions, stop };
        let searched = self.engine.solve_until(puzzles, &request, &mut self.outcomes);
        self.unfinished = self.outcomes.get(searched).map_or(0, |stopped| stopped.solutions);
        let outcomes = &self.outcomes[..searched];
        if keeps_solutions
            && let Some(puzzle) =
                puzzles.iter().zip(outcomes).position(|(puzzle, found)| !puzzle.agrees(found))
        {
            return Err(Refuted { puzzle, engine: self.engine.name() });
        }
        Ok(outcomes)
    }

    /// Returns each puzzle that was searched for two solutions, with its status, and with the digits of its
    /// solution if it has only one.
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
