//! Details of engines: vectors, memory, the exact-cover matrix.

use std::fmt;

use gridmill_core::grid::{Grid, Shape};
use gridmill_core::simd::Backend;
use gridmill_core::solver::DancingLinks;
use gridmill_core::solver::dancing_links::Matrix;
use gridmill_data::bench::{Measurement, PuzzleSet};
use indicatif::{DecimalBytes, HumanCount};

use super::table::{Style, table};

/// The figures of a matrix, in the order of the columns that they are printed in.
const FIGURES: [fn(&Matrix) -> usize; 4] =
    [|matrix| matrix.columns, |matrix| matrix.rows, |matrix| matrix.nodes, |matrix| matrix.bytes];

/// Details of engines on a file: the backend of each, its memory, and the size of the puzzles' exact-cover
/// matrices, which `dancing-links` searches.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_data::bench::PuzzleSet;
/// use gridmill_data::output::Detail;
///
/// let set = PuzzleSet::from(vec![Grid::empty(Shape::new(2, 2).unwrap())]);
/// let text = Detail::of(&set, &[]).to_string();
/// assert!(text.contains("empty grid, boxes of 2x2"), "{text}");
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    engines: Vec<[String; 4]>,
    empty: Vec<(Shape, Matrix)>,
    matrices: Vec<Matrix>,
}

impl Detail {
    /// Collects the details of engines that were checked on a set of puzzles. Takes a few microseconds a
    /// puzzle.
    #[must_use]
    pub(crate) fn of(set: &PuzzleSet, measurements: &[Measurement]) -> Detail {
        let mut engine = DancingLinks::new();
        let empty = |shape: Shape| (shape, engine.matrix_of(&Grid::empty(shape)));
        let empty = set.shapes().into_iter().map(empty).collect();
        let matrices = set.grids().map(|grid| engine.matrix_of(&grid)).collect();
        Detail { engines: measurements.iter().map(engine_row).collect(), empty, matrices }
    }

    fn mean(&self) -> [String; 4] {
        let mean = |figure: fn(&Matrix) -> usize| {
            self.matrices.iter().map(|matrix| figure(matrix) as f64).sum::<f64>() / self.matrices.len() as f64
        };
        FIGURES.map(|figure| HumanCount(mean(figure).round() as u64).to_string())
    }

    fn extreme(&self, of: fn(&mut dyn Iterator<Item = usize>) -> Option<usize>) -> [String; 4] {
        FIGURES.map(|figure| count(of(&mut self.matrices.iter().map(figure)).unwrap_or(0)))
    }
}

fn engine_row(measurement: &Measurement) -> [String; 4] {
    let backend = measurement.contender.backend();
    let at_once = match measurement.contender.program() {
        Some(_) => "-".to_owned(),
        None => backend.map_or(1, Backend::lanes).to_string(),
    };
    [
        measurement.contender.to_string(),
        backend.map_or("-", Backend::name).to_owned(),
        at_once,
        measurement.memory.map_or_else(|| "-".to_owned(), |bytes| DecimalBytes(bytes as u64).to_string()),
    ]
}

fn count(number: usize) -> String {
    HumanCount(number as u64).to_string()
}

/// Two tables for a terminal.
impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut engines =
            vec![["engine", "backend", "puzzles at once", "memory a thread"].map(str::to_owned)];
        engines.extend_from_slice(&self.engines);
        writeln!(f, "{}", table(&engines, &[0, 1], Style::Plain))?;
        let row =
            |name: String, [columns, rows, nodes, bytes]: [String; 4]| [name, columns, rows, nodes, bytes];
        let mut rows = vec![["exact-cover matrix", "columns", "rows", "nodes", "bytes"].map(str::to_owned)];
        for (shape, matrix) in &self.empty {
            let figures = FIGURES.map(|figure| count(figure(matrix)));
            rows.push(row(format!("empty grid, boxes of {shape}"), figures));
        }
        rows.push(row("puzzles, mean".to_owned(), self.mean()));
        rows.push(row("puzzles, least".to_owned(), self.extreme(|figures| figures.min())));
        rows.push(row("puzzles, most".to_owned(), self.extreme(|figures| figures.max())));
        f.write_str(&table(&rows, &[0], Style::Plain))
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;

    #[test]
    fn clues_take_rows_out_of_the_matrix() {
        let mut one_clue = [0; 81];
        one_clue[40] = 5;
        let puzzles = vec![Puzzle::EMPTY, Puzzle::from_cells(one_clue).unwrap()];
        let text = Detail::of(&PuzzleSet::Classic(puzzles), &[]).to_string();
        let rows: Vec<Vec<&str>> =
            text.lines().skip(3).map(|line| line.rsplitn(5, "  ").map(str::trim).collect()).collect();
        let figures = |row: usize| [rows[row][3], rows[row][2], rows[row][1], rows[row][0]];
        assert_eq!(figures(0), ["324", "729", "2,916", "26,244"], "{text}");
        // The clue removes nine candidates of its cell, and one of each of its twenty peers.
        assert_eq!(figures(1), ["324", "715", "2,858", "25,780"], "{text}");
        assert_eq!(figures(2), ["324", "700", "2,800", "25,316"], "{text}");
        assert_eq!(figures(3), figures(0), "{text}");
    }
}
