//! Forcing chains and cycles: implications from candidate to candidate.
//!
//! ```text
//!  r1c2 is 3 -> r1c5 is not 3 -> r4c5 is 3 -> r4c2 is not 3 -> r6c2 is 3 -> r1c2 is not 3: so r1c2 is not 3
//! ```
//!
//! A *statement* says that a candidate is true ("on") or false ("off"). A *weak link* leads from on to off:
//! between two candidates of a cell, or between two places of a digit in a house. A *strong link* leads from
//! off to on: between the only two candidates of a cell (Y), or between the only two places of a digit in a
//! house (X). Every link also holds backwards for the opposite statements. The *complexity* of a chain is the
//! number of its statements. The complexity of several chains is the sum.
//!
//! [`net::Net`] searches from all candidates at once, level by level, so the first path that it finds is a
//! shortest one. [`dynamic`] chains also remove candidates on the way.
//!
//! Source: Sudoku Explainer 1.2.1 and SukakuExplainer.

pub(super) mod dynamic;
mod eliminations;
pub(super) mod nested;
pub(super) mod net;
mod propagation;
pub(super) mod single;

use super::cells::{CandidateSet, CellSet, cell_names, digit_name, digit_names, group_name, house};
use super::finder::{GroupStatement, Link, Pattern};
use super::technique::Technique;

/// The largest length that adds at most `tenths` to a rating: 4, 6, 8, 12, 16, 24, 32, ... The length is the complexity less 2, as
/// Sudoku Explainer counts.
const fn max_length(tenths: usize) -> usize {
    let doubled = tenths / 2;
    if tenths.is_multiple_of(2) { 4 << doubled } else { 6 << doubled }
}

/// The tenths that a complexity adds to a rating.
pub(crate) const fn tenths_of(complexity: usize) -> u16 {
    let mut tenths = 0;
    while complexity > max_length(tenths) + 2 {
        tenths += 1;
    }
    tenths as u16
}

/// The highest complexity that adds at most `tenths` to a rating.
pub(crate) const fn max_complexity_for(tenths: u16) -> usize {
    max_length(tenths as usize) + 2
}

/// Creates the pattern of a chain from a statement to its opposite, of a cycle, or of several chains to the
/// same statement. Several chains start from all candidates of a cell, or from all places of a digit in
/// `house`.
pub(super) fn pattern(technique: Technique, house: Option<usize>, links: Vec<Link>) -> Pattern {
    let reason = reason(technique, house, &links);
    Pattern { houses: house.into_iter().collect(), candidates: candidates(&links), links, reason }
}

/// Creates the pattern of dynamic chains. Their last link leads to the conflict, or to the statement that all
/// of them prove.
pub(super) fn dynamic_pattern(links: Vec<Link>) -> Pattern {
    let reason = dynamic_reason(&links);
    Pattern { houses: Vec::new(), candidates: candidates(&links), links, reason }
}

/// All candidates of the links.
fn candidates(links: &[Link]) -> CandidateSet {
    let mut linked = CandidateSet::EMPTY;
    links
        .iter()
        .flat_map(|link| [link.from, link.to])
        .for_each(|node| linked.insert_all(node.digit, node.cells));
    linked
}

fn reason(technique: Technique, house: Option<usize>, links: &[Link]) -> String {
    let (Some(first), Some(last)) = (links.first(), links.last()) else {
        return String::new();
    };
    match technique {
        Technique::XCycle | Technique::YCycle | Technique::Cycle => format!(
            "{}: either all of this holds or none of it, and in both cases each removed candidate sees its digit in one of these cells",
            chain_sentence(links)
        ),
        Technique::CellChains | Technique::HouseChains => multiple_reason(house, links),
        _ => {
            let proved = if first.from.is_true { "can't be" } else { "must be" };
            let (cell, digit, chain) =
                (group_name(last.to.cells), digit_name(last.to.digit), chain_sentence(links));
            format!("{chain}, which is a contradiction, so {cell} {proved} {digit}")
        }
    }
}

/// Writes a statement, e.g. `r1c2 is 3` or `r1c2 is not 3`.
fn statement(GroupStatement { cells, digit, is_true }: GroupStatement) -> String {
    format!("{} is {}{}", group_name(cells), if is_true { "" } else { "not " }, digit_name(digit))
}

/// Writes a chain as a sentence, e.g. `if r1c2 is 3, then r1c5 is not 3, then ...`.
fn chain_sentence(links: &[Link]) -> String {
    let then: Vec<String> = links.iter().map(|link| format!(", then {}", statement(link.to))).collect();
    format!("if {}{}", statement(links[0].from), then.concat())
}

/// Writes the reason of chains from all places of a digit in a house, or from all candidates of a cell.
fn multiple_reason(in_house: Option<usize>, links: &[Link]) -> String {
    let chains: Vec<&[Link]> = links.chunk_by(|link, next| link.to == next.from).collect();
    let first = chains[0][0].from;
    let cases = if let Some(index) = in_house {
        format!("wherever {} is in {}", digit_name(first.digit), house(index))
    } else {
        let mask = chains.iter().fold(0, |mask, chain| mask | 1 << chain[0].from.digit);
        format!("whichever of {} is in {}", digit_names(mask), group_name(first.cells))
    };
    let each: Vec<String> = chains.iter().map(|chain| chain_sentence(chain)).collect();
    format!("{cases}, {}: {}", statement(links[links.len() - 1].to), each.join("; "))
}

/// Writes the reason of a deduction by dynamic chains. They start from one assumption, from a candidate on
/// and off, or from all candidates of a cell or of a digit in a house.
fn dynamic_reason(links: &[Link]) -> String {
    let Some(last) = links.last() else { return String::new() };
    let starts = starts(links);
    match starts[..] {
        [start] => {
            let (cell, digit) = (group_name(last.to.cells), digit_name(last.to.digit));
            format!("if {}, then {cell} would both be {digit} and not be {digit}", statement(start))
        }
        [one, other] if one == (GroupStatement { is_true: one.is_true, ..other }) => {
            format!(
                "whether or not {}, {}",
                statement(GroupStatement { is_true: true, ..one }),
                statement(last.to)
            )
        }
        _ => format!("{}: in each case {}", cases(&starts), statement(last.to)),
    }
}

/// The statements that no link leads to, in order. They are the assumptions.
fn starts(links: &[Link]) -> Vec<GroupStatement> {
    let mut starts: Vec<GroupStatement> = Vec::new();
    for link in links {
        if !starts.contains(&link.from) && links.iter().all(|other| other.to != link.from) {
            starts.push(link.from);
        }
    }
    starts
}

/// Writes the cases: the digits of a cell, or the cells of a digit.
fn cases(starts: &[GroupStatement]) -> String {
    let Some(first) = starts.first() else { return String::from("the chains meet") };
    if starts.iter().all(|start| start.cells == first.cells) {
        let mask = starts.iter().fold(0, |mask, start| mask | 1 << start.digit);
        return format!("{} is one of {}", group_name(first.cells), digit_names(mask));
    }
    let cells = starts.iter().fold(CellSet::EMPTY, |cells, start| cells | start.cells);
    format!("{} is in one of {}", digit_name(first.digit), cell_names(cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_added_above_the_lengths_4_6_8_12_16_and_24() {
        let added = |complexity| tenths_of(complexity);
        assert_eq!(
            [4, 6, 7, 8, 9, 10, 11, 14, 15, 18, 19, 26, 27].map(added),
            [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
        );
        assert!((0..12).all(|tenths| tenths_of(max_complexity_for(tenths)) == tenths
            && tenths_of(max_complexity_for(tenths) + 1) > tenths));
    }
}
