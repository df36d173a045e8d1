//! Keys by which puzzles are compared.

use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::{CELLS, Puzzle, Shape};
use gridmill_core::jobs::Refuted;
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Clues, Lockstep, NEVER, Outcome, SolutionLimit, Solver};

use crate::text::PuzzleText;

/// When two puzzles count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equivalence {
    /// Isomorphic puzzles too: they are compared by their minlex forms, and not cell by cell.
    pub isomorphic: bool,
    /// Puzzles are compared by their solutions, and not their clues. A puzzle without exactly one equals no
    /// other.
    pub solution: bool,
}

/// A key that is equal for two puzzles that count as the same.
///
/// Cells are packed, two in a byte, up to 9x9. Those of larger puzzles, and of pencilmarks, are hashed to 128 bits:
/// of a thousand million different puzzles, two get equal keys with a chance of 1 in 10^20.
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

    /// Returns the key of cells in reading order, 0 for a blank.
    #[must_use]
    #[inline]
    pub fn of(shape: Shape, cells: &[u8]) -> CanonicalKey {
        if shape == Shape::CLASSIC
            && let Ok(cells) = <&[u8; CELLS]>::try_from(cells)
        {
            return CanonicalKey::from(cells);
        }
        if cells.len() <= PACKED {
            CanonicalKey::tagged(shape, cells.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)))
        } else {
            CanonicalKey::tagged(shape, hashed(cells))
        }
    }

    /// Returns the key of a grid of candidates, as it is written.
    fn of_candidates(text: &[u8]) -> CanonicalKey {
        let mut key = CanonicalKey::tagged(Shape::CLASSIC, hashed(text));
        key.0[CanonicalKey::BYTES - 1] = 2;
        key
    }

    /// Returns the key of some bytes for a shape other than the classic one. A key of 81 cells ends in half a byte of
    /// zeros, and this one does not.
    fn tagged(shape: Shape, packed: impl IntoIterator<Item = u8>) -> CanonicalKey {
        let mut key = [0; CanonicalKey::BYTES];
        key.iter_mut().zip(packed).for_each(|(byte, packed)| *byte = packed);
        [key[CanonicalKey::BYTES - 3], key[CanonicalKey::BYTES - 2]] =
            [shape.box_rows() as u8, shape.box_columns() as u8];
        key[CanonicalKey::BYTES - 1] = 1;
        CanonicalKey(key)
    }

    /// Returns a hash that is the same in every run: SipHash with fixed keys. Only the order in which keys
    /// are compared depends on it.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(&self.0);
        hasher.finish()
    }
}

/// The most cells that are packed for shapes other than the classic one: those of 8x8.
const PACKED: usize = 64;

/// Returns a hash of 128 bits: two of SipHash, each with a block of its own in front.
fn hashed(bytes: &[u8]) -> impl Iterator<Item = u8> + use<> {
    let half = |front: u64| {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write_u64(front);
        hasher.write(bytes);
        hasher.finish().to_le_bytes()
    };
    [half(1), half(2)].into_iter().flatten()
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
/// use gridmill_data::collection::{KeyBuilder, Equivalence};
/// use gridmill_core::grid::Puzzle;
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
pub struct KeyBuilder<P: PuzzleText = Puzzle> {
    equivalence: Equivalence,
    minlex: Minlex,
    /// Finds solutions, where they are compared.
    engine: Option<Box<dyn Solver<P>>>,
    outcomes: Vec<Outcome<P::Solution>>,
    /// The text of a grid of candidates.
    text: Vec<u8>,
    /// For each puzzle of the last batch whether it has no minlex form, where forms of puzzles are compared.
    formless: Vec<bool>,
}

impl KeyBuilder {
    /// Returns a builder without memory yet, for classic puzzles.
    #[must_use]
    pub fn new(equivalence: Equivalence) -> KeyBuilder {
        KeyBuilder::with_engine(equivalence, || Box::new(Lockstep::new()))
    }
}

impl<P: PuzzleText> KeyBuilder<P> {
    /// Returns a builder that finds solutions, where it needs them, with the engine that `make` makes.
    ///
    /// By minlex forms, only puzzles of shapes that [`Minlex::serves`] are compared; others cell by cell.
    #[must_use]
    pub fn with_engine(equivalence: Equivalence, make: impl FnOnce() -> Box<dyn Solver<P>>) -> KeyBuilder<P> {
        let engine = equivalence.solution.then(make);
        KeyBuilder {
            equivalence,
            minlex: Minlex::new(),
            engine,
            outcomes: Vec::new(),
            text: Vec::new(),
            formless: Vec::new(),
        }
    }

    /// Appends the key of each puzzle; `None` for a puzzle that equals no other.
    ///
    /// # Errors
    ///
    /// The first puzzle for which an engine gave an invalid solution, and the engine.
    pub fn keys(&mut self, puzzles: &[P], keys: &mut Vec<Option<CanonicalKey>>) -> Result<(), Refuted> {
        self.keys_until(puzzles, keys, &NEVER)
    }

    /// Appends keys as [`KeyBuilder::keys`] does until `stop` becomes true: then it ends soon, and what it appended is of
    /// no account.
    ///
    /// # Errors
    ///
    /// As [`KeyBuilder::keys`].
    pub fn keys_until(
        &mut self,
        puzzles: &[P],
        keys: &mut Vec<Option<CanonicalKey>>,
        stop: &AtomicBool,
    ) -> Result<(), Refuted> {
        let Some(engine) = &mut self.engine else {
            self.formless.clear();
            let puzzles = puzzles.iter().take_while(|_| !stop.load(Ordering::Relaxed));
            keys.extend(puzzles.map(|puzzle| Some(self.key(puzzle))));
            return Ok(());
        };
        self.formless.clear();
        self.outcomes.clear();
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        engine.solve_until(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes, stop);
        if let Some(index) =
            puzzles.iter().zip(&self.outcomes).position(|(puzzle, found)| !puzzle.agrees(found))
        {
            return Err(Refuted { puzzle: index, engine: engine.name() });
        }
        let outcomes = std::mem::take(&mut self.outcomes);
        keys.extend(puzzles.iter().zip(&outcomes).map(|(puzzle, found)| {
            let only = found.solution.as_ref().filter(|_| found.solutions == 1);
            only.map(|solution| self.key_of_cells(puzzle.shape(), P::digits_of(solution)))
        }));
        self.outcomes = outcomes;
        Ok(())
    }

    /// Returns the key of a puzzle's clues, or of its candidates.
    pub fn key(&mut self, puzzle: &P) -> CanonicalKey {
        if !P::HAS_CANDIDATES {
            return self.key_of_cells(puzzle.shape(), puzzle.cells());
        }
        self.text.clear();
        puzzle.write(&mut self.text);
        CanonicalKey::of_candidates(&self.text)
    }

    /// Returns the key of cells. Clues that contradict each other have no minlex form, and are compared cell
    /// by cell; no minlex form has such cells.
    fn key_of_cells(&mut self, shape: Shape, cells: &[u8]) -> CanonicalKey {
        if !self.equivalence.isomorphic {
            return CanonicalKey::of(shape, cells);
        }
        let form = self.minlex.cells_of(Clues { shape, cells });
        self.formless.push(form.is_none());
        CanonicalKey::of(shape, form.as_ref().map_or(cells, |form| form.cells()))
    }

    /// Returns whether a puzzle of the last batch has no minlex form, where forms of puzzles are compared: two of its
    /// clues are in conflict.
    pub fn is_formless(&self, puzzle: usize) -> bool {
        self.formless.get(puzzle).copied().unwrap_or(false)
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
    fn keys_of_other_shapes_differ_by_any_cell_and_by_the_shape() {
        let mut seen = std::collections::HashSet::new();
        let shapes: Vec<Shape> =
            ["2x2", "2x3", "3x2", "2x4", "3x3", "2x5", "4x4", "5x5"].map(|name| name.parse().unwrap()).into();
        for &shape in &shapes {
            let mut cells = vec![0; shape.cells()];
            assert!(seen.insert(CanonicalKey::of(shape, &cells)), "{shape}");
            for cell in 0..cells.len() {
                cells[cell] = shape.side() as u8;
                assert!(seen.insert(CanonicalKey::of(shape, &cells)), "{shape}, {cell}");
                cells[cell] = 0;
            }
        }
        assert!(seen.insert(CanonicalKey::of_candidates(&[b'.'; 729])));
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
