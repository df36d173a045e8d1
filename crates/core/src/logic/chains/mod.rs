//! Chains and cycles of implications, without intermediate eliminations.
//!
//! ```text
//!  r1c2 is 3 -> r1c5 is not 3 -> r4c5 is 3 -> r4c2 is not 3 -> r6c2 is 3 -> r1c2 is not 3: a chain to the contrary
//! ```
//!
//! A *statement* is that a candidate stands ("on") or does not stand ("off"). A *weak link* leads from on to off: two
//! candidates of a cell, or two places of a digit in a house. A *strong link* leads from off to on: the only two
//! candidates of a cell (Y), or the only two places of a digit in a house (X). Every link holds in the other direction
//! for the contrary statements. The *complexity* of a chain is how many statements it has; of several chains, the sum.
//!
//! [`net::Net`] searches from all candidates at once, level by level, so that a way that is found is a shortest one.
//!
//! Source: Sudoku Explainer 1.2.1 and SukakuExplainer.

pub(super) mod dynamic;
mod implications;
pub(super) mod nested;
pub(super) mod net;
mod propagation;
pub(super) mod single;

use super::cells::{CandidateSet, CellSet, cell_names, digit_name, digit_names, group_name, house};
use super::finder::{Link, Node, Pattern};
use super::technique::Technique;

/// Returns the number of links up to which no more than so many tenths are added: 4, 6, 8, 12, 16, 24, 32, ...
const fn links(tenths: usize) -> usize {
    let doubled = tenths / 2;
    if tenths.is_multiple_of(2) { 4 << doubled } else { 6 << doubled }
}

/// Returns the tenths that a complexity adds to a rating.
pub(crate) const fn tenths_of(complexity: usize) -> u16 {
    let mut tenths = 0;
    while complexity > links(tenths) + 2 {
        tenths += 1;
    }
    tenths as u16
}

/// Returns the highest complexity that adds no more than so many tenths.
pub(crate) const fn longest(tenths: u16) -> usize {
    links(tenths as usize) + 2
}

/// Returns the pattern of chains or cycles: of one from a statement to its contrary, or of one from each candidate of a
/// cell, or from each place of a digit in a house, to the same statement.
pub(super) fn pattern(technique: Technique, house: Option<usize>, links: Vec<Link>) -> Pattern {
    let reason = reason(technique, house, &links);
    Pattern { houses: house.into_iter().collect(), candidates: candidates(&links), links, reason }
}

/// Returns the pattern of dynamic chains whose last link leads to what they have in common: a conflict or a conclusion.
pub(super) fn dynamic_pattern(links: Vec<Link>) -> Pattern {
    let reason = dynamic_reason(&links);
    Pattern { houses: Vec::new(), candidates: candidates(&links), links, reason }
}

/// Returns the candidates that are linked.
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
            "{}: all of this holds or none of it, and either way what goes sees its digit in one of these cells",
            implied(links)
        ),
        Technique::CellChains | Technique::HouseChains => several(house, links),
        _ => {
            let proved = if first.from.stands { "cannot be" } else { "must be" };
            let (cell, digit, chain) = (group_name(last.to.cells), digit_name(last.to.digit), implied(links));
            format!("{chain}, which is a contradiction, so {cell} {proved} {digit}")
        }
    }
}

/// Returns `r1c2 is 3` or `r1c2 is not 3`.
fn statement(Node { cells, digit, stands }: Node) -> String {
    format!("{} is {}{}", group_name(cells), if stands { "" } else { "not " }, digit_name(digit))
}

/// Returns a chain as a sentence: `if r1c2 is 3, then r1c5 is not 3, then ...`.
fn implied(links: &[Link]) -> String {
    let then: Vec<String> = links.iter().map(|link| format!(", then {}", statement(link.to))).collect();
    format!("if {}{}", statement(links[0].from), then.concat())
}

/// Returns the reason of chains from all places of a digit in a house, or from all candidates of a cell.
fn several(in_house: Option<usize>, links: &[Link]) -> String {
    let chains: Vec<&[Link]> = links.chunk_by(|link, next| link.to == next.from).collect();
    let first = chains[0][0].from;
    let cases = if let Some(index) = in_house {
        format!("wherever {} stands in {}", digit_name(first.digit), house(index))
    } else {
        let mask = chains.iter().fold(0, |mask, chain| mask | 1 << chain[0].from.digit);
        format!("whichever of {} stands in {}", digit_names(mask), group_name(first.cells))
    };
    let each: Vec<String> = chains.iter().map(|chain| implied(chain)).collect();
    format!("{cases}, {}: {}", statement(links[links.len() - 1].to), each.join("; "))
}

/// Returns the reason of a deduction by dynamic chains that start from one assumption, from a candidate on and off, or
/// from all candidates of a cell or of a digit in a house.
fn dynamic_reason(links: &[Link]) -> String {
    let Some(last) = links.last() else { return String::new() };
    let starts = starts(links);
    match starts[..] {
        [start] => {
            let (cell, digit) = (group_name(last.to.cells), digit_name(last.to.digit));
            format!("if {}, then {cell} would be {digit} and not be {digit}", statement(start))
        }
        [one, other] if one == (Node { stands: one.stands, ..other }) => {
            format!("whether or not {}, {}", statement(Node { stands: true, ..one }), statement(last.to))
        }
        _ => format!("{}: in each case {}", cases(&starts), statement(last.to)),
    }
}

/// Returns the statements that follow from none, in order.
fn starts(links: &[Link]) -> Vec<Node> {
    let mut starts: Vec<Node> = Vec::new();
    for link in links {
        if !starts.contains(&link.from) && links.iter().all(|other| other.to != link.from) {
            starts.push(link.from);
        }
    }
    starts
}

/// Returns the cases: the digits of a cell, or the cells of a digit.
fn cases(starts: &[Node]) -> String {
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
    fn a_tenth_is_added_above_4_6_8_12_16_and_24_links() {
        let added = |complexity| tenths_of(complexity);
        assert_eq!(
            [4, 6, 7, 8, 9, 10, 11, 14, 15, 18, 19, 26, 27].map(added),
            [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
        );
        assert!((0..12).all(|tenths| tenths_of(longest(tenths)) == tenths && tenths_of(longest(tenths) + 1) > tenths));
    }
}
