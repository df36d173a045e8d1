//! The 416 classes of bands of classic grids.
//!
//! Two bands are of one class if renaming digits, exchanging rows and stacks, and exchanging columns within
//! stacks turns one into the other. A class is known by its number, from 1 to 416: the place of its minlex form
//! among the forms of all classes. So class 1 has the form 123456789456789123789123456.
//!
//! A band is found in a table by its *normal* form, which is cheap: the digits are renamed so that the first box is
//! 123, 456, 789, and the columns and boxes beside it are ordered by their first digits. There are 36,288 normal
//! bands. Exchanging two rows, or two columns or boxes, leads from one to others, and so to all of its class. The
//! table is made when it is first needed, within a tenth of a second.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::ORDERS;
use crate::grid::CELLS;

/// The digits of a band, row by row.
pub(crate) type Band = [u8; 27];

/// The classes of all normal bands.
static CLASSES: LazyLock<BandClasses> = LazyLock::new(BandClasses::find);

/// The classes of the three bands of a classic grid, and then of its three stacks, from the top and from the
/// left.
///
/// ```
/// use gridmill_core::minlex::band_classes;
///
/// let line = b"123456789456789123789123456231564897564897231897231564312645978645978312978312645";
/// assert_eq!(band_classes(&line.map(|symbol| symbol - b'0')), [1; 6]);
/// ```
///
/// # Panics
///
/// If the cells are not a full grid that obeys the rules.
#[must_use]
pub fn band_classes(grid: &[u8; CELLS]) -> [u16; 6] {
    let band = |index: usize| std::array::from_fn(|place| grid[27 * index + place]);
    let stack = |index: usize| std::array::from_fn(|place| grid[place % 9 * 9 + 3 * index + place / 9]);
    let class = |band: Band| CLASSES.of_normal[&normal(&band)];
    std::array::from_fn(|index| class(if index < 3 { band(index) } else { stack(index - 3) }))
}

/// The classes of bands.
pub(crate) struct BandClasses {
    /// The class of each normal band.
    of_normal: HashMap<Band, u16>,
    /// For each class, its minlex form, and how many normal bands it has.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare them with known numbers"))]
    pub(crate) list: Vec<(Band, usize)>,
}

impl BandClasses {
    /// Finds the classes by following the exchanges from every normal band.
    pub(crate) fn find() -> BandClasses {
        let mut seen: HashMap<Band, usize> = HashMap::new();
        let mut classes: Vec<(Band, usize)> = Vec::new();
        let mut band = [0; 27];
        for row in 0..3 {
            (0..3).for_each(|column| band[9 * row + column] = (3 * row + column + 1) as u8);
        }
        fill(&mut band, 0, &mut |band| {
            if seen.contains_key(band) {
                return;
            }
            let (class, mut open, mut members) = (classes.len(), vec![*band], 0);
            seen.insert(*band, class);
            while let Some(band) = open.pop() {
                members += 1;
                for exchanged in exchanges(&band).map(|band| normal(&band)) {
                    if seen.insert(exchanged, class).is_none() {
                        open.push(exchanged);
                    }
                }
            }
            classes.push((minlex(band), members));
        });
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_unstable_by_key(|&class| classes[class]);
        let mut numbers = vec![0; classes.len()];
        order.iter().zip(1..).for_each(|(&class, number)| numbers[class] = number);
        classes.sort_unstable();
        let of_normal = seen.into_iter().map(|(band, class)| (band, numbers[class])).collect();
        BandClasses { of_normal, list: classes }
    }
}

/// Fills the second and third box in all ways that make a normal band. `place` counts the 18 cells, row by row.
fn fill(band: &mut Band, place: usize, found: &mut impl FnMut(&Band)) {
    if place == 18 {
        return found(band);
    }
    let (row, column) = (place / 6, place % 6 + 3);
    let cell = 9 * row + column;
    for digit in 1..=9 {
        let in_row = band[9 * row..cell].contains(&digit);
        let of_box = |row: usize| &band[9 * row + column / 3 * 3..][..3];
        let in_box = (0..row).any(|row| of_box(row).contains(&digit));
        let before = if column % 3 > 0 { band[cell - 1] } else { band[3] };
        let is_ordered = row > 0 || column == 3 || before < digit;
        if !in_row && !in_box && is_ordered {
            band[cell] = digit;
            fill(band, place + 1, found);
        }
    }
    band[cell] = 0;
}

/// The normal form of a band.
fn normal(band: &Band) -> Band {
    let mut names = [0; 10];
    (0..9).for_each(|place| names[usize::from(band[place / 3 * 9 + place % 3])] = place as u8 + 1);
    let column = |column: usize| [0, 9, 18].map(|row| names[usize::from(band[row + column])]);
    let mut boxes = [3, 6].map(|first| {
        let mut columns = [column(first), column(first + 1), column(first + 2)];
        columns.sort_unstable();
        columns
    });
    boxes.sort_unstable();
    std::array::from_fn(|place| match (place / 9, place % 9) {
        (row, column @ ..3) => (3 * row + column + 1) as u8,
        (row, column) => boxes[column / 3 - 1][column % 3][row],
    })
}

/// The bands in which two neighbouring rows, two neighbouring columns of the first box, or the first box and another
/// one have changed places. The other columns need not be exchanged, because a normal form does not depend on their
/// order.
fn exchanges(band: &Band) -> [Band; 6] {
    let rows = [[1, 0, 2], [0, 2, 1]]
        .map(|order| -> Band { std::array::from_fn(|place| band[9 * order[place / 9] + place % 9]) });
    let columns = [[1, 0, 2, 3, 4, 5, 6, 7, 8], [0, 2, 1, 3, 4, 5, 6, 7, 8]];
    let boxes = [[3, 4, 5, 0, 1, 2, 6, 7, 8], [6, 7, 8, 3, 4, 5, 0, 1, 2]];
    let moved =
        |order: [usize; 9]| -> Band { std::array::from_fn(|place| band[place / 9 * 9 + order[place % 9]]) };
    [rows[0], rows[1], moved(columns[0]), moved(columns[1]), moved(boxes[0]), moved(boxes[1])]
}

/// The least band of a class: of all orders of rows, stacks and columns, with digits renamed by the first row.
fn minlex(band: &Band) -> Band {
    let mut least = [9; 27];
    for rows in ORDERS {
        for stacks in ORDERS {
            for inner in (0..216).map(|index| [index / 36, index / 6 % 6, index % 6]) {
                let column = |column: usize| 3 * stacks[column / 3] + ORDERS[inner[column / 3]][column % 3];
                let cell = |place: usize| usize::from(band[9 * rows[place / 9] + column(place % 9)]);
                let mut names = [0; 10];
                (0..9).for_each(|place| names[cell(place)] = place as u8 + 1);
                least = least.min(std::array::from_fn(|place| names[cell(place)]));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::grid::{Isomorphism, Shape};
    use crate::simd::Backend;

    #[test]
    fn there_are_416_classes_of_36288_normal_bands() {
        let classes = BandClasses::find();
        assert_eq!((classes.list.len(), classes.of_normal.len()), (416, 36_288));
        assert!(classes.list.iter().all(|(form, _)| minlex(form) == *form));
        let form = |class: usize| classes.list[class - 1].0.map(|digit| char::from(b'0' + digit));
        assert_eq!(form(1).iter().collect::<String>(), "123456789456789123789123456");
        assert_eq!(form(416).iter().collect::<String>(), "123456789457893612986217354");
    }

    #[test]
    fn isomorphs_have_the_same_classes_in_another_order() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let grid = FullGrids::new(Shape::CLASSIC, GridMethod::Backtracking, Backend::best()).make(&mut rng);
        let classes = |cells: &[u8]| {
            let mut classes = band_classes(cells.try_into().unwrap());
            // An isomorph may be transposed, and its bands and stacks are in any order.
            classes[..3].sort_unstable();
            classes[3..].sort_unstable();
            let [one, other] = [&classes[..3], &classes[3..]].map(<[u16]>::to_vec);
            [one.clone().min(other.clone()), one.max(other)]
        };
        for _ in 0..20 {
            let isomorph = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_to_cells(&grid);
            assert_eq!(classes(&isomorph), classes(&grid));
        }
    }
}
