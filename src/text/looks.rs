//! What a line looks like, before it is known how lines are read.

use super::alphabet::BLANKS;
use super::list::List;
use super::reader::cells_of;
use super::sizes::side_of;
use super::symbols::Symbols;
use super::{Alphabet, Fault, FaultKind, MAX_RECORD};
use crate::grid::Shape;

/// The side of the puzzle that a line looks like, and the byte behind its cells.
pub(super) fn looks_like(line: &[u8], given: &[Alphabet]) -> Option<(usize, usize)> {
    if line.len() > MAX_RECORD {
        return None;
    }
    if let Some(list) = List::of(line) {
        let side = side_of(list.len())?;
        let fits = list.is_of_numbers_to(side) || list.fits(&Symbols::possible(side, given));
        return fits.then_some((side, list.end()));
    }
    let (start, text) = cells_of(line);
    let side = side_of(text.len())?;
    // As good as any rule of a frame.
    let is_rule = matches!(text[0], b'-' | b'*' | b'_') && text.iter().all(|&byte| byte == text[0]);
    (!is_rule && Symbols::possible(side, given).have(text)).then_some((side, start + text.len()))
}

/// The side of a line above 9x9 in letters and digits that need not be of any known alphabet.
pub(super) fn side_by_length(line: &[u8]) -> Option<usize> {
    let (_, text) = cells_of(line);
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    side_of(text.len()).filter(|&side| side > 9 && text.iter().all(fits))
}

/// The fault of a line that looks like a puzzle of another size than that of the shape.
pub(super) fn other_size(line: &[u8], shape: Shape, given: &[Alphabet]) -> Option<Fault> {
    let (side, end) = looks_like(line, given).filter(|&(side, _)| side != shape.side())?;
    let kind = FaultKind::OtherSize { found: (side * side) as u32, shape };
    Some(Fault { kind, offset: end as u32 })
}
