//! Where a stuck lane of any shape guesses: in the first cell of fewest candidates.

/// The cell of a stuck grid to guess in, by the candidates of its cells.
pub(super) fn fewest(masks: &[u16]) -> usize {
    let two = masks.iter().position(|mask| mask.count_ones() == 2);
    two.unwrap_or_else(|| fewest_above_two(masks))
}

#[cold]
fn fewest_above_two(masks: &[u16]) -> usize {
    let open = (0..masks.len()).filter(|&cell| masks[cell].count_ones() > 1);
    open.min_by_key(|&cell| masks[cell].count_ones()).expect("a stuck grid has an open cell")
}
