//! Actions of puzzle setters: transforming a grid, choosing its clues, generating puzzles, and stopping work
//! that takes too long.

use gridmill_core::grid::{Grid, Isomorphism, Shape};
use gridmill_core::minlex::Minlex;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::json;

use crate::driver::until;
use crate::oracle;
use crate::session::{Page, with_page};
use crate::sheet::{Cell, DELETE};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// [`EASY`] with a redundant clue.
const REDUNDANT: &str = "534.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn transform(page: &Page, button: &str) {
    page.click("#transform");
    page.click(button);
    page.wait("!document.querySelector('#transform-dialog').open");
}

/// The cells of a grid after a move: each place takes the cell from `from`.
fn moved(cells: &[Cell], side: usize, from: impl Fn(usize, usize) -> (usize, usize)) -> Vec<Cell> {
    let source = |cell: usize| {
        let (row, column) = from(cell / side, cell % side);
        cells[row * side + column].clone()
    };
    (0..side * side).map(source).collect()
}

#[test]
fn transforms_move_clues_answers_and_marks_together() {
    with_page(&[], |page| {
        let fragment =
            format!("#shape=3x3&clues={EASY}&entries=..4{}&removed=3.2&marks=rules", ".".repeat(78));
        page.open(&fragment);
        page.wait("document.querySelectorAll('[data-cell=\"3\"] [data-mark]').length > 0");
        let before = page.cells();
        type Source = fn(usize, usize) -> (usize, usize);
        let moves: [(&str, Source); 7] = [
            ("rotate90", |row, column| (8 - column, row)),
            ("rotate180", |row, column| (8 - row, 8 - column)),
            ("rotate270", |row, column| (column, 8 - row)),
            ("mirror", |row, column| (row, 8 - column)),
            ("flip", |row, column| (8 - row, column)),
            ("diagonal", |row, column| (column, row)),
            ("antidiagonal", |row, column| (8 - column, 8 - row)),
        ];
        for (name, from) in moves {
            transform(page, &format!("[data-move='{name}']"));
            assert_eq!(page.cells(), moved(&before, 9, from), "{name}");
            page.click("#undo");
            assert_eq!(page.cells(), before, "one undo");
        }
        page.picture("transformed");
        page.begin("2x3");
        page.press("5");
        transform(page, "[data-move='rotate90']");
        page.wait("location.hash.includes('shape=3x2')");
        assert_eq!(page.digits()[5], 5);
    });
}

#[test]
fn digits_can_be_renumbered_swapped_and_brought_to_minlex_form() {
    let puzzle = oracle::classic(EASY);
    let form = Minlex::new().canonical(&puzzle.to_classic().unwrap()).unwrap().form;
    let other = Isomorphism::random(Shape::CLASSIC, &mut ChaCha8Rng::seed_from_u64(1)).apply(&puzzle);
    with_page(&[], |page| {
        page.paste(EASY);
        transform(page, "#transform-renumber");
        let digits = page.digits();
        let mut firsts: Vec<u8> = Vec::new();
        digits.iter().filter(|&&digit| digit > 0).for_each(|digit| {
            if !firsts.contains(digit) {
                firsts.push(*digit);
            }
        });
        assert_eq!(firsts, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        page.click("#undo");
        page.click("#transform");
        page.choose("#transform-first", "5");
        page.choose("#transform-second", "3");
        page.picture("transform");
        page.click("#transform-swap");
        assert_eq!(&page.digits()[..5], [3, 5, 0, 0, 7]);
        for line in [EASY.to_owned(), other.to_string()] {
            page.paste(&line);
            transform(page, "#transform-minlex");
            until("the form", || (page.digits() == form.cells()).then_some(()));
        }
        page.begin("4x4");
        transform(page, "#transform-minlex");
        page.wait("!document.querySelector('#message').hidden");
        assert!(page.text("#message-text").contains("up to 9x9"));
        page.console();
    });
}

#[test]
fn a_stopped_count_continues_on_request() {
    with_page(&[], |page| {
        page.choose("#cap", "0");
        page.choose("#marks", "true");
        page.wait("Number(document.querySelector('#count').dataset.solutions) > 2");
        page.click("#stop");
        page.wait("document.querySelector('#stop').hasAttribute('data-stopped')");
        assert!(page.text("#count").ends_with("so far; stopped"), "{}", page.text("#count"));
        assert_eq!(page.text("#stop"), "Continue");
        let solutions = || page.attribute("#count", "data-solutions").unwrap().parse::<u64>().unwrap();
        let stopped = solutions();
        page.picture("stopped");
        page.click("#stop");
        page.wait("!document.querySelector('#stop').hasAttribute('data-stopped')");
        until("more solutions", || (solutions() > stopped).then_some(()));
        page.paste(EASY);
        assert_eq!(page.count().verdict, "unique");
    });
}

#[test]
fn stop_ends_the_search_for_solutions_and_for_puzzles() {
    with_page(&[], |page| {
        page.run("document.querySelector('#solutions-limit').value = '100000'");
        page.click("#browse");
        page.wait("Number(document.querySelector('#solutions').dataset.found) > 0");
        let is_over = page.attribute("#solutions", "data-end").unwrap() != "";
        if !is_over {
            page.run("document.querySelector('#solutions-stop').click()");
            page.wait("document.querySelector('#solutions').dataset.end !== ''");
        }
        page.click("#generate");
        page.write("#generate-clues-min", "17");
        page.write("#generate-clues-max", "17");
        page.click("#generate-start");
        page.wait("Number(document.querySelector('#generate-running').dataset.attempts) > 0");
        assert_eq!(page.text("#generate-cancel"), "Stop");
        page.click("#generate-cancel");
        page.wait("!document.querySelector('#generate-dialog').open");
        page.click("#generate");
        assert!(page.is_hidden("#generate-running"));
    });
}

#[test]
fn generated_puzzles_can_be_browsed_and_saved() {
    with_page(&[], |page| {
        page.click("#generate");
        page.write("#generate-count", "12");
        page.run("document.querySelector('#generate-dialog details').open = true");
        page.write("#generate-seed", "7");
        page.click("#generate-start");
        page.wait("document.querySelector('#made').dataset.over === 'true'");
        assert_eq!(page.attribute("#made", "data-made").unwrap(), "12");
        let mut puzzles = vec![page.clues(Shape::CLASSIC)];
        for _ in 1..12 {
            page.click("#made-next");
            puzzles.push(page.clues(Shape::CLASSIC));
        }
        assert!(puzzles.iter().all(oracle::is_proper));
        let distinct: std::collections::HashSet<String> = puzzles.iter().map(Grid::to_string).collect();
        assert_eq!(distinct.len(), 12);
        page.picture("made");
        let text = String::from_utf8(page.download_bytes("#made-save")).unwrap();
        assert_eq!(
            text.lines().map(str::to_owned).collect::<Vec<_>>(),
            puzzles.iter().map(Grid::to_string).collect::<Vec<_>>()
        );
        page.click("#made-prev");
        assert_eq!(page.clues(Shape::CLASSIC), puzzles[10]);
        page.paste(EASY);
        assert!(page.is_hidden("#made"), "another grid closes the list");
    });
}

#[test]
fn stopping_generation_keeps_the_finished_puzzles() {
    with_page(&[], |page| {
        page.click("#generate");
        page.choose("#generate-shape", "4x4");
        page.write("#generate-count", "100");
        page.click("#generate-start");
        page.wait("!document.querySelector('#generate-dialog').open");
        page.click("#made-stop");
        page.wait("document.querySelector('#made').dataset.over === 'true'");
        let made: usize = page.attribute("#made", "data-made").unwrap().parse().unwrap();
        assert!((1..100).contains(&made), "{made}");
        assert!(!page.is_hidden("#made") && page.is_hidden("#message"));
    });
}

#[test]
fn a_redundant_clue_is_removed_and_minimize_keeps_selected_clues() {
    with_page(&[], |page| {
        page.paste(REDUNDANT);
        page.wait("Number(document.querySelector('#redundant').dataset.redundant) > 0");
        let redundant = page.marked("data-redundant");
        page.go_to(redundant[0]);
        page.picture("redundant");
        page.click("#redundant-take");
        assert_eq!(page.digits()[redundant[0]], 0);
        assert!(oracle::is_proper(&page.clues(Shape::CLASSIC)));
        page.wait("document.querySelector('#redundant').dataset.redundant !== ''");
        page.click("#undo");
        // The clue is removed unless the user asks to keep it.
        let keep = redundant[0];
        let minimal = |is_kept: bool| {
            page.paste(REDUNDANT);
            page.wait("!document.querySelector('#minimize').disabled");
            page.go_to(keep);
            page.click("#minimize");
            if is_kept {
                page.click("#minimize-keep");
                page.picture("minimize");
            }
            page.click("#minimize-start");
            page.wait("!document.querySelector('#minimize-dialog').open");
            page.clues(Shape::CLASSIC)
        };
        let kept = minimal(true);
        assert!(kept.cells()[keep] != 0 && oracle::is_proper(&kept));
        assert!(kept.clue_count() < oracle::classic(REDUNDANT).clue_count());
        assert!(oracle::is_minimal(&minimal(false)));
    });
}

#[test]
fn symmetric_partners_are_suggested_and_deleted_together() {
    with_page(&[], |page| {
        page.choose("#symmetry", "rotate180");
        page.go_to(0);
        page.press("5");
        assert_eq!(page.marked("data-wanted"), [80]);
        page.picture("symmetry");
        page.go_to(80);
        page.press("3");
        assert_eq!(page.marked("data-wanted"), [0_usize; 0]);
        page.go_to(0);
        page.press(&DELETE.to_string());
        assert_eq!(page.digits(), [0; 81], "both are removed");
        page.click("#undo");
        assert_eq!((page.digits()[0], page.digits()[80]), (5, 3), "by one undo");
        page.choose("#symmetry", "rotate90");
        assert_eq!(page.marked("data-wanted"), [8, 72]);
        // Answers have no symmetric partners.
        page.click("#mode label:has(#mode-answers)");
        assert_eq!(page.marked("data-wanted"), [0_usize; 0]);
        page.go_to(8);
        page.press("4");
        page.press(&DELETE.to_string());
        assert_eq!((page.digits()[0], page.digits()[80]), (5, 3));
    });
}

#[test]
fn changing_the_boxes_keeps_the_digits() {
    with_page(&[], |page| {
        page.begin("3x4");
        page.press("5");
        page.choose("#boxes", "2x6");
        page.wait("location.hash.includes('shape=2x6')");
        assert_eq!(page.digits()[0], 5);
        let edges = page.run("return document.querySelectorAll('[data-cell=\"6\"][data-left], [data-cell=\"24\"][data-top]').length");
        assert_eq!(edges, 2, "boxes of 2 rows and 6 columns");
        page.click("#undo");
        page.wait("location.hash.includes('shape=3x4')");
        assert_eq!(page.digits()[0], 5);
    });
}

#[test]
fn large_grids_accept_letters_and_numbers() {
    with_page(&[], |page| {
        page.resize(1400, 900);
        page.begin("5x5");
        assert_eq!(page.digits(), [0; 625]);
        page.press("P");
        assert_eq!(page.digits()[0], 25);
        let choose = "const list = document.querySelector('#symbols');
            list.value = 'numbers';
            list.dispatchEvent(new Event('change'))";
        page.run(choose);
        page.go_to(1);
        page.press("17");
        assert_eq!(page.digits()[1], 17);
        page.press("3");
        assert_eq!(page.digits()[1], 3, "173 is not a digit of this grid, so a new number begins");
        page.go_to(2);
        page.press("2");
        page.go_to(3);
        page.press("4");
        assert_eq!(&page.digits()[2..4], [2, 4], "a new number also begins in another cell");
        assert_eq!(page.count().verdict, "multiple");
        page.picture("25x25");
        let cells =
            page.run("return document.querySelector('[data-cell=\"0\"]').getBoundingClientRect().width");
        assert!(cells.as_f64().unwrap() >= 24.0, "{cells}");
        let text = page.run_with("return arguments[0]", &[json!(page.fragment())]);
        page.paste(&format!("http://127.0.0.1/{}", text.as_str().unwrap()));
        assert_eq!(&page.digits()[..4], [25, 3, 2, 4]);
    });
}
