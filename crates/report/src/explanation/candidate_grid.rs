//! A grid of candidates, with colours for those that matter.

use console::Style;
use gridmill_core::grid::CELLS;
use gridmill_core::logic::{CandidateSet, State, Step};

use super::WIDTH;

const SIDE: usize = 9;

/// The candidates that are shown in colours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Highlight {
    /// Those that make the patterns.
    pattern: CandidateSet,
    /// Those that go.
    removed: CandidateSet,
    /// Those that stand.
    placed: CandidateSet,
}

impl Highlight {
    /// Returns the highlight of some steps.
    pub(super) fn of<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Highlight {
        let mut highlight = Highlight::default();
        for step in steps {
            highlight.pattern.unite(&step.pattern.candidates);
            highlight.removed.unite(&step.deduction.removed);
            if let Some((cell, digit)) = step.deduction.placed {
                highlight.placed.insert(cell, digit);
            }
        }
        highlight
    }

    /// Returns how a candidate is shown.
    fn style(&self, cell: usize, digit: usize) -> Style {
        let style = Style::new();
        if self.placed.contains(cell, digit) {
            style.green().bold().underlined()
        } else if self.removed.contains(cell, digit) {
            style.red().bold()
        } else if self.pattern.contains(cell, digit) {
            style.green().bold()
        } else {
            style
        }
    }
}

/// Returns a framed grid of the candidates of a state, each line with its end. A line for each row of cells, or three
/// lines where that would be too wide.
pub(super) fn candidate_grid(state: &State, highlight: &Highlight, colours: bool) -> String {
    let painter = Painter { state, highlight, colours };
    let widths: [usize; SIDE] = std::array::from_fn(|column| painter.width(column));
    if framed_width(&widths) <= WIDTH { painter.rows(&widths) } else { painter.blocks() }
}

/// Returns the characters of a line of the frame around columns of these widths.
fn framed_width(widths: &[usize; SIDE]) -> usize {
    1 + widths.chunks(3).map(|stack| 2 + stack.iter().map(|width| width + 1).sum::<usize>()).sum::<usize>()
}

struct Painter<'a> {
    state: &'a State,
    highlight: &'a Highlight,
    colours: bool,
}

impl Painter<'_> {
    /// Returns the most characters of a cell in a column.
    fn width(&self, column: usize) -> usize {
        let cells = (column..CELLS).step_by(SIDE);
        cells.map(|cell| self.state.candidates(cell).count_ones().max(1) as usize).max().unwrap_or(1)
    }

    /// Returns a grid with a line for each row of cells.
    fn rows(&self, widths: &[usize; SIDE]) -> String {
        let mut out = String::new();
        for row in 0..SIDE {
            if row % 3 == 0 {
                border(widths, &mut out);
            }
            for column in 0..SIDE {
                out.push_str(if column % 3 == 0 { "| " } else { "" });
                let written = self.cell(row * SIDE + column, &mut out);
                out.extend(std::iter::repeat_n(' ', widths[column] - written + 1));
            }
            out.push_str("|\n");
        }
        border(widths, &mut out);
        out
    }

    /// Appends a cell: its digit, or its candidates. Returns how many characters these are.
    fn cell(&self, cell: usize, out: &mut String) -> usize {
        if let Some(digit) = self.state.value(cell) {
            out.push_str(&digit.to_string());
            return 1;
        }
        let digits: Vec<usize> = (0..SIDE).filter(|&digit| self.state.has(cell, digit)).collect();
        digits.iter().for_each(|&digit| self.candidate(cell, digit, out));
        digits.len()
    }

    /// Appends a candidate.
    fn candidate(&self, cell: usize, digit: usize, out: &mut String) {
        let text = digit + 1;
        let style = self.highlight.style(cell, digit).force_styling(self.colours);
        out.push_str(&style.apply_to(text).to_string());
    }

    /// Returns a grid with three lines for each row of cells: each candidate has its place.
    fn blocks(&self) -> String {
        let mut out = String::new();
        for line in 0..SIDE * 3 {
            let (row, places) = (line / 3, line % 3 * 3);
            match (line % 9, line % 3) {
                (0, _) => border(&[3; SIDE], &mut out),
                (_, 0) => out.push_str(&format!("{0}|\n", "|             ".repeat(3))),
                _ => {}
            }
            for column in 0..SIDE {
                out.push_str(if column % 3 == 0 { "| " } else { "" });
                for place in places..places + 3 {
                    self.place(row * SIDE + column, place, &mut out);
                }
                out.push(' ');
            }
            out.push_str("|\n");
        }
        border(&[3; SIDE], &mut out);
        out
    }

    /// Appends what stands at a place of a cell of three by three: a candidate, or in the middle the digit.
    fn place(&self, cell: usize, place: usize, out: &mut String) {
        match self.state.value(cell) {
            Some(digit) if place == 4 => out.push_str(&digit.to_string()),
            None if self.state.has(cell, place) => self.candidate(cell, place, out),
            None => out.push('.'),
            Some(_) => out.push(' '),
        }
    }
}

/// Appends a line between bands.
fn border(widths: &[usize; SIDE], out: &mut String) {
    for stack in widths.chunks(3) {
        out.push('+');
        let width = 1 + stack.iter().map(|width| width + 1).sum::<usize>();
        out.extend(std::iter::repeat_n('-', width));
    }
    out.push_str("+\n");
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn grid(line: &str, highlight: &Highlight, colours: bool) -> String {
        let puzzle: Puzzle = line.parse().unwrap();
        candidate_grid(&State::of_puzzle(&puzzle), highlight, colours)
    }

    #[test]
    fn a_row_is_a_line_where_the_candidates_fit() {
        let grid = grid(EASY, &Highlight::default(), false);
        assert_eq!(grid.lines().count(), 13, "{grid}");
        assert!(grid.contains("| 5   3    124    | 26   7  2468 | 1489  1249 248  |"), "{grid}");
        let width = grid.lines().next().unwrap().len();
        assert!(width <= 80 && grid.lines().all(|line| line.len() == width), "{grid}");
    }

    #[test]
    fn a_row_is_three_lines_where_they_do_not_fit() {
        let grid = grid(&format!("5{}", ".".repeat(80)), &Highlight::default(), false);
        assert_eq!(grid.lines().count(), 27 + 6 + 4, "{grid}");
        let width = grid.lines().next().unwrap().len();
        assert!(width <= 80 && grid.lines().all(|line| line.len() == width), "{grid}");
        assert!(grid.contains("|  5  4.6 4.6 | 4.6 4.6"), "{grid}");
    }

    #[test]
    fn colours_are_around_the_candidates_alone() {
        let mut highlight = Highlight::default();
        highlight.removed.insert(2, 0);
        highlight.pattern.insert(2, 1);
        let painted = grid(EASY, &highlight, true);
        assert!(painted.contains("\u{1b}[31m") && painted.contains("\u{1b}[32m"), "{painted:?}");
        assert_eq!(painted.matches("\u{1b}[0m").count(), 2);
        let plain = grid(EASY, &highlight, false);
        assert_eq!(console::strip_ansi_codes(&painted), plain);
        assert_eq!(plain, grid(EASY, &Highlight::default(), true));
    }
}
