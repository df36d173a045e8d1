//! The net: the candidates of a state and the links between them as bit matrices.
//!
//! Single chains, cycles, and chains from cells and houses are shortest paths in the net, found from all
//! candidates at once. Nested chains first ask the net which statements lead to their opposite, because that
//! is much cheaper than to look for each path.
//!
//! A *weak link* leads from on to off: to another candidate of the cell, or to another place of the digit in
//! a house. A *strong link* leads from off to on: to the only other candidate of the cell, or to the only
//! other place in a house. A *step* is a weak link followed by a strong one.
//!
//! *Level* t of a node contains the nodes that are on after at most t steps, if the node is on. A node whose lowest
//! level is t is 2t links away, and the nodes that it excludes are 2t + 1 links away.

use super::single::CycleSearch;
use crate::grid::{BitSet, CELLS};
use crate::logic::cells::{CandidateSet, CellSet, HOUSE, HOUSES, PEERS, first_at, houses_of, places_of};
use crate::logic::finder::{Deduction, GroupStatement, Link};
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};

/// A node, and whether it is on.
type NodeStatement = (usize, bool);

/// The candidates of a state, called nodes and numbered from 0, with their links.
///
/// The nodes with a strong link come first (there are [`linked`](Net::linked) of them), because only they can
/// follow as "on", so the other nodes can be skipped by a mask.
#[derive(Debug, Default)]
pub(super) struct Net<const W: usize> {
    links: Option<LinkKinds>,
    pub(super) state: State,
    pub(super) nodes: Vec<Candidate>,
    /// For each candidate, the number of its node.
    index: Vec<u16>,
    pub(super) linked: usize,
    /// For each linked node, the nodes that are on if it is off.
    pub(super) strong: Vec<BitSet<W>>,
    /// For each node, the nodes that are off if it is on.
    pub(super) weak: Vec<BitSet<W>>,
    /// The nodes of each cell, and the nodes of each digit in each house. Only one node of a group can be on,
    /// so the groups contain all weak links.
    groups: Vec<BitSet<W>>,
    /// For each node, the nodes that are on after one step.
    step: Vec<BitSet<W>>,
    /// Level by level, a row of reached nodes for each node.
    levels: Vec<BitSet<W>>,
    /// Level by level, a row of excluded nodes for each node.
    excluded: Vec<BitSet<W>>,
    /// The highest level that has been computed.
    pub(super) depth: usize,
    /// Whether all levels above `depth` are equal to it.
    pub(super) complete: bool,
}

impl<const W: usize> Net<W> {
    /// Builds the net of a state, unless it is the current one already.
    fn prepare(&mut self, state: &State, links: LinkKinds) {
        if self.links == Some(links) && self.state == *state {
            return;
        }
        self.links = Some(links);
        self.state.clone_from(state);
        self.number(links);
        self.link(links);
        (self.depth, self.complete) = (0, false);
        self.excluded.clear();
        self.levels.clear();
        self.levels.resize(self.nodes.len(), BitSet::EMPTY);
        self.levels.iter_mut().enumerate().for_each(|(node, level)| level.insert(node));
    }

    /// The node of a candidate.
    pub(super) fn node(&self, candidate: Candidate) -> usize {
        usize::from(self.index[candidate.index()])
    }

    /// The nodes with a strong link that are off if this one is on.
    pub(super) fn linked_offs(&self, on: usize) -> impl Iterator<Item = usize> + use<W> {
        self.weak[on].and(BitSet::below(self.linked)).iter()
    }

    /// The nodes that are on, up to a level, if the node is on.
    pub(super) fn level(&self, level: usize, node: usize) -> &BitSet<W> {
        &self.levels[level.min(self.depth) * self.nodes.len() + node]
    }

    /// The nodes that are off, up to a level, if the node is on.
    pub(super) fn excluded(&self, level: usize, node: usize) -> &BitSet<W> {
        &self.excluded[level.min(self.depth) * self.nodes.len() + node]
    }

    /// The first level of a node that contains another node.
    pub(super) fn level_on(&self, from: usize, to: usize) -> Option<usize> {
        (0..=self.depth).find(|&level| self.level(level, from).has(to))
    }

    /// The first level of a node that excludes another node.
    pub(super) fn level_off(&self, from: usize, to: usize) -> Option<usize> {
        (0..=self.depth).find(|&level| self.level(level, from).meets(&self.weak[to]))
    }

    /// Whether a node that is on leads to itself being off, up to a level.
    pub(super) fn refutes_on(&self, level: usize, node: usize) -> bool {
        self.level(level, node).meets(&self.weak[node])
    }

    /// Whether a node that is off leads to itself being on. Levels count from the node that follows it.
    pub(super) fn refutes_off(&self, level: usize, node: usize) -> bool {
        node < self.linked && self.strong[node].iter().any(|next| self.level(level, next).has(node))
    }

    /// Computes the levels up to `level`.
    pub(super) fn extend_to(&mut self, level: usize) {
        while self.depth < level && !self.complete {
            self.extend();
        }
    }

    /// Computes the levels up to `level`, and the nodes that they exclude.
    pub(super) fn extend_exclusions_to(&mut self, level: usize) {
        self.extend_to(level);
        let count = self.nodes.len();
        for at in self.excluded.len()..(self.depth + 1) * count {
            // Only new nodes of the level are followed, because the row below has the others already.
            let (mut row, before) = match at.checked_sub(count) {
                Some(below) => (self.excluded[below], self.levels[below]),
                None => (BitSet::EMPTY, BitSet::EMPTY),
            };
            for node in self.levels[at].minus(before).iter() {
                row.unite(&self.weak[node]);
            }
            self.excluded.push(row);
        }
    }

    /// Computes the next level.
    fn extend(&mut self) {
        let count = self.nodes.len();
        let (here, below) = (self.depth * count, self.depth.saturating_sub(1) * count);
        self.levels.resize((self.depth + 2) * count, BitSet::EMPTY);
        let (old, new) = self.levels.split_at_mut(here + count);
        let mut any = false;
        for node in 0..count {
            let reached = old[here + node];
            let mut row = reached;
            if self.depth == 0 {
                row.unite(&self.step[node]);
            } else {
                for at in reached.minus(old[below + node]).iter() {
                    row.unite(&self.step[at]);
                }
            }
            any |= row != reached;
            new[node] = row;
        }
        if any {
            self.depth += 1;
        } else {
            self.complete = true;
            self.levels.truncate(here + count);
        }
    }

    /// Numbers the candidates. Those with a strong link come first.
    fn number(&mut self, links: LinkKinds) {
        let mut linked = [CellSet::EMPTY; 9];
        for digit in links.digits() {
            for cell in self.state.cells_of(digit) {
                links.each_strong(&self.state, Candidate::new(cell, digit), |_, _| {
                    linked[digit].insert(cell);
                });
            }
        }
        self.nodes.clear();
        self.index.resize(CANDIDATES, 0);
        links.digits().for_each(|digit| self.push(digit, linked[digit]));
        self.linked = self.nodes.len();
        if links.strong_in_houses() {
            links.digits().for_each(|digit| self.push(digit, self.state.cells_of(digit) - linked[digit]));
        }
    }

    fn push(&mut self, digit: usize, cells: CellSet) {
        for cell in cells {
            let candidate = Candidate::new(cell, digit);
            self.index[candidate.index()] = self.nodes.len() as u16;
            self.nodes.push(candidate);
        }
    }

    /// Builds the matrices: the weak and the strong links of each node, and for the steps each weak link
    /// joined with the strong links that can follow it.
    fn link(&mut self, links: LinkKinds) {
        self.strong.clear();
        for &node in &self.nodes[..self.linked] {
            let mut row = BitSet::EMPTY;
            links.each_strong(&self.state, node, |on, _| {
                row.insert(self.node(on));
            });
            self.strong.push(row);
        }
        self.gather(links);
        self.weak.clear();
        self.step.clear();
        for (node, &candidate) in self.nodes.iter().enumerate() {
            let mut row = BitSet::EMPTY;
            groups(candidate).into_iter().for_each(|group| row.unite(&self.groups[group]));
            row.remove(node);
            let mut step = BitSet::EMPTY;
            row.and(BitSet::below(self.linked)).iter().for_each(|off| step.unite(&self.strong[off]));
            self.weak.push(row);
            self.step.push(step);
        }
    }

    /// Collects the nodes of each cell, and the nodes of each digit in each house.
    fn gather(&mut self, links: LinkKinds) {
        self.groups.resize(GROUPS, BitSet::EMPTY);
        self.groups[..CELLS].fill(BitSet::EMPTY);
        let of_digits = links.digits().start * HOUSES..links.digits().end * HOUSES;
        self.groups[CELLS..][of_digits].fill(BitSet::EMPTY);
        for (node, &candidate) in self.nodes.iter().enumerate() {
            groups(candidate).into_iter().for_each(|group| self.groups[group].insert(node));
        }
    }

    /// The links between the statements of a path.
    pub(super) fn links(&self, path: &[NodeStatement]) -> Vec<Link> {
        let node = |(node, on): NodeStatement| self.nodes[node].is(on).to_group_statement();
        path.windows(2).map(|pair| Link { from: node(pair[0]), to: node(pair[1]) }).collect()
    }

    /// A shortest path from an "on" to an "off".
    pub(super) fn path_off(&self, start: usize, goal: usize) -> Vec<NodeStatement> {
        let mut path = self.steps(start, |node| self.level_off(node, goal));
        path.push((goal, false));
        path
    }

    /// A shortest path from an "on" to an "on".
    pub(super) fn path_on(&self, start: usize, goal: usize) -> Vec<NodeStatement> {
        self.steps(start, |node| self.level_on(node, goal))
    }

    /// A shortest path from an "off" to the same node "on".
    pub(super) fn path_round(&self, node: usize) -> Vec<NodeStatement> {
        let nexts = self.strong[node].iter().filter(|&next| self.level_on(next, node).is_some());
        let next = nexts.min_by_key(|&next| self.level_on(next, node)).unwrap_or(node);
        let mut path = vec![(node, false)];
        path.extend(self.path_on(next, node));
        path
    }

    /// The path along which the level falls by 1 in each step, until it is 0.
    fn steps(&self, start: usize, level_of: impl Fn(usize) -> Option<usize>) -> Vec<NodeStatement> {
        let mut path = vec![(start, true)];
        let mut at = start;
        for level in (0..level_of(start).unwrap_or(0)).rev() {
            let nearer = |&next: &usize| level_of(next) == Some(level);
            let step =
                self.linked_offs(at).find_map(|off| Some((off, self.strong[off].iter().find(nearer)?)));
            let Some((off, next)) = step else { break };
            path.extend([(off, false), (next, true)]);
            at = next;
        }
        path
    }
}

/// The number of groups of candidates in which only one can be on: one for each cell, and one for each digit
/// in each house.
const GROUPS: usize = CELLS + 9 * HOUSES;

/// The four groups of a candidate: its cell, and its digit in its row, column and box.
fn groups(candidate: Candidate) -> [usize; 4] {
    let (cell, digit) = (candidate.cell(), candidate.digit());
    let [row, column, square] = houses_of(cell).map(|house| CELLS + HOUSES * digit + house);
    [cell, row, column, square]
}

/// The nets of a thread, each with its search for cycles. They have space for 128, 256, 384 and all 729
/// candidates, because the work of a net grows with the width of its rows, and most boards have few
/// candidates left.
#[derive(Debug, Default)]
pub(crate) struct Nets {
    two: (Net<2>, CycleSearch<2>),
    four: (Net<4>, CycleSearch<4>),
    six: (Net<6>, CycleSearch<6>),
    twelve: (Net<12>, CycleSearch<12>),
}

/// A search that works on a net of any width.
pub(super) trait NetSearch {
    /// Runs the search.
    fn run<const W: usize>(self, net: &mut Net<W>, cycles: &mut CycleSearch<W>);
}

impl Nets {
    /// Prepares the narrowest net that fits the state, and runs a search on it.
    pub(super) fn with_net(&mut self, state: &State, links: LinkKinds, work: impl NetSearch) {
        match candidates(state, links).div_ceil(64) {
            0..=2 => run(&mut self.two, state, links, work),
            3..=4 => run(&mut self.four, state, links, work),
            5..=6 => run(&mut self.six, state, links, work),
            _ => run(&mut self.twelve, state, links, work),
        }
    }
}

fn run<const W: usize>(
    (net, cycles): &mut (Net<W>, CycleSearch<W>),
    state: &State,
    links: LinkKinds,
    work: impl NetSearch,
) {
    net.prepare(state, links);
    work.run(net, cycles);
}

/// The number of candidates in the net of a state.
fn candidates(state: &State, links: LinkKinds) -> usize {
    match links {
        LinkKinds::X(digit) => state.cells_of(digit).len(),
        LinkKinds::Y => 2 * state.cells_with(2).len(),
        LinkKinds::Xy => {
            state.empty().into_iter().map(|cell| state.candidates(cell).count_ones() as usize).sum()
        }
    }
}

/// The number of possible candidates.
pub(super) const CANDIDATES: usize = 9 * CELLS;

/// A candidate, stored as an index: 81 times the digit, plus the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate(u16);

impl Candidate {
    /// Creates the candidate of a cell and a digit (from 0).
    pub(super) const fn new(cell: usize, digit: usize) -> Candidate {
        Candidate((digit * CELLS + cell) as u16)
    }

    /// The cell.
    pub(super) const fn cell(self) -> usize {
        self.0 as usize % CELLS
    }

    /// The digit, from 0.
    pub(super) const fn digit(self) -> usize {
        self.0 as usize / CELLS
    }

    /// The index, from 0 to 728.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The statement that this candidate is on or off.
    pub(super) const fn is(self, on: bool) -> Statement {
        Statement { candidate: self, on }
    }
}

/// The number of possible statements.
pub(super) const STATEMENTS: usize = 2 * CANDIDATES;

/// A candidate, and whether it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) candidate: Candidate,
    pub(super) on: bool,
}

impl Statement {
    /// The index of the statement. Statements that are off come first, then those that are on, both in the
    /// order of candidates.
    #[inline]
    pub(super) const fn index(self) -> usize {
        if self.on { CANDIDATES + self.candidate.index() } else { self.candidate.index() }
    }

    /// The opposite statement.
    pub(super) const fn opposite(self) -> Statement {
        self.candidate.is(!self.on)
    }

    /// The deduction that follows once this statement is proved.
    pub(super) fn proved(self, technique: Technique, rating: Rating) -> Deduction {
        let (cell, digit) = (self.candidate.cell(), self.candidate.digit());
        match self.on {
            true => Deduction::place(technique, rating, cell, digit),
            false => {
                Deduction::remove(technique, rating, CandidateSet::for_digit(digit, CellSet::from_cell(cell)))
            }
        }
    }

    /// Converts the statement into a node of a [`Link`].
    pub(super) const fn to_group_statement(self) -> GroupStatement {
        GroupStatement {
            cells: CellSet::from_cell(self.candidate.cell()),
            digit: self.candidate.digit(),
            is_true: self.on,
        }
    }
}

/// Some statements that are assumed one after the other. If there are several, one of them must hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cases {
    all: [Statement; 9],
    len: usize,
}

impl Cases {
    pub(super) fn new(statements: impl IntoIterator<Item = Statement>) -> Cases {
        let mut cases = Cases { all: [Candidate::new(0, 0).is(true); 9], len: 0 };
        for statement in statements {
            cases.all[cases.len] = statement;
            cases.len += 1;
        }
        cases
    }

    /// The candidates of a cell.
    pub(super) fn for_cell(state: &State, cell: usize) -> Cases {
        Cases::new(digits(state.candidates(cell)).map(|digit| Candidate::new(cell, digit).is(true)))
    }

    /// A digit in its places in a house.
    pub(super) fn for_house(state: &State, house: usize, digit: usize) -> Cases {
        let cells = (state.cells_of(digit) & HOUSE[house]).into_iter();
        Cases::new(cells.map(|cell| Candidate::new(cell, digit).is(true)))
    }

    pub(super) fn all(&self) -> &[Statement] {
        &self.all[..self.len]
    }
}

/// Where two candidates are linked: in their cell, or by their digit in a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Cell,
    /// The kind of the house: 0 for the row, 1 for the column, 2 for the box.
    House(u8),
}

/// Which links count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkKinds {
    /// The links of one digit, in houses.
    X(usize),
    /// Strong links in cells only, weak links anywhere.
    Y,
    /// All links.
    Xy,
}

impl LinkKinds {
    /// Iterates over all kinds, in the order in which single chains are looked for.
    pub(super) fn all() -> impl Iterator<Item = LinkKinds> {
        (0..9).map(LinkKinds::X).chain([LinkKinds::Y, LinkKinds::Xy])
    }

    /// The technique that cycles with these links count as, and the one for chains. Chains of Y-links do not
    /// count.
    pub(super) const fn techniques(self) -> (Technique, Option<Technique>) {
        match self {
            LinkKinds::X(_) => (Technique::XCycle, Some(Technique::XChain)),
            LinkKinds::Y => (Technique::YCycle, None),
            LinkKinds::Xy => (Technique::Cycle, Some(Technique::Chain)),
        }
    }

    /// Whether links within a cell count.
    pub(super) const fn in_cells(self) -> bool {
        !matches!(self, LinkKinds::X(_))
    }

    /// Whether strong links in houses count.
    const fn strong_in_houses(self) -> bool {
        !matches!(self, LinkKinds::Y)
    }

    /// The digits whose links count.
    pub(super) const fn digits(self) -> std::ops::Range<usize> {
        match self {
            LinkKinds::X(digit) => digit..digit + 1,
            _ => 0..9,
        }
    }

    /// Calls `each` for every candidate that is off if this one is on: first those of its cell, then of its
    /// box, its row and its column. The order decides which of several shortest chains is found.
    #[inline]
    pub(super) fn each_weak(self, state: &State, on: Candidate, mut each: impl FnMut(Candidate, Via)) {
        let (cell, digit) = (on.cell(), on.digit());
        if self.in_cells() {
            for other in digits(state.candidates(cell) & !(1 << digit)) {
                each(Candidate::new(cell, other), Via::Cell);
            }
        }
        for (kind, part) in by_house(cell, state.cells_of(digit) & PEERS[cell]) {
            for other in part {
                each(Candidate::new(other, digit), Via::House(kind));
            }
        }
    }

    /// Calls `each` for every candidate that is on if this one is off: the only other one of its cell, then
    /// of its box, its row and its column.
    #[inline]
    pub(super) fn each_strong(self, state: &State, off: Candidate, mut each: impl FnMut(Candidate, Via)) {
        let (cell, digit) = (off.cell(), off.digit());
        if self.in_cells() {
            let rest = state.candidates(cell) & !(1 << digit);
            if rest.is_power_of_two() {
                each(Candidate::new(cell, rest.trailing_zeros() as usize), Via::Cell);
            }
        }
        if self.strong_in_houses() {
            let (houses, places) = (houses_of(cell), places_of(cell));
            for kind in HOUSE_KINDS {
                let rest = state.places(digit, houses[kind]) & !(1 << places[kind]);
                if rest.is_power_of_two() {
                    each(Candidate::new(first_at(houses[kind], rest), digit), Via::House(kind as u8));
                }
            }
        }
    }
}

/// The kinds of houses in the order in which links are followed: box, row, column.
pub(super) const HOUSE_KINDS: [usize; 3] = [2, 0, 1];

/// Divides peers of a cell by house: those in its box, the others in its row, and the others in its column,
/// each with the kind of house. Each peer is listed once.
#[inline]
pub(super) fn by_house(cell: usize, peers: CellSet) -> [(u8, CellSet); 3] {
    let [row, column, of_box] = houses_of(cell);
    let in_box = HOUSE[of_box];
    [(2, peers & in_box), (0, (peers & HOUSE[row]) - in_box), (1, (peers & HOUSE[column]) - in_box)]
}
