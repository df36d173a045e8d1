//! Deductions in words, and lines that fit.

use gridmill_core::logic::{CellSet, Deduction, Link, cell_name, cell_names, digit_name, digit_names};

use super::WIDTH;

/// Returns what a deduction does: `r4c5 is 7`, or `5 goes from r2c3 and r2c7`.
pub(super) fn result(deduction: &Deduction) -> String {
    if let Some((cell, digit)) = deduction.placed {
        return format!("{} is {}", cell_name(cell), digit_name(digit));
    }
    let mut parts: Vec<(Vec<usize>, CellSet)> = Vec::new();
    for digit in 0..9 {
        let cells = deduction.removed.cells(digit);
        match parts.iter_mut().find(|(_, others)| *others == cells) {
            Some((digits, _)) => digits.push(digit),
            None if !cells.is_empty() => parts.push((vec![digit], cells)),
            None => {}
        }
    }
    let words = |(index, (digits, cells)): (usize, (Vec<usize>, CellSet))| {
        let verb = if digits.len() == 1 { " goes" } else { " go" };
        let mask = digits.iter().fold(0, |mask, digit| mask | 1 << digit);
        format!("{}{} from {}", digit_names(mask), if index == 0 { verb } else { "" }, cell_names(cells))
    };
    parts.into_iter().enumerate().map(words).collect::<Vec<_>>().join("; ")
}

/// Returns the parts of a reason: its beginning, and each way on that it goes, `if r1c2 is 3, then ...`.
pub(super) fn ways(reason: &str) -> Vec<&str> {
    let mut ways = Vec::new();
    let mut rest = reason;
    while let Some(at) = [": if ", "; if "].iter().filter_map(|mark| rest.find(mark)).min() {
        ways.push(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    ways.push(rest);
    ways
}

/// Returns whether a reason goes along its chains in words.
pub(super) fn tells_chains(reason: &str) -> bool {
    reason.contains(", then ")
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
    use gridmill_core::logic::{CandidateSet, Rating, Technique};

    use super::*;

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
        removed.insert_all(6, removed.cells(4));
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "5 and 7 go from r2c3 and r2c7; 9 from r9c9"
        );
    }

    #[test]
    fn each_way_of_a_reason_is_a_part() {
        assert_eq!(ways("a pair, so nothing else"), ["a pair, so nothing else"]);
        assert_eq!(ways("if a, then b"), ["if a, then b"]);
        assert_eq!(
            ways("wherever: if a, then b; if c, then d"),
            ["wherever:", "if a, then b;", "if c, then d"]
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
