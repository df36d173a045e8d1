//! The minlex form, which all isomorphs of a puzzle share; and keys, which are equal for puzzles that count
//! as the same.

use std::hash::Hasher;
use std::sync::atomic::Ordering;

use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, JobPuzzle, Schema, Status, StatusInfo, Value, Worker,
    worker_from,
};
use crate::grid::{CELLS, Pencilmarks, Shape};
use crate::minlex::{CanonicalCells, Minlex, Transform, band_classes};
use crate::solver::{Clues, Engine};

/// Brings puzzles, or their solutions, to the form that all isomorphs share. It works for shapes that
/// [`Minlex::serves`].
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Canon, Job};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let renamed = Puzzle::from_cells(puzzle.cells().map(|cell| if cell == 0 { 0 } else { 10 - cell })).unwrap();
/// let answers = Canon::default().answer(&[puzzle, renamed])?;
/// assert_eq!(answers.value(0, 0), answers.value(0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Canon {
    /// The engine that solves the puzzles, if you want the forms of their solutions.
    pub of_solutions: Option<Engine>,
    /// Whether the form is the maxlex form, the greatest of all isomorphs, in place of the minlex form.
    pub maxlex: bool,
    /// Whether there is a column with a transform that leads to the form.
    pub transform: bool,
    /// Whether there is a column with the number of automorphisms.
    pub automorphisms: bool,
    /// Whether there is a column with the automorphisms, as transforms.
    pub automorphism_list: bool,
    /// Whether there are columns with the classes of the bands and stacks of full classic grids; see
    /// [`band_classes`].
    pub bands: bool,
}

/// The statuses if forms of the puzzles themselves are wanted, so that nothing is solved.
const STATUSES: &[StatusInfo] = &[StatusInfo::right("ok"), StatusInfo::CONFLICT, StatusInfo::MALFORMED];

impl Job for Canon {
    fn schema(&self) -> Schema {
        let form = match self.maxlex {
            false => "the least of all isomorphs, read cell by cell",
            true => "the greatest of all isomorphs, read cell by cell",
        };
        let transform = "a transform from the puzzle to its form, such as T/645312789/123564897/912345678";
        let automorphisms =
            "the number of ways to move the cells that change nothing but the names of digits";
        let mut columns = vec![Column::new("canonical", ColumnKind::Cells, form)];
        columns.extend(self.transform.then_some(Column::new("transform", ColumnKind::Text, transform)));
        let automorphisms = Column::new("automorphisms", ColumnKind::SmallNumber, automorphisms);
        columns.extend(self.automorphisms.then_some(automorphisms));
        let list = "the transforms that lead from the puzzle to itself, with a space between two";
        let list = Column::new("automorphism_list", ColumnKind::Text, list);
        columns.extend(self.automorphism_list.then_some(list));
        if self.bands {
            let class = "the class of the band or stack, from 1 to 416, in the order of their minlex forms";
            let names = ["band1", "band2", "band3", "stack1", "stack2", "stack3"];
            columns.extend(names.map(|name| Column::new(name, ColumnKind::TinyNumber, class)));
        }
        columns.push(Column::STATUS);
        Schema { columns, statuses: self.of_solutions.map_or(STATUSES, |_| Status::INFOS) }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let (job, mut minlex) = (*self, Minlex::new());
        let mut search = self.of_solutions.map(BatchSearch::<P>::proof);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            let Some(search) = &mut search else {
                for puzzle in puzzles.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
                    let form = job.form(&mut minlex, puzzle.clues());
                    job.push(u8::from(form.is_none()), puzzle.clues(), form.as_ref(), answers);
                }
                return Ok(());
            };
            for (puzzle, status, only) in search.prove(puzzles, stop)? {
                let clues = Clues { shape: puzzle.shape(), cells: only.unwrap_or(puzzle.cells()) };
                let form = only.and_then(|_| job.form(&mut minlex, clues));
                job.push(status as u8, clues, form.as_ref(), answers);
            }
            Ok(())
        })
    }
}

impl Canon {
    fn form(&self, minlex: &mut Minlex, clues: Clues<'_>) -> Option<CanonicalCells> {
        if self.maxlex { minlex.maxlex_cells(clues) } else { minlex.canonical_cells(clues) }
    }

    /// Adds an answer for a puzzle or solution.
    fn push(&self, status: u8, clues: Clues<'_>, form: Option<&CanonicalCells>, answers: &mut Answers) {
        answers.push_status(status);
        answers.cells(0).push(form.map_or(&[], |form| form.cells()));
        let mut column = 1;
        if self.transform {
            let transform = form.map_or_else(String::new, |form| form.transform.to_string());
            answers.push_text(column, &transform);
            column += 1;
        }
        if self.automorphisms {
            answers.push_numbers(column, [form.map(|form| form.automorphisms.into())].into_iter());
            column += 1;
        }
        if self.automorphism_list {
            let list = form.and_then(|_| Transform::automorphisms(clues)).unwrap_or_default();
            let list: Vec<String> = list.iter().map(Transform::to_string).collect();
            answers.push_text(column, list.join(" "));
            column += 1;
        }
        if self.bands {
            let full = <&[u8; CELLS]>::try_from(clues.cells).ok().filter(|cells| !cells.contains(&0));
            let classes = full.filter(|_| form.is_some()).map(band_classes);
            for index in 0..6 {
                answers
                    .push_numbers(column + index, [classes.map(|classes| classes[index].into())].into_iter());
            }
        }
    }
}

/// Makes keys, which are equal for puzzles that count as the same. By default these are puzzles with the same
/// clues, or with the same candidates for pencilmarks; the options change that.
///
/// A key for equal cells costs next to nothing. A key for minlex forms costs a few microseconds, and one for
/// solutions costs a search.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Keys};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let renamed = Puzzle::from_cells(puzzle.cells().map(|cell| if cell == 0 { 0 } else { 10 - cell })).unwrap();
/// let answers = Keys::default().answer(&[puzzle, renamed])?;
/// assert_ne!(answers.key(0), answers.key(1));
/// let answers = Keys { isomorphic: true, ..Keys::default() }.answer(&[puzzle, renamed])?;
/// assert_eq!(answers.key(0), answers.key(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Whether isomorphic puzzles have the same key, which is that of their minlex form. It works for shapes
    /// that [`Minlex::serves`]. Puzzles with clues in conflict have no such form, and are compared cell by
    /// cell.
    pub isomorphic: bool,
    /// Whether puzzles get the status [`Keys::CONFLICT`] if a minlex form is wanted, but they have none
    /// because two of their clues are in conflict.
    pub conflicts: bool,
    /// The engine that solves the puzzles, if you want to compare them by their solutions instead of their
    /// clues. A puzzle without exactly one solution has no key, and equals no other.
    pub of_solutions: Option<Engine>,
}

impl Keys {
    /// The index of the column of keys.
    const KEY: usize = 0;

    /// The places of the statuses.
    const OK: u8 = 0;
    const IMPROPER: u8 = 1;
    /// The status of a puzzle with clues in conflict, if [`Keys::conflicts`] is set.
    pub const CONFLICT: u8 = 2;
}

impl Job for Keys {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("ok"),
            StatusInfo::wrong("improper"),
            StatusInfo::wrong("conflict"),
            StatusInfo::MALFORMED,
        ];
        let key = "a key that is the same for puzzles that count as the same";
        Schema { columns: vec![Column::new("key", ColumnKind::Key, key), Column::STATUS], statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let mut minlex = self.isomorphic.then(Minlex::new);
        let mut search = self.of_solutions.map(BatchSearch::<P>::proof);
        let formless = if self.conflicts { Keys::CONFLICT } else { Keys::OK };
        let mut key_of = move |shape, cells: &[u8]| {
            let Some(minlex) = minlex.as_mut() else {
                return (Keys::OK, PuzzleKey::from_cells(shape, cells));
            };
            match minlex.canonical_cells(Clues { shape, cells }) {
                Some(form) => (Keys::OK, PuzzleKey::from_cells(shape, form.cells())),
                None => (formless, PuzzleKey::from_cells(shape, cells)),
            }
        };
        worker_from(move |puzzles: &[P], _, stop, answers| {
            let Some(search) = &mut search else {
                for puzzle in puzzles.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
                    let (status, key) = match puzzle.pencilmarks() {
                        Some(marks) => (Keys::OK, PuzzleKey::from_candidates(marks)),
                        None => key_of(puzzle.shape(), puzzle.cells()),
                    };
                    answers.push_status(status);
                    answers.push_key(Keys::KEY, Some(key));
                }
                return Ok(());
            };
            for (puzzle, _, only) in search.prove(puzzles, stop)? {
                let key = only.map(|solution| key_of(puzzle.shape(), solution).1);
                answers.push_status(if key.is_some() { Keys::OK } else { Keys::IMPROPER });
                answers.push_key(Keys::KEY, key);
            }
            Ok(())
        })
    }
}

impl Answers {
    /// The key of an answer of [`Keys`]. `None` for a puzzle that has none.
    #[must_use]
    pub fn key(&self, answer: usize) -> Option<PuzzleKey> {
        match self.value(Keys::KEY, answer) {
            Value::Key(key) => Some(*key),
            _ => None,
        }
    }
}

/// A key that is equal for two puzzles if they count as the same.
///
/// Up to 9x9, cells are packed, two in a byte. Larger puzzles and pencilmarks are hashed to 128 bits. Among a
/// thousand million different puzzles, the chance that two get equal keys is 1 in 10^20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PuzzleKey([u8; PuzzleKey::BYTES]);

impl PuzzleKey {
    /// The number of bytes of a key.
    pub const BYTES: usize = CELLS.div_ceil(2);

    /// Restores a key from the result of [`PuzzleKey::bytes`].
    #[must_use]
    pub const fn from_bytes(bytes: [u8; PuzzleKey::BYTES]) -> PuzzleKey {
        PuzzleKey(bytes)
    }

    /// The bytes of the key, which you can store.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; PuzzleKey::BYTES] {
        &self.0
    }

    /// The key of cells in reading order, 0 for a blank.
    #[must_use]
    #[inline]
    pub fn from_cells(shape: Shape, cells: &[u8]) -> PuzzleKey {
        if shape == Shape::CLASSIC
            && let Ok(cells) = <&[u8; CELLS]>::try_from(cells)
        {
            // The cells are an array here, so that the compiler can turn the loop into vector code.
            return PuzzleKey(std::array::from_fn(|byte| {
                let second = cells.get(2 * byte + 1).copied().unwrap_or(0);
                cells[2 * byte] << 4 | second
            }));
        }
        if cells.len() <= PACKED {
            PuzzleKey::tagged(shape, cells.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)))
        } else {
            PuzzleKey::tagged(shape, hashed(cells))
        }
    }

    /// The key of a grid of candidates, which is the hash of its text.
    fn from_candidates(marks: &Pencilmarks) -> PuzzleKey {
        let mut key = PuzzleKey::tagged(Shape::CLASSIC, hashed(&marks.to_ascii()));
        key.0[PuzzleKey::BYTES - 1] = 2;
        key
    }

    /// The key of some bytes for a shape other than the classic one. Its last byte makes it different from
    /// all classic keys, because these end in half a byte of zeros.
    fn tagged(shape: Shape, packed: impl IntoIterator<Item = u8>) -> PuzzleKey {
        let mut key = [0; PuzzleKey::BYTES];
        key.iter_mut().zip(packed).for_each(|(byte, packed)| *byte = packed);
        [key[PuzzleKey::BYTES - 3], key[PuzzleKey::BYTES - 2]] =
            [shape.box_rows() as u8, shape.box_columns() as u8];
        key[PuzzleKey::BYTES - 1] = 1;
        PuzzleKey(key)
    }
}

/// The largest number of cells that are packed for shapes other than the classic one: those of 8x8.
const PACKED: usize = 64;

/// A hash of 128 bits. It consists of two SipHashes, each over the bytes with a different number before them.
fn hashed(bytes: &[u8]) -> impl Iterator<Item = u8> + use<> {
    let half = |front: u64| {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write_u64(front);
        hasher.write(bytes);
        hasher.finish().to_le_bytes()
    };
    [half(1), half(2)].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Puzzle;

    fn classic(cells: &[u8]) -> PuzzleKey {
        PuzzleKey::from_cells(Shape::CLASSIC, cells)
    }

    #[test]
    fn keys_differ_by_any_cell() {
        let empty = classic(&[0; CELLS]);
        for cell in 0..CELLS {
            let mut cells = [0; CELLS];
            cells[cell] = 9;
            assert_ne!(classic(&cells), empty, "{cell}");
            cells[cell] = 0;
            cells[(cell + 1) % CELLS] = 9;
            assert_ne!(classic(&cells), empty, "{cell}");
        }
    }

    #[test]
    fn keys_of_other_shapes_differ_by_any_cell_and_by_the_shape() {
        let mut seen = std::collections::HashSet::new();
        let shapes: Vec<Shape> =
            ["2x2", "2x3", "3x2", "2x4", "3x3", "2x5", "4x4", "5x5"].map(|name| name.parse().unwrap()).into();
        for &shape in &shapes {
            let mut cells = vec![0; shape.cells()];
            assert!(seen.insert(PuzzleKey::from_cells(shape, &cells)), "{shape}");
            for cell in 0..cells.len() {
                cells[cell] = shape.side() as u8;
                assert!(seen.insert(PuzzleKey::from_cells(shape, &cells)), "{shape}, {cell}");
                cells[cell] = 0;
            }
        }
        assert!(
            seen.insert(PuzzleKey::from_candidates(&Pencilmarks::new([crate::grid::DigitSet::EMPTY; CELLS])))
        );
    }

    #[test]
    fn improper_puzzles_have_no_key_by_their_solution() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        let solved: Puzzle =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
                .parse()
                .unwrap();
        let job = Keys { of_solutions: Some(Engine::default()), ..Keys::default() };
        let answers = job.answer(&[puzzle, Puzzle::EMPTY, solved]).unwrap();
        let key = Some(classic(solved.cells()));
        assert_eq!([0, 1, 2].map(|answer| answers.key(answer)), [key, None, key]);
    }
}
