//! The minlex form: the lexicographic minimum of a puzzle's isomorphs. Because all isomorphs share it,
//! comparing forms decides whether two puzzles are the same in disguise.
//!
//! For classic puzzles there are two algorithms. Both go from the first row to the last, and keep every
//! choice of rows and columns that leads to the least rows so far. Digits are named in the order in which
//! they appear. The algorithms differ because of the number of such choices:
//!
//! - `puzzle` is for puzzles with a blank. A row settles only the columns in which it has a clue, so few
//!   choices tie: 18 rows are tried as the first one, and some fifty rows more.
//! - `full` is for full grids, where each of 18 rows becomes 123456789 with any order of its columns. So it
//!   computes the second row from the way in which two rows of a band mix each other's digits.
//!
//! Smaller puzzles have so few isomorphs that `small` can try all of them, row by row.
//!
//! The maxlex form is the greatest of the isomorphs. It is found as the least one by an order of cells that is
//! turned around: 9 before 8, and a blank last.

mod automorphisms;
mod bands;
mod full;
mod puzzle;
mod small;

#[cfg(test)]
pub(crate) use bands::BandClasses;
pub use bands::band_classes;

use std::fmt;
use std::str::FromStr;

use crate::grid::{CELLS, Isomorphism, Puzzle, Shape, rules};
use crate::solver::Clues;

/// Nine lines of nine cells: the rows of a puzzle, or its columns.
type Matrix = [[u8; 9]; 9];

/// Every order of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// A puzzle in its minlex or maxlex form: a classic one, or the cells of a puzzle of any shape that has such a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical<P = Puzzle> {
    /// The minlex or maxlex form.
    pub form: P,
    /// A transform from the puzzle to that form.
    pub transform: Transform,
    /// How many ways to move the cells (of 3,359,232 for classic puzzles) change nothing but the names of
    /// digits. It is 1 for almost every proper puzzle, and 3,359,232 for the empty one.
    pub automorphisms: u32,
}

impl Canonical {
    fn into_cells(self) -> CanonicalCells {
        let Canonical { form, transform, automorphisms } = self;
        Canonical { form: *form.cells(), transform, automorphisms }
    }
}

/// A minlex or maxlex form in a fixed array: the cells of its shape, padded with zeros.
pub type CanonicalCells = Canonical<[u8; CELLS]>;

impl CanonicalCells {
    /// The cells of the form.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.form[..self.transform.shape().cells()]
    }
}

/// Finds minlex forms. Make one for each thread, because it reuses its memory from puzzle to puzzle.
///
/// Two classic puzzles are isomorphs if you can turn one into the other by transposing, permuting the bands,
/// the stacks, the rows of a band and the columns of a stack, and renaming digits. There are 3,359,232 ways
/// to move the cells, each with all names of the digits. The minlex form of a puzzle is the least of its
/// isomorphs, read cell by cell in reading order, where a blank is less than any digit. So two puzzles are
/// isomorphs if and only if their forms are equal. The digits of a form are numbered as they first appear.
/// The puzzle is not solved, so puzzles with no, one or many solutions all have a form.
///
/// Collectors of puzzles and of grids have long used this form; Glenn Fowler's and Mladen Dobrichev's
/// programs are known for it. The search is our own. All programs agree on the form of full grids. They may
/// differ on puzzles, because some compare the places of all clues before they compare digits.
///
/// Puzzles of 4x4, 6x6 and 8x8 cells have a minlex form too, by the same definition. Only shapes with square
/// boxes are transposed, so there are 128 ways to move the cells of 4x4, 3,456 for 6x6 and 442,368 for 8x8.
///
/// A full grid or a proper puzzle takes a few microseconds, and the puzzles with the most symmetries take a
/// few milliseconds. The memory for such a puzzle is kept for the next one.
///
/// ```
/// use gridmill_core::minlex::Minlex;
/// use gridmill_core::grid::Puzzle;
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle: Puzzle = line.parse().unwrap();
/// let mut minlex = Minlex::new();
/// let canonical = minlex.canonical(&puzzle).unwrap();
/// assert_eq!(canonical.transform.isomorphism().apply_classic(&puzzle), canonical.form);
/// assert_eq!(minlex.canonical(&canonical.form).unwrap().form, canonical.form);
/// ```
#[derive(Debug, Default)]
pub struct Minlex {
    grids: full::FullSearch,
    puzzles: puzzle::PuzzleSearch<{ puzzle::LEAST }>,
    puzzles_with_blanks_last: puzzle::PuzzleSearch<{ puzzle::GREATEST }>,
    small: small::SmallSearch,
}

impl Minlex {
    /// Makes a finder that has not allocated memory yet.
    #[must_use]
    pub fn new() -> Minlex {
        Minlex::default()
    }

    /// Finds the minlex form of a puzzle. `None` if two of its clues contradict each other.
    #[must_use]
    pub fn canonical(&mut self, puzzle: &Puzzle) -> Option<Canonical> {
        let orientations = legal_orientations(puzzle)?;
        Some(match puzzle.cells().contains(&0) {
            true => self.puzzles.least_form(&orientations),
            false => self.grids.minlex(&orientations),
        })
    }

    /// Finds the maxlex form of a puzzle: the greatest of its isomorphs, where a blank is less than any digit.
    /// The first digit of the form is 9, the next new one 8, and so on. `None` if two clues contradict each
    /// other. The costs are those of the minlex form.
    ///
    /// ```
    /// use gridmill_core::minlex::Minlex;
    /// use gridmill_core::grid::Puzzle;
    ///
    /// let mut cells = [0; 81];
    /// (cells[40], cells[80]) = (1, 2);
    /// let canonical = Minlex::new().maxlex(&Puzzle::from_cells(cells).unwrap()).unwrap();
    /// assert_eq!(canonical.form.to_string(), format!("9{}8{}", ".".repeat(29), ".".repeat(50)));
    /// ```
    #[must_use]
    pub fn maxlex(&mut self, puzzle: &Puzzle) -> Option<Canonical> {
        let orientations = legal_orientations(puzzle)?;
        let Canonical { form, mut transform, automorphisms } = match puzzle.cells().contains(&0) {
            true => self.puzzles_with_blanks_last.least_form(&orientations),
            false => self.grids.minlex(&orientations),
        };
        let form = Puzzle::from_cells(form.cells().map(|cell| turned(Shape::CLASSIC, cell)))?;
        transform.digits = transform.digits.map(|name| turned(Shape::CLASSIC, name));
        Some(Canonical { form, transform, automorphisms })
    }

    /// Checks whether [`Minlex::canonical_cells`] can find the forms of puzzles of that shape. It can up to
    /// 9x9 cells.
    #[must_use]
    pub fn serves(shape: Shape) -> bool {
        shape == Shape::CLASSIC || small::SmallSearch::serves(shape)
    }

    /// Finds the minlex form of a puzzle of any shape that [`Minlex::serves`]. `None` if it is of another
    /// shape, or if two of its clues contradict each other. (The form is an array, because putting it into a
    /// grid of any size took 5 % of the time of a classic puzzle.)
    ///
    /// ```
    /// use gridmill_core::minlex::Minlex;
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::solver::Solvable;
    ///
    /// let shape = Shape::new(2, 2).unwrap();
    /// let grid = Grid::new(shape, vec![0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]).unwrap();
    /// let canonical = Minlex::new().canonical_cells(grid.clues()).unwrap();
    /// assert_eq!(canonical.cells(), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0]);
    /// assert_eq!(canonical.transform.isomorphism().apply_to_cells(grid.cells()), canonical.cells());
    /// ```
    #[must_use]
    pub fn canonical_cells(&mut self, Clues { shape, cells }: Clues<'_>) -> Option<CanonicalCells> {
        if shape == Shape::CLASSIC {
            return self.canonical(&Puzzle::from_cells(cells.try_into().ok()?)?).map(Canonical::into_cells);
        }
        self.least_small_form(Clues { shape, cells }, puzzle::LEAST)
    }

    /// Finds the maxlex form of a puzzle of any shape that [`Minlex::serves`], like [`Minlex::canonical_cells`].
    #[must_use]
    pub fn maxlex_cells(&mut self, Clues { shape, cells }: Clues<'_>) -> Option<CanonicalCells> {
        if shape == Shape::CLASSIC {
            return self.maxlex(&Puzzle::from_cells(cells.try_into().ok()?)?).map(Canonical::into_cells);
        }
        let mut greatest = self.least_small_form(Clues { shape, cells }, puzzle::GREATEST)?;
        greatest.form = greatest.form.map(|cell| turned(shape, cell));
        let names = &mut greatest.transform.digits[..=shape.side()];
        names.iter_mut().for_each(|name| *name = turned(shape, *name));
        Some(greatest)
    }

    /// Finds the least form of a puzzle of up to 8x8 cells, with that rank of a blank.
    fn least_small_form(&mut self, Clues { shape, cells }: Clues<'_>, blank: u8) -> Option<CanonicalCells> {
        let is_legal = small::SmallSearch::serves(shape) && rules::find_conflict(shape, cells).is_none();
        is_legal.then(|| self.small.least_form(shape, cells, blank))
    }
}

/// Turns the order of the digits around, e.g. 1 becomes 9, and 9 becomes 1. A blank stays a blank.
fn turned(shape: Shape, digit: u8) -> u8 {
    if digit == 0 { 0 } else { shape.side() as u8 + 1 - digit }
}

/// The rows and the columns of a puzzle; `None` if two of its clues contradict each other.
fn legal_orientations(puzzle: &Puzzle) -> Option<[Matrix; 2]> {
    let orientations = orientations(puzzle.cells());
    obeys_the_rules(&orientations).then_some(orientations)
}

/// The rows and the columns of a puzzle.
fn orientations(cells: &[u8; CELLS]) -> [Matrix; 2] {
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| cells[9 * row + column]));
    let columns = std::array::from_fn(|column| std::array::from_fn(|row| cells[9 * row + column]));
    [rows, columns]
}

/// Checks that no digit occurs twice in a house.
fn obeys_the_rules(orientations: &[Matrix; 2]) -> bool {
    let [rows, columns] = orientations;
    let mut boxes = [[0; 9]; 9];
    for (number, house) in boxes.iter_mut().enumerate() {
        let (row, column) = (number / 3 * 3, number % 3 * 3);
        for (place, cell) in house.iter_mut().enumerate() {
            *cell = rows[row + place / 3][column + place % 3];
        }
    }
    rows.iter().chain(columns).chain(&boxes).all(|house| {
        let (mut seen, mut twice) = (0_u16, 0);
        for &cell in house {
            twice |= seen & (1 << cell);
            seen |= 1 << cell;
        }
        // A blank is bit 0, and may occur twice.
        twice < 2
    })
}

/// Appends a cell to a packed row, four bits for each cell, e.g. 0x12 and 7 make 0x127. Packed rows compare
/// as numbers.
#[inline(always)]
fn push(row: u64, cell: u8) -> u64 {
    row << 4 | u64::from(cell)
}

/// Makes a puzzle of nine packed rows, in which a blank is that number.
fn unpack(rows: &[u64; 9], blank: u8) -> Puzzle {
    let cell = |cell: usize| (rows[cell / 9] >> (4 * (8 - cell % 9)) & 15) as u8;
    let cells = std::array::from_fn(|place| if cell(place) == blank { 0 } else { cell(place) });
    Puzzle::from_cells(cells).expect("digits are renamed to digits")
}

/// One of the 1,218,998,108,160 isomorphisms of classic puzzles, or one of those of smaller puzzles: first an
/// optional transposition, then an order of the rows and of the columns, then names for the digits.
///
/// The notation has four parts with `/` between them, e.g. `T/645312789/123564897/912345678`:
///
/// 1. `T` if rows and columns change places first, `-` if not;
/// 2. for each row, from the top, the number of the row that moves there, from 1;
/// 3. for each column, from the left, the number of the column that moves there;
/// 4. for each digit from 1 to 9, its new name.
///
/// The notation of a smaller puzzle has fewer rows, columns and digits. Only that of classic puzzles can be
/// parsed.
///
/// ```
/// use gridmill_core::minlex::Transform;
/// use gridmill_core::grid::Puzzle;
///
/// let transform: Transform = "T/213456789/123456789/912345678".parse().unwrap();
/// let mut cells = [0; 81];
/// cells[1] = 5; // r1c2 goes to r2c1 when the grid is transposed, and to r1c1 by the order of rows; 5 becomes 4.
/// let changed = transform.isomorphism().apply_classic(&Puzzle::from_cells(cells).unwrap());
/// assert_eq!(changed.cells()[0], 4);
/// assert_eq!(transform.to_string(), "T/213456789/123456789/912345678");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    shape: Shape,
    transposed: bool,
    /// For each row, from 0, the one that moves there. Rows of a band stay together.
    rows: [u8; 9],
    /// For each column, from 0, the one that moves there. Columns of a stack stay together.
    columns: [u8; 9],
    /// For each digit, its new name. The blank, 0, stays 0.
    digits: [u8; 10],
}

impl Transform {
    /// The transform that changes nothing. The side of the shape must be at most 9.
    pub(crate) fn identity(shape: Shape) -> Transform {
        let lines = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        Transform { shape, transposed: false, rows: lines, columns: lines, digits }
    }

    /// Gives the digits whose name is `none` the names after `named`, in order.
    fn name_others(&mut self, none: u8, named: u8) {
        let digits = &mut self.digits[1..=self.shape.side()];
        digits.iter_mut().filter(|name| **name == none).zip(named + 1..).for_each(|(name, new)| *name = new);
    }

    /// The shape of the puzzles that the transform applies to.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Converts to an isomorphism, which you can apply to puzzles.
    #[must_use]
    pub fn isomorphism(&self) -> Isomorphism {
        let digits = self.digits[..=self.shape.side()].to_vec();
        Isomorphism::new(self.shape, |row, column| self.source(row, column), digits)
    }

    /// The new name of a digit.
    pub(crate) fn renamed(&self, digit: u8) -> u8 {
        self.digits[usize::from(digit)]
    }

    /// The cell whose content moves to that place.
    pub(crate) fn source(&self, row: usize, column: usize) -> usize {
        let (row, column) = (usize::from(self.rows[row]), usize::from(self.columns[column]));
        let side = self.shape.side();
        if self.transposed { side * column + row } else { side * row + column }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.shape.side();
        let text = |from: u8, numbers: &[u8]| -> String {
            numbers[..side].iter().map(|&number| char::from(from + number)).collect()
        };
        let (lines, digits) = (|lines| text(b'1', lines), text(b'0', &self.digits[1..]));
        let transposed = if self.transposed { 'T' } else { '-' };
        write!(f, "{transposed}/{}/{}/{digits}", lines(&self.rows), lines(&self.columns))
    }
}

/// The error for a text that is not a [`Transform`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a transform is written as T or -, rows, columns and digits: -/123456789/123456789/123456789")]
pub struct ParseTransformError;

impl FromStr for Transform {
    type Err = ParseTransformError;

    fn from_str(text: &str) -> Result<Transform, ParseTransformError> {
        let parts: Vec<&str> = text.split('/').collect();
        let &[transposed @ ("T" | "-"), rows, columns, digits] = &parts[..] else {
            return Err(ParseTransformError);
        };
        let mut names = [0; 10];
        names[1..].copy_from_slice(&permutation(digits)?.map(|digit| digit + 1));
        Ok(Transform {
            shape: Shape::CLASSIC,
            transposed: transposed == "T",
            rows: lines(rows)?,
            columns: lines(columns)?,
            digits: names,
        })
    }
}

/// Parses the digits from 1 to 9 in some order, and counts them from 0.
fn permutation(text: &str) -> Result<[u8; 9], ParseTransformError> {
    let digits: [u8; 9] = text.as_bytes().try_into().map_err(|_| ParseTransformError)?;
    match (b'1'..=b'9').all(|digit| digits.contains(&digit)) {
        true => Ok(digits.map(|digit| digit - b'1')),
        false => Err(ParseTransformError),
    }
}

/// Parses an order of lines that keeps those of a band (or stack) together.
fn lines(text: &str) -> Result<[u8; 9], ParseTransformError> {
    let lines = permutation(text)?;
    let together = lines.chunks(3).all(|band| band.iter().all(|&line| line / 3 == band[0] / 3));
    if together { Ok(lines) } else { Err(ParseTransformError) }
}

/// Tests of the minlex form against the minimum over all isomorphs, computed one by one.
#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;
    use crate::solver::{Bitmask, SolutionLimit, Solver};

    /// The grid with the most automorphisms, 648, and one whose automorphisms are counted below.
    const SYMMETRIC_GRIDS: [(&str, u32); 2] = [
        ("123456789456789123789123456231564897564897231897231564312645978645978312978312645", 648),
        ("123456789456789123789123456214365897365897214897214365531642978642978531978531642", 3),
    ];

    fn puzzle(line: &str) -> Puzzle {
        line.parse().unwrap()
    }

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(9)
    }

    /// A full grid.
    fn random_grid(rng: &mut impl Rng) -> Puzzle {
        let mut cells = [0; CELLS];
        let mut digits: Vec<u8> = (1..=9).collect();
        digits.shuffle(rng);
        cells[..9].copy_from_slice(&digits);
        cells[9 + rng.random_range(0..3)] = digits[3 + rng.random_range(0..6)];
        cells[40] = rng.random_range(1..=9);
        let solution =
            Bitmask::new().solve(&Puzzle::from_cells(cells).unwrap(), SolutionLimit::FIRST).solution;
        let isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
        solution.map_or_else(
            || random_grid(rng),
            |grid| isomorphism.apply_classic(&Puzzle::from_cells(*grid.cells()).unwrap()),
        )
    }

    /// A puzzle with this many clues.
    fn random_puzzle(clues: usize, rng: &mut impl Rng) -> Puzzle {
        let mut order: Vec<usize> = (0..CELLS).collect();
        order.shuffle(rng);
        let mut cells = *random_grid(rng).cells();
        order[clues..].iter().for_each(|&cell| cells[cell] = 0);
        Puzzle::from_cells(cells).unwrap()
    }

    /// All orders of nine lines that keep bands together.
    fn orders() -> Vec<[usize; 9]> {
        let number = |number: usize, place: u32| number / 6_usize.pow(place) % 6;
        let order = |orders: usize| {
            std::array::from_fn(|line| {
                let band = ORDERS[number(orders, 0)][line / 3];
                3 * band + ORDERS[number(orders, 1 + line as u32 / 3)][line % 3]
            })
        };
        (0..1296).map(order).collect()
    }

    /// The least of all isomorphs by an order of cells that has a blank in that place, and how many of the ways
    /// to move the cells give it.
    fn naive(puzzle: &Puzzle, blank: u8) -> ([u8; CELLS], u32) {
        let (mut least, mut count) = ([u8::MAX; CELLS], 0);
        let orders = orders();
        for transposed in [false, true] {
            for rows in &orders {
                for columns in &orders {
                    let cell = |place: usize| {
                        let (row, column) = (rows[place / 9], columns[place % 9]);
                        puzzle.cells()[if transposed { 9 * column + row } else { 9 * row + column }]
                    };
                    match take_if_less(&cell, blank, &mut least) {
                        Ordering::Less => count = 1,
                        Ordering::Equal => count += 1,
                        Ordering::Greater => {}
                    }
                }
            }
        }
        (least, count)
    }

    /// Names the digits of a grid as they appear, and replaces the least grid if this one is less.
    fn take_if_less(cell: &dyn Fn(usize) -> u8, blank: u8, least: &mut [u8; CELLS]) -> Ordering {
        let (mut names, mut named, mut order) = ([0; 10], 0, Ordering::Equal);
        names[0] = blank;
        for place in 0..CELLS {
            let digit = usize::from(cell(place));
            if digit > 0 && names[digit] == 0 {
                named += 1;
                names[digit] = named;
            }
            order = order.then(names[digit].cmp(&least[place]));
            match order {
                Ordering::Less => least[place] = names[digit],
                Ordering::Equal => {}
                Ordering::Greater => return order,
            }
        }
        order
    }

    fn is_as_naive(puzzle: &Puzzle) {
        let canonical = Minlex::new().canonical(puzzle).unwrap();
        let (form, automorphisms) = naive(puzzle, 0);
        assert_eq!((*canonical.form.cells(), canonical.automorphisms), (form, automorphisms), "{puzzle}");
        assert_eq!(canonical.transform.isomorphism().apply_classic(puzzle), canonical.form, "{puzzle}");

        let canonical = Minlex::new().maxlex(puzzle).unwrap();
        let (form, automorphisms) = naive(puzzle, 10);
        // The name 1 is 9 in the maxlex form, and the blank, 10, is 0.
        let form = form.map(|name| 10 - name);
        assert_eq!((*canonical.form.cells(), canonical.automorphisms), (form, automorphisms), "{puzzle}");
        assert_eq!(canonical.transform.isomorphism().apply_classic(puzzle), canonical.form, "{puzzle}");
    }

    #[test]
    fn the_least_and_the_greatest_of_all_isomorphs() {
        let mut rng = rng();
        for clues in [5, 24, 45, 81] {
            is_as_naive(&random_puzzle(clues, &mut rng));
        }
    }

    /// Puzzles with few clues and many symmetries.
    fn symmetric_puzzles() -> Vec<Puzzle> {
        let of = |clues: &[(usize, u8)]| {
            let mut cells = [0; CELLS];
            clues.iter().for_each(|&(cell, digit)| cells[cell] = digit);
            Puzzle::from_cells(cells).unwrap()
        };
        let row: Vec<_> = (0..9).map(|cell| (cell, cell as u8 + 1)).collect();
        let diagonal: Vec<_> = (0..9).map(|line| (10 * line, line as u8 + 1)).collect();
        let of_a_digit: Vec<_> = [0, 12, 24, 28, 40, 52, 56, 68, 80].map(|cell| (cell, 4)).to_vec();
        let most_canonical = *puzzle(SYMMETRIC_GRIDS[0].0).cells();
        let boxes: Vec<_> = [0, 30, 60]
            .into_iter()
            .flat_map(|corner| [0, 1, 2, 9, 10, 11, 18, 19, 20].map(|cell| corner + cell))
            .map(|cell| (cell, most_canonical[cell]))
            .collect();
        let rows: Vec<_> = [0, 27, 54].into_iter().flat_map(|row| row..row + 9).collect();
        let rows: Vec<_> = rows.into_iter().map(|cell| (cell, most_canonical[cell])).collect();
        let corners = of(&[(0, 1), (8, 2), (72, 3), (80, 4)]);
        let lists = [&row, &diagonal, &of_a_digit, &boxes, &rows];
        let empty = [Puzzle::EMPTY, of(&[(40, 7)]), of(&[(40, 7), (41, 3)]), corners];
        empty.into_iter().chain(lists.map(|clues| of(clues))).collect()
    }

    #[test]
    fn symmetric_puzzles_have_many_automorphisms() {
        let mut most = Vec::new();
        for puzzle in symmetric_puzzles() {
            is_as_naive(&puzzle);
            most.push(Minlex::new().canonical(&puzzle).unwrap().automorphisms);
        }
        // The empty grid allows all moves. A single clue allows those that keep its cell, of 81, in place.
        assert_eq!(most[..2], [3_359_232, 41_472]);
    }

    #[test]
    #[ignore = "a minute: cargo test --release -p gridmill-core --lib minlex -- --ignored"]
    fn the_least_of_all_isomorphs_many_times() {
        let mut rng = rng();
        for clues in (0..=81).chain([17, 20, 22, 24, 26, 28, 30, 81, 81, 81]) {
            is_as_naive(&random_puzzle(clues, &mut rng));
            let thin = random_puzzle(clues, &mut rng).cells().map(|digit| if digit < 4 { digit } else { 0 });
            is_as_naive(&Puzzle::from_cells(thin).unwrap());
        }
        for (grid, _) in SYMMETRIC_GRIDS {
            is_as_naive(&puzzle(grid));
            for digits in 1..9 {
                let cells = puzzle(grid).cells().map(|digit| if digit <= digits { digit } else { 0 });
                is_as_naive(&Puzzle::from_cells(cells).unwrap());
            }
        }
    }

    #[test]
    fn isomorphs_have_one_form() {
        let mut rng = rng();
        let mut minlex = Minlex::new();
        let mut puzzles: Vec<Puzzle> =
            [0, 3, 17, 24, 30, 50, 72, 80, 81, 81].map(|clues| random_puzzle(clues, &mut rng)).to_vec();
        puzzles.push(puzzle(SYMMETRIC_GRIDS[0].0));
        for puzzle in puzzles {
            let canonical = minlex.canonical(&puzzle).unwrap();
            assert_eq!(canonical.transform.isomorphism().apply_classic(&puzzle), canonical.form);
            let again = minlex.canonical(&canonical.form).unwrap();
            assert_eq!((again.form, again.automorphisms), (canonical.form, canonical.automorphisms));
            for _ in 0..1000 {
                let isomorph = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
                let other = minlex.canonical(&isomorph).unwrap();
                assert_eq!((other.form, other.automorphisms), (canonical.form, canonical.automorphisms));
                assert_eq!(other.transform.isomorphism().apply_classic(&isomorph), canonical.form);
            }
        }
    }

    #[test]
    fn known_numbers_of_automorphisms() {
        for (grid, automorphisms) in SYMMETRIC_GRIDS {
            assert_eq!(
                Minlex::new().canonical(&puzzle(grid)).unwrap().automorphisms,
                automorphisms,
                "{grid}"
            );
        }
        let mut rng = rng();
        let alone = (0..100)
            .filter(|_| Minlex::new().canonical(&random_grid(&mut rng)).unwrap().automorphisms == 1)
            .count();
        assert_eq!(alone, 100, "about one grid in ten thousand has more");
    }

    #[test]
    fn contradictory_clues_have_no_form() {
        let mut minlex = Minlex::new();
        for other in [1, 8, 9, 72, 20] {
            let mut cells = [0; CELLS];
            (cells[0], cells[other]) = (6, 6);
            assert_eq!(minlex.canonical(&Puzzle::from_cells(cells).unwrap()), None);
        }
        assert_eq!(minlex.canonical(&Puzzle::from_cells([1; CELLS]).unwrap()), None);
    }

    #[test]
    fn the_notation_is_read_strictly() {
        let good = "-/789123546/132465978/987654321";
        assert_eq!(good.parse::<Transform>().unwrap().to_string(), good);
        for bad in [
            "",
            "t/123456789/123456789/123456789",
            "-/123456789/123456789",
            "-/123456789/123456789/123456789/",
            "-/124356789/123456789/123456789",
            "-/123456789/124356789/123456789",
            "-/123456788/123456789/123456789",
            "-/123456789/123456789/023456789",
            "-/123456789/123456789/12345678",
        ] {
            assert_eq!(bad.parse::<Transform>(), Err(ParseTransformError), "{bad}");
        }
    }

    #[test]
    fn a_transform_and_its_isomorphism_agree() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        for notation in ["T/789123546/132465978/987654321", "-/789123546/132465978/897654321"] {
            let transform: Transform = notation.parse().unwrap();
            let isomorph = transform.isomorphism().apply_classic(&puzzle);
            assert_ne!(isomorph, puzzle);
            for (to, &cell) in isomorph.cells().iter().enumerate() {
                let from = puzzle.cells()[transform.source(to / 9, to % 9)];
                assert_eq!(cell, transform.renamed(from), "{to}");
            }
        }
    }
}
