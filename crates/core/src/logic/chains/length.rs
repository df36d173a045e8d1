//! The tenths that the length of chains adds to a rating.

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
