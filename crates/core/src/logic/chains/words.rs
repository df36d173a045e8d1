//! The reasons of chains, from their links alone: links with other coordinates give another reason that is true.

use crate::logic::deduction::{Link, Pattern};
use crate::logic::houses::house;
use crate::logic::state::digits;
use crate::logic::technique::Technique;
use crate::logic::words::{cell_name, digit_name, listed};

/// Cell, digit (from 0), and whether it stands there.
pub(super) type Statement = (usize, usize, bool);

/// Returns the reason of a deduction by chains or cycles, from the houses and the links of its pattern.
pub(crate) fn reason(technique: Technique, pattern: &Pattern) -> String {
    let links = &pattern.links;
    let (Some(first), Some(last)) = (links.first(), links.last()) else {
        return String::new();
    };
    match technique {
        Technique::XCycle | Technique::YCycle | Technique::Cycle => cycle(links),
        Technique::CellChains | Technique::HouseChains => several(technique, pattern, last.to),
        _ => format!("{}, which is a contradiction, so {}", implied(links), said(last.to, first.from.2)),
    }
}

/// Returns `r1c2 is 3` or `r1c2 is not 3`.
pub(super) fn statement((cell, digit, on): Statement) -> String {
    format!("{} is {}{}", cell_name(cell), if on { "" } else { "not " }, digit_name(digit))
}

/// Returns a statement that has been proved, against the assumption that it is off or on.
fn said((cell, digit, _): Statement, assumed_on: bool) -> String {
    format!("{} {} {}", cell_name(cell), if assumed_on { "cannot be" } else { "must be" }, digit_name(digit))
}

/// Returns a chain as a sentence: `if r1c2 is 3, then r1c5 is not 3, then ...`.
fn implied(links: &[Link]) -> String {
    let then: Vec<String> = links.iter().map(|link| format!(", then {}", statement(link.to))).collect();
    format!("if {}{}", statement(links[0].from), then.concat())
}

fn cycle(links: &[Link]) -> String {
    format!(
        "{}: all of this holds or none of it, and either way what goes sees its digit in one of these cells",
        implied(links)
    )
}

fn several(technique: Technique, pattern: &Pattern, goal: Statement) -> String {
    let chains: Vec<&[Link]> = pattern.links.chunk_by(|link, next| link.to == next.from).collect();
    let (cell, digit, _) = chains[0][0].from;
    let cases = match (technique, pattern.houses.first()) {
        (Technique::HouseChains, Some(&index)) => {
            format!("wherever {} stands in {}", digit_name(digit), house(index))
        }
        _ => {
            let mask = chains.iter().fold(0, |mask, chain| mask | 1 << chain[0].from.1);
            let names = digits(mask).map(|digit| digit_name(digit).to_string()).collect();
            format!("whichever of {} stands in {}", listed(names), cell_name(cell))
        }
    };
    let each: Vec<String> = chains.iter().map(|chain| implied(chain)).collect();
    format!("{cases}, {}: {}", statement(goal), each.join("; "))
}
