//! Errors of making puzzles.

use std::ops::RangeInclusive;

use super::GridMethod;
use crate::grid::rules::Conflict;
use crate::grid::{Cell, Shape, Symmetry};
use crate::logic::{Rating, Technique};

/// Contradictions in a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The method does not suit the shape.
    #[error("the grid method {} is for 9x9 only", .0.name())]
    Method(GridMethod),
    /// There are more clues than cells, or the range is empty.
    #[error("a puzzle of {} cells can't have {} to {} clues", shape.cells(), clues.start(), clues.end())]
    Clues {
        /// The shape.
        shape: Shape,
        /// The range that was asked for.
        clues: RangeInclusive<usize>,
    },
    /// So few clues can't lead to one solution.
    #[error(
        "no puzzle with fewer than {least} clues has exactly one solution in {side}x{side}, and {wanted} are asked for: ask for {least} or more", side = shape.side()
    )]
    TooFewClues {
        /// The shape.
        shape: Shape,
        /// The most clues that were asked for.
        wanted: usize,
        /// The fewest clues that a puzzle may have.
        least: usize,
    },
    /// The orbits of the symmetry don't add up to such a number of clues.
    #[error(
        "clues that lie by {} come in groups, which never add up to {} clues: ask for {}", symmetry.name(), numbers(*clues.start(), *clues.end()), next_to(*below, *above)
    )]
    SymmetricClues {
        /// The symmetry.
        symmetry: Symmetry,
        /// The range that was asked for.
        clues: RangeInclusive<usize>,
        /// The nearest number below that is possible.
        below: Option<usize>,
        /// The nearest number above that is possible.
        above: Option<usize>,
    },
    /// Singles solve the puzzle, and guesses are to be needed.
    #[error(
        "a puzzle that singles solve takes no guess, and {} or more are asked for: leave out one of the two wishes", .0.start()
    )]
    GuessesAndSingles(RangeInclusive<u64>),
    /// The range of guesses is empty.
    #[error("there is no number from {} to {}: give the smaller number of guesses first", .0.start(), .0.end())]
    Guesses(RangeInclusive<u64>),
    /// Puzzles of the shape have no ratings.
    #[error("ratings are for 9x9, and these are {side}x{side} puzzles: ask for no rating and no technique", side = .0.side())]
    NoRatings(Shape),
    /// The range of ratings is empty.
    #[error("there is no rating from {} to {}: give the smaller one first", .0.start(), .0.end())]
    Ratings(RangeInclusive<Rating>),
    /// Singles solve the puzzle, and it is to be harder.
    #[error(
        "a puzzle that singles solve is rated {} at most, and {} or more is asked for: leave out one of the two wishes", Technique::NakedSingle.least(), .0.start()
    )]
    RatingsAndSingles(RangeInclusive<Rating>),
    /// The pattern has another size.
    #[error("the pattern has {found} cells where {} are needed", shape.cells())]
    PatternLength {
        /// The shape.
        shape: Shape,
        /// Cells of the pattern.
        found: usize,
    },
    /// Two rows of a band, or two columns of a stack, have no clue in the pattern: they can be swapped.
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
    /// Digits are given where the pattern has no clue, or they are none of the shape.
    #[error("the digits of a pattern stand where it has clues, and are those of the shape")]
    StrayDigits,
    /// No full grid has the digits of the pattern.
    #[error("no full grid has the digits of the pattern where they stand: change one of them to any clue")]
    NoGrid,
    /// The grid to dig has another size.
    #[error("the grid to dig has {found} cells where {} are needed", shape.cells())]
    GridLength {
        /// The shape.
        shape: Shape,
        /// Cells of the grid.
        found: usize,
    },
    /// The grid to dig is not full, or has a digit twice in a house.
    #[error(
        "the grid to dig is no solution: {}", conflict.map_or_else(|| format!("it has blanks; solve it first{}", zero(*shape)), |conflict| format!("it has a digit twice in {}", conflict.house))
    )]
    NotAGrid {
        /// The shape.
        shape: Shape,
        /// The house with a digit twice; `None` for blanks.
        conflict: Option<Conflict>,
    },
    /// The grid to dig has a digit that its shape does not have.
    #[error("the grid to dig has the digit {digit}, and those of {side}x{side} are 1 to {side}, written {}", digits(*shape), side = shape.side())]
    ForeignDigit {
        /// The shape.
        shape: Shape,
        /// The digit.
        digit: u8,
    },
    /// The pattern has another digit than the grid to dig.
    #[error("the pattern has another digit in {} than the grid to dig", cell.name(*shape))]
    OtherDigit {
        /// The shape.
        shape: Shape,
        /// The cell.
        cell: Cell,
    },
    /// A grid method is given where the full grid is.
    #[error(
        "the grid method {} can't be combined with given digits or a given grid: leave it out", .0.name()
    )]
    GridAndMethod(GridMethod),
    /// A pattern is combined with a number of clues or a symmetry, which it determines itself.
    #[error("a pattern can't be combined with a symmetry or a number of clues: it says both itself")]
    PatternAndMore,
}

/// Writes the digits of a shape as they are understood.
fn digits(shape: Shape) -> String {
    match shape.side() {
        side @ ..=9 => format!("1-{side}"),
        10 => "1-9A".to_owned(),
        side => format!("1-9A-{}", char::from(b'A' + (side - 10) as u8)),
    }
}

/// Says that 0 is a blank, where it might be a digit.
fn zero(shape: Shape) -> String {
    if shape.side() <= 9 {
        return String::new();
    }
    format!(" (digits are {}, and 0 is a blank)", digits(shape))
}

/// Writes a range of numbers.
fn numbers(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// Writes one or two numbers to choose from.
fn next_to(below: Option<usize>, above: Option<usize>) -> String {
    let all: Vec<String> = below.into_iter().chain(above).map(|number| number.to_string()).collect();
    all.join(" or ")
}

/// Writes a number of things.
fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Writes the fewest clues that attempts came down to.
fn reached(fewest: Option<usize>) -> String {
    fewest.map(|fewest| format!(" (the fewest clues reached were {fewest})")).unwrap_or_default()
}

/// Why fewer puzzles were made than are wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The recipe contradicts itself.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// Isomorphic puzzles are to be refused, and those of the shape have no canonical form.
    #[error(
        "puzzles are compared by isomorphism for 4x4, 6x6, 8x8 and 9x9 only, and these are {side}x{side} with boxes of {0}", side = .0.side()
    )]
    NoForm(Shape),
    /// The grid and the pattern make one puzzle, and more are wanted.
    #[error("this grid and this pattern make one puzzle, and {0} are asked for: ask for 1")]
    OnlyOne(u64),
    /// The one puzzle of a grid and a pattern is not what is wanted.
    #[error(
        "the one puzzle of this grid and this pattern has more than one solution, or it is not as the other options want it: put more clues into the pattern, or other ones"
    )]
    NotThatOne,
    /// Too many attempts in a row gave no puzzle.
    #[error(
        "found {found} of {}, and then none in {}{}: there may be no more of that kind, or they are rare",
        counted(*wanted, "puzzle"), counted(*attempts, "attempt"), reached(*fewest)
    )]
    NotFound {
        /// Puzzles found.
        found: u64,
        /// Puzzles asked for.
        wanted: u64,
        /// Attempts in a row.
        attempts: u64,
        /// The fewest clues that an attempt came down to, where fewer are wanted.
        fewest: Option<usize>,
    },
    /// The threads could not be started.
    #[error("the worker threads can't be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
