//! How many full grids a shape has, without listing them.
//!
//! The method is that of Bertram Felgenhauer and Frazer Jarvis for the classic shape ("Mathematics of Sudoku I", 2006),
//! in the form that Ed Russell and Kjell Fredrik Pettersen gave it: grids are counted by the sets of digits in the
//! columns of each band.
//!
//! A band of R rows and n columns holds R digits in each column. For one choice of these sets, let f be the number of
//! ways to order the digits in the columns so that no row holds a digit twice. The other bands see only the sets, so
//!
//! ```text
//! full grids = sum of f(sets of band 1) * f(sets of band 2) * ...
//! ```
//!
//! over all choices in which each column gets each digit once. Neither names of digits, nor the order of stacks, nor
//! that of columns within a stack changes f. So the sets of the first band fall into a few classes, 44 for the
//! classic shape; one of each is completed in all ways, and counted as often as its class is large.
//!
//! - `band`: the columns of a band, and f;
//! - `classes`: the classes, and which one a band belongs to;
//! - `completions`: the choices for the bands below the first one.

mod band;
mod classes;
mod completions;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::grid::Shape;
use band::BandShape;
use classes::Classes;

/// Why the grids of a shape were not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CensusError {
    /// The shape is too large.
    #[error(
        "the full grids of shape {shape} are too many to count: shapes within reach are 2x2, 2x3, 2x4, 2x5 and 3x3, and these turned"
    )]
    OutOfReach {
        /// The shape.
        shape: Shape,
    },
    /// The stop flag became true.
    #[error("the count was stopped")]
    Stopped,
}

/// How far a count is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CensusProgress {
    /// Steps done.
    pub done: usize,
    /// Steps in all: two for each class of bands.
    pub all: usize,
}

/// Counts the full grids of a shape, on the threads of the current rayon pool. The number is exact.
///
/// 6x6 and 8x8 take milliseconds, 9x9 less than a second, 10x10 about two minutes of processor time. `stop` is read all
/// the time.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::census::count_grids;
///
/// let go_on = AtomicBool::new(false);
/// assert_eq!(count_grids("2x2".parse().unwrap(), &go_on), Ok(288));
/// assert_eq!(count_grids("3x2".parse().unwrap(), &go_on), Ok(28_200_960));
/// ```
///
/// # Errors
///
/// Where the shape is out of reach, which is known at once, or `stop` became true.
pub fn count_grids(shape: Shape, stop: &AtomicBool) -> Result<u128, CensusError> {
    count_grids_with(shape, stop, &|_| {})
}

/// Counts as [`count_grids`] does, and says after each step how far it is, from any thread.
///
/// # Errors
///
/// As [`count_grids`].
pub fn count_grids_with(
    shape: Shape,
    stop: &AtomicBool,
    progress: &(dyn Fn(CensusProgress) + Sync),
) -> Result<u128, CensusError> {
    let band = BandShape::within_reach(shape).ok_or(CensusError::OutOfReach { shape })?;
    count(band, stop, progress).ok_or(CensusError::Stopped)
}

/// Counts the grids whose bands have that shape. `None` if the count was stopped.
fn count(band: BandShape, stop: &AtomicBool, progress: &(dyn Fn(CensusProgress) + Sync)) -> Option<u128> {
    let classes = Classes::of(band, stop)?;
    let (done, all) = (AtomicUsize::new(0), 2 * classes.list.len());
    let step = || progress(CensusProgress { done: done.fetch_add(1, Ordering::Relaxed) + 1, all });

    let fillings: Option<Vec<u128>> =
        classes.list.par_iter().map(|class| band.fillings(class.sets, stop).inspect(|_| step())).collect();
    let fillings = fillings?;
    let grids = classes.list.par_iter().zip(&fillings).map(|(class, &first)| {
        let others = completions::count(band, class.sets, &|sets| fillings[classes.index(sets)], stop)?;
        step();
        Some(class.size * first * others)
    });
    grids.try_reduce(|| 0, |sum, more| Some(sum + more))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::solver::{AnyBitmask, Bounds, GridSolver};

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn grids(shape: &str) -> Result<u128, CensusError> {
        count_grids(shape.parse().unwrap(), &GO_ON)
    }

    /// The number for bands of these rows and boxes of these columns, without turning the grid.
    fn unturned(rows: usize, columns: usize) -> Option<u128> {
        count(BandShape { rows, columns }, &GO_ON, &|_| {})
    }

    #[test]
    fn small_shapes_have_as_many_grids_as_a_search_finds() {
        let blank = Grid::empty(Shape::new(2, 2).unwrap());
        let found = AnyBitmask::new().count(&blank, &Bounds::ALL).solutions;
        assert_eq!(grids("2x2"), Ok(found.into()));

        // With its first row filled in, 6x6 has 28,200,960 / 6! grids.
        let six = Shape::new(2, 3).unwrap();
        let mut cells = vec![0; six.cells()];
        cells[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        let found = AnyBitmask::new().count(&Grid::new(six, cells).unwrap(), &Bounds::ALL).solutions;
        assert_eq!(grids("2x3"), Ok(u128::from(found) * 720));
    }

    #[test]
    fn a_shape_has_as_many_grids_as_it_has_when_turned() {
        assert_eq!(grids("2x3"), Ok(28_200_960));
        assert_eq!(grids("3x2"), Ok(28_200_960));
        assert_eq!(unturned(2, 3), unturned(3, 2));
        assert_eq!(unturned(2, 2), Some(288));
    }

    #[test]
    fn the_numbers_of_the_literature_are_reached() {
        assert_eq!(grids("2x4"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("4x2"), Ok(29_136_487_207_403_520));
        assert_eq!(grids("3x3"), Ok(6_670_903_752_021_072_936_960));
    }

    #[test]
    #[ignore = "two minutes: cargo test --release -p gridmill-core --lib census -- --ignored"]
    fn ten_by_ten_has_the_number_of_the_literature() {
        assert_eq!(grids("2x5"), Ok(1_903_816_047_972_624_930_994_913_280_000));
    }

    #[test]
    fn classic_bands_have_the_classes_and_the_number_of_the_literature() {
        let band = BandShape { rows: 3, columns: 3 };
        let classes = Classes::of(band, &GO_ON).unwrap();
        assert_eq!(classes.list.len(), 44);
        let bands: u128 = classes
            .list
            .par_iter()
            .map(|class| class.size * band.fillings(class.sets, &GO_ON).unwrap())
            .sum();
        assert_eq!(bands, 362_880 * 2_612_736);
    }

    #[test]
    fn a_large_shape_is_refused() {
        for shape in ["2x6", "3x4", "4x4", "5x5", "2x12"] {
            let error = grids(shape).unwrap_err();
            assert_eq!(error, CensusError::OutOfReach { shape: shape.parse().unwrap() });
            assert!(error.to_string().contains(shape), "{error}");
        }
    }

    #[test]
    fn a_count_that_is_stopped_has_no_number() {
        let stopped = count_grids(Shape::CLASSIC, &AtomicBool::new(true));
        assert_eq!(stopped, Err(CensusError::Stopped));
    }

    #[test]
    fn progress_ends_when_all_is_done() {
        let last = std::sync::Mutex::new(None);
        let progress = |progress: CensusProgress| {
            let mut last = last.lock().unwrap();
            *last = (*last).max(Some((progress.done, progress.all)));
        };
        count_grids_with("2x3".parse().unwrap(), &GO_ON, &progress).unwrap();
        let (done, all) = last.into_inner().unwrap().unwrap();
        assert!(done == all && all > 0);
    }
}
