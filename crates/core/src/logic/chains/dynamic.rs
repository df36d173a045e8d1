//! Dynamic forcing chains: an assumption removes candidates, and what is left decides what follows next.
//!
//! ```text
//!  r1c2 is 3 ──> r1c5 is not 3 ──┐
//!     └──> ... ──> r7c5 is not 3 ┴──> r4c5 is 3     an "on" may rest on several "offs"
//! ```
//!
//! * Contradiction: an assumption makes some candidate both on and off, so the assumption is false.
//! * Double: a candidate leads to the same statement, whether it is on or off (in cells with three candidates
//!   or more).
//! * Cell: every candidate of a cell leads to the same statement.
//! * House: a digit leads to the same statement from each of its places in a house.
//! * Nishio: a contradiction among the candidates of one digit. For example, if 3 is in r1c2, it is not in
//!   r1c5 and r4c2, so it is in r4c9, so it is not in r8c9, so it is in r8c5, so it is not in
//!   r2c5. But then box 2 has no place left for it, because it had only r1c5 and r2c5.
//!
//! [`propagation`](super::propagation) follows one assumption, and [`DynamicSearch`] compares the
//! consequences of several.
//!
//! Ratings: Nishio 7.5, dynamic 8.5, with further [eliminations](super::eliminations) 9.0, with [nested
//! chains](super::nested) 9.5 to 10.5; to all of them, the length adds something. Source: Sudoku Explainer
//! 1.2.1.

use super::eliminations::{FurtherEliminations, NoFurtherEliminations, SimplePatterns};
use super::net::{CANDIDATES, Candidate, Cases, LinkKinds, Statement, Via};
use super::propagation::{Consequences, Propagation, Rules};
use super::{dynamic_pattern, max_complexity_for, tenths_of};
use crate::grid::CELLS;
use crate::logic::cells::{HOUSE, houses_of};
use crate::logic::finder::{DeductionSink, Finder, Link, Scratch};
use crate::logic::state::{State, digits};
use crate::logic::technique::{Rating, Technique};

/// Finds Nishio forcing chains.
pub(crate) const NISHIO: Finder = Finder::with_order(Technique::Nishio.least(), find_nishio);
/// Finds dynamic forcing chains that only use singles.
pub(crate) const DYNAMIC: Finder = finder::<NoFurtherEliminations>();
/// Finds dynamic forcing chains that also use locked candidates, pairs and X-wings.
pub(crate) const DYNAMIC_PLUS: Finder = finder::<SimplePatterns>();

/// Creates the finder of dynamic chains with one kind of further eliminations.
pub(super) const fn finder<I: FurtherEliminations>() -> Finder {
    Finder::with_order(I::LEAST, find::<I>)
}

fn find_nishio(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    let technique = Technique::Nishio;
    let memory = scratch.dynamic.get_or_insert_default();
    let (most, least, links_to) = (u32::MAX, technique.least(), links_to::<NoFurtherEliminations>);
    for (cell, digit) in state.each_candidate() {
        let (candidate, rules) =
            (Candidate::new(cell, digit), Rules { links: LinkKinds::X(digit), dynamic: true });
        let mut proofs =
            ProofReporter { state, rules, most, technique, least, any: false, links_to, sink: &mut *sink };
        let mut search = DynamicSearch {
            board: state,
            rules,
            max_complexity: most,
            further: &mut NoFurtherEliminations,
            proofs: &mut proofs,
        };
        memory.new_slot(0, candidate);
        search.assume(candidate.is(true), memory, 0);
        search.assume(candidate.is(false), memory, 0);
    }
}

/// How many tenths the length may add in each attempt. Short nested chains are tried first, because the long
/// ones take by far the most time.
const ATTEMPTS: [u16; 6] = [4, 6, 8, 10, 12, ANY_LENGTH];

/// More tenths than the length of a chain can add.
const ANY_LENGTH: u16 = 40;

/// Reports deductions by dynamic chains. An attempt reports all of those whose length adds at most its
/// tenths. The next attempt follows only if there are none.
fn find<I: FurtherEliminations>(state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
    let memory = scratch.dynamic.get_or_insert_default();
    let (technique, least, links_to) = (I::TECHNIQUE, I::LEAST, links_to::<I>);
    let (rules, further) = (Rules { links: LinkKinds::Xy, dynamic: true }, &mut I::default());
    let attempts = if I::NESTED { &ATTEMPTS[..] } else { &[ANY_LENGTH] };
    for &tenths in attempts {
        let most = most_complex(least, least.plus(tenths));
        let mut proofs =
            ProofReporter { state, rules, most, technique, least, any: false, links_to, sink: &mut *sink };
        DynamicSearch { board: state, rules, max_complexity: most, further, proofs: &mut proofs }.run(memory);
        if proofs.any || least.plus(tenths) >= sink.limit() {
            return;
        }
    }
}

/// Converts proofs into deductions and reports them to a sink.
struct ProofReporter<'a> {
    state: &'a State,
    rules: Rules,
    /// The highest complexity of this attempt.
    most: u32,
    technique: Technique,
    least: Rating,
    /// Whether there was a proof.
    any: bool,
    /// [`links_to`] for the same further eliminations.
    links_to: fn(&State, (Rules, u32), &Proof) -> Vec<Link>,
    sink: &'a mut dyn DeductionSink,
}

impl ProofSink for ProofReporter<'_> {
    fn max_complexity(&self) -> u32 {
        most_complex(self.least, self.sink.limit()).min(self.most)
    }

    fn found(&mut self, proof: &Proof) {
        self.any = true;
        let rating = rated(self.least, proof.complexity);
        let deduction = proof.target.proved(self.technique, rating);
        let (state, search, links_to) = (self.state, (self.rules, self.most), self.links_to);
        self.sink.found(&deduction, &|| dynamic_pattern(links_to(state, search, proof)));
    }
}

/// The links to the target of a proof, or to its conflict if there is only one assumption. The assumptions
/// are followed again, because the search only keeps the statements, and few deductions are shown.
fn links_to<I: FurtherEliminations>(state: &State, (rules, most): (Rules, u32), proof: &Proof) -> Vec<Link> {
    let mut propagation = Propagation::boxed();
    let mut found = Box::new(Consequences::NONE);
    let mut links = Vec::new();
    for &assumption in proof.assumed.all() {
        propagation.follow(state, assumption, rules, most, &mut I::default(), &mut found);
        links.extend(match &found.conflict {
            Some(conflict) if proof.is_by_contradiction() => propagation.links_to_conflict(state, conflict),
            _ => propagation.links_to(state, proof.target),
        });
    }
    links
}

/// The rating of chains with a complexity, if `least` is the lowest rating of their technique.
pub(super) fn rated(least: Rating, complexity: u32) -> Rating {
    least.plus(tenths_of(complexity as usize))
}

/// The highest complexity that the limit allows. It is 0 if the limit allows none.
fn most_complex(least: Rating, limit: Rating) -> u32 {
    match limit.in_tenths().checked_sub(least.in_tenths()) {
        Some(ANY_LENGTH..) => u32::MAX,
        Some(tenths) => max_complexity_for(tenths) as u32,
        None => 0,
    }
}

/// A statement that has been proved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    pub target: Statement,
    pub complexity: u32,
    /// The assumptions: the opposite of the target, a candidate on and off, or all candidates of a cell or of
    /// a digit in a house.
    pub assumed: Cases,
    /// A cell if the assumptions are its candidates, or the kind of house if they are the places of a digit there (the house
    /// of this kind around the first place). `None` for a candidate on and off, and for a contradiction.
    pub via: Option<Via>,
}

impl Proof {
    /// Whether the only assumption is the opposite of the target, which leads to a conflict.
    pub(super) fn is_by_contradiction(&self) -> bool {
        self.assumed.all().len() == 1
    }

    /// A sort key: lower complexity first, then a candidate on and off, a cell, a house, a conflict.
    pub(super) fn rank(&self) -> (u32, u8) {
        let kind = match self.via {
            None if self.is_by_contradiction() => 3,
            None => 0,
            Some(Via::Cell) => 1,
            Some(Via::House(_)) => 2,
        };
        (self.complexity, kind)
    }
}

/// Receives proofs.
pub(super) trait ProofSink {
    /// The highest complexity that is still useful.
    fn max_complexity(&self) -> u32;

    /// Receives a proof. Its complexity does not exceed [`ProofSink::max_complexity`].
    fn found(&mut self, proof: &Proof);
}

/// A search for dynamic chains on one board.
pub(super) struct DynamicSearch<'a, I: FurtherEliminations, C: ProofSink> {
    pub(super) board: &'a State,
    pub(super) rules: Rules,
    /// The complexity up to which further eliminations are found. It stays the same during a search, so that
    /// the consequences of an assumption do not depend on earlier proofs.
    pub(super) max_complexity: u32,
    pub(super) further: &'a mut I,
    pub(super) proofs: &'a mut C,
}

impl<I: FurtherEliminations, C: ProofSink> DynamicSearch<'_, I, C> {
    /// Reports every proof. With static rules, these come only from cells with three candidates or more, and
    /// from houses in which the first place is in such a cell.
    pub(super) fn run(&mut self, memory: &mut DynamicMemory) {
        let least = if self.rules.dynamic { 2 } else { 3 };
        let board = self.board;
        self.assume_all(memory);
        if self.proofs.max_complexity() == 0 {
            return;
        }
        for cell in (0..CELLS).filter(|&cell| board.candidates(cell).count_ones() >= least) {
            self.compare(Some(Via::Cell), &Cases::for_cell(board, cell), |from| {
                memory.consequences(from.candidate)
            });
            for digit in digits(board.candidates(cell)) {
                self.compare_houses(memory, cell, digit);
            }
        }
    }

    /// Compares the places of a digit in each house whose first place is this cell, so that each house is
    /// compared once.
    fn compare_houses(&mut self, memory: &DynamicMemory, cell: usize, digit: usize) {
        for kind in [2, 0, 1] {
            let house = houses_of(cell)[kind];
            if (self.board.cells_of(digit) & HOUSE[house]).first() == Some(cell) {
                let cases = Cases::for_house(self.board, house, digit);
                self.compare(Some(Via::House(kind as u8)), &cases, |from| {
                    memory.consequences(from.candidate)
                });
            }
        }
    }

    /// Assumes that each candidate is on. With dynamic rules, it also assumes that it is off, and finds
    /// contradictions and what follows from both.
    fn assume_all(&mut self, memory: &mut DynamicMemory) {
        let board = self.board;
        for (slot, (cell, digit)) in board.each_candidate().enumerate() {
            if self.proofs.max_complexity() == 0 {
                return;
            }
            let candidate = Candidate::new(cell, digit);
            memory.new_slot(slot, candidate);
            let candidates = board.candidates(cell).count_ones();
            self.assume(candidate.is(true), memory, slot);
            if self.rules.dynamic && candidates >= 2 {
                self.assume(candidate.is(false), memory, slot);
                if candidates >= 3 {
                    let cases = Cases::new([candidate.is(true), candidate.is(false)]);
                    let (on, off) = (&memory.found[slot], &*memory.without_slot);
                    self.compare(None, &cases, |from| if from.on { on } else { off });
                }
            }
        }
    }

    fn assume(&mut self, assumption: Statement, memory: &mut DynamicMemory, slot: usize) {
        let DynamicMemory { propagation, without_slot, found, .. } = memory;
        let found = if assumption.on { &mut found[slot] } else { &mut **without_slot };
        // Without nested chains, statements that rest on too many others may be left out at any time, because
        // the other statements do not depend on them.
        let most = if I::NESTED { self.max_complexity } else { self.proofs.max_complexity() };
        propagation.follow(self.board, assumption, self.rules, most, self.further, found);
        if let Some(conflict) = found.conflict.filter(|_| self.rules.dynamic) {
            self.prove(None, assumption.opposite(), conflict.complexity, &Cases::new([assumption]));
        }
    }

    /// Reports what follows from each of several assumptions, one of which must hold.
    fn compare<'f>(
        &mut self,
        via: Option<Via>,
        cases: &Cases,
        found: impl Fn(Statement) -> &'f Consequences + Copy,
    ) {
        let [first, rest @ ..] = cases.all() else { return };
        if rest.is_empty() {
            return;
        }
        for on in [true, false] {
            for digit in 0..9 {
                let of = |case: &Statement| found(*case).cells(digit, on);
                for cell in rest.iter().fold(of(first), |all, case| all & of(case)) {
                    self.prove_common(via, Candidate::new(cell, digit).is(on), cases, found);
                }
            }
        }
    }

    fn prove_common<'f>(
        &mut self,
        via: Option<Via>,
        target: Statement,
        assumed: &Cases,
        found: impl Fn(Statement) -> &'f Consequences,
    ) {
        let each = assumed.all().iter().map(|&from| found(from));
        let mut complexity = each.clone().map(|found| found.size(target)).sum::<u32>();
        if I::NESTED && complexity <= self.proofs.max_complexity() {
            let mut nested = Vec::new();
            each.for_each(|found| found.add_nested(target, &mut nested));
            complexity += nested.iter().map(|chain| chain.complexity).sum::<u32>();
        }
        self.prove(via, target, complexity, assumed);
    }

    fn prove(&mut self, via: Option<Via>, target: Statement, complexity: u32, assumed: &Cases) {
        let changes = !target.on || self.board.candidates(target.candidate.cell()).count_ones() >= 2;
        if changes && complexity <= self.proofs.max_complexity() {
            self.proofs.found(&Proof { target, complexity, assumed: *assumed, via });
        }
    }
}

/// The consequences of each candidate being on, and the memory to find them.
#[derive(Debug)]
pub(crate) struct DynamicMemory {
    /// Follows the current assumption.
    pub(super) propagation: Box<Propagation>,
    /// Consequences that have no slot: those of a candidate being off; after a search, those of the assumption that is
    /// followed again.
    pub(super) without_slot: Box<Consequences>,
    /// The consequences of each candidate being on, by slot.
    pub(super) found: Vec<Consequences>,
    /// For each candidate, its slot. Slots are numbered in the order of the candidates of a board, so that a
    /// board with few candidates needs little memory.
    slots: [u16; CANDIDATES],
}

impl Default for DynamicMemory {
    fn default() -> DynamicMemory {
        DynamicMemory {
            propagation: Propagation::boxed(),
            without_slot: Box::new(Consequences::NONE),
            found: Vec::new(),
            slots: [0; CANDIDATES],
        }
    }
}

impl DynamicMemory {
    /// Assigns a slot to a candidate.
    fn new_slot(&mut self, slot: usize, candidate: Candidate) {
        if slot == self.found.len() {
            self.found.push(Consequences::NONE);
        }
        self.slots[candidate.index()] = slot as u16;
    }

    /// The consequences of a candidate being on.
    pub(super) fn consequences(&self, candidate: Candidate) -> &Consequences {
        &self.found[usize::from(self.slots[candidate.index()])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::finder::{Deduction, Find, Pattern};

    /// A sink that keeps all deductions.
    #[derive(Default)]
    struct AllDeductions(Vec<(Deduction, Pattern)>);

    impl DeductionSink for AllDeductions {
        fn limit(&self) -> Rating {
            Rating::BEYOND
        }

        fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
            self.0.push((deduction.clone(), pattern()));
        }
    }

    impl AllDeductions {
        fn new(find: Find, state: &State) -> AllDeductions {
            let mut all = AllDeductions::default();
            find(state, &mut Scratch::default(), &mut all);
            all
        }

        /// The rating and the reason of the cheapest deduction that removes only this candidate.
        fn removing(&self, cell: usize, digit: usize) -> Option<(String, String)> {
            let removing = |(deduction, _): &&(Deduction, Pattern)| {
                deduction.removed.contains(cell, digit) && deduction.removed.len() == 1
            };
            let least = self.0.iter().filter(removing).min_by_key(|(deduction, _)| deduction.rating);
            least.map(|(deduction, pattern)| (deduction.rating.to_string(), pattern.reason.clone()))
        }
    }

    /// Creates a state in which a digit has only the given places in some houses.
    fn with_places(digit: usize, houses: &[(usize, &[usize])]) -> State {
        let mut state = State::BLANK;
        for &(house, cells) in houses {
            for cell in crate::logic::cells::HOUSE[house] {
                if !cells.contains(&cell) {
                    state.remove(cell, digit);
                }
            }
        }
        state
    }

    const fn at(row: usize, column: usize) -> usize {
        row * 9 + column - 10
    }

    #[test]
    fn nishio_finds_a_digit_that_would_be_forced_into_two_places_of_a_box() {
        // Row 4 has r4c1 and r4c5, column 6 has r1c6 and r5c6.
        let state = with_places(2, &[(3, &[at(4, 1), at(4, 5)]), (9 + 5, &[at(1, 6), at(5, 6)])]);
        let found = AllDeductions::new(find_nishio, &state);
        let reason = "if r1c1 is 3, then r4c5 would both be 3 and not be 3";
        assert_eq!(found.removing(at(1, 1), 2), Some(("7.6".into(), reason.into())));
        assert_eq!(found.removing(at(1, 2), 2), None);
    }

    #[test]
    fn nishio_finds_nothing_where_a_row_has_a_third_place() {
        let state = with_places(2, &[(3, &[at(4, 1), at(4, 5), at(4, 9)]), (9 + 5, &[at(1, 6), at(5, 6)])]);
        assert!(AllDeductions::new(find_nishio, &state).0.is_empty());
    }

    /// Creates a state in which some cells have only the digits of a mask.
    fn with_candidates(cells: &[(usize, u16)]) -> State {
        let mut state = State::BLANK;
        for &(cell, candidates) in cells {
            for digit in (0..9).filter(|digit| candidates >> digit & 1 == 0) {
                state.remove(cell, digit);
            }
        }
        state
    }

    /// 4 in r1c1 makes r5c1 1, r1c5 2 and r1c9 5, so that r5c9 is 3; then r5c5 has nothing left.
    const TWO_REMOVED_FROM_ONE_CELL: [(usize, u16); 5] = [
        (at(5, 5), 0b0111),
        (at(5, 1), 0b1001),
        (at(1, 5), 0b1010),
        (at(5, 9), 0b1_0100),
        (at(1, 9), 0b1_1000),
    ];

    #[test]
    fn dynamic_chains_use_a_cell_that_loses_its_candidates_one_by_one() {
        let found =
            AllDeductions::new(find::<NoFurtherEliminations>, &with_candidates(&TWO_REMOVED_FROM_ONE_CELL));
        let reason = "if r1c1 is 4, then r5c5 would both be 3 and not be 3";
        assert_eq!(found.removing(at(1, 1), 3), Some(("8.8".into(), reason.into())));
    }

    #[test]
    fn dynamic_chains_stop_at_a_cell_with_one_candidate_more() {
        let mut cells = TWO_REMOVED_FROM_ONE_CELL;
        cells[0].1 |= 1 << 5;
        assert_eq!(
            AllDeductions::new(find::<NoFurtherEliminations>, &with_candidates(&cells)).removing(at(1, 1), 3),
            None
        );
    }

    #[test]
    fn links_lead_from_the_assumption_to_the_conflict_without_a_gap() {
        let found =
            AllDeductions::new(find::<NoFurtherEliminations>, &with_candidates(&TWO_REMOVED_FROM_ONE_CELL));
        for (_, pattern) in &found.0 {
            for (index, link) in pattern.links.iter().enumerate() {
                let starts = pattern.links.iter().all(|other| other.to != link.from);
                assert!(starts || pattern.links[..index].iter().any(|before| before.to == link.from));
            }
        }
    }
}
