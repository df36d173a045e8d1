//! The grid on the page: helpers that read its cells and use it.

use gridmill_core::grid::{Grid, Shape};
use serde_json::{Value, json};

pub use crate::driver::CONTROL;
use crate::oracle::Count;
use crate::session::Page;

pub const SHIFT: char = '\u{e008}';
pub const DELETE: char = '\u{e017}';
pub const RIGHT: char = '\u{e014}';
pub const DOWN: char = '\u{e015}';
pub const HOME: char = '\u{e011}';
pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const ESCAPE: char = '\u{e00c}';

/// The look of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub digit: u8,
    pub kind: String,
    pub marks: Vec<u8>,
}

impl Page {
    /// All cells in reading order.
    pub fn cells(&self) -> Vec<Cell> {
        let script = "return [...document.querySelectorAll('#board [data-cell]')].map((cell) => [
            Number(cell.dataset.digit), cell.dataset.kind,
            [...cell.querySelectorAll('[data-mark]')].map((mark) => Number(mark.dataset.mark)),
        ])";
        let cells: Vec<(u8, String, Vec<u8>)> = serde_json::from_value(self.run(script)).unwrap();
        cells.into_iter().map(|(digit, kind, marks)| Cell { digit, kind, marks }).collect()
    }

    /// The digits of all cells, 0 for a blank.
    pub fn digits(&self) -> Vec<u8> {
        self.cells().iter().map(|cell| cell.digit).collect()
    }

    /// The clues as a grid.
    pub fn clues(&self, shape: Shape) -> Grid {
        let clue = |cell: Cell| if cell.kind == "clue" { cell.digit } else { 0 };
        Grid::new(shape, self.cells().into_iter().map(clue).collect()).unwrap()
    }

    /// Waits until the count is final, and returns it with the verdict.
    pub fn count(&self) -> Count {
        self.wait("document.querySelector('#count').dataset.final === 'true'");
        let script = "return [document.querySelector('#verdict').dataset.verdict,
            Number(document.querySelector('#count').dataset.solutions)]";
        let (verdict, solutions) = serde_json::from_value(self.run(script)).unwrap();
        Count { verdict, solutions }
    }

    /// Chooses an option of a list.
    pub fn choose(&self, selector: &str, value: &str) {
        self.click(&format!("{selector} option[value='{value}']"));
    }

    /// Clicks a cell, which then has the focus.
    pub fn go_to(&self, cell: usize) {
        self.click(&format!("[data-cell='{cell}']"));
    }

    /// Enters a text in the dialog that reads puzzles.
    pub fn paste(&self, text: &str) {
        self.click("#paste");
        self.run_with("document.querySelector('#paste-text').value = arguments[0]", &[json!(text)]);
        self.click("#paste-read");
        self.wait("!document.querySelector('#paste-dialog').open");
    }

    /// Starts a new, empty grid of a shape.
    pub fn begin(&self, shape: &str) {
        self.click("#new");
        self.choose("#new-shape", shape);
        self.click("#new-start");
    }

    /// The cells that have an attribute.
    pub fn marked(&self, attribute: &str) -> Vec<usize> {
        let script = "return [...document.querySelectorAll('#board [' + arguments[0] + ']')]
            .map((cell) => Number(cell.dataset.cell))";
        serde_json::from_value(self.run_with(script, &[json!(attribute)])).unwrap()
    }

    /// The fragment of the address.
    pub fn fragment(&self) -> String {
        self.run("return location.hash").as_str().unwrap().to_owned()
    }

    /// Returns whether an element is hidden.
    pub fn is_hidden(&self, selector: &str) -> bool {
        let script = "return document.querySelector(arguments[0]).hidden";
        self.run_with(script, &[json!(selector)]) == Value::Bool(true)
    }
}
