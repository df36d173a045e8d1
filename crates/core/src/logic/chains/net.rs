//! The candidates and their links as bit matrices, and what follows from each candidate, level by level.

use crate::grid::CELLS;
use crate::logic::cell_set::CellSet;
use crate::logic::houses::{HOUSE_CELLS, HOUSES, PEERS, houses_of};
use crate::logic::state::State;

/// A set of nodes.
pub(crate) type Row<const W: usize> = [u64; W];

/// Which links count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// Those of one digit, in houses.
    X(usize),
    /// Strong links in cells only.
    Y,
    /// All of them.
    Xy,
}

impl Links {
    /// Returns whether links within a cell count.
    fn in_cells(self) -> bool {
        !matches!(self, Links::X(_))
    }

    /// Returns whether strong links in houses count.
    fn in_houses(self) -> bool {
        self != Links::Y
    }

    /// Returns the digits that count.
    fn digits(self) -> std::ops::Range<usize> {
        match self {
            Links::X(digit) => digit..digit + 1,
            _ => 0..9,
        }
    }
}

/// Candidates, called nodes and numbered from 0, with their links.
///
/// The first [`linked`](Net::linked) nodes are those that have a strong link: only they can follow as "on".
///
/// *Level* t of a node are the nodes that are on, if it is on, after at most t steps; a *step* is a weak link and a
/// strong one. So a node that is first found in level t is 2t links away, and what it excludes is 2t + 1 links away.
#[derive(Debug)]
pub(crate) struct Net<const W: usize> {
    links: Option<Links>,
    state: State,
    /// Cell and digit of each node.
    pub(crate) nodes: Vec<(usize, usize)>,
    index: Vec<u16>,
    /// The strong links: cell and digit of both ends.
    ties: Vec<[(usize, usize); 2]>,
    pub(crate) linked: usize,
    /// For each linked node, those that are on if it is off.
    pub(crate) strong: Vec<Row<W>>,
    /// For each node, those that are off if it is on.
    pub(crate) weak: Vec<Row<W>>,
    step: Vec<Row<W>>,
    /// The nodes of each cell, and those of each house and digit, of which one alone can be on.
    groups: Vec<Row<W>>,
    /// Level by level, a row for each node.
    levels: Vec<Row<W>>,
    /// Level by level, what the nodes of the level exclude, a row for each node.
    offs: Vec<Row<W>>,
    /// The highest level that has been searched.
    pub(crate) depth: usize,
    /// No level above `depth` has more.
    pub(crate) complete: bool,
}

impl<const W: usize> Default for Net<W> {
    fn default() -> Self {
        Net {
            links: None,
            state: State::BLANK,
            nodes: Vec::new(),
            index: vec![0; 9 * CELLS],
            ties: Vec::new(),
            linked: 0,
            strong: Vec::new(),
            weak: Vec::new(),
            step: Vec::new(),
            groups: Vec::new(),
            levels: Vec::new(),
            offs: Vec::new(),
            depth: 0,
            complete: false,
        }
    }
}

impl<const W: usize> Net<W> {
    /// Makes the net of a state, unless it is there already.
    pub(crate) fn prepare(&mut self, state: &State, links: Links) {
        if self.links == Some(links) && self.state == *state {
            return;
        }
        self.links = Some(links);
        self.state.clone_from(state);
        self.collect(links);
        self.number(links);
        self.link_strongly();
        self.link_weakly(links);
        self.join();
        self.begin();
    }

    /// Returns the state of which this is the net.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the node of a candidate.
    pub(crate) fn node(&self, cell: usize, digit: usize) -> usize {
        usize::from(self.index[digit * CELLS + cell])
    }

    /// Returns the cell of a node.
    pub(crate) fn cell(&self, node: usize) -> usize {
        self.nodes[node].0
    }

    /// Returns what is on if the node is on, up to a level.
    pub(crate) fn level(&self, level: usize, node: usize) -> &Row<W> {
        &self.levels[level.min(self.depth) * self.nodes.len() + node]
    }

    /// Returns the first level of a node in which another one is.
    pub(crate) fn level_on(&self, from: usize, to: usize) -> Option<usize> {
        (0..=self.depth).find(|&level| contains(self.level(level, from), to))
    }

    /// Returns the first level of a node that excludes another one.
    pub(crate) fn level_off(&self, from: usize, to: usize) -> Option<usize> {
        (0..=self.depth).find(|&level| meets(self.level(level, from), &self.weak[to]))
    }

    /// Returns what is off if the node is on, up to a level.
    pub(crate) fn offs(&self, level: usize, node: usize) -> &Row<W> {
        &self.offs[level.min(self.depth) * self.nodes.len() + node]
    }

    /// Searches up to a level, and what its nodes exclude.
    pub(crate) fn extend_both_to(&mut self, level: usize) {
        self.extend_to(level);
        let count = self.nodes.len();
        for at in self.offs.len()..(self.depth + 1) * count {
            // What was on before has been followed already.
            let (mut row, before) = match at.checked_sub(count) {
                Some(below) => (self.offs[below], self.levels[below]),
                None => ([0; W], [0; W]),
            };
            for node in bits(&minus(&self.levels[at], &before)) {
                unite(&mut row, &self.weak[node]);
            }
            self.offs.push(row);
        }
    }

    /// Searches up to a level.
    pub(crate) fn extend_to(&mut self, level: usize) {
        while self.depth < level && !self.complete {
            self.extend();
        }
    }

    /// Searches one level more.
    fn extend(&mut self) {
        let count = self.nodes.len();
        let (here, below) = (self.depth * count, self.depth.saturating_sub(1) * count);
        self.levels.resize((self.depth + 2) * count, [0; W]);
        let (old, new) = self.levels.split_at_mut(here + count);
        let mut any = 0;
        for node in 0..count {
            let reached = old[here + node];
            let mut row = reached;
            if self.depth == 0 {
                unite(&mut row, &self.step[node]);
            } else {
                for at in bits(&minus(&reached, &old[below + node])) {
                    unite(&mut row, &self.step[at]);
                }
            }
            for word in 0..W {
                any |= row[word] ^ reached[word];
            }
            new[node] = row;
        }
        if any == 0 {
            self.complete = true;
            self.levels.truncate(here + count);
        } else {
            self.depth += 1;
        }
    }

    fn begin(&mut self) {
        self.depth = 0;
        self.complete = false;
        self.offs.clear();
        self.levels.clear();
        self.levels.resize(self.nodes.len(), [0; W]);
        for node in 0..self.nodes.len() {
            insert(&mut self.levels[node], node);
        }
    }

    /// Collects the strong links.
    fn collect(&mut self, links: Links) {
        self.ties.clear();
        if links.in_cells() {
            for cell in self.state.cells_with(2) {
                let pair = self.state.candidates(cell);
                let (low, high) = (pair.trailing_zeros() as usize, 15 - pair.leading_zeros() as usize);
                self.ties.push([(cell, low), (cell, high)]);
            }
        }
        if links.in_houses() {
            for digit in links.digits() {
                let pairs = (0..HOUSES).filter_map(|house| conjugates(&self.state, digit, house));
                self.ties.extend(pairs.map(|(one, other)| [(one, digit), (other, digit)]));
            }
        }
    }

    /// Numbers the candidates: those with a strong link first.
    fn number(&mut self, links: Links) {
        let mut linked = [CellSet::EMPTY; 9];
        for &(cell, digit) in self.ties.as_flattened() {
            linked[digit].insert(cell);
        }
        self.nodes.clear();
        for digit in links.digits() {
            self.push(digit, linked[digit]);
        }
        self.linked = self.nodes.len();
        if links.in_houses() {
            for digit in links.digits() {
                self.push(digit, self.state.cells_of(digit) - linked[digit]);
            }
        }
    }

    fn push(&mut self, digit: usize, cells: CellSet) {
        for cell in cells {
            self.index[digit * CELLS + cell] = self.nodes.len() as u16;
            self.nodes.push((cell, digit));
        }
    }

    fn link_strongly(&mut self) {
        self.strong.clear();
        self.strong.resize(self.linked, [0; W]);
        for ends in &self.ties {
            let [one, other] = ends.map(|(cell, digit)| self.node(cell, digit));
            insert(&mut self.strong[one], other);
            insert(&mut self.strong[other], one);
        }
    }

    fn link_weakly(&mut self, links: Links) {
        self.weak.clear();
        match links {
            Links::X(digit) => self.link_places(digit),
            Links::Y | Links::Xy => self.link_groups(),
        }
    }

    fn link_places(&mut self, digit: usize) {
        for &(cell, _) in &self.nodes {
            let mut row = [0; W];
            for peer in PEERS[cell] & self.state.cells_of(digit) {
                insert(&mut row, self.node(peer, digit));
            }
            self.weak.push(row);
        }
    }

    fn link_groups(&mut self) {
        self.gather();
        for (node, &(cell, digit)) in self.nodes.iter().enumerate() {
            let mut row = [0; W];
            for group in groups(cell, digit) {
                unite(&mut row, &self.groups[group]);
            }
            row[node / 64] &= !(1 << (node % 64));
            self.weak.push(row);
        }
    }

    /// Gathers the nodes of each cell, and those of each house and digit.
    fn gather(&mut self) {
        self.groups.clear();
        self.groups.resize(GROUPS, [0; W]);
        for (node, &(cell, digit)) in self.nodes.iter().enumerate() {
            for group in groups(cell, digit) {
                insert(&mut self.groups[group], node);
            }
        }
    }

    /// Joins each weak link with the strong ones that may follow it.
    fn join(&mut self) {
        let first = first(self.linked);
        self.step.clear();
        for row in &self.weak {
            let mut step = [0; W];
            for off in bits(&common(row, &first)) {
                unite(&mut step, &self.strong[off]);
            }
            self.step.push(step);
        }
    }
}

/// How many groups of candidates there are of which one alone can be on.
const GROUPS: usize = CELLS + 9 * HOUSES;

/// Returns the groups of a candidate: that of its cell, and those of its houses.
fn groups(cell: usize, digit: usize) -> [usize; 4] {
    let [row, column, square] = houses_of(cell).map(|house| CELLS + HOUSES * digit + house);
    [cell, row, column, square]
}

/// Returns the only two places of a digit in a house, as cells.
fn conjugates(state: &State, digit: usize, house: usize) -> Option<(usize, usize)> {
    let places = state.places(digit, house);
    let at = |place: u32| usize::from(HOUSE_CELLS[house][place as usize]);
    (places.count_ones() == 2).then(|| (at(places.trailing_zeros()), at(15 - places.leading_zeros())))
}

/// Adds a node to a row.
#[inline]
pub(crate) fn insert<const W: usize>(row: &mut Row<W>, node: usize) {
    row[node / 64] |= 1 << (node % 64);
}

/// Returns whether a node is in a row.
#[inline]
pub(crate) fn contains<const W: usize>(row: &Row<W>, node: usize) -> bool {
    row[node / 64] >> (node % 64) & 1 != 0
}

/// Adds the nodes of another row.
#[inline]
pub(crate) fn unite<const W: usize>(row: &mut Row<W>, other: &Row<W>) {
    for word in 0..W {
        row[word] |= other[word];
    }
}

/// Returns the nodes that are in both rows.
#[inline]
pub(crate) fn common<const W: usize>(row: &Row<W>, other: &Row<W>) -> Row<W> {
    std::array::from_fn(|word| row[word] & other[word])
}

/// Returns the nodes that are in the first row only.
#[inline]
pub(crate) fn minus<const W: usize>(row: &Row<W>, other: &Row<W>) -> Row<W> {
    std::array::from_fn(|word| row[word] & !other[word])
}

/// Returns whether two rows share a node.
#[inline]
pub(crate) fn meets<const W: usize>(row: &Row<W>, other: &Row<W>) -> bool {
    (0..W).fold(0, |any, word| any | row[word] & other[word]) != 0
}

/// Returns whether a row is empty.
#[inline]
pub(crate) fn is_empty<const W: usize>(row: &Row<W>) -> bool {
    row.iter().fold(0, |any, word| any | word) == 0
}

/// Returns the row of the first nodes.
pub(crate) fn first<const W: usize>(count: usize) -> Row<W> {
    std::array::from_fn(|word| match count.saturating_sub(64 * word) {
        some @ ..64 => (1 << some) - 1,
        _ => u64::MAX,
    })
}

/// Returns the nodes of a row, in order.
#[inline]
pub(crate) fn bits<const W: usize>(row: &Row<W>) -> impl Iterator<Item = usize> + use<W> {
    let row = *row;
    (0..W).flat_map(move |word| {
        let mut rest = row[word];
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let lowest = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * word + lowest
            })
        })
    })
}
