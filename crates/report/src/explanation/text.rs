//! Explanations and hints as text, in lines of up to 80 columns, with grids of candidates. Important
//! candidates are coloured.

use std::collections::BTreeSet;

use console::Style;
use gridmill_core::grid::CELLS;
use gridmill_core::logic::{
    CandidateSet, CellSet, Deduction, ExplainedRound, Explanation, ExplanationEnd, GroupStatement, Link,
    PuzzleRating, Rating, State, Step, Technique, TechniqueSet, cell_name, cell_names, digit_name,
    group_name,
};

use super::{GridChoice, WIDTH};
use crate::put;

/// How explanations are written for people.
#[derive(Clone, Copy, Debug)]
pub struct ExplanationStyle {
    /// The scale of ratings, with its version.
    pub scale: &'static str,
    /// When a grid is shown.
    pub grid: GridChoice,
    /// Whether important candidates are coloured.
    pub colours: bool,
    /// Whether singles get their reasons. Otherwise only cell and digit are given.
    pub reasons: bool,
}

impl ExplanationStyle {
    /// Writes an explanation.
    pub fn explanation(&self, explanation: &Explanation) -> String {
        let mut out = String::new();
        for (index, round) in explanation.rounds.iter().enumerate() {
            let is_easy = is_of_singles(round);
            let wants_grid = self.grid == GridChoice::Every || self.grid == GridChoice::Auto && !is_easy;
            if self.grid == GridChoice::Auto && index == 0 && is_easy {
                out.push_str(&candidate_grid(&round.before, &Highlight::default(), self.colours));
            }
            let is_line = |round: &ExplainedRound| self.is_compact(round) && self.grid != GridChoice::Every;
            if index > 0 && !(is_line(round) && is_line(&explanation.rounds[index - 1])) {
                out.push('\n');
            }
            self.round(round, wants_grid, &mut out);
        }
        self.end(explanation, &mut out);
        out
    }

    /// Writes the next step of a round, or with `all` each of its steps. If there is no step, writes that.
    pub fn hint(&self, explanation: &Explanation, all: bool) -> String {
        let Some(round) = explanation.rounds.first() else {
            if explanation.end == ExplanationEnd::Solved {
                return "every cell has its digit\n".to_owned();
            }
            return format!("no technique finds a step ({})\n{}", self.scale(), self.plain_grid(explanation));
        };
        let groups = grouped(&round.steps);
        let shown = if all { &groups[..] } else { &groups[..1] };
        let techniques = match all {
            true => technique_names(round.techniques),
            false => groups[0].0.deduction.technique.words().to_owned(),
        };
        let mut out = self.bold(&format!("{techniques}, {}", self.rated(round.rating)));
        out.push('\n');
        if self.grid != GridChoice::Never {
            let highlight = Highlight::from_steps(shown.iter().map(|(step, _)| *step));
            out.push_str(&candidate_grid(&round.before, &highlight, self.colours));
        }
        shown.iter().for_each(|group| step(group, &mut out));
        match groups.len() - shown.len() {
            0 => {}
            1 => put(&mut out, format_args!("1 other deduction has this rating\n")),
            others => {
                put(&mut out, format_args!("{others} other deductions have this rating\n"));
            }
        }
        out
    }

    /// Draws the candidates at the end, if grids are wanted.
    fn plain_grid(&self, explanation: &Explanation) -> String {
        match self.grid {
            GridChoice::Never => String::new(),
            _ => candidate_grid(&explanation.state, &Highlight::default(), false),
        }
    }

    /// Returns whether a round is written on one line.
    fn is_compact(&self, round: &ExplainedRound) -> bool {
        !self.reasons && is_of_singles(round)
    }

    fn round(&self, round: &ExplainedRound, grid: bool, out: &mut String) {
        let ExplainedRound { number, rating, techniques, .. } = round;
        let heading = format!("round {number}, {rating}: {}", technique_names(*techniques));
        let compact = self.is_compact(round);
        if !compact || grid {
            put(out, format_args!("{}\n", self.bold(&heading)));
        }
        if grid {
            let highlight = Highlight::from_steps(&round.steps);
            out.push_str(&candidate_grid(&round.before, &highlight, self.colours));
        }
        match (compact, grid) {
            (true, true) => wrap("", "  ", &placements(&round.steps), out),
            (true, false) => wrap("", "  ", &format!("{heading}: {}", placements(&round.steps)), out),
            _ => grouped(&round.steps).iter().for_each(|group| step(group, out)),
        }
    }

    fn end(&self, explanation: &Explanation, out: &mut String) {
        let rounds = explanation.rounds.len();
        let done = format!("{rounds} round{}", if rounds == 1 { "" } else { "s" });
        let text = match explanation.end {
            ExplanationEnd::Solved if rounds == 0 => "every cell has its digit".to_owned(),
            ExplanationEnd::Solved => format!("solved in {done}: {}", self.rating(&explanation.rating)),
            ExplanationEnd::AfterRound => {
                format!("stopped after {done}: so far {}", self.rating(&explanation.rating))
            }
            ExplanationEnd::AboveRating(limit) => {
                format!("stopped after {done}: the next step is above {}", self.rated(limit))
            }
            ExplanationEnd::BeyondTechniques | ExplanationEnd::Contradiction => {
                let least = self.rated(explanation.rating.er.max(Rating::LEAST));
                format!("not solved, no technique finds a step after {done}: at least {least}")
            }
        };
        out.push('\n');
        wrap("", "  ", &text, out);
        out.push_str(&self.plain_grid(explanation));
    }

    /// Writes the three ratings of a puzzle, with the scale.
    fn rating(&self, rating: &PuzzleRating) -> String {
        let or_none = |rating: Option<Rating>| rating.map_or("-".to_owned(), |rating| rating.to_string());
        let (ep, ed) = (or_none(rating.ep), or_none(rating.ed));
        format!("ER {}, EP {ep}, ED {ed} ({})", rating.er, self.scale())
    }

    /// Writes a rating with the scale.
    fn rated(&self, rating: Rating) -> String {
        format!("{rating} ({})", self.scale())
    }

    /// Writes the scale with its version.
    fn scale(&self) -> String {
        format!("scale {}", self.scale)
    }

    fn bold(&self, text: &str) -> String {
        Style::new().bold().force_styling(self.colours).apply_to(text).to_string()
    }
}

/// Returns whether a round has only singles, which people see without a reason.
fn is_of_singles(round: &ExplainedRound) -> bool {
    use Technique::{HiddenSingleBox, HiddenSingleLine, LastCell, NakedSingle};
    let singles = [LastCell, HiddenSingleBox, HiddenSingleLine, NakedSingle];
    round.techniques.iter().all(|technique| singles.contains(&technique))
}

/// Groups steps by their results: the first step of each result, and how many others have the same.
fn grouped(steps: &[Step]) -> Vec<(&Step, usize)> {
    let mut groups: Vec<(&Step, usize)> = Vec::new();
    for step in steps {
        let same = groups.iter_mut().find(|(first, _)| {
            let (first, step) = (&first.deduction, &step.deduction);
            first.placed == step.placed && (step.placed.is_some() || first.removed == step.removed)
        });
        match same {
            Some((_, others)) => *others += 1,
            None => groups.push((step, 0)),
        }
    }
    groups
}

/// Appends the reason and the result of a step.
fn step((step, others): &(&Step, usize), out: &mut String) {
    let reason = &step.pattern.reason;
    for (index, way) in ways(reason).into_iter().enumerate() {
        if index == 0 { wrap("- ", "  ", way, out) } else { wrap("    ", "      ", way, out) }
    }
    // A reason that describes its chains in words does not need them again.
    if !reason.contains(", then ") {
        chains(&step.pattern.links).iter().for_each(|chain| wrap("    ", "      ", chain, out));
    }
    let others = match others {
        0 => String::new(),
        1 => " (1 other pattern shows this too)".to_owned(),
        _ => format!(" ({others} other patterns show this too)"),
    };
    wrap("  ", "  ", &format!("so {}{others}", result(&step.deduction)), out);
}

/// Lists the placements of steps in reading order without repetition, e.g. `r1c3=4, r2c2=7`.
fn placements(steps: &[Step]) -> String {
    let placed: BTreeSet<(usize, usize)> = steps.iter().filter_map(|step| step.deduction.placed).collect();
    let names = placed.iter().map(|&(cell, digit)| format!("{}={}", cell_name(cell), digit_name(digit)));
    names.collect::<Vec<_>>().join(", ")
}

fn technique_names(techniques: TechniqueSet) -> String {
    techniques.iter().map(Technique::words).collect::<Vec<_>>().join(", ")
}

/// Describes the result of a deduction, e.g. `r4c5 is 7`, or `r2c3 and r2c7 can't be 5`.
fn result(deduction: &Deduction) -> String {
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
    let words = |(digits, cells): (Vec<usize>, CellSet)| {
        let digits: Vec<String> = digits.iter().map(|&digit| digit_name(digit).to_string()).collect();
        let (last, others) = digits.split_last().expect("each part has a digit");
        let others = if others.is_empty() { String::new() } else { others.join(", ") + " or " };
        format!("{} can't be {others}{last}", cell_names(cells))
    };
    parts.into_iter().map(words).collect::<Vec<_>>().join("; ")
}

/// Splits a reason at its cases: its beginning, and each case such as `if r1c2 is 3, then ...`.
fn ways(reason: &str) -> Vec<&str> {
    let mut ways = Vec::new();
    let mut rest = reason;
    while let Some(at) = [": if ", "; if "].iter().filter_map(|mark| rest.find(mark)).min() {
        ways.push(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    ways.push(rest);
    ways
}

/// Joins links to chains, e.g. `r1c2=3 -> r1c5<>3 -> r1c5=7`.
fn chains(links: &[Link]) -> Vec<String> {
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

/// Writes a node of a chain, e.g. `r1c2=3`, or `r9c13<>7` for a digit that is in neither of two cells.
fn statement(GroupStatement { cells, digit, is_true }: GroupStatement) -> String {
    format!("{}{}{}", group_name(cells), if is_true { "=" } else { "<>" }, digit_name(digit))
}

/// Appends a text in lines that fit. The first line is indented by `first`, the others by `rest`.
fn wrap(first: &str, rest: &str, text: &str, out: &mut String) {
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

const SIDE: usize = 9;

/// The candidates that are coloured.
#[derive(Clone, Copy, Debug, Default)]
struct Highlight {
    /// Candidates that form the patterns.
    pattern: CandidateSet,
    /// Candidates that are removed.
    removed: CandidateSet,
    /// Candidates that are placed.
    placed: CandidateSet,
}

impl Highlight {
    /// Collects the candidates of some steps.
    fn from_steps<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Highlight {
        let mut highlight = Highlight::default();
        for step in steps {
            highlight.pattern.unite(&step.pattern.candidates);
            highlight.removed.unite(&step.deduction.removed);
            if let Some((cell, digit)) = step.deduction.placed {
                highlight.placed.insert(cell, digit);
            }
        }
        highlight
    }

    /// The style of a candidate.
    fn style(&self, cell: usize, digit: usize) -> Style {
        let style = Style::new();
        if self.placed.contains(cell, digit) {
            style.green().bold().underlined()
        } else if self.removed.contains(cell, digit) {
            style.red().bold()
        } else if self.pattern.contains(cell, digit) {
            style.green().bold()
        } else {
            style
        }
    }
}

/// Draws a framed grid of the candidates of a state, with a line end after each line. Each row of cells is
/// one line, or three lines if that would be too wide.
fn candidate_grid(state: &State, highlight: &Highlight, colours: bool) -> String {
    let painter = Painter { state, highlight, colours };
    let widths: [usize; SIDE] = std::array::from_fn(|column| painter.width(column));
    let is_narrow = border(&widths).trim_end().len() <= WIDTH;
    if is_narrow { painter.grid(&widths, 1) } else { painter.grid(&[3; SIDE], 3) }
}

/// Draws a line between bands, for columns of these widths.
fn border(widths: &[usize; SIDE]) -> String {
    let of_stack = |widths: &[usize]| {
        let width = 1 + widths.iter().map(|width| width + 1).sum::<usize>();
        format!("+{}", "-".repeat(width))
    };
    widths.chunks(3).map(of_stack).collect::<String>() + "+\n"
}

struct Painter<'a> {
    state: &'a State,
    highlight: &'a Highlight,
    colours: bool,
}

impl Painter<'_> {
    /// The width of a column: the length of its longest cell.
    fn width(&self, column: usize) -> usize {
        let cells = (column..CELLS).step_by(SIDE);
        cells.map(|cell| self.state.candidates(cell).count_ones().max(1) as usize).max().unwrap_or(1)
    }

    /// Draws a grid with one line for each row of cells, or with three, where each candidate has its own
    /// place.
    fn grid(&self, widths: &[usize; SIDE], lines: usize) -> String {
        let (border, mut out) = (border(widths), String::new());
        for row in 0..SIDE {
            match row % 3 {
                0 => out.push_str(&border),
                _ if lines > 1 => out.push_str(&border.replace('+', "|").replace('-', " ")),
                _ => {}
            }
            for line in 0..lines {
                for column in 0..SIDE {
                    out.push_str(if column % 3 == 0 { "| " } else { "" });
                    let cell = row * SIDE + column;
                    let written = match lines {
                        1 => self.cell(cell, &mut out),
                        _ => self.places(cell, 3 * line, &mut out),
                    };
                    out.extend(std::iter::repeat_n(' ', widths[column] - written + 1));
                }
                out.push_str("|\n");
            }
        }
        out + &border
    }

    /// Appends a cell: its digit, or its candidates. Returns the number of characters.
    fn cell(&self, cell: usize, out: &mut String) -> usize {
        if let Some(digit) = self.state.value(cell) {
            out.push_str(&digit.to_string());
            return 1;
        }
        let digits: Vec<usize> = (0..SIDE).filter(|&digit| self.state.has(cell, digit)).collect();
        digits.iter().for_each(|&digit| self.candidate(cell, digit, out));
        digits.len()
    }

    /// Appends one of the three lines of a cell: candidates in their places, or the digit in the middle of
    /// the nine places. Returns the number of characters.
    fn places(&self, cell: usize, first: usize, out: &mut String) -> usize {
        for place in first..first + 3 {
            match self.state.value(cell) {
                Some(digit) if place == 4 => out.push_str(&digit.to_string()),
                None if self.state.has(cell, place) => self.candidate(cell, place, out),
                None => out.push('.'),
                Some(_) => out.push(' '),
            }
        }
        3
    }

    /// Appends a candidate in its style.
    fn candidate(&self, cell: usize, digit: usize, out: &mut String) {
        let style = self.highlight.style(cell, digit).force_styling(self.colours);
        out.push_str(&style.apply_to(digit + 1).to_string());
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;
    use gridmill_core::logic::{CandidateSet, Deduction, DeductionSink, Link, Pattern, Round};

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const TEXT: ExplanationStyle =
        ExplanationStyle { scale: "se-1", grid: GridChoice::Auto, colours: false, reasons: false };

    fn removal(technique: Technique, reason: &str, removed: CandidateSet, links: Vec<Link>) -> Step {
        let deduction = Deduction::remove(technique, Rating::tenths(40), removed);
        Step { deduction, pattern: Pattern { reason: reason.to_owned(), links, ..Pattern::default() } }
    }

    fn placement(cell: usize, digit: usize) -> Step {
        let deduction = Deduction::place(Technique::NakedSingle, Rating::tenths(23), cell, digit);
        let reason = format!("{} can only be {}", cell_name(cell), digit + 1);
        Step { deduction, pattern: Pattern { reason, ..Pattern::default() } }
    }

    /// Makes an explanation of some rounds, which all start from the same state.
    fn explained(rounds: Vec<Vec<Step>>, end: ExplanationEnd) -> Explanation {
        let state = State::from_puzzle(&EASY.parse::<Puzzle>().unwrap());
        let explained = |(number, steps): (u32, Vec<Step>)| {
            let mut round = Round::with_limit(Rating::BEYOND);
            steps.iter().for_each(|step| round.found(&step.deduction, &Pattern::default));
            let Round { rating, techniques, .. } = round;
            ExplainedRound { number, before: state.clone(), rating, techniques, steps }
        };
        let rounds = (1..).zip(rounds).map(explained).collect();
        Explanation { rounds, state: state.clone(), rating: PuzzleRating::NONE, end }
    }

    fn two_kinds() -> Vec<Step> {
        let five = CandidateSet::for_digit(4, [11, 15].into_iter().collect());
        let six = CandidateSet::for_digit(5, [3].into_iter().collect());
        let node = |digit, is_true| GroupStatement { cells: CellSet::from_cell(3), digit, is_true };
        let links = vec![Link { from: node(5, true), to: node(1, false) }];
        vec![
            removal(Technique::TurbotFish, "a fish", five, links),
            removal(Technique::HiddenTriplet, "three digits", six, Vec::new()),
            removal(Technique::TurbotFish, "another fish", five, Vec::new()),
        ]
    }

    #[test]
    fn an_explanation_that_is_stuck_has_a_lower_bound_of_its_rating() {
        let mut json = Vec::new();
        let explanation = explained(vec![two_kinds()], ExplanationEnd::BeyondTechniques);
        super::super::explanation_json(&explanation, "se-1", &mut json);
        let object: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!((&object["end"], object["at_least"].as_f64()), (&"stuck".into(), Some(1.0)));
    }

    #[test]
    fn a_round_of_singles_is_one_line_and_others_have_reasons() {
        let singles = vec![placement(40, 4), placement(2, 0), placement(40, 4)];
        let text = TEXT.explanation(&explained(vec![singles, two_kinds()], ExplanationEnd::BeyondTechniques));
        let parts: Vec<&str> = text.lines().filter(|line| !line.starts_with(['|', '+'])).collect();
        assert_eq!(
            parts,
            [
                "round 1, 2.3: naked single: r1c3=1, r5c5=5",
                "",
                "round 2, 4.0: hidden triplet, turbot fish",
                "- a fish",
                "    r1c4=6 -> r1c4<>2",
                "  so r2c3 and r2c7 can't be 5 (1 other pattern shows this too)",
                "- three digits",
                "  so r1c4 can't be 6",
                "",
                "not solved, no technique finds a step after 2 rounds: at least 1.0 (scale se-1)",
            ]
        );
        // At the start, before the second round, and at the end.
        assert_eq!(text.lines().filter(|line| line.starts_with("| 5   3 ")).count(), 3, "{text}");
    }

    #[test]
    fn grids_are_shown_as_chosen() {
        let grids = |grid, reasons| {
            let rounds = vec![vec![placement(40, 4)], two_kinds(), vec![placement(40, 4)]];
            let text = ExplanationStyle { grid, reasons, ..TEXT };
            let text = text.explanation(&explained(rounds, ExplanationEnd::AfterRound));
            text.lines().filter(|line| line.starts_with("| 5 ")).count()
        };
        assert_eq!(grids(GridChoice::Auto, false), 3);
        assert_eq!(grids(GridChoice::Auto, true), 3);
        assert_eq!(grids(GridChoice::Every, false), 4);
        assert_eq!(grids(GridChoice::Never, false), 0);
        assert_eq!(grids(GridChoice::Never, true), 0);
    }

    #[test]
    fn a_hint_is_the_first_deduction_or_all_of_them() {
        let explanation = explained(vec![two_kinds()], ExplanationEnd::AfterRound);
        let text = ExplanationStyle { grid: GridChoice::Never, ..TEXT };
        assert_eq!(
            text.hint(&explanation, false),
            "turbot fish, 4.0 (scale se-1)\n- a fish\n    r1c4=6 -> r1c4<>2\n  so r2c3 and r2c7 can't be 5 (1 \
             other pattern shows this too)\n1 other deduction has this rating\n"
        );
        let all = text.hint(&explanation, true);
        assert!(
            all.starts_with("hidden triplet, turbot fish, 4.0") && !all.contains("other deduction"),
            "{all}"
        );
        assert!(all.ends_with("- three digits\n  so r1c4 can't be 6\n"), "{all}");
    }

    #[test]
    fn a_hint_without_a_step_shows_the_state() {
        let hint = TEXT.hint(&explained(Vec::new(), ExplanationEnd::BeyondTechniques), false);
        assert!(hint.starts_with("no technique finds a step (scale se-1)\n+---"), "{hint}");
        assert!(!hint.contains("at least") && hint.ends_with("-+\n"), "{hint}");
    }

    #[test]
    fn lines_fit_into_80_columns() {
        let singles = (0..81).map(|cell| placement(cell, 3)).collect();
        let reason = "3 and 7 are the only candidates of r1c2 and r1c5, ".repeat(9);
        let everywhere = CandidateSet::for_digit(2, (0..81).collect());
        let long = vec![removal(Technique::NakedPair, &reason, everywhere, Vec::new())];
        let text = TEXT.explanation(&explained(vec![singles, long], ExplanationEnd::Solved));
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
}

#[cfg(test)]
mod wording_tests {
    use gridmill_core::logic::{CandidateSet, Rating, Technique};

    use super::*;

    #[test]
    fn results_name_cells_and_digits() {
        let rating = Rating::tenths(30);
        let placed = Deduction::place(Technique::NakedSingle, rating, 31, 6);
        assert_eq!(result(&placed), "r4c5 is 7");
        let mut removed = CandidateSet::for_digit(4, [11, 15].into_iter().collect());
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "r2c3 and r2c7 can't be 5"
        );
        removed.insert_all(8, CellSet::from_cell(80));
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "r2c3 and r2c7 can't be 5; r9c9 can't be 9"
        );
        removed.insert_all(6, removed.cells(4));
        assert_eq!(
            result(&Deduction::remove(Technique::NakedPair, rating, removed)),
            "r2c3 and r2c7 can't be 5 or 7; r9c9 can't be 9"
        );
    }

    #[test]
    fn each_alternative_of_a_reason_is_a_separate_part() {
        assert_eq!(ways("a pair, so nothing else"), ["a pair, so nothing else"]);
        assert_eq!(ways("if a, then b"), ["if a, then b"]);
        assert_eq!(
            ways("wherever: if a, then b; if c, then d"),
            ["wherever:", "if a, then b;", "if c, then d"]
        );
    }

    #[test]
    fn consecutive_links_form_a_chain() {
        let link = |from, to| Link { from, to };
        let node = |cells: &[usize], digit, is_true| GroupStatement {
            cells: cells.iter().copied().collect(),
            digit,
            is_true,
        };
        let (a, b, c) = (node(&[1], 2, true), node(&[4], 2, false), node(&[4], 6, true));
        assert_eq!(
            chains(&[link(a, b), link(b, c), link(a, c)]),
            ["r1c2=3 -> r1c5<>3 -> r1c5=7", "r1c2=3 -> r1c5=7"]
        );
        let group = node(&[72, 74], 6, true);
        assert_eq!(chains(&[link(node(&[56], 6, false), group)]), ["r7c3<>7 -> r9c13=7"]);
    }

    #[test]
    fn wrapped_lines_fit_and_no_word_is_lost() {
        let text = "r1c1, ".repeat(40);
        let mut out = String::new();
        wrap("- ", "  ", &text, &mut out);
        assert!(out.lines().count() > 2 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
        assert!(out.lines().skip(1).all(|line| line.starts_with("  r1c1,")), "{out}");
        assert_eq!(out.matches("r1c1,").count(), 40);
    }
}

#[cfg(test)]
mod candidate_grid_tests {
    use gridmill_core::grid::Puzzle;

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn grid(line: &str, highlight: &Highlight, colours: bool) -> String {
        let puzzle: Puzzle = line.parse().unwrap();
        candidate_grid(&State::from_puzzle(&puzzle), highlight, colours)
    }

    #[test]
    fn a_row_is_one_line_if_the_candidates_fit() {
        let grid = grid(EASY, &Highlight::default(), false);
        assert_eq!(grid.lines().count(), 13, "{grid}");
        assert!(grid.contains("| 5   3    124    | 26   7  2468 | 1489  1249 248  |"), "{grid}");
        let width = grid.lines().next().unwrap().len();
        assert!(width <= 80 && grid.lines().all(|line| line.len() == width), "{grid}");
    }

    #[test]
    fn a_row_is_three_lines_if_the_candidates_do_not_fit() {
        let grid = grid(&format!("5{}", ".".repeat(80)), &Highlight::default(), false);
        assert_eq!(grid.lines().count(), 27 + 6 + 4, "{grid}");
        let width = grid.lines().next().unwrap().len();
        assert!(width <= 80 && grid.lines().all(|line| line.len() == width), "{grid}");
        assert!(grid.contains("|  5  4.6 4.6 | 4.6 4.6"), "{grid}");
    }

    #[test]
    fn only_highlighted_candidates_are_coloured() {
        let mut highlight = Highlight::default();
        highlight.removed.insert(2, 0);
        highlight.pattern.insert(2, 1);
        let painted = grid(EASY, &highlight, true);
        assert!(painted.contains("\u{1b}[31m") && painted.contains("\u{1b}[32m"), "{painted:?}");
        assert_eq!(painted.matches("\u{1b}[0m").count(), 2);
        let plain = grid(EASY, &highlight, false);
        assert_eq!(console::strip_ansi_codes(&painted), plain);
        assert_eq!(plain, grid(EASY, &Highlight::default(), true));
    }
}
