//! Solving a puzzle on the page: with the keyboard, the mouse, and by touch.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Digit, Grid, Shape, Solution, rules};
use gridmill_core::logic::{Explainer, Explanation, Scale, State};
use gridmill_core::minlex::band_classes;
use serde_json::json;

use crate::looks::OUTSIDE;
use crate::oracle;
use crate::session::{Page, with_page, with_tabs};
use crate::sheet::{CONTROL, DELETE, DOWN, ENTER, ESCAPE, RIGHT, SHIFT};

/// A puzzle with a rating of 4.5, because it needs a unique rectangle.
const PUZZLE: &str = ".83..1..9....653.4..2..8.5.49.156.......8.7.6.1.............29..38......96.......";

/// A puzzle whose sixth step is a chain of 9 links.
const LONG: &str = "1...2.......3...1.672...3...3..6..4.9.....25...5...836..8.7......96.5...4..8.1...";

/// The round of that chain, from 0.
const CHAIN: usize = 5;

const LEFT: char = '\u{e012}';
const UP: char = '\u{e013}';

/// A script that records the requests of the page to the server from now on.
const WATCH_REQUESTS: &str = "window.asked = []; const ask = window.fetch;
    window.fetch = (url, how) => (asked.push([url, how.body]), ask(url, how))";

fn explained(puzzle: &Grid) -> Explanation {
    let solution = Solution::from_cells(oracle::solution(puzzle).try_into().unwrap()).unwrap();
    let state = State::from_puzzle(&puzzle.to_classic().unwrap());
    Explainer::new(Scale::Sukaku, None).explain(state, &solution, &AtomicBool::new(false)).unwrap()
}

/// The cells and digits of a puzzle in the order in which a person finds them.
fn found_in_order(puzzle: &Grid) -> Vec<(usize, u8)> {
    let explained = explained(puzzle);
    assert_eq!(explained.er().unwrap().to_string(), "4.5");
    let steps = explained.rounds.iter().flat_map(|round| &round.steps);
    let mut found: Vec<(usize, u8)> = Vec::new();
    for (cell, digit) in steps.filter_map(|step| step.deduction.placed) {
        if found.iter().all(|&(other, _)| other != cell) {
            found.push((cell, digit as u8 + 1));
        }
    }
    found
}

/// The arrow keys that move from one cell to another.
fn arrow_keys(from: usize, to: usize) -> String {
    let go = |from: usize, to: usize, less: char, more: char| {
        let key = if to < from { less } else { more };
        vec![key; from.abs_diff(to)]
    };
    [go(from / 9, to / 9, UP, DOWN), go(from % 9, to % 9, LEFT, RIGHT)].concat().into_iter().collect()
}

impl Page {
    /// Opens a puzzle by its address, and starts to solve it.
    fn begin_to_solve(&self, line: &str) {
        self.open(&format!("#shape=3x3&clues={line}"));
        self.click("#solving");
        self.run(WATCH_REQUESTS);
        assert_eq!(self.attribute("#grid-page", "data-task").unwrap(), "solve");
    }

    fn timer(&self) -> String {
        self.attribute("#timer", "data-state").unwrap()
    }

    /// The pencilmarks in the corners or in the centre of a cell.
    fn own(&self, kind: &str, cell: usize) -> String {
        let script = format!(
            "return [...document.querySelectorAll('[data-cell=\"{cell}\"] [data-{kind}]')].map((mark) => mark.textContent).join('')"
        );
        self.run(&script).as_str().unwrap().to_owned()
    }

    /// Fails if the page shows, announces or has requested anything that the solver did not type, because
    /// that would reveal the solution.
    fn assert_secret(&self, typed: &[u8]) {
        let script = "
            const text = (id) => document.getElementById(id).textContent;
            const isSeen = (id) => document.getElementById(id).checkVisibility();
            return [
                [...document.querySelectorAll('#board [data-cell]')].map((cell) => Number(cell.dataset.digit)),
                [...document.querySelectorAll('#board [data-mark], #board [data-pattern], #board [data-house], #board [data-redundant], #overlay [data-link]')].length,
                ['announcement', 'hint-text', 'check-text', 'congratulation', 'note', 'message-text'].map(text).join(''),
                ['verdict', 'count', 'rating', 'redundant', 'step', 'path', 'fill-in', 'browse', 'minimize', 'transform', 'symmetry'].filter(isSeen),
                window.asked]";
        assert_eq!(self.run(script), json!([typed, 0, "", [], []]));
    }

    /// Fails unless the page says that the puzzle is solved, and has stopped the clock.
    fn assert_solved(&self, puzzle: &Grid) {
        assert_eq!(self.digits(), oracle::solution(puzzle));
        assert_eq!(&self.clues(Shape::CLASSIC), puzzle);
        assert_eq!(self.timer(), "solved");
        assert!(self.text("#congratulation").contains("Solved in"));
        assert_eq!(self.run("return window.asked"), json!([]), "the page needs no request for that");
    }

    /// Taps the middle of an element with a finger.
    fn tap(&self, selector: &str) {
        let script = "const one = document.querySelector(arguments[0]);
            one.scrollIntoView({ block: 'nearest' });
            const { x, y, width, height } = one.getBoundingClientRect();
            return [{ x: x + width / 2, y: y + height / 2 }]";
        let points = self.run_with(script, &[json!(selector)]);
        self.devtools("Input.dispatchTouchEvent", json!({"type": "touchStart", "touchPoints": points}));
        self.devtools("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}));
    }
}

/// Plays the puzzle to its end. `put` types a digit into a cell, and `pencil` types a mark in its centre.
fn play(page: &Page, put: impl Fn(usize, usize, u8), pencil: impl Fn(usize, usize, u8)) {
    let puzzle = oracle::classic(PUZZLE);
    let found = found_in_order(&puzzle);
    let mut typed = puzzle.cells().to_vec();
    let mut at = 0;
    // The last cells get their digits as pencilmarks first. One of these marks is then removed by an answer
    // in a cell that sees it.
    let pencilled = &found[found.len() - 3..];
    for &(cell, digit) in pencilled {
        pencil(at, cell, digit);
        at = cell;
        page.wait(&format!(
            "document.querySelector('[data-cell=\"{cell}\"] [data-centre=\"{digit}\"]') !== null"
        ));
    }
    page.assert_secret(&typed);
    page.wait("document.querySelector('#timer').dataset.state === 'running'");
    for (place, &(cell, digit)) in found.iter().enumerate() {
        put(at, cell, digit);
        at = cell;
        typed[cell] = digit;
        page.wait(&format!("document.querySelector('[data-cell=\"{cell}\"]').dataset.digit === '{digit}'"));
        if place + 1 < found.len() {
            page.assert_secret(&typed);
        }
        if place == found.len() / 2 {
            page.picture("solving-half");
        }
    }
    page.assert_solved(&puzzle);
}

#[test]
fn a_puzzle_is_solved_by_keys_alone() {
    with_page(&[], |page| {
        page.tab_to("#solving", "");
        page.press(" ");
        page.run(WATCH_REQUESTS);
        page.tab_to("#paste", "");
        page.press(&ENTER.to_string());
        page.tab_to("#paste-text", "");
        page.press(PUZZLE);
        page.tab_to("#paste-read", "");
        page.press(&ENTER.to_string());
        page.wait("!document.querySelector('#paste-dialog').open");
        assert_eq!(page.timer(), "running", "a puzzle was loaded");
        page.tab_to("#board [data-cell]", "");
        let put = |from: usize, to: usize, digit: u8| page.press(&format!("{}{digit}", arrow_keys(from, to)));
        let pencil =
            |from: usize, to: usize, digit: u8| page.press(&format!("{}c{digit}z", arrow_keys(from, to)));
        play(page, put, pencil);
        page.picture("solved-by-keys");
        let seconds = page.attribute("#timer", "data-seconds");
        page.press_with(&CONTROL.to_string(), 'z');
        assert_eq!((page.timer(), page.text("#congratulation")), ("solved".to_owned(), String::new()));
        assert_eq!(page.attribute("#timer", "data-seconds"), seconds);
    });
}

#[test]
fn a_puzzle_is_solved_by_mouse_alone() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        assert_eq!(page.timer(), "idle");
        let put = |_: usize, cell: usize, digit: u8| {
            page.go_to(cell);
            page.click(&format!("[data-pad='{digit}']"));
        };
        let pencil = |_: usize, cell: usize, digit: u8| {
            page.click("label:has(#mode-centre)");
            put(0, cell, digit);
            page.click("label:has(#mode-answers)");
        };
        play(page, put, pencil);
    });
}

#[test]
fn a_puzzle_is_solved_by_touch_on_a_phone() {
    with_page(&[], |page| {
        page.resize(390, 844);
        page.devtools("Emulation.setTouchEmulationEnabled", json!({"enabled": true}));
        page.open(&format!("#shape=3x3&clues={PUZZLE}"));
        page.tap("#solving");
        page.wait("document.querySelector('#grid-page').dataset.task === 'solve'");
        page.run(WATCH_REQUESTS);
        let put = |_: usize, cell: usize, digit: u8| {
            page.tap(&format!("[data-cell='{cell}']"));
            page.tap(&format!("[data-pad='{digit}']"));
        };
        let pencil = |_: usize, cell: usize, digit: u8| {
            page.tap("label:has(#mode-centre)");
            put(0, cell, digit);
            page.tap("label:has(#mode-answers)");
        };
        let small = page.run(
            "return [...document.querySelectorAll('#pad button, #mode label, #hint, #check')]
                .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
                .filter(({ width, height }) => width < 44 || height < 44).length",
        );
        assert_eq!((page.run(OUTSIDE), small), (json!([]), json!(0)));
        play(page, put, pencil);
        assert_eq!(page.run(OUTSIDE), json!([]));
        page.picture("solved-on-a-phone");
        page.devtools("Emulation.setTouchEmulationEnabled", json!({"enabled": false}));
    });
}

#[test]
fn the_solving_view_fits_every_window_and_can_be_read() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(0);
        page.press("c1234567");
        page.press_with(&SHIFT.to_string(), '5');
        page.go_to(6);
        page.press("x1234567");
        for colour in 1..=6 {
            page.go_to(45 + colour - 1);
            page.press(&format!("v{colour}z"));
        }
        page.go_to(20);
        page.press("hhh");
        page.wait("!document.querySelector('#step').hidden && document.querySelector('#step-tools').ariaBusy !== 'true'");
        page.click("#check");
        page.wait("document.querySelector('#check-text').textContent !== ''");
        page.assert_fit_everywhere("solving");
        for width in [390, 768, 1400] {
            page.resize(width, 900);
            page.picture(&format!("solving-{width}"));
        }
    });
}

#[test]
fn solving_works_on_grids_of_other_sizes() {
    let large = include_str!("../../datasets/16x16.txt").lines().next().unwrap();
    with_page(&[], |page| {
        for (shape, line, last) in [("2x2", "1...............", '4'), ("4x4", large, 'G')] {
            page.open(&format!("#shape={shape}&clues={line}"));
            if page.attribute("#grid-page", "data-task").unwrap() == "set" {
                page.click("#solving");
            }
            let open = line.find('.').unwrap();
            page.go_to(open);
            let digits: String = "123456789ABCDEFG".chars().take_while(|&digit| digit <= last).collect();
            page.press(" ");
            page.press(&digits);
            page.press(" ");
            page.press(&digits);
            assert_eq!([page.own("corner", open), page.own("centre", open)], [digits.clone(), digits]);
            page.press(" 6 ");
            assert_eq!(page.attribute(&format!("[data-cell='{open}']"), "data-colour").unwrap(), "purple");
            page.press("h");
            assert!(page.text("#hint-text").contains("9×9"));
            page.picture(&format!("solving-{shape}"));
            page.press(&last.to_string());
            assert_eq!(page.cells()[open].kind, "answer");
        }
    });
}

#[test]
fn pencilmarks_toggle_in_all_selected_cells_and_survive_a_reload() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(3);
        page.press_with(&SHIFT.to_string(), RIGHT);
        page.press_with(&SHIFT.to_string(), '4');
        page.press_with(&CONTROL.to_string(), '7');
        page.press("x2c9");
        for cell in [3, 4] {
            assert_eq!((page.own("corner", cell), page.own("centre", cell)), ("24".into(), "79".into()));
        }
        let label = page.attribute("[data-cell='3']", "aria-label").unwrap();
        assert!(label.ends_with("corner 2 4, centre 7 9"), "{label}");
        page.press("9");
        assert_eq!(page.own("centre", 3), "7");
        page.press_with(&CONTROL.to_string(), 'z');
        assert_eq!(page.own("centre", 4), "79");

        // An answer removes its digit from the marks in cells that see it. One undo restores both.
        page.go_to(13 - 9);
        page.press("z4");
        assert_eq!((page.own("corner", 3), page.digits()[4]), ("2".into(), 4));
        page.press_with(&CONTROL.to_string(), 'z');
        assert_eq!(
            (page.own("corner", 3), page.own("corner", 4), page.digits()[4]),
            ("24".into(), "24".into(), 0)
        );

        page.wait("location.hash.includes('&corner=3.24_4.24&centre=3.79_4.79')");
        page.reload();
        page.wait("document.querySelectorAll('[data-corner]').length === 4");
        assert_eq!(page.own("centre", 4), "79");
        assert_eq!(page.attribute("#grid-page", "data-task").unwrap(), "solve", "the switch is kept");

        // The answer is cleared first, and then the marks.
        page.go_to(4);
        page.press("4");
        page.press(&DELETE.to_string());
        assert_eq!((page.digits()[4], page.own("centre", 4)), (0, "79".into()));
        page.press(&DELETE.to_string());
        assert_eq!(page.own("centre", 4) + &page.own("corner", 4), "");
    });
}

#[test]
fn keys_switch_modes_without_losing_the_focus() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        let mode = || page.run("return document.querySelector('#mode :checked').value");
        page.go_to(0);
        for expected in ["corner", "centre", "colours", "answers"] {
            page.press(" ");
            assert_eq!(mode(), expected);
        }
        for (key, expected) in [("x", "corner"), ("c", "centre"), ("v", "colours"), ("z", "answers")] {
            page.press(key);
            assert_eq!(mode(), expected);
        }
        assert_eq!(page.run("return document.activeElement.dataset.cell"), "0");
        page.tab_to("#pad [data-pad='3']", "");
        page.press("v");
        assert_eq!(page.run("return document.activeElement.getAttribute('aria-label')"), "yellow");
        page.press(" ");
        assert_eq!(page.marked("data-colour"), [0]);
        page.press("z");
        assert_eq!(page.run("return document.activeElement.dataset.pad"), "3");
        page.tab_to("#hint", "");
        page.press("h");
        page.wait("document.querySelector('#hint-text').textContent.startsWith('Look at')");
        page.press("hhh");
        page.wait("!document.querySelector('#step').hidden && document.querySelector('#step-tools').ariaBusy !== 'true'");
        page.tab_to("#step-apply", "");
        page.press(" ");
        page.wait("document.activeElement.matches('[data-cell]')");
        page.tab_to("#solving", &SHIFT.to_string());
        page.press(" ");
        assert_eq!(mode(), "clues");
        assert_eq!(page.run("return document.activeElement.id"), "solving");
    });
}

#[test]
fn colours_and_equal_digits_are_highlighted_and_labelled() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(0);
        page.press("c38z");
        page.go_to(1);
        let eights: Vec<usize> = PUZZLE.char_indices().filter(|one| one.1 == '8').map(|one| one.0).collect();
        let same = || {
            page.run("return [...document.querySelectorAll('[data-cell][data-same]')].map((cell) => Number(cell.dataset.cell))")
        };
        assert_eq!(same(), json!(eights));
        assert_eq!(page.run("return document.querySelectorAll('[data-centre=\"8\"][data-same]').length"), 1);
        page.press(&ESCAPE.to_string());
        assert_eq!(same(), json!([]));
        page.click("[data-pad='8']");
        assert_eq!(same(), json!(eights), "no cell is selected");
        page.click("[data-pad='8']");
        assert_eq!((same(), page.digits()), (json!([]), oracle::classic(PUZZLE).cells().to_vec()));
        page.run("document.querySelector('[data-cell=\"1\"]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))");
        assert_eq!(page.run("return [...document.querySelectorAll('[data-cell][aria-selected=true]')].map((cell) => Number(cell.dataset.cell))"), json!(eights));

        page.press("v5");
        assert_eq!(page.marked("data-colour"), eights);
        let label = page.attribute("[data-cell='1']", "aria-label").unwrap();
        assert!(label.contains("8, clue, blue"), "{label}");
        page.wait("location.hash.includes('&colours=1.5_')");
        page.press("2");
        assert_eq!(page.attribute("[data-cell='1']", "data-colour").unwrap(), "orange");
        page.press_with(&CONTROL.to_string(), 'z');
        page.press_with(&CONTROL.to_string(), 'z');
        assert_eq!(page.marked("data-colour"), [] as [usize; 0]);
    });
}

#[test]
fn clues_are_locked_while_solving_and_setting_shows_its_tools_again() {
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(1);
        page.press("5");
        page.press(&DELETE.to_string());
        page.press_with(&CONTROL.to_string(), 'a');
        page.press(&DELETE.to_string());
        assert_eq!(page.digits(), oracle::classic(PUZZLE).cells());
        page.go_to(0);
        page.press("8");
        assert_eq!(page.marked("data-conflict"), [0, 1], "repeated digits are marked without a request");
        page.run("document.querySelector('#repeats-shown').click()");
        assert_eq!(page.marked("data-conflict"), [] as [usize; 0]);
        page.run("document.querySelector('#repeats-shown').click()");
        page.assert_secret(&{
            let mut cells = oracle::classic(PUZZLE).cells().to_vec();
            cells[0] = 8;
            cells
        });
        page.press_with(&CONTROL.to_string(), 'z');
        page.click("#solving");
        let seen = "return [...document.querySelectorAll('.solver')].filter((part) => part.checkVisibility()).map((part) => part.id)";
        assert_eq!(page.run(seen), json!([]), "the tools of solvers are hidden from setters");
        assert_eq!(page.count().verdict, "unique");
        page.wait("document.querySelector('#rating').dataset.er === '4.5' && !document.querySelector('#step-tools').hidden");
        assert!(page.text("#rating-more").starts_with("Unique Rectangle"));
        assert!(page.text("#backdoor-text").starts_with("1 cell: r"), "{}", page.text("#backdoor-text"));
        let bands = page.text("#bands-text").replace(", stacks", "");
        let classes: Vec<u16> = bands.split(' ').map(|class| class.parse().unwrap()).collect();
        let solution = oracle::solution(&oracle::classic(PUZZLE));
        assert_eq!(classes, band_classes(&solution.try_into().unwrap()));
        assert_eq!(page.text("#step-technique"), "Hidden Single in a Box");
        page.press("9");
    });
}

#[test]
fn a_hint_comes_in_three_stages_and_only_when_asked_for() {
    let puzzle = oracle::classic(PUZZLE);
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(0);
        page.press("h");
        page.wait("document.querySelector('#hint-text').textContent.startsWith('Look at')");
        let house = page.text("#hint-text");
        assert!(!house.contains("Single") && page.is_hidden("#step"), "{house}");
        assert_eq!(page.marked("data-pattern"), [] as [usize; 0]);
        page.press("h");
        assert!(page.text("#hint-text").contains("Hidden Single"), "{}", page.text("#hint-text"));
        assert!(page.is_hidden("#step"));
        page.click("#hint");
        page.wait("!document.querySelector('#step').hidden");
        let placed = page.run(
            "return Number(document.querySelector('[data-look=placed]').closest('[data-cell]').dataset.cell)",
        );
        let placed = placed.as_u64().unwrap() as usize;
        page.picture("hint");
        page.click("#step-apply");
        assert_eq!(page.digits()[placed], oracle::solution(&puzzle)[placed]);
        assert_eq!((page.text("#hint-text"), page.is_hidden("#step")), (String::new(), true));

        page.click("#hint");
        page.wait("document.querySelector('#hint-text').textContent.startsWith('Look at')");
        page.go_to(placed);
        page.press("c5");
        page.press(&DELETE.to_string());
        assert_eq!(
            (page.text("#hint-text"), page.attribute("#hint", "data-stage").unwrap()),
            (String::new(), "0".to_owned())
        );
        assert_eq!(page.text("#announcement"), "");
    });
}

#[test]
fn a_check_marks_wrong_answers_until_the_next_change() {
    let puzzle = oracle::classic(PUZZLE);
    let solution = oracle::solution(&puzzle);
    // A wrong digit that repeats in no row, column or box.
    let possible = |&digit: &u8| {
        let mut cells = puzzle.cells().to_vec();
        cells[0] = digit;
        digit != solution[0] && rules::find_conflict(Shape::CLASSIC, &cells).is_none()
    };
    let wrong = (1..=9).find(possible).unwrap();
    with_page(&[], |page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(0);
        page.press(&wrong.to_string());
        assert_eq!(page.marked("data-conflict"), [] as [usize; 0]);
        page.click("#check");
        page.wait("document.querySelector('#check-text').textContent === '1 answer is wrong.'");
        assert_eq!(page.marked("data-wrong"), [0]);
        assert!(page.attribute("[data-cell='0']", "aria-label").unwrap().ends_with(", wrong"));
        page.go_to(0);
        page.press(&solution[0].to_string());
        assert_eq!((page.marked("data-wrong").len(), page.text("#check-text")), (0, String::new()));
        page.click("#check");
        page.wait("document.querySelector('#check-text').textContent === 'No answer is wrong.'");
        assert_eq!(page.digits()[3..], puzzle.cells()[3..]);
    });
}

#[test]
fn the_timer_pauses_on_a_hidden_page_and_can_be_hidden() {
    with_tabs(|page| {
        page.begin_to_solve(PUZZLE);
        page.go_to(0);
        page.press(&RIGHT.to_string());
        page.wait("document.querySelector('#timer').dataset.state === 'running'");
        page.run(
            "window.states = [];
             new MutationObserver(() => states.push(document.querySelector('#timer').dataset.state))
                 .observe(document.querySelector('#timer'), { attributeFilter: ['data-state'] })",
        );
        let first = page.tab();
        page.open_tab();
        page.close_tab();
        page.go_to_tab(&first);
        page.wait("states.join() === 'paused,running'");
        page.click("#time-shown");
        assert!(page.is_hidden("#timer"));
        page.reload();
        page.wait("document.querySelector('#timer').hidden");
    });
}

#[test]
fn the_path_lists_all_steps_and_shows_each_on_the_grid_before_it() {
    let puzzle = oracle::classic(PUZZLE);
    let expected = explained(&puzzle);
    let counts: Vec<usize> = expected.rounds.iter().map(|round| round.steps.len()).collect();
    with_page(&[], |page| {
        page.open(&format!("#shape=3x3&clues={PUZZLE}"));
        page.click("#path summary");
        page.wait("document.querySelector('#path').dataset.end === 'solved'");
        let shown = page.run(
            "return [...document.querySelectorAll('#path-rounds li')].map((round) => round.children.length)",
        );
        assert_eq!(shown, json!(counts));
        let uses = page.run(
            "return [...document.querySelectorAll('#path-techniques [data-technique=unique-rectangle]')]
                .reduce((sum, one) => sum + Number(one.dataset.uses), 0)",
        );
        let techniques =
            expected.rounds.iter().flat_map(|round| &round.steps).map(|step| step.deduction.technique.slug());
        assert_eq!(uses, techniques.filter(|&name| name == "unique-rectangle").count());
        let round = expected
            .rounds
            .iter()
            .position(|round| round.techniques.iter().any(|one| one.slug() == "unique-rectangle"));
        let round = round.unwrap();
        page.click(&format!("#path-rounds [data-round='{}'] button", round + 1));
        let before = &expected.rounds[round].before;
        let digit = |cell: usize| before.value(cell).map_or(0, Digit::get);
        assert_eq!(page.digits(), (0..81).map(digit).collect::<Vec<_>>());
        assert_eq!(page.attribute("#step", "data-technique").unwrap(), "unique-rectangle");
        assert!(page.text("#step-technique").starts_with("Unique Rectangle Type "));
        assert!(!page.marked("data-pattern").is_empty());
        page.picture("path");
        page.click("#path-next");
        assert_eq!(page.run("return document.querySelectorAll('#path-rounds [aria-current]').length"), 1);
        page.click("#path-back");
        assert_eq!(page.digits(), puzzle.cells());
        assert!(page.is_hidden("#path-bar"));
        assert_eq!(page.run("return document.activeElement.dataset.pathStep !== undefined"), true);

        // Another grid has another path.
        page.click("#step-apply");
        page.wait(&format!("document.querySelector('#path').dataset.end === 'solved' && document.querySelectorAll('#path-rounds button').length < {}", counts.iter().sum::<usize>()));
        page.click("#solving");
        assert_eq!(page.run("return document.querySelector('#path').checkVisibility()"), false);
    });
}

#[test]
fn a_long_chain_is_listed_and_drawn_link_by_link() {
    with_page(&[], |page| {
        page.open(&format!("#shape=3x3&clues={LONG}"));
        page.click("#path summary");
        let item = format!("#path-rounds [data-round='{}'] button", CHAIN + 1);
        page.wait(&format!("document.querySelector(\"{item}\") !== null"));
        page.click(&item);
        let seen = || {
            page.run("return [document.querySelector('#step-links').open, ...['[data-link]', '[data-node]'].map((kind) =>
                [...document.querySelectorAll('#overlay ' + kind)].filter((one) => getComputedStyle(one).display !== 'none').length)]")
        };
        assert_eq!(page.run("return document.querySelectorAll('#step-links li').length"), 9);
        assert_eq!(seen(), json!([true, 0, 0]));
        assert_ne!(
            page.run("return document.querySelectorAll('[data-look=pattern], [data-look=removed]').length"),
            0
        );
        page.run("document.querySelectorAll('#step-links li')[3].focus()");
        assert_eq!(seen(), json!([true, 1, 0]));
        page.picture("long-chain");
        page.run("document.activeElement.blur()");
        assert_eq!(seen(), json!([true, 0, 0]));
    });
}

#[test]
fn the_technique_options_have_readable_names() {
    with_page(&[], |page| {
        let names = page.run("return [...document.querySelectorAll('#techniques option')].map((option) => [option.value, option.textContent])");
        let names: Vec<(String, String)> = serde_json::from_value(names).unwrap();
        assert!(names.contains(&("xy-wing".to_owned(), "XY-Wing".to_owned())), "{names:?}");
        assert!(names.contains(&("chain".to_owned(), "Forcing Chain".to_owned())));
    });
}
