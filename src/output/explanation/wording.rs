//! Deductions in words, and lines that fit.

use super::WIDTH;
use crate::logic::{Deduction, Link, cell_name, cell_names, digit_name};

/// Returns what a deduction does: `r4c5 is 7`, or `5 goes from r2c3 and r2c7`.
pub(super) fn result(deduction: &Deduction) -> String {
    if let Some((cell, digit)) = deduction.placed {
        return format!("{} is {}", cell_name(cell), digit_name(digit));
    }
    let digits = (0..9).filter(|&digit| !deduction.removed.cells(digit).is_empty());
    let parts: Vec<String> = digits
        .enumerate()
        .map(|(index, digit)| {
            let goes = if index == 0 { " goes" } else { "" };
            format!("{}{goes} from {}", digit_name(digit), cell_names(deduction.removed.cells(digit)))
        })
        .collect();
    parts.join("; ")
}

/// Returns chains of links, a text for each: `r1c2=3 -> r1c5<>3 -> r1c5=7`.
pub(super) fn chains(links: &[Link]) -> Vec<String> {
    let mut chains: Vec<String> = Vec::new();
    let mut last = None;
    for link in links {
        match chains.last_mut() {
            Some(chain) if last == Some(link.from) => chain.push_str(&format!(" -> {}", statement(link.to))),
            _ => chains.push(format!("{} -> {}", statement(link.from), statement(link.to))),
        }
        last = Some(link.to);
    }
    chains
}

/// Returns a statement about a cell: that a digit stands there, or not.
fn statement((cell, digit, stands): (usize, usize, bool)) -> String {
    format!("{}{}{}", cell_name(cell), if stands { "=" } else { "<>" }, digit_name(digit))
}

/// Appends a text behind a first indent, and breaks it into lines that fit, with another indent in front of the others.
pub(super) fn wrap(first: &str, rest: &str, text: &str, out: &mut String) {
    let (mut column, mut indent) = (0, first);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            (column, indent) = (0, rest);
        }
        let lead = if column == 0 { indent } else { " " };
        out.push_str(lead);
        out.push_str(word);
        column += lead.chars().count() + width;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::{CandidateSet, CellSet, Rating, Technique};

    #[test]
    fn results_name_cells_and_digits() {
        let rating = Rating::tenths(30);
        let placed = Deduction::place(Technique::NakedSingle, rating, 31, 6);
        assert_eq!(result(&placed), "r4c5 is 7");
        let mut removed = CandidateSet::of(4, [11, 15].into_iter().collect());
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "5 goes from r2c3 and r2c7"
        );
        removed.insert_all(8, CellSet::of(80));
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "5 goes from r2c3 and r2c7; 9 from r9c9"
        );
    }

    #[test]
    fn links_that_follow_each_other_are_a_chain() {
        let link = |from, to| Link { from, to };
        let (a, b, c) = ((1, 2, true), (4, 2, false), (4, 6, true));
        assert_eq!(
            chains(&[link(a, b), link(b, c), link(a, c)]),
            ["r1c2=3 -> r1c5<>3 -> r1c5=7", "r1c2=3 -> r1c5=7"]
        );
    }

    #[test]
    fn lines_fit_and_no_word_is_lost() {
        let text = "r1c1, ".repeat(40);
        let mut out = String::new();
        wrap("- ", "  ", &text, &mut out);
        assert!(out.lines().count() > 2 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
        assert!(out.lines().skip(1).all(|line| line.starts_with("  r1c1,")), "{out}");
        assert_eq!(out.matches("r1c1,").count(), 40);
    }
}
