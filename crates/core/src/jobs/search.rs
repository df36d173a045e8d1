//! Searching puzzles for the jobs that need to know how many solutions there are.

use std::sync::atomic::AtomicBool;

use super::{Refuted, Result, Searchable, StatusInfo};
use crate::solver::{Engine, Outcome, SolutionLimit, Solver};

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

    /// Returns the status of a puzzle, from what a search under `limit` found.
    #[must_use]
    pub fn of<P: Searchable>(puzzle: &P, found: &Outcome<P::Solution>, limit: SolutionLimit) -> Status {
        Status::of_count(puzzle, found.solutions, found.is_given_up, limit)
    }

    /// Returns the status of a puzzle, from what a search for two solutions found.
    #[must_use]
    pub fn proved<P: Searchable>(puzzle: &P, found: &Outcome<P::Solution>) -> Status {
        Status::of(puzzle, found, SolutionLimit::UNIQUENESS)
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

/// An engine, and the outcomes of its last batch.
pub struct Search<P: Searchable> {
    engine: Box<dyn Solver<P>>,
    outcomes: Vec<Outcome<P::Solution>>,
}

impl<P: Searchable> Search<P> {
    /// Makes a search with that engine.
    #[must_use]
    pub fn new(engine: Engine) -> Search<P> {
        Search::with(P::solver(engine))
    }

    /// Returns a search with an engine.
    #[must_use]
    pub fn with(engine: Box<dyn Solver<P>>) -> Search<P> {
        Search { engine, outcomes: Vec::new() }
    }

    /// Searches puzzles, and checks every solution against the rules. Returns an outcome for each puzzle in front that was
    /// searched: all of them, unless `stop` became true.
    ///
    /// # Errors
    ///
    /// Where the engine gives a solution that breaks the rules.
    pub fn run(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        stop: &AtomicBool,
    ) -> Result<&[Outcome<P::Solution>]> {
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        let searched = self.engine.solve_until(puzzles, limit, &mut self.outcomes, stop);
        let outcomes = &self.outcomes[..searched];
        if !self.engine.only_counts()
            && let Some(puzzle) =
                puzzles.iter().zip(outcomes).position(|(puzzle, found)| !puzzle.agrees(found))
        {
            return Err(Refuted { puzzle, engine: self.engine.name() });
        }
        Ok(outcomes)
    }

    /// Searches puzzles for two solutions. Returns each that was searched, with its status, and with the digits of its
    /// solution if it has only one.
    pub(super) fn prove<'a>(
        &'a mut self,
        puzzles: &'a [P],
        stop: &AtomicBool,
    ) -> Result<impl Iterator<Item = (&'a P, Status, Option<&'a [u8]>)>> {
        let found = self.run(puzzles, SolutionLimit::UNIQUENESS, stop)?;
        Ok(puzzles.iter().zip(found).map(|(puzzle, found)| {
            let status = Status::proved(puzzle, found);
            let only = found.solution.as_ref().filter(|_| status == Status::Unique);
            (puzzle, status, only.map(P::digits_of))
        }))
    }
}
