//! Tests of the techniques of all scales, on states that occur while many puzzles are solved: no technique
//! contradicts the solution, every link of a step is sound, and ties decide as they should.
//!
//! The other tests run on small seeded samples. `scripts/check-logic` runs them on many more states, or on
//! the puzzles of a file.

mod naive;

use std::sync::atomic::AtomicBool;
use std::{env, fs};

use gridmill_core::grid::{CELLS, Cell, House, Isomorphism, Puzzle, Shape, Solution};
use gridmill_core::logic::{
    CellSet, Deduction, DeductionSink, Explainer, Finder, GroupStatement, Link, Pattern, Rater, Rating,
    Round, Scale, Scratch, State, Step, Technique, Ties, group_name,
};
use gridmill_core::solver::{Bitmask, SolutionLimit, Solver};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::common;

const SCALES: [Scale; 3] = [Scale::Se, Scale::Sukaku, Scale::Sukaku2020];

/// The highest rating of rounds in these tests, because harder techniques take long.
const FOLLOWED: Rating = Rating::tenths(74);

/// A number that you can set in the environment.
fn setting(name: &str, usual: usize) -> usize {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// The proper puzzles of all levels. If GRIDMILL_LOGIC_PUZZLES names a file, its puzzles are used instead of
/// the committed ones (the first word of 81 characters in each line).
fn puzzles() -> Vec<Puzzle> {
    let Ok(path) = env::var("GRIDMILL_LOGIC_PUZZLES") else {
        return common::proper();
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let puzzle =
        |line: &str| line.split([' ', '\t', ',', ';', ':']).find(|word| word.len() == CELLS)?.parse().ok();
    text.lines().filter_map(puzzle).collect()
}

/// An endless sequence of seeded isomorphs of puzzles of all levels.
fn sample(seed: u64) -> impl Iterator<Item = Puzzle> {
    let (puzzles, mut rng) = (puzzles(), common::rng(seed));
    std::iter::repeat_with(move || {
        let puzzle = puzzles.choose(&mut rng).expect("some puzzles");
        Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(puzzle)
    })
}

fn solution_of(puzzle: &Puzzle) -> Solution {
    let outcome = Bitmask::new().solve(puzzle, SolutionLimit::UNIQUENESS);
    assert_eq!(outcome.solutions, 1, "{puzzle}");
    outcome.solution.unwrap()
}

/// Calls `look` with `count` states that lead from seeded puzzles to their solutions. Every other puzzle
/// loses some wrong candidates at the start, because this leads to states that are rare otherwise.
fn for_each_state(count: usize, seed: u64, scale: Scale, mut look: impl FnMut(&State, &Solution)) {
    let (mut left, mut rng, mut scratch) = (count, common::rng(seed), Scratch::default());
    for (index, puzzle) in sample(seed).enumerate() {
        let solution = solution_of(&puzzle);
        let mut state = State::from_puzzle(&puzzle);
        if index % 2 == 1 {
            thin_out(&mut state, &solution, (1, 8), &mut rng);
        }
        while !state.is_solved() {
            if left == 0 {
                return;
            }
            left -= 1;
            look(&state, &solution);
            match Round::find(&state, scale, FOLLOWED, &mut scratch) {
                Some(round) => round.apply(&mut state),
                None => place_one(&mut state, &solution, &mut rng),
            }
        }
    }
}

/// Removes a share of the wrong candidates, e.g. one in eight.
fn thin_out(state: &mut State, solution: &Solution, (some, of): (u32, u32), rng: &mut impl Rng) {
    for (cell, digit) in state.all_candidates().iter() {
        if usize::from(solution.cells()[cell]) != digit + 1 && rng.random_ratio(some, of) {
            state.remove(cell, digit);
        }
    }
}

/// Places one digit of the solution, so that a puzzle continues where the techniques find nothing.
fn place_one(state: &mut State, solution: &Solution, rng: &mut impl Rng) {
    let empty: Vec<usize> = state.empty().into_iter().collect();
    let &cell = empty.choose(rng).expect("an empty cell");
    state.place(cell, usize::from(solution.cells()[cell]) - 1);
}

/// A sink that passes every deduction to a function, whatever its rating.
struct DeductionFn<F>(F);

impl<F: FnMut(&Deduction, &dyn Fn() -> Pattern)> DeductionSink for DeductionFn<F> {
    fn limit(&self) -> Rating {
        Rating::BEYOND
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        (self.0)(deduction, pattern);
    }
}

/// All deductions of a finder.
fn deductions(finder: &Finder, state: &State, scratch: &mut Scratch) -> Vec<Deduction> {
    let mut found = Vec::new();
    finder.find(
        state,
        scratch,
        &mut DeductionFn(|deduction: &Deduction, _: &dyn Fn() -> Pattern| found.push(deduction.clone())),
    );
    found
}

/// The grid of candidates as text, for messages of failed tests.
fn shown(state: &State) -> String {
    let cell = |cell: usize| match state.value(cell) {
        Some(digit) => format!("={}", digit.get()),
        None => (0..9).filter(|&digit| state.has(cell, digit)).map(|digit| (digit + 1).to_string()).collect(),
    };
    let row = |row: usize| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" ");
    (0..9).map(row).collect::<Vec<_>>().join("\n")
}

/// Finders are slow from these ratings up. They are tested on one state in this many only.
const SLOW: [(Rating, usize); 3] =
    [(Rating::tenths(95), 10_000), (Rating::tenths(90), 500), (Rating::tenths(75), 40)];

#[test]
fn no_finder_contradicts_the_solution() {
    let states = setting("GRIDMILL_LOGIC_STATES", 5_000);
    for scale in SCALES {
        let (mut scratch, mut seen) = (Scratch::default(), 0);
        for_each_state(states / 2, 90, scale, |state, solution| {
            seen += 1;
            check_finders(scale, seen, state, solution, &mut scratch);
        });
        assert_eq!(seen, states / 2);
    }
}

fn check_finders(scale: Scale, seen: usize, state: &State, solution: &Solution, scratch: &mut Scratch) {
    scratch.note_changes(state);
    for finder in scale.finders() {
        let slow = SLOW.into_iter().find(|&(rating, _)| finder.least() >= rating);
        if slow.is_some_and(|(_, states)| !seen.is_multiple_of(states)) {
            continue;
        }
        let mut found = 0;
        let sink = |deduction: &Deduction, pattern: &dyn Fn() -> Pattern| {
            found += 1;
            let fault = fault_of_deduction(deduction, finder.least(), state, solution)
                .or_else(|| if found % 16 == 1 { fault_of_reason(&pattern()) } else { None });
            if let Some(fault) = fault {
                panic!("{scale}: {fault}\n{deduction:?}\n{}\n{}", pattern().reason, shown(state));
            }
        };
        finder.find(state, scratch, &mut DeductionFn(sink));
    }
}

/// The problem with a deduction, if there is one.
fn fault_of_deduction(
    deduction: &Deduction,
    least: Rating,
    state: &State,
    solution: &Solution,
) -> Option<&'static str> {
    let right = |cell: usize, digit: usize| usize::from(solution.cells()[cell]) == digit + 1;
    let Deduction { technique, rating, placed, removed } = deduction;
    let changes = match placed {
        Some((cell, digit)) => state.has(*cell, *digit),
        None => removed.iter().any(|(cell, digit)| state.has(cell, digit)),
    };
    if !changes {
        Some("a deduction changes nothing")
    } else if placed.is_some_and(|(cell, digit)| !right(cell, digit)) {
        Some("a digit is placed that the solution does not have")
    } else if removed.iter().any(|(cell, digit)| right(cell, digit)) {
        Some("a digit of the solution is removed")
    } else if *rating < technique.least() || *rating < least {
        Some("a rating is below the least of its technique or finder")
    } else {
        None
    }
}

/// The problem with a reason, if there is one.
fn fault_of_reason(pattern: &Pattern) -> Option<&'static str> {
    let reason = &pattern.reason;
    if reason.is_empty() || reason.ends_with('.') || reason.trim() != reason {
        Some("a reason is not one sentence without a stop")
    } else if pattern.candidates.is_empty() && pattern.links.is_empty() {
        Some("a pattern shows nothing")
    } else {
        None
    }
}

#[test]
fn the_end_of_every_link_follows_from_its_beginning() {
    let wanted = setting("GRIDMILL_LOGIC_EXPLAINED", 1_000);
    let puzzles = puzzles();
    let every = puzzles.len().div_ceil(wanted);
    let (mut checked, mut groups) = (0, 0);
    for scale in SCALES {
        let mut explainer = Explainer::new(scale, None);
        for puzzle in puzzles.iter().step_by(every) {
            let solution = solution_of(puzzle);
            let explanation =
                explainer.explain(State::from_puzzle(puzzle), &solution, &AtomicBool::new(false)).unwrap();
            for round in &explanation.rounds {
                for step in &round.steps {
                    for links in implications(step) {
                        checked += 1;
                        groups += usize::from(links[0].to.cells.len() > 1);
                        if let Some(fault) =
                            fault_of_links(step.deduction.technique, links, &round.before, &solution)
                        {
                            let links: Vec<String> = links.iter().map(words).collect();
                            panic!(
                                "{puzzle}, round {}: {fault}: {links:?}\n{}",
                                round.number,
                                shown(&round.before)
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 20 * wanted && groups > 0, "{checked} links, {groups} of them to groups");
}

/// Whether the technique uses dynamic chains, in which a statement can follow from several others together.
fn is_dynamic(technique: Technique) -> bool {
    use Technique::{DynamicChains, DynamicPlus, NestedChains, Nishio};
    [Nishio, DynamicChains, DynamicPlus, NestedChains].contains(&technique)
}

/// Groups the links of a step by what they imply. In dynamic chains, links one after the other to the same
/// node mean that it follows from all of their beginnings together. In other chains, each link is an
/// implication of its own.
fn implications(step: &Step) -> impl Iterator<Item = &[Link]> {
    let is_dynamic = is_dynamic(step.deduction.technique);
    step.pattern.links.chunk_by(move |link, next| is_dynamic && link.to == next.to)
}

/// The problem with links to one node, if there is one.
fn fault_of_links(
    technique: Technique,
    links: &[Link],
    before: &State,
    solution: &Solution,
) -> Option<&'static str> {
    let (from, to) = (links.iter().map(|link| link.from).collect::<Vec<GroupStatement>>(), links[0].to);
    let holds = |node: &GroupStatement| {
        let is_in = |cell| usize::from(solution.cells()[cell]) == node.digit + 1;
        node.cells.into_iter().any(is_in) == node.is_true
    };
    // An elimination by a pattern or by a nested chain need not follow by a single link.
    let may_be_forced = [Technique::DynamicPlus, Technique::NestedChains].contains(&technique);
    if from.iter().chain([&to]).any(|node| !is_group(node.cells)) {
        Some("the cells of a node are no group")
    } else if from.iter().all(holds) && !holds(&to) {
        Some("a link is false")
    } else if is_linked(&from, &to, before) || may_be_forced && is_forced(&from, &to, before) {
        None
    } else {
        Some("a link does not follow")
    }
}

/// Whether the cells are a single one, or several in one line and one box.
fn is_group(cells: CellSet) -> bool {
    let all_have = |house: House| cells.into_iter().all(|cell| cells_of(house).contains(&cell));
    let lines = House::all(Shape::CLASSIC).filter(|&house| all_have(house));
    !cells.is_empty() && lines.count() >= if cells.len() == 1 { 3 } else { 2 }
}

/// Whether a node follows from others by a strong link, because a cell or a house has no other place left, or
/// by a weak link, because each of its cells sees all cells of another node.
fn is_linked(from: &[GroupStatement], to: &GroupStatement, before: &State) -> bool {
    let is_off = |cell, digit| {
        from.iter().any(|node| !node.is_true && node.digit == digit && node.cells.contains(cell))
    };
    if to.is_true {
        let is_settled = |cell, digit| {
            !before.has(cell, digit) || is_off(cell, digit) || to.digit == digit && to.cells.contains(cell)
        };
        let in_house = |house| cells_of(house).into_iter().all(|cell| is_settled(cell, to.digit));
        let in_cell = |cell| (0..9).all(|digit| is_settled(cell, digit));
        return House::all(Shape::CLASSIC).any(in_house) || to.cells.into_iter().any(in_cell);
    }
    to.cells.into_iter().all(|cell| {
        from.iter().any(|node| {
            let is_other = node.digit != to.digit && node.cells.single() == Some(cell);
            let is_seen = node.digit == to.digit && node.cells.into_iter().all(|one| sees(one, cell));
            node.is_true && (is_other || is_seen)
        })
    })
}

/// Whether singles lead to a contradiction from some nodes and the opposite of another.
fn is_forced(from: &[GroupStatement], to: &GroupStatement, before: &State) -> bool {
    let mut state = before.clone();
    for node in from.iter().copied().chain([GroupStatement { is_true: !to.is_true, ..*to }]) {
        for cell in node.cells {
            if node.is_true { state.place(cell, node.digit) } else { state.remove(cell, node.digit) }
        }
    }
    while !state.is_contradictory() {
        let Some((cell, digit)) = single(&state) else { return false };
        state.place(cell, digit);
    }
    true
}

/// A digit with only one place in a house, or the only candidate of a cell.
fn single(state: &State) -> Option<(usize, usize)> {
    let alone = |cell: usize| {
        (state.candidates(cell).count_ones() == 1).then(|| state.candidates(cell).trailing_zeros())
    };
    let in_house = |house, digit| {
        let mut places = cells_of(house).into_iter().filter(|&cell| state.has(cell, digit));
        places.next().filter(|_| places.next().is_none()).map(|cell| (cell, digit))
    };
    let in_cells = (0..CELLS).find_map(|cell| Some((cell, alone(cell)? as usize)));
    in_cells.or_else(|| {
        House::all(Shape::CLASSIC).find_map(|house| (0..9).find_map(|digit| in_house(house, digit)))
    })
}

fn cells_of(house: House) -> Vec<usize> {
    house.cells(Shape::CLASSIC).map(Cell::index).collect()
}

fn sees(one: usize, other: usize) -> bool {
    Cell::new(one).sees(Cell::new(other), Shape::CLASSIC)
}

fn words(Link { from, to }: &Link) -> String {
    let node = |node: &GroupStatement| {
        let sign = if node.is_true { "=" } else { "<>" };
        format!("{}{sign}{}", group_name(node.cells), node.digit + 1)
    };
    format!("{} -> {}", node(from), node(to))
}

/// Puzzles of the datasets with their ratings by minlex order and by reading order. For the first puzzle, the
/// order decides which of several Nishio chains counts. For the second, it decides whether chains from a
/// house count.
const TIED: [(&str, u16, u16); 2] = [
    ("29......48...2.91...6.......6.1.3....3.58..76..1..2..3.8.....49......2......1..87", 77, 78),
    ("4..3....11.8.4........2.9.....6...3.2.5.93.....4..5...8.9.....7.47...3......5.28.", 83, 84),
];

fn rater(ties: Ties) -> Rater {
    Rater::new(Scale::Sukaku, Rating::BEYOND).with_ties(ties)
}

#[test]
fn ties_decide_the_rating_and_its_explanation() {
    for (line, minlex, reading) in TIED {
        let puzzle: Puzzle = line.parse().unwrap();
        let solution = solution_of(&puzzle);
        for (ties, tenths) in [(Ties::Minlex, minlex), (Ties::Reading, reading)] {
            let rating = rater(ties).rate(&puzzle);
            assert_eq!(rating.er, Rating::tenths(tenths), "{ties}: {puzzle}");
            let mut explainer = Explainer::new(Scale::Sukaku, None).with_ties(ties);
            let explanation =
                explainer.explain(State::from_puzzle(&puzzle), &solution, &AtomicBool::new(false));
            assert_eq!(explanation.unwrap().rating, rating, "{ties}: {puzzle}");
        }
    }
}

#[test]
fn only_minlex_ties_give_isomorphs_equal_ratings() {
    let mut rng = common::rng(17);
    let (mut by_default, mut by_reading) = (Rater::new(Scale::Sukaku, Rating::BEYOND), rater(Ties::Reading));
    let mut differing = 0;
    for (line, minlex, reading) in TIED {
        let puzzle: Puzzle = line.parse().unwrap();
        for _ in 0..8 {
            let other = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
            assert_eq!(by_default.rate(&other).er, Rating::tenths(minlex), "{other}");
            differing += usize::from(by_reading.rate(&other).er != Rating::tenths(reading));
        }
    }
    assert!(differing > 0);
}

#[test]
fn ties_are_named_in_the_version_of_the_scale() {
    for ties in [Ties::Minlex, Ties::Reading] {
        assert_eq!(ties.name().parse(), Ok(ties));
    }
    let error = "clues".parse::<Ties>().unwrap_err().to_string();
    assert_eq!(error, "there is no order of ties \"clues\"; the orders are minlex and reading");
    for scale in SCALES {
        let plain = scale.version();
        assert_eq!(scale.version_with(Ties::default()), plain);
        assert_eq!(scale.version_with(Ties::Reading), format!("{plain}-reading"));
    }
}

#[test]
fn isomorphs_have_equal_ratings() {
    let (count, isomorphs) = (setting("GRIDMILL_LOGIC_RATED", 100), setting("GRIDMILL_LOGIC_ISOMORPHS", 3));
    // With a large sample, there is no limit. Otherwise hard puzzles are cut off, because they take long.
    let limit = if count > 100 { Rating::BEYOND } else { FOLLOWED };
    let (mut puzzles, mut rng) = (puzzles(), common::rng(91));
    puzzles.shuffle(&mut rng);
    for scale in SCALES {
        let mut rater = Rater::new(scale, limit);
        for puzzle in puzzles.iter().take(count) {
            let rating = rater.rate(puzzle);
            for _ in 0..isomorphs {
                let other = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(puzzle);
                assert_eq!(rater.rate(&other), rating, "{scale}: {puzzle} and {other}");
            }
        }
    }
}
