//! Hidden pairs and triplets that leave one place to another digit, in all lanes at once.
//!
//! They are looked for from the cells: two cells that hold two digits with two places each, three cells that hold all
//! places of three digits. Hits are rare, so a branch leads there.

use crate::grid::CELLS;
use crate::simd::Simd;

/// The candidates of the cells of a house, and the digits by how many places they have.
struct Held<V> {
    cells: [V; 9],
    two: V,
    three: V,
    four: V,
}

impl<V: Copy> Held<V> {
    #[inline(always)]
    fn of<S: Simd<V = V>>(simd: S, house: &[u8; 9], cells: &[V; CELLS]) -> Held<V> {
        let zero = simd.splat(0);
        let (mut held, mut at_least) = ([zero; 9], [zero; 5]);
        for place in 0..9 {
            let mask = cells[usize::from(house[place])];
            held[place] = mask;
            for count in (1..5).rev() {
                at_least[count] = simd.or_and(at_least[count], at_least[count - 1], mask);
            }
            at_least[0] = simd.or(at_least[0], mask);
        }
        Held {
            cells: held,
            two: simd.and_not(at_least[1], at_least[2]),
            three: simd.and_not(at_least[2], at_least[3]),
            four: simd.and_not(at_least[3], at_least[4]),
        }
    }
}

/// Adds what direct hidden pairs of a house leave to its cells.
#[inline(always)]
pub(super) fn find_pairs<S: Simd>(simd: S, house: &[u8; 9], cells: &[S::V; CELLS], left: &mut [S::V; CELLS]) {
    let held = Held::of(simd, house, cells);
    for first in 0..8 {
        for second in first + 1..9 {
            let both = simd.and(held.cells[first], held.cells[second]);
            let hidden = simd.and(both, held.two);
            let pair = simd.and_not(hidden, simd.single(hidden));
            if is_zero(simd, pair) {
                continue;
            }
            // One place besides: of three with both cells of the pair, of two with one of them.
            let either = simd.and_not(simd.or(held.cells[first], held.cells[second]), both);
            let besides = simd.or_and(simd.and(both, held.three), either, held.two);
            grant(simd, house, 1 << first | 1 << second, besides, pair, left);
        }
    }
}

/// Adds what direct hidden triplets of a house leave to its cells.
#[inline(always)]
pub(super) fn find_triplets<S: Simd>(
    simd: S,
    house: &[u8; 9],
    cells: &[S::V; CELLS],
    left: &mut [S::V; CELLS],
) {
    let held = Held::of(simd, house, cells);
    for first in 0..7 {
        for second in first + 1..8 {
            let both = simd.and(held.cells[first], held.cells[second]);
            let either = simd.or(held.cells[first], held.cells[second]);
            let both_of_three = simd.and(both, held.three);
            for third in second + 1..9 {
                let cell = held.cells[third];
                let in_two = simd.or_and(both, either, cell);
                // All places of a digit: two of two, or three of three.
                let hidden = simd.or_and(simd.and(in_two, held.two), both_of_three, cell);
                let triplet = without_lowest(simd, without_lowest(simd, hidden));
                if is_zero(simd, triplet) {
                    continue;
                }
                let in_all = simd.and(both, cell);
                let in_one = simd.exactly_one(held.cells[first], held.cells[second], cell);
                let mut besides = simd.and(in_one, held.two);
                besides = simd.or_and(besides, simd.and_not(in_two, in_all), held.three);
                besides = simd.or_and(besides, in_all, held.four);
                grant(simd, house, 1 << first | 1 << second | 1 << third, besides, triplet, left);
            }
        }
    }
}

/// Lets the cells of a house, but those of the subset, have these digits, in the lanes where `found` is not 0.
#[inline(always)]
fn grant<S: Simd>(
    simd: S,
    house: &[u8; 9],
    subset: u16,
    digits: S::V,
    found: S::V,
    left: &mut [S::V; CELLS],
) {
    let digits = simd.and_not(digits, simd.where_zero(digits, found));
    for place in 0..9 {
        if subset >> place & 1 == 0 {
            let cell = usize::from(house[place]);
            left[cell] = simd.or(left[cell], digits);
        }
    }
}

#[inline(always)]
fn without_lowest<S: Simd>(simd: S, v: S::V) -> S::V {
    simd.and(v, simd.add(v, simd.splat(u16::MAX)))
}

#[inline(always)]
fn is_zero<S: Simd>(simd: S, v: S::V) -> bool {
    simd.zero_lanes(v) == u32::MAX >> (32 - S::LANES)
}
