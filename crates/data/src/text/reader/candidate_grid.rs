//! Grids of candidates as people and programs show them.

use gridmill_core::grid::CELLS;

const SIDE: usize = 9;

/// Returns the line of pencilmarks of a grid of candidates, with or without frames, as `explain` and other programs show
/// it: 81 groups of digits, of which one at least has several; or three lines for each row of cells, in which each
/// candidate has its place. `None` for any other text.
pub fn candidate_grid_line(text: &str) -> Option<String> {
    groups(text).or_else(|| blocks(text))
}

/// Returns the line of 81 groups of digits.
fn groups(text: &str) -> Option<String> {
    let is_frame = |group: &&str| group.chars().all(|mark| "+-=*.:'".contains(mark));
    let groups = text.split(|mark: char| mark.is_whitespace() || "|│".contains(mark));
    let groups: Vec<&str> = groups.filter(|group| !is_frame(group)).take(CELLS + 1).collect();
    let has_several = groups.iter().any(|group| group.len() > 1);
    let mut line = String::with_capacity(CELLS * SIDE);
    for group in &groups {
        let digits: Vec<char> = group.chars().collect();
        let is_cell = digits.is_sorted_by(|one, next| one < next);
        if !is_cell || !digits.iter().all(|digit| ('1'..='9').contains(digit)) {
            return None;
        }
        line.extend(('1'..='9').map(|digit| if digits.contains(&digit) { digit } else { '.' }));
    }
    (groups.len() == CELLS && has_several).then_some(line)
}

/// Returns the line of a framed grid with three lines for each row of cells.
fn blocks(text: &str) -> Option<String> {
    let lines: Vec<&[u8]> = text.lines().map(|line| line.trim().as_bytes()).filter(is_of_places).collect();
    if lines.len() != 3 * SIDE {
        return None;
    }
    let mut line = String::with_capacity(CELLS * SIDE);
    for row in lines.chunks(3) {
        for column in 0..SIDE {
            let start = column / 3 * 14 + column % 3 * 4 + 2;
            let places: Vec<u8> = row.iter().flat_map(|line| &line[start..start + 3]).copied().collect();
            line.push_str(&candidates(&places)?);
        }
    }
    Some(line)
}

/// Returns whether a line of a framed grid has places of candidates: it is neither a frame nor blank.
fn is_of_places(line: &&[u8]) -> bool {
    let has_frame = line.len() == 43 && [0, 14, 28, 42].into_iter().all(|at| line[at] == b'|');
    has_frame && line.iter().any(|byte| !b"| ".contains(byte))
}

/// Returns the candidates of a cell of three by three places, in which a digit that is placed stands in the middle.
fn candidates(places: &[u8]) -> Option<String> {
    let digit = places[4];
    if places.iter().enumerate().all(|(place, &byte)| place == 4 || byte == b' ') {
        let is_digit = (b'1'..=b'9').contains(&digit);
        return is_digit
            .then(|| (b'1'..=b'9').map(|it| char::from(if it == digit { it } else { b'.' })).collect());
    }
    let is_mark = |(&byte, digit): (&u8, u8)| byte == b'.' || byte == digit;
    places.iter().zip(b'1'..).all(is_mark).then(|| places.iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_digits_are_pencilmarks() {
        let cells: Vec<String> =
            (0..81).map(|cell| if cell % 2 == 0 { "7" } else { "129" }.to_owned()).collect();
        let line: String =
            cells.iter().map(|cell| if cell == "7" { "......7.." } else { "12......9" }).collect();
        let rows: Vec<String> = cells.chunks(9).map(|row| row.join(" ")).collect();
        let framed: Vec<String> =
            cells.chunks(3).map(|part| format!("| {} ", part.join("  "))).collect::<Vec<_>>();
        let framed: Vec<String> = framed.chunks(3).map(|row| format!("{}|", row.concat())).collect();
        let border = "+-----+-----+-----+";
        for text in [
            rows.join("\n"),
            cells.join(" "),
            format!("{border}\n{}\n{border}", framed.join("\n")),
            format!(".---.---.\n{}\n'---'---'", framed.join("\n").replace('|', ":")),
        ] {
            assert_eq!(candidate_grid_line(&text).as_ref(), Some(&line), "{text}");
        }
        for text in [rows[1..].join("\n"), cells.join(" ").replace("129", "219"), "5 ".repeat(81)] {
            assert_eq!(candidate_grid_line(&text), None, "{text}");
        }
    }

    #[test]
    fn places_of_candidates_are_pencilmarks() {
        let frame = format!("+{0}+{0}+{0}+", "-".repeat(13));
        let row = |places: [&str; 2]| {
            let stacks = [places[0], places[1], places[1]].join(" ");
            let others = [places[1]; 3].join(" ");
            format!("| {stacks} | {others} | {others} |\n")
        };
        let first = [row(["   ", "1.3"]), row([" 5 ", ".5."]), row(["   ", "..9"])].concat();
        let blank = format!("|{0}|{0}|{0}|\n", " ".repeat(13));
        let band = format!("{frame}\n{}\n", [&first[..], &first, &first].join(&blank));
        let text = format!("{}{frame}\n", band.repeat(3));
        let rows = format!("....5....{}", "1.3.5...9".repeat(8));
        assert_eq!(candidate_grid_line(&text), Some(rows.repeat(9)), "{text}");
        assert_eq!(candidate_grid_line(&text.replace(".5.", ".6.")), None);
        assert_eq!(candidate_grid_line(&text.replace(" 5 ", "   ")), None);
        assert_eq!(candidate_grid_line(&text[frame.len() * 3..]), None);
    }
}
