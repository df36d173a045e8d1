//! The reasons of dynamic chains, from their links alone: links with other coordinates give another reason that is true.

use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::chains::words::{Statement, statement};
use crate::logic::deduction::{Link, Pattern};
use crate::logic::words::{cell_name, cell_names, digit_name, digit_names};

/// Returns the pattern of chains whose last link leads to what they have in common: a conflict or a conclusion.
pub(super) fn pattern(links: Vec<Link>) -> Pattern {
    let mut candidates = CandidateSet::EMPTY;
    for (cell, digit, _) in links.iter().flat_map(|link| [link.from, link.to]) {
        candidates.insert(cell, digit);
    }
    let reason = reason(&links);
    Pattern { candidates, links, reason, ..Pattern::default() }
}

/// Returns the reason of a deduction by chains that start from one assumption, from a candidate on and off, or from all
/// candidates of a cell or of a digit in a house.
pub(crate) fn reason(links: &[Link]) -> String {
    let Some(last) = links.last() else { return String::new() };
    let starts = starts(links);
    match starts[..] {
        [start] => format!("if {}, then {}", statement(start), conflict(last.to)),
        [(cell, digit, _), (other, also, _)] if (cell, digit) == (other, also) => {
            format!("whether or not {}, {}", statement((cell, digit, true)), statement(last.to))
        }
        _ => format!("{}: in each case {}", cases(&starts), statement(last.to)),
    }
}

/// Returns the statements that follow from none, in order.
fn starts(links: &[Link]) -> Vec<Statement> {
    let mut starts: Vec<Statement> = Vec::new();
    for link in links {
        if !starts.contains(&link.from) && links.iter().all(|other| other.to != link.from) {
            starts.push(link.from);
        }
    }
    starts
}

/// Returns `r1c2 would be 3 and not be 3`.
fn conflict((cell, digit, _): Statement) -> String {
    let digit = digit_name(digit);
    format!("{} would be {digit} and not be {digit}", cell_name(cell))
}

/// Returns the cases: the digits of a cell, or the cells of a digit.
fn cases(starts: &[Statement]) -> String {
    let Some(&(cell, digit, _)) = starts.first() else { return String::from("the chains meet") };
    if starts.iter().all(|start| start.0 == cell) {
        let mask = starts.iter().fold(0, |mask, start| mask | 1 << start.1);
        return format!("{} is one of {}", cell_name(cell), digit_names(mask));
    }
    let cells: CellSet = starts.iter().map(|start| start.0).collect();
    format!("{} is in one of {}", digit_name(digit), cell_names(cells))
}
