//! Recipes, which describe the wanted puzzles. Impossible recipes are rejected at once, without a search.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::GridMethod;
use super::dig::Units;
use super::digger::{PASS_GUESSES, further_guesses, is_unlimited};
use super::full::is_possible;
use crate::grid::rules::Conflict;
use crate::grid::{Cell, House, Shape, Symmetry, rules};
use crate::logic::{Rating, RatingCriteria, Technique};

/// A description of the puzzles that you want. The default is any classic puzzle, dug as far as possible, so
/// that it is minimal.
///
/// ```
/// use gridmill_core::generate::{Generator, Recipe};
/// use gridmill_core::grid::Symmetry;
///
/// let recipe = Recipe { clues: Some(26..=28), symmetry: Some(Symmetry::Rotate180), ..Recipe::default() };
/// let mut generator = Generator::new(&recipe, 7, None).unwrap();
/// for made in generator.attempts(0..10).into_iter().flatten() {
///     assert!((26..=28).contains(&made.puzzle.clue_count()));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The shape.
    pub shape: Shape,
    /// How full grids are made; `None` for the default.
    pub method: Option<GridMethod>,
    /// The number of clues. Digging stops at a number drawn from the range, each equally likely (if `minimal` is set,
    /// it goes as far as possible), and a puzzle is accepted if its number is in the range. Without a range, digging
    /// continues until no unit of clues can be removed.
    pub clues: Option<RangeInclusive<usize>>,
    /// Whether every single clue must be necessary.
    pub minimal: bool,
    /// The symmetry that the cells with clues must have, if any.
    pub symmetry: Option<Symmetry>,
    /// For each cell, whether it must have a clue; `None` for no pattern. It cannot be used with a
    /// symmetry.
    pub pattern: Option<Vec<bool>>,
    /// For each cell, the digit that its clue must have, or 0 for any. A digit is allowed only in a cell that
    /// has a clue by the pattern, and without a grid method. Full grids are then made around these digits,
    /// and are not transformed by an isomorphism, because that would move them.
    pub digits: Option<Vec<u8>>,
    /// The full grid to dig, in reading order. Every attempt begins with it, but in another order of digging.
    /// It cannot be used with a grid method.
    pub solution: Option<Vec<u8>>,
    /// How many guesses the engine may need: lockstep for the classic shape, bitmask for others.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether naked and hidden singles must solve the puzzle.
    pub singles: bool,
    /// How hard the puzzle must be for people, if that matters. For the classic shape only.
    pub rating: Option<RatingCriteria>,
}

impl Recipe {
    /// Checks that the recipe does not contradict itself.
    ///
    /// # Errors
    ///
    /// Returns the first contradiction.
    pub fn check(&self) -> Result<(), RecipeError> {
        let shape = self.shape;
        if let Some(method) = self.method.filter(|method| !method.suits(shape)) {
            return Err(RecipeError::Method(method));
        }
        if let Some(clues) = self.clues.clone()
            && (clues.is_empty() || *clues.end() > shape.cells())
        {
            return Err(RecipeError::Clues { shape, clues });
        }
        if let Some(guesses) = self.guesses.clone()
            && guesses.is_empty()
        {
            return Err(RecipeError::Guesses(guesses));
        }
        if let Some(guesses) = self.guesses.clone().filter(|guesses| self.singles && *guesses.start() > 0) {
            return Err(RecipeError::GuessesAndSingles(guesses));
        }
        self.check_ratings()?;
        match &self.pattern {
            Some(_) if self.symmetry.is_some() || self.clues.is_some() => {
                return Err(RecipeError::PatternAndMore);
            }
            Some(pattern) if pattern.len() != shape.cells() => {
                return Err(RecipeError::PatternLength { shape, found: pattern.len() });
            }
            _ => {}
        }
        check_counts(self)
    }

    /// Checks that puzzles of the shape have ratings, and that some puzzle can have the wanted one.
    fn check_ratings(&self) -> Result<(), RecipeError> {
        let Some(RatingCriteria { ratings, .. }) = self.rating.clone() else { return Ok(()) };
        if self.shape != Shape::CLASSIC {
            return Err(RecipeError::NoRatings(self.shape));
        }
        if ratings.is_empty() {
            return Err(RecipeError::Ratings(ratings));
        }
        if self.singles && *ratings.start() > Technique::NakedSingle.least() {
            return Err(RecipeError::RatingsAndSingles(ratings));
        }
        Ok(())
    }

    /// How many guesses the questions of a dig may take together, so that large grids are dug in reasonable
    /// time. Clues stay if removing them would take more. `None` if digging continues until no clue can be
    /// removed.
    ///
    /// ```
    /// use gridmill_core::generate::Recipe;
    /// use gridmill_core::grid::Shape;
    ///
    /// assert_eq!(Recipe::default().guess_budget(), None);
    /// let large = Recipe { shape: Shape::new(5, 5).unwrap(), ..Recipe::default() };
    /// assert!(large.guess_budget().is_some());
    /// ```
    #[must_use]
    pub fn guess_budget(&self) -> Option<u64> {
        let is_limited = !is_unlimited(self) && !self.minimal;
        is_limited.then(|| PASS_GUESSES + 2 * further_guesses(self))
    }

    /// If the side is above this, puzzles are dug within a limit of guesses, and attempts take long.
    pub const LARGE: usize = 12;

    /// After how many attempts in a row without a puzzle a run usually gives up.
    ///
    /// ```
    /// use gridmill_core::generate::Recipe;
    ///
    /// assert_eq!(Recipe::default().default_max_failed_attempts(), 100_000);
    /// ```
    #[must_use]
    pub fn default_max_failed_attempts(&self) -> u64 {
        if self.shape.side() > Recipe::LARGE { 100 } else { 100_000 }
    }

    /// Checks whether every attempt would give the same puzzle. That is so if both the full grid and the
    /// pattern are given.
    pub(super) fn makes_one(&self) -> bool {
        self.pattern.is_some() && self.solution.is_some()
    }

    /// Checks whether every attempt gives a puzzle, because nothing in the recipe can fail and its searches
    /// are not bounded.
    pub(super) fn is_sure(&self) -> bool {
        let is_any = self.clues.is_none() && self.guesses.is_none() && self.rating.is_none() && !self.singles;
        let is_dug_minimal = self.symmetry.is_none() || !self.minimal;
        self.shape == Shape::CLASSIC && self.pattern.is_none() && is_any && is_dug_minimal
    }

    pub(super) fn units(&self) -> Units {
        match &self.pattern {
            Some(pattern) => Units::blanks(pattern),
            None => Units::symmetric(self.shape, self.symmetry),
        }
    }

    /// How many clues a puzzle may have.
    pub(super) fn clue_range(&self) -> RangeInclusive<usize> {
        match &self.pattern {
            Some(pattern) => {
                let clues = pattern.iter().filter(|&&clue| clue).count();
                clues..=clues
            }
            None => self.clues.clone().unwrap_or(0..=self.shape.cells()),
        }
    }

    /// Checks whether clues are removed only as long as singles solve the puzzle. A minimal puzzle must be
    /// dug as long as it stays proper, so singles are checked at the end instead.
    pub(super) fn digs_by_singles(&self) -> bool {
        self.singles && !self.minimal
    }
}

/// How many guesses may be spent on finding out whether any grid has the digits of a pattern.
const GUESSES: u64 = 100_000;

/// Checks that some puzzle might match the recipe, as far as counting shows.
fn check_counts(recipe: &Recipe) -> Result<(), RecipeError> {
    check_grids(recipe)?;
    let (shape, clues) = (recipe.shape, recipe.clue_range());
    let least = fewest_clues(shape);
    if *clues.end() < least {
        return Err(RecipeError::TooFewClues { shape, wanted: *clues.end(), least });
    }
    if let Some(symmetry) = recipe.symmetry {
        let possible = symmetric_counts(shape, symmetry);
        let is_possible = |&count: &usize| count >= least && possible[count];
        if !clues.clone().any(|count| is_possible(&count)) {
            let below = (least..*clues.start()).rev().find(is_possible);
            let above = (*clues.end() + 1..=shape.cells()).find(is_possible);
            return Err(RecipeError::SymmetricClues { symmetry, clues, below, above });
        }
    }
    recipe.pattern.as_ref().map_or(Ok(()), |pattern| check_lines(shape, pattern))
}

/// Checks the given digits: those of a pattern, and those of the grid to dig.
fn check_grids(recipe: &Recipe) -> Result<(), RecipeError> {
    let shape = recipe.shape;
    if let Some(method) = recipe.method.filter(|_| recipe.digits.is_some() || recipe.solution.is_some()) {
        return Err(RecipeError::GridAndMethod(method));
    }
    if let Some(solution) = &recipe.solution {
        if solution.len() != shape.cells() {
            return Err(RecipeError::GridLength { shape, found: solution.len() });
        }
        if let Some(&digit) = solution.iter().find(|&&digit| usize::from(digit) > shape.side()) {
            return Err(RecipeError::ForeignDigit { shape, digit });
        }
        if !rules::is_valid_grid(shape, solution) {
            return Err(RecipeError::NotAGrid { shape, conflict: rules::find_conflict(shape, solution) });
        }
    }
    let Some(digits) = &recipe.digits else { return Ok(()) };
    let is_clue =
        |cell: usize| recipe.pattern.as_ref().is_some_and(|pattern| pattern.get(cell) == Some(&true));
    let stray = digits.len() != shape.cells()
        || digits.iter().any(|&digit| usize::from(digit) > shape.side())
        || (0..digits.len()).any(|cell| digits[cell] != 0 && !is_clue(cell));
    if stray {
        return Err(RecipeError::StrayDigits);
    }
    if let Some(conflict) = rules::find_conflict(shape, digits) {
        return Err(RecipeError::PatternConflict(conflict));
    }
    match &recipe.solution {
        Some(solution) => {
            match (0..digits.len()).find(|&cell| ![0, solution[cell]].contains(&digits[cell])) {
                Some(cell) => Err(RecipeError::OtherDigit { shape, cell: Cell::new(cell) }),
                None => Ok(()),
            }
        }
        None if is_possible(shape, digits, GUESSES) => Ok(()),
        None => Err(RecipeError::NoGrid),
    }
}

/// The number of clues below which no puzzle is proper. For 9x9 it is the proved minimum. For any shape it is
/// at least one less than the side, because two digits without a clue could be swapped in every solution.
fn fewest_clues(shape: Shape) -> usize {
    if shape == Shape::CLASSIC { 17 } else { shape.side() - 1 }
}

/// For each number of clues, whether units of the symmetry can add up to it. For example, units that a
/// quarter turn keeps have four cells, except the one in the centre, so 24 and 25 are possible, but 26 is
/// not.
fn symmetric_counts(shape: Shape, symmetry: Symmetry) -> Vec<bool> {
    let units = Units::symmetric(shape, Some(symmetry));
    let mut possible = vec![false; shape.cells() + 1];
    possible[0] = true;
    for size in (0..units.len()).map(|unit| units.cells(unit as u16).len()) {
        for count in (size..possible.len()).rev() {
            possible[count] |= possible[count - size];
        }
    }
    possible
}

/// Checks that at most one row of each band, and at most one column of each stack, has no clue.
fn check_lines(shape: Shape, pattern: &[bool]) -> Result<(), RecipeError> {
    let is_blank = |line: House| line.cells(shape).all(|cell| !pattern[cell.index()]);
    for (name, house, width) in [
        ("row", House::Row as fn(usize) -> House, shape.box_rows()),
        ("column", House::Column, shape.box_columns()),
    ] {
        let blank: Vec<usize> = (0..shape.side()).filter(|&line| is_blank(house(line))).collect();
        if let Some(pair) = blank.windows(2).find(|pair| pair[0] / width == pair[1] / width) {
            return Err(RecipeError::PatternLines { line: name, first: pair[0] + 1, second: pair[1] + 1 });
        }
    }
    Ok(())
}

/// A pattern: which cells have clues, and the digits of those whose digit is given.
///
/// As text it has an `x` for any clue, a digit for a clue of that digit, and a dot for a blank. White space
/// and frames are ignored.
///
/// ```
/// use gridmill_core::generate::Pattern;
///
/// let pattern: Pattern = "x.5.".parse()?;
/// assert_eq!(pattern.clues, [true, false, true, false]);
/// assert_eq!(pattern.digits, Some(vec![0, 0, 5, 0]));
/// # Ok::<(), gridmill_core::generate::ForeignSymbol>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// For each cell, whether it has a clue. Use it as [`Recipe::pattern`](Recipe::pattern).
    pub clues: Vec<bool>,
    /// For each cell its digit, 0 for any; `None` if no digit is given. Use it as
    /// [`Recipe::digits`](Recipe::digits).
    pub digits: Option<Vec<u8>>,
}

/// A character that is not allowed in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither x, for a clue, nor . for a blank, nor a digit (1-9, A-P)")]
pub struct ForeignSymbol(char);

/// Reads `x` for any clue, a digit for a clue of that digit, and `.` for a blank.
impl FromStr for Pattern {
    type Err = ForeignSymbol;

    fn from_str(text: &str) -> Result<Pattern, ForeignSymbol> {
        let mut pattern = Pattern { clues: Vec::new(), digits: None };
        let mut digits = Vec::new();
        for symbol in symbols(text) {
            digits.push(match symbol {
                'x' | 'X' | '.' => 0,
                other => digit(other).ok_or(ForeignSymbol(other))?,
            });
            pattern.clues.push(symbol != '.');
        }
        pattern.digits = Some(digits).filter(|digits| digits.iter().any(|&digit| digit != 0));
        Ok(pattern)
    }
}

/// Iterates over the cells of a grid, without white space and frames.
pub fn symbols(text: &str) -> impl Iterator<Item = char> {
    let is_frame = |symbol: char| "|+-=".contains(symbol) || ('\u{2500}'..='\u{257f}').contains(&symbol);
    text.chars().filter(move |&symbol| !symbol.is_whitespace() && !is_frame(symbol))
}

/// The digit of a symbol: 1-9, then A-P for 10 to 25.
pub fn digit(symbol: char) -> Option<u8> {
    symbol.to_digit(26).filter(|&digit| digit > 0).map(|digit| digit as u8)
}

/// The contradictions in a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The method does not suit the shape.
    #[error("the grid method {} is for 9x9 only", .0.name())]
    Method(GridMethod),
    /// There are more clues than cells, or the range is empty.
    #[error("a puzzle of {} cells can't have {} clues", shape.cells(), numbers(*clues.start(), *clues.end()))]
    Clues {
        /// The shape.
        shape: Shape,
        /// The range that was asked for.
        clues: RangeInclusive<usize>,
    },
    /// A puzzle with so few clues can't have exactly one solution.
    #[error(
        "no puzzle with fewer than {least} clues has exactly one solution in {side}x{side}, but {wanted} are asked for: ask for {least} or more", side = shape.side()
    )]
    TooFewClues {
        /// The shape.
        shape: Shape,
        /// The most clues that were asked for.
        wanted: usize,
        /// The fewest clues that a puzzle may have.
        least: usize,
    },
    /// The units of the symmetry don't add up to such a number of clues.
    #[error(
        "clues with the symmetry {} come in groups, which never add up to {} clues: ask for {}", symmetry.name(), numbers(*clues.start(), *clues.end()), next_to(*below, *above)
    )]
    SymmetricClues {
        /// The symmetry.
        symmetry: Symmetry,
        /// The range that was asked for.
        clues: RangeInclusive<usize>,
        /// The nearest possible number below the range.
        below: Option<usize>,
        /// The nearest possible number above the range.
        above: Option<usize>,
    },
    /// Singles must solve the puzzle, but guesses must be needed.
    #[error(
        "a puzzle that singles solve needs no guess, but {} or more are asked for: leave one of the two options out", .0.start()
    )]
    GuessesAndSingles(RangeInclusive<u64>),
    /// The range of guesses is empty.
    #[error("there is no number from {} to {}: give the smaller number of guesses first", .0.start(), .0.end())]
    Guesses(RangeInclusive<u64>),
    /// Puzzles of the shape have no ratings.
    #[error("ratings are for 9x9, but these are {side}x{side} puzzles: ask for no rating and no technique", side = .0.side())]
    NoRatings(Shape),
    /// The range of ratings is empty.
    #[error("there is no rating from {} to {}: give the smaller one first", .0.start(), .0.end())]
    Ratings(RangeInclusive<Rating>),
    /// Singles must solve the puzzle, but it must be harder than that.
    #[error(
        "a puzzle that singles solve is rated {} at most, but {} or more is asked for: leave one of the two options out", Technique::NakedSingle.least(), .0.start()
    )]
    RatingsAndSingles(RangeInclusive<Rating>),
    /// The pattern has another size than the shape.
    #[error("the pattern has {} where {} are needed", cells(*found), shape.cells())]
    PatternLength {
        /// The shape.
        shape: Shape,
        /// The number of cells of the pattern.
        found: usize,
    },
    /// Two rows of a band, or two columns of a stack, have no clue in the pattern, so they can be swapped.
    #[error(
        "the pattern has no clue in {line}s {first} and {second}: they could be swapped in every solution, so put a clue into one of them"
    )]
    PatternLines {
        /// `row` or `column`.
        line: &'static str,
        /// The first one, from 1.
        first: usize,
        /// The other one, from 1.
        second: usize,
    },
    /// The digits of the pattern contradict each other.
    #[error("the pattern has a digit twice in {}", .0.house)]
    PatternConflict(Conflict),
    /// A digit is given where the pattern has no clue, or the shape does not have it.
    #[error("the digits of a pattern must be at its clues, and digits of the shape")]
    StrayDigits,
    /// No full grid has the digits of the pattern.
    #[error("no full grid has the digits of the pattern in these places: change one of them to x")]
    NoGrid,
    /// The grid to dig has another size than the shape.
    #[error("the grid to dig has {} where {} are needed", cells(*found), shape.cells())]
    GridLength {
        /// The shape.
        shape: Shape,
        /// The number of cells of the grid.
        found: usize,
    },
    /// The grid to dig is not full, or has a digit twice in a house.
    #[error(
        "the grid to dig is not a solution: {}", conflict.map_or_else(|| format!("it has blanks; solve it first{}", zero(*shape)), |conflict| format!("it has a digit twice in {}", conflict.house))
    )]
    NotAGrid {
        /// The shape.
        shape: Shape,
        /// The house with a digit twice; `None` for blanks.
        conflict: Option<Conflict>,
    },
    /// The grid to dig has a digit that its shape does not have.
    #[error("the grid to dig has the digit {digit}, but those of {side}x{side} are 1 to {side}, written {}", digits(*shape), side = shape.side())]
    ForeignDigit {
        /// The shape.
        shape: Shape,
        /// The digit.
        digit: u8,
    },
    /// The pattern has another digit than the grid to dig.
    #[error("the pattern and the grid to dig have different digits in {}", cell.name(*shape))]
    OtherDigit {
        /// The shape.
        shape: Shape,
        /// The cell.
        cell: Cell,
    },
    /// A grid method is given as well as a full grid or digits of one.
    #[error(
        "the grid method {} cannot be used with given digits or a given grid: leave it out", .0.name()
    )]
    GridAndMethod(GridMethod),
    /// A pattern is combined with a number of clues or a symmetry, although it determines both.
    #[error("a pattern cannot be used with a symmetry or a number of clues: it determines both")]
    PatternAndMore,
}

/// Writes the digits of a shape as they are read, e.g. `1-9A-G` for 16x16.
fn digits(shape: Shape) -> String {
    match shape.side() {
        side @ ..=9 => format!("1-{side}"),
        10 => "1-9A".to_owned(),
        side => format!("1-9A-{}", char::from(b'A' + (side - 10) as u8)),
    }
}

/// Explains that 0 is a blank, for shapes where it might be meant as a digit.
fn zero(shape: Shape) -> String {
    if shape.side() <= 9 {
        return String::new();
    }
    format!(" (digits are {}, and 0 is a blank)", digits(shape))
}

/// Writes a number of cells.
fn cells(count: usize) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") }
}

/// Writes a range of numbers, e.g. `26 to 28`, or a single number.
fn numbers(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// Writes one or two numbers to choose from, e.g. `24 or 28`.
fn next_to(below: Option<usize>, above: Option<usize>) -> String {
    let all: Vec<String> = below.into_iter().chain(above).map(|number| number.to_string()).collect();
    all.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(recipe: Recipe) -> Option<String> {
        recipe.check().err().map(|error| error.to_string())
    }

    fn symmetric(shape: &str, symmetry: Symmetry, clues: std::ops::RangeInclusive<usize>) -> Option<String> {
        let shape = shape.parse().unwrap();
        refused(Recipe { shape, symmetry: Some(symmetry), clues: Some(clues), ..Recipe::default() })
    }

    #[test]
    fn symmetric_clues_must_add_up() {
        for (shape, symmetry, clues, advice) in [
            ("3x3", Symmetry::Rotate90, 22..=23, "ask for 21 or 24"),
            ("3x3", Symmetry::Rotate90, 18..=19, "ask for 17 or 20"),
            ("2x2", Symmetry::Rotate180, 5..=5, "ask for 4 or 6"),
            ("4x4", Symmetry::Rotate180, 101..=101, "ask for 100 or 102"),
            ("2x3", Symmetry::Mirror, 11..=11, "ask for 10 or 12"),
            ("4x4", Symmetry::Rotate90, 253..=255, "ask for 252 or 256"),
        ] {
            let error = symmetric(shape, symmetry, clues.clone()).unwrap();
            assert!(error.ends_with(advice), "{error}");
        }
        assert_eq!(symmetric("3x3", Symmetry::Rotate180, 25..=25), None);
        assert_eq!(symmetric("3x3", Symmetry::Rotate90, 23..=24), None);
        assert_eq!(symmetric("2x2", Symmetry::Diagonal, 5..=5), None);
    }

    #[test]
    fn too_few_clues_are_rejected() {
        let clues = |shape: &str, most| {
            let shape = shape.parse().unwrap();
            refused(Recipe { shape, clues: Some(0..=most), ..Recipe::default() })
        };
        assert!(clues("3x3", 16).unwrap().contains("ask for 17 or more"));
        assert_eq!(clues("3x3", 17), None);
        assert!(clues("4x4", 14).is_some() && clues("4x4", 15).is_none());
        let pattern = Some(vec![false; 81]);
        assert!(refused(Recipe { pattern, ..Recipe::default() }).unwrap().contains("17"));
    }

    #[test]
    fn patterns_with_swappable_lines_are_rejected() {
        let refused = |blank: fn(usize) -> bool| {
            let pattern = Some((0..81).map(|cell| !blank(cell)).collect());
            refused(Recipe { pattern, ..Recipe::default() })
        };
        assert!(refused(|cell| matches!(cell / 9, 3 | 5)).unwrap().contains("rows 4 and 6"));
        assert!(refused(|cell| matches!(cell % 9, 7 | 8)).unwrap().contains("columns 8 and 9"));
        assert_eq!(refused(|cell| matches!(cell / 9, 2 | 3) || matches!(cell % 9, 0 | 8)), None);
    }

    #[test]
    fn guesses_contradict_singles() {
        let recipe = |guesses| Recipe { singles: true, guesses: Some(guesses), ..Recipe::default() };
        assert!(refused(recipe(1..=5)).is_some());
        assert_eq!(refused(recipe(0..=5)), None);
    }

    #[test]
    fn frames_and_line_ends_are_ignored() {
        let framed = "+--+--+\n|x.|1.|\n│ G.|..│\n+--+--+\n";
        let Pattern { clues, digits } = framed.parse().unwrap();
        assert_eq!(clues, [true, false, true, false, true, false, false, false]);
        assert_eq!(digits, Some(vec![0, 0, 1, 0, 16, 0, 0, 0]));
        assert_eq!("x.X".parse::<Pattern>().unwrap().digits, None);
        assert_eq!("x.@".parse::<Pattern>(), Err(ForeignSymbol('@')));
    }
}
