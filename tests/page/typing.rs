//! Keys on the grid.

use gridmill_core::grid::{CELLS, Grid, Shape};

use crate::driver::until;
use crate::oracle::{self, Count};
use crate::session::{Page, with_page};
use crate::sheet::{CONTROL, DELETE, DOWN, HOME, RIGHT, SHIFT};

const PROPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Types a line of clues cell by cell, and compares the count after each clue with that of the oracle.
fn type_and_compare(page: &Page, shape: Shape, line: &str, cap: u64) {
    let mut cells = vec![0; shape.cells()];
    page.go_to(0);
    for (cell, character) in line.chars().enumerate() {
        if character != '.' {
            page.press(&character.to_string());
            cells[cell] = character.to_digit(36).unwrap() as u8;
            let grid = Grid::new(shape, cells.clone()).unwrap();
            assert_eq!(page.count(), oracle::count(&grid, cap), "{cells:?}");
            assert_eq!(page.digits(), cells);
        }
        // At the edge the arrow key stays in its row, and wraps around.
        page.press(&RIGHT.to_string());
        if (cell + 1) % shape.side() == 0 {
            page.press(&DOWN.to_string());
        }
    }
}

#[test]
fn the_count_is_updated_after_every_key() {
    with_page(&[], |page| {
        page.choose("#cap", "1000");
        type_and_compare(page, Shape::CLASSIC, PROPER, 1000);
        assert_eq!(page.count(), Count { verdict: "unique".to_owned(), solutions: 1 });
        page.picture("proper-puzzle");
    });
}

#[test]
fn after_a_burst_of_keys_the_count_is_that_of_the_final_grid() {
    let row = |row: &str| row.chars().flat_map(|digit| [digit, RIGHT]).chain([DOWN]).collect::<String>();
    let rows: String = (0..9).map(|start| row(&PROPER[9 * start..9 * start + 9])).collect();
    with_page(&[], |page| {
        page.go_to(0);
        page.press(&rows);
        assert_eq!(page.count(), Count { verdict: "unique".to_owned(), solutions: 1 });
        assert_eq!(page.digits(), oracle::classic(PROPER).cells());
    });
}

#[test]
fn a_count_keeps_growing_until_the_grid_changes() {
    with_page(&[], |page| {
        page.choose("#cap", "0");
        let solutions = || page.attribute("#count", "data-solutions").unwrap().parse().unwrap_or(0_u64);
        let first = until("a first count", || Some(solutions()).filter(|&found| found >= 2));
        until("a higher count", || (solutions() > first).then_some(()));
        assert_eq!(page.attribute("#count", "data-final").unwrap(), "false");
        assert_eq!(page.attribute("#verdict", "data-verdict").unwrap(), "multiple");
        page.paste(PROPER);
        assert_eq!(page.count().solutions, 1);
    });
}

#[test]
fn undo_and_redo_step_through_the_edits() {
    with_page(&[], |page| {
        page.go_to(40);
        let mut states = vec![page.digits()];
        for key in ["5", "7", ".", "9"] {
            page.press(key);
            states.push(page.digits());
        }
        assert_eq!(states.iter().map(|digits| digits[40]).collect::<Vec<_>>(), [0, 5, 7, 0, 9]);
        for state in states.iter().rev().skip(1) {
            page.press_with(&CONTROL.to_string(), 'z');
            assert_eq!(&page.digits(), state);
        }
        for (turn, state) in states.iter().enumerate().skip(1) {
            match turn % 3 {
                0 => page.press_with(&CONTROL.to_string(), 'y'),
                1 => page.press_with(&[CONTROL, SHIFT].iter().collect::<String>(), 'z'),
                _ => page.click("#redo"),
            }
            assert_eq!(&page.digits(), state);
        }
        page.click("#undo");
        assert_eq!(page.digits(), states[3]);
    });
}

#[test]
fn repeated_digits_are_marked_until_one_is_deleted() {
    with_page(&[], |page| {
        page.go_to(3);
        page.press("4");
        page.go_to(8);
        page.press("4");
        assert_eq!(page.marked("data-conflict"), [3, 8]);
        assert_eq!(page.count(), Count { verdict: "none".to_owned(), solutions: 0 });
        let words = page
            .run("return [...document.querySelectorAll('#conflicts li')].map((item) => item.textContent)");
        assert_eq!(words.as_array().unwrap().len(), 1, "{words}");
        page.picture("conflict");
        page.press(&DELETE.to_string());
        assert_eq!(page.marked("data-conflict"), [] as [usize; 0]);
        assert_ne!(page.attribute("#verdict", "data-verdict").unwrap(), "none");
        assert!(page.is_hidden("#conflicts"));
    });
}

#[test]
fn a_wrong_answer_is_marked_in_its_cell() {
    // With 1 in row 1, column 3, column 8 has no place for 1.
    let puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    with_page(&[], |page| {
        page.paste(puzzle);
        page.wait("document.querySelector('#verdict').dataset.verdict === 'unique'");
        page.click("#mode-answers + span");
        page.go_to(2);
        page.press("1");
        page.wait("document.querySelector('[data-wrong]') !== null");
        assert_eq!(page.marked("data-wrong"), [2]);
        assert!(page.text("#conflicts").contains("Clear answers"), "{}", page.text("#conflicts"));
    });
}

#[test]
fn small_grids_are_counted_completely() {
    with_page(&[], |page| {
        page.begin("2x2");
        assert_eq!(page.count(), Count { verdict: "multiple".to_owned(), solutions: 288 });
        type_and_compare(page, Shape::new(2, 2).unwrap(), "1.3...2...4....3", 1_000_000);
        page.picture("4x4");
    });
}

#[test]
fn large_grids_are_typed_with_letters() {
    let line = include_str!("../../datasets/16x16.txt").lines().next().unwrap();
    let shape = Shape::new(4, 4).unwrap();
    with_page(&[], |page| {
        page.begin("4x4");
        page.go_to(0);
        page.press("g");
        assert_eq!(page.digits()[0], 16);
        page.press(&DELETE.to_string());
        page.paste(line);
        assert_eq!(page.digits(), oracle::grid(shape, line).cells());
        assert_eq!(page.count(), Count { verdict: "unique".to_owned(), solutions: 1 });
        page.picture("16x16");
    });
}

#[test]
fn keys_fill_the_selected_cells_and_jump_to_open_cells() {
    with_page(&[], |page| {
        page.go_to(0);
        page.press_with(&SHIFT.to_string(), RIGHT);
        page.press_with(&SHIFT.to_string(), RIGHT);
        page.press("8");
        assert_eq!(page.digits()[..4], [8, 8, 8, 0]);
        page.press(&HOME.to_string());
        page.press_with(&CONTROL.to_string(), RIGHT);
        page.press("1");
        assert_eq!(page.digits()[..4], [8, 8, 8, 1]);
        page.press_with(&CONTROL.to_string(), 'a');
        page.press("0");
        assert_eq!(page.digits(), [0; CELLS]);
    });
}
