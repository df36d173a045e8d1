//! Keys by which puzzles are compared.

use std::hash::Hasher;

use crate::grid::{CELLS, Puzzle};
use crate::minlex::Minlex;
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solvable, Solver, SolverKind};

/// When two puzzles count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equivalence {
    /// Isomorphic puzzles too: they are compared by their minlex forms, and not cell by cell.
    pub isomorphic: bool,
    /// Puzzles are compared by their solutions, and not their clues. A puzzle without exactly one equals no
    /// other.
    pub solution: bool,
}

/// A key that is equal for two puzzles that count as the same: 81 cells, two in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalKey([u8; CanonicalKey::BYTES]);

impl CanonicalKey {
    /// Bytes of a key.
    pub const BYTES: usize = CELLS.div_ceil(2);

    /// Returns the key of the bytes of [`CanonicalKey::bytes`].
    #[must_use]
    pub const fn from_bytes(bytes: [u8; CanonicalKey::BYTES]) -> CanonicalKey {
        CanonicalKey(bytes)
    }

    /// Returns the packed cells.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; CanonicalKey::BYTES] {
        &self.0
    }

    /// Returns a hash that is the same in every run: SipHash with fixed keys. Only the order in which keys
    /// are compared depends on it.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(&self.0);
        hasher.finish()
    }
}

/// Packs cells.
impl From<&[u8; CELLS]> for CanonicalKey {
    fn from(cells: &[u8; CELLS]) -> CanonicalKey {
        CanonicalKey(std::array::from_fn(|byte| {
            let second = cells.get(2 * byte + 1).copied().unwrap_or(0);
            cells[2 * byte] << 4 | second
        }))
    }
}

/// Builds keys. One value serves one thread; it keeps its memory from batch to batch.
///
/// Cost: nothing for equal cells, a few microseconds for a minlex form, and a search for a solution.
///
/// ```
/// use gridmill::collection::{KeyBuilder, Equivalence};
/// use gridmill::grid::Puzzle;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let renamed = Puzzle::from_cells(puzzle.cells().map(|cell| if cell == 0 { 0 } else { 10 - cell })).unwrap();
/// let mut keys = Vec::new();
/// KeyBuilder::new(Equivalence::default()).keys(&[puzzle, renamed], &mut keys).unwrap();
/// assert_ne!(keys[0], keys[1]);
/// keys.clear();
/// KeyBuilder::new(Equivalence { isomorphic: true, solution: false }).keys(&[puzzle, renamed], &mut keys).unwrap();
/// assert_eq!(keys[0], keys[1]);
/// ```
#[derive(Debug)]
pub struct KeyBuilder {
    equivalence: Equivalence,
    minlex: Minlex,
    engine: Lockstep,
    outcomes: Vec<Outcome>,
}

impl KeyBuilder {
    /// The engine that finds solutions.
    pub const ENGINE: &'static str = SolverKind::Lockstep.name();

    /// Returns a builder without memory yet.
    #[must_use]
    pub fn new(equivalence: Equivalence) -> KeyBuilder {
        KeyBuilder { equivalence, minlex: Minlex::new(), engine: Lockstep::new(), outcomes: Vec::new() }
    }

    /// Appends the key of each puzzle; `None` for a puzzle that equals no other.
    ///
    /// # Errors
    ///
    /// The first puzzle for which [`KeyBuilder::ENGINE`] gave an invalid solution.
    pub fn keys(&mut self, puzzles: &[Puzzle], keys: &mut Vec<Option<CanonicalKey>>) -> Result<(), usize> {
        if !self.equivalence.solution {
            keys.extend(puzzles.iter().map(|puzzle| Some(self.key(puzzle))));
            return Ok(());
        }
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        self.engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        for (index, puzzle) in puzzles.iter().enumerate() {
            let found = &self.outcomes[index];
            if !puzzle.agrees(found) {
                return Err(index);
            }
            let only = found.solution.filter(|_| found.solutions == 1);
            let solved = only.and_then(|solution| Puzzle::from_cells(*solution.cells()));
            keys.push(solved.map(|solved| self.key(&solved)));
        }
        Ok(())
    }

    /// Returns the key of a puzzle's clues. Clues that contradict each other have no minlex form, and are
    /// compared cell by cell; no minlex form has such cells.
    pub(crate) fn key(&mut self, puzzle: &Puzzle) -> CanonicalKey {
        let canonical = if self.equivalence.isomorphic { self.minlex.of(puzzle) } else { None };
        CanonicalKey::from(canonical.map_or(*puzzle, |canonical| canonical.form).cells())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_any_cell() {
        let empty = CanonicalKey::from(&[0; CELLS]);
        for cell in 0..CELLS {
            let mut cells = [0; CELLS];
            cells[cell] = 9;
            assert_ne!(CanonicalKey::from(&cells), empty, "{cell}");
            cells[cell] = 0;
            cells[(cell + 1) % CELLS] = 9;
            assert_ne!(CanonicalKey::from(&cells), empty, "{cell}");
        }
    }

    #[test]
    fn improper_puzzles_have_no_key_by_their_solution() {
        let equivalence = Equivalence { solution: true, ..Equivalence::default() };
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        let solved: Puzzle =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
                .parse()
                .unwrap();
        let mut keys = Vec::new();
        KeyBuilder::new(equivalence).keys(&[puzzle, Puzzle::EMPTY, solved], &mut keys).unwrap();
        assert_eq!(
            keys,
            [Some(CanonicalKey::from(solved.cells())), None, Some(CanonicalKey::from(solved.cells()))]
        );
    }
}
