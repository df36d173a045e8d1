//! Counts the solutions of puzzles of any shape.
//!
//! `cargo run --release --example count`

use std::error::Error;
use std::path::Path;

use gridmill_core::solver::{Bounds, SplitCounter};
use gridmill_core::{EngineKind, Grid, Shape, SolutionLimit, Solver};
use gridmill_data::{FormatOptions, GridPuzzle, Input, Records};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

/// The output of this example.
pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    Ok(count_all()? + &count_up_to_a_hundred()?)
}

/// Counts all grids of 4x4 cells. If a search takes long, it is split over all cores.
fn count_all() -> Result<String, Box<dyn Error>> {
    let blank = Grid::empty(Shape::new(2, 2).ok_or("no shape")?);
    let engine = || EngineKind::Bitmask.build_any_shape();
    let mut counter = SplitCounter::new(engine(), Box::new(engine));
    // The counter counts all solutions, because it ignores this limit.
    let outcome = counter.solve(&blank, SolutionLimit::UNIQUENESS);
    Ok(format!("{} grids of 4x4\n", outcome.solutions))
}

/// Counts the solutions of each puzzle of a file, up to a hundred.
fn count_up_to_a_hundred() -> Result<String, Box<dyn Error>> {
    let path = Path::new("datasets/6x6.txt");
    let records: Records<GridPuzzle> = Input::open(Some(path), true)?.records(&FormatOptions::default())?;
    let mut engine = EngineKind::Bitmask.build_any_shape();
    let mut solutions = 0;
    for record in records {
        solutions += engine.count(&record?.puzzle?, &Bounds::solutions(100)).solutions;
    }
    Ok(format!("{solutions} solutions of {}\n", path.display()))
}
