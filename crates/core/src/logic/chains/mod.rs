//! Chains and cycles of implications, without intermediate eliminations.
//!
//! ```text
//!  r1c2 is 3 -> r1c5 is not 3 -> r4c5 is 3 -> r4c2 is not 3 -> r6c2 is 3 -> r1c2 is not 3: a chain to the contrary
//! ```
//!
//! A *statement* is that a candidate stands ("on") or does not stand ("off"). A *weak link* leads from on to off: two
//! candidates of a cell, or two places of a digit in a house. A *strong link* leads from off to on: the only two
//! candidates of a cell (Y), or the only two places of a digit in a house (X). Every link holds in the other direction
//! for the contrary statements. The *complexity* of a chain is how many statements it has; of several chains, the sum.
//!
//! [`net::Net`] searches from all candidates at once, level by level, so that a way that is found is a shortest one.
//!
//! Source: Sudoku Explainer 1.2.1 and SukakuExplainer.

mod bits;
mod dynamic;
mod implications;
mod links;
mod multiple;
mod nested;
mod nested_single;
mod net;
mod propagation;
mod single;
mod words;

pub(crate) use dynamic::{DynamicChains, DynamicMemory, Nishio};
pub(crate) use multiple::MultipleChains;
pub(crate) use nested::NestedChains;
pub(crate) use net::Nets;
pub(crate) use single::SingleChains;
pub(crate) use words::dynamic_reason;

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
