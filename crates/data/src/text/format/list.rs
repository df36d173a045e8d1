//! Lists of numbers in brackets, as programs write arrays into CSV fields.

/// Returns a list in brackets as cells with white space between them, each at its place: `[[5, 3], [0, 7]]` of a list
/// of rows, `[5, 3, 0, 7]`, or `[[5 3] [0 7]]`. Quotes around cells or rows go, and the point of whole numbers in
/// `5.` or `5.0`. `None` if the text does not begin with a bracket.
#[inline(never)]
pub fn in_brackets(text: &[u8]) -> Option<Vec<u8>> {
    let is_list = matches!(text.trim_ascii_start().first(), Some(b'[' | b'('));
    is_list.then(|| {
        let mut cells = text.to_vec();
        for at in 0..text.len() {
            if matches!(text[at], b'[' | b']' | b'(' | b')' | b',' | b'"' | b'\'' | b'\n' | b'\r' | b'\t') {
                cells[at] = b' ';
            } else if text[at] == b'.' {
                let end = at + fraction(text, at);
                cells[at..end].fill(b' ');
            }
        }
        cells
    })
}

/// Returns the length of a point and the zeros behind it, if they end a number at `at`; 0 otherwise.
fn fraction(text: &[u8], at: usize) -> usize {
    let zeros = text[at + 1..].iter().take_while(|&&byte| byte == b'0').count();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b')');
    let is_behind_digit = at > 0 && text[at - 1].is_ascii_digit();
    if is_behind_digit && text.get(at + 1 + zeros).is_some_and(ends) { 1 + zeros } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_their_places() {
        let cells = |text: &str| in_brackets(text.as_bytes()).map(|cells| String::from_utf8(cells).unwrap());
        assert_eq!(cells("[[5, 3],\n[0, 16]]").unwrap(), "  5  3    0  16  ");
        assert_eq!(cells("[5. 3.00 .]").unwrap(), " 5  3    . ");
        assert_eq!(cells("('53..7.',\"\"6..1.\"\")").unwrap(), "  53..7.    6..1.   ");
        assert_eq!(cells("53..7"), None);
    }
}
