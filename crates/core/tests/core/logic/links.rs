//! DeductionFn link of every step is sound: `to` follows from `from`, in the state and in the solution.

use std::sync::atomic::AtomicBool;

use super::{PROFILES, puzzles, setting, shown, solution_of};
use gridmill_core::grid::{CELLS, Cell, House, Shape, Solution};
use gridmill_core::logic::{CellSet, Explainer, Link, Node, State, Step, Technique, group_name};

#[test]
fn the_end_of_every_link_follows_from_its_beginning() {
    let wanted = setting("GRIDMILL_LOGIC_EXPLAINED", 1_000);
    let puzzles = puzzles();
    let every = puzzles.len().div_ceil(wanted);
    let (mut checked, mut groups) = (0, 0);
    for profile in PROFILES {
        let mut explainer = Explainer::new(profile, None);
        for puzzle in puzzles.iter().step_by(every) {
            let solution = solution_of(puzzle);
            let explanation =
                explainer.explain(State::from_puzzle(puzzle), &solution, &AtomicBool::new(false)).unwrap();
            for round in &explanation.rounds {
                for step in &round.steps {
                    for links in implications(step) {
                        checked += 1;
                        groups += usize::from(links[0].to.cells.len() > 1);
                        if let Some(fault) = fault(step.deduction.technique, links, &round.before, &solution)
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
fn fault(technique: Technique, links: &[Link], before: &State, solution: &Solution) -> Option<&'static str> {
    let (from, to) = (links.iter().map(|link| link.from).collect::<Vec<Node>>(), links[0].to);
    let holds = |node: &Node| {
        let is_in = |cell| usize::from(solution.cells()[cell]) == node.digit + 1;
        node.cells.into_iter().any(is_in) == node.stands
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
fn is_linked(from: &[Node], to: &Node, before: &State) -> bool {
    let is_off = |cell, digit| {
        from.iter().any(|node| !node.stands && node.digit == digit && node.cells.contains(cell))
    };
    if to.stands {
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
            node.stands && (is_other || is_seen)
        })
    })
}

/// Whether singles lead to a contradiction from some nodes and the opposite of another.
fn is_forced(from: &[Node], to: &Node, before: &State) -> bool {
    let mut state = before.clone();
    for node in from.iter().copied().chain([Node { stands: !to.stands, ..*to }]) {
        for cell in node.cells {
            if node.stands { state.place(cell, node.digit) } else { state.remove(cell, node.digit) }
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
    let node = |node: &Node| {
        let sign = if node.stands { "=" } else { "<>" };
        format!("{}{sign}{}", group_name(node.cells), node.digit + 1)
    };
    format!("{} -> {}", node(from), node(to))
}
