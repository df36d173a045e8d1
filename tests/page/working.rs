//! What the page does with a puzzle: steps, solutions, redundant clues, candidates, and generating.

use gridmill_core::grid::Shape;
use gridmill_core::solver::EngineKind;

use crate::driver::until;
use crate::oracle;
use crate::session::{Page, with_page};
use crate::sheet::TAB;

/// A puzzle with a rating of 7.2, because its steps end in a chain.
const HARD: &str = "...136..9......8...3.........2..1...3.48..7..6......2.....9263...63...85.2..7...4";

/// A proper puzzle with one clue more than the first classic puzzle.
const REDUNDANT: &str = "534.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A puzzle with four solutions.
const FOUR: &str = "..................198342567859761423426853791713924856961537284287419635345286179";

fn step_is_ready(page: &Page) -> bool {
    page.wait(
        "document.querySelector('#step-tools').ariaBusy !== 'true' && (!document.querySelector('#step-tools').hidden
            || document.querySelectorAll('[data-digit=\"\"]').length === 0)",
    );
    !page.is_hidden("#step-tools")
}

#[test]
fn steps_reach_the_solution_and_never_contradict_it() {
    let puzzle = oracle::classic(HARD);
    let solution = oracle::solution(&puzzle);
    with_page(&[], |page| {
        page.choose("#marks", "rules");
        page.paste(HARD);
        let (mut steps, mut chains) = (0, 0);
        while step_is_ready(page) {
            if page.attribute("#step", "data-technique").unwrap().contains("chain") {
                page.picture("step-chain");
                chains += 1;
            }
            for (cell, &digit) in page.cells().iter().zip(&solution) {
                let agrees = if cell.digit == 0 { cell.marks.contains(&digit) } else { cell.digit == digit };
                assert!(agrees, "after {steps} steps, where {digit} belongs: {cell:?}");
            }
            page.click("#step-apply");
            steps += 1;
            assert!(steps < 500, "the steps do not end");
        }
        assert_eq!(page.digits(), solution);
        assert_eq!(page.clues(Shape::CLASSIC), puzzle, "steps leave clues alone");
        assert!(chains > 0);
    });
}

#[test]
fn the_links_of_a_chain_are_listed_and_light_up_one_by_one() {
    with_page(&[], |page| {
        page.paste(HARD);
        while step_is_ready(page) && page.is_hidden("#step-links") {
            page.click("#step-apply");
        }
        page.run("document.querySelector('#step-links').open = true");
        let faded = || {
            page.run("return [...document.querySelectorAll('#overlay [data-link]')].map((link) => link.hasAttribute('data-faded'))")
        };
        let texts = page
            .run("return [...document.querySelectorAll('#step-links li')].map((link) => link.textContent)");
        let texts: Vec<String> = serde_json::from_value(texts).unwrap();
        assert!(texts.len() > 2 && texts.iter().all(|text| text.starts_with("if ")), "{texts:?}");
        let expected: Vec<bool> = (0..texts.len()).map(|place| place != 1).collect();
        assert!(faded().as_array().unwrap().iter().all(|link| *link == false));
        page.run("document.querySelectorAll('#step-links li')[1].focus()");
        assert_eq!(faded(), serde_json::json!(expected));
        page.picture("step-link");
        page.run("document.activeElement.blur()");
        assert!(faded().as_array().unwrap().iter().all(|link| *link == false));
    });
}

#[test]
fn solve_fills_in_the_solution() {
    let puzzle = oracle::classic(REDUNDANT);
    with_page(&[], |page| {
        page.paste(REDUNDANT);
        page.wait("!document.querySelector('#fill-in').disabled");
        page.click("#fill-in");
        assert_eq!(page.digits(), oracle::solution(&puzzle));
        assert_eq!(page.clues(Shape::CLASSIC), puzzle);
        assert_eq!(page.count().verdict, "unique");
        page.picture("solved");
    });
}

#[test]
fn redundant_clues_are_marked_and_removed_by_minimize() {
    let puzzle = oracle::classic(REDUNDANT);
    let is_redundant = |cell: &usize| {
        let mut cells = puzzle.cells().to_vec();
        cells[*cell] > 0 && {
            cells[*cell] = 0;
            oracle::is_proper(&gridmill_core::grid::Grid::new(Shape::CLASSIC, cells).unwrap())
        }
    };
    let expected: Vec<usize> = (0..81).filter(is_redundant).collect();
    assert!(!expected.is_empty());
    with_page(&[], |page| {
        page.paste(REDUNDANT);
        let is_known =
            format!("document.querySelector('#redundant').dataset.redundant === '{}'", expected.len());
        page.wait(&is_known);
        assert_eq!(page.marked("data-redundant"), expected);
        page.click("#minimize");
        page.click("#minimize-start");
        page.wait("document.querySelector('#redundant').dataset.redundant === '0'");
        let minimal = page.clues(Shape::CLASSIC);
        assert!(oracle::is_minimal(&minimal));
        let kept = minimal.cells().iter().zip(puzzle.cells()).all(|(&new, &old)| new == 0 || new == old);
        assert!(kept, "{minimal:?}");
        page.picture("minimal");
    });
}

#[test]
fn minimize_sends_the_typed_seed() {
    with_page(&[], |page| {
        let mut found = Vec::new();
        for seed in ["0", "1"] {
            page.paste(REDUNDANT);
            page.wait("!document.querySelector('#minimize').disabled");
            page.run(
                "window.fetched = []; window.fetchAsIs ??= window.fetch;
                window.fetch = (url, asked) => (fetched.push([url, asked.body]), fetchAsIs(url, asked))",
            );
            page.click("#minimize");
            page.write("#minimize-seed", seed);
            page.click("#minimize-start");
            page.wait("!document.querySelector('#minimize-dialog').open");
            let asked = page.run("return fetched.find(([url]) => url === '/api/minimize')[1]");
            let asked: serde_json::Value = serde_json::from_str(asked.as_str().unwrap()).unwrap();
            found.push(asked["seed"].to_string());
        }
        assert_eq!(found, ["0", "1"]);
    });
}

#[test]
fn generate_makes_a_proper_puzzle_of_the_requested_kind() {
    with_page(&[], |page| {
        page.click("#generate");
        page.picture("generate");
        page.write("#generate-clues-min", "24");
        page.write("#generate-clues-max", "26");
        page.choose("#generate-symmetry", "rotate180");
        page.run("document.querySelector('#generate-dialog details').open = true");
        page.write("#generate-seed", "7");
        page.click("#generate-start");
        page.wait("!document.querySelector('#generate-dialog').open");
        let puzzle = page.clues(Shape::CLASSIC);
        assert_eq!(page.count().verdict, "unique");
        assert!(oracle::is_proper(&puzzle));
        assert!((24..=26).contains(&puzzle.clue_count()), "{puzzle:?}");
        let clues = puzzle.cells();
        assert!((0..81).all(|cell| (clues[cell] > 0) == (clues[80 - cell] > 0)), "{puzzle:?}");
    });
}

#[test]
fn a_failed_generate_shows_its_error_in_the_dialog() {
    with_page(&[], |page| {
        page.click("#generate");
        page.write("#generate-technique", "no-such-technique");
        page.click("#generate-start");
        page.wait("!document.querySelector('#generate-error').hidden");
        let text = page.text("#generate-error");
        assert!(text.contains("no-such-technique") && !text.contains("column"), "{text}");
        assert_eq!(page.run("return document.querySelector('#generate-dialog').open"), true);
        assert!(page.is_hidden("#message"));
        // The console is read here, because the browser logs a refused request there too.
        page.console();
    });
}

#[test]
fn solutions_can_be_browsed_one_by_one() {
    let puzzle = oracle::classic(FOUR);
    let mut expected = oracle::solutions(&puzzle, EngineKind::Backtracking);
    assert_eq!(expected.len(), 4);
    with_page(&[], |page| {
        page.paste(FOUR);
        page.click("#browse");
        page.wait("document.querySelector('#solutions').dataset.end === 'all'");
        assert_eq!(page.attribute("#solutions", "data-found").unwrap(), "4");
        let mut shown = vec![page.digits()];
        for _ in 1..4 {
            page.click("#solutions-next");
            shown.push(page.digits());
        }
        page.picture("solutions");
        let last = shown[3].clone();
        shown.sort();
        expected.sort();
        assert_eq!(shown, expected);
        page.click("#solutions-first");
        page.click("#solutions-last");
        page.click("#solutions-use");
        assert_eq!(page.digits(), last);
        assert!(page.is_hidden("#solutions"));
        page.click("#undo");
        assert_eq!(page.digits(), puzzle.cells());
    });
}

#[test]
fn true_candidates_are_shown_with_their_solution_counts() {
    let puzzle = oracle::classic(FOUR);
    let all = oracle::solutions(&puzzle, EngineKind::Backtracking);
    let solutions_with = |cell: usize, digit: u8| all.iter().filter(|one| one[cell] == digit).count();
    let open = (0..81).filter(|&cell| puzzle.cells()[cell] == 0);
    let each = open.flat_map(|cell| (1..=9).map(move |digit| (cell, digit)));
    let each = each.map(|(cell, digit)| (cell, digit, solutions_with(cell, digit)));
    let expected: Vec<_> = each.filter(|&(.., solutions)| solutions > 0).collect();
    assert!(expected.iter().any(|&(.., solutions)| solutions > 1));
    with_page(&[], |page| {
        let shown = || {
            let script = "return [...document.querySelectorAll('#board [data-mark]')].map((mark) => [
                Number(mark.closest('[data-cell]').dataset.cell), Number(mark.dataset.mark),
                Number(mark.dataset.solutions)])";
            serde_json::from_value::<Vec<(usize, u8, usize)>>(page.run(script)).unwrap()
        };
        page.choose("#marks", "true");
        page.paste(FOUR);
        until("all candidates", || (shown() == expected).then_some(()));
        page.picture("candidates");
        page.write("#candidate-cap", "1");
        page.press(&TAB.to_string());
        let capped: Vec<_> = expected.iter().map(|&(cell, digit, many)| (cell, digit, many.min(1))).collect();
        until("all candidates up to 1", || (shown() == capped).then_some(()));
    });
}
