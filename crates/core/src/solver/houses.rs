//! The houses around each cell of a grid of any shape, and the digits used in them.
//!
//! Houses are numbered as in [`House::all`](crate::grid::House::all): rows first, then columns, then boxes.

use crate::grid::{Cell, Digit, DigitSet, Shape};

/// The largest number of cells that a grid may have.
pub(super) const MAX_CELLS: usize = Shape::MAX_SIDE * Shape::MAX_SIDE;

/// The largest number of houses that a grid may have, rounded up to a power of two, because taking an index
/// modulo that costs less than checking it.
pub(super) const MAX_HOUSES: usize = (3 * Shape::MAX_SIDE).next_power_of_two();

/// The row, the column and the box of a cell, e.g. 0, 9 and 18 for the first cell of a classic grid.
pub(super) type CellHouses = [u8; 3];

/// For each cell of a shape, its houses.
#[derive(Debug)]
pub(super) struct HouseMap {
    shape: Shape,
    by_cell: Vec<CellHouses>,
}

impl HouseMap {
    pub(super) fn new(shape: Shape) -> HouseMap {
        HouseMap { shape, by_cell: Cell::all(shape).map(|cell| houses(cell, shape)).collect() }
    }

    /// Changes the map to that shape. It costs nothing if the shape is the same.
    pub(super) fn fit(&mut self, shape: Shape) {
        if self.shape != shape {
            *self = HouseMap::new(shape);
        }
    }

    /// The bytes of memory on the heap.
    pub(super) fn heap(&self) -> usize {
        size_of_val(&self.by_cell[..])
    }

    #[inline]
    pub(super) fn side(&self) -> usize {
        self.shape.side()
    }

    #[inline]
    pub(super) fn houses(&self, cell: usize) -> CellHouses {
        self.by_cell[cell]
    }
}

/// The default is the map of the classic shape.
impl Default for HouseMap {
    fn default() -> HouseMap {
        HouseMap::new(Shape::CLASSIC)
    }
}

/// Computes the houses of a cell.
pub(super) fn houses(cell: Cell, shape: Shape) -> CellHouses {
    let side = shape.side();
    [cell.row(shape), side + cell.column(shape), 2 * side + cell.box_index(shape)].map(|house| house as u8)
}

/// A value for each house.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByHouse<T>(pub(super) [T; MAX_HOUSES]);

impl<T: Copy + Default> Default for ByHouse<T> {
    fn default() -> ByHouse<T> {
        ByHouse([T::default(); MAX_HOUSES])
    }
}

/// The digits used in each house.
pub(super) type Used = ByHouse<DigitSet>;

impl Used {
    #[inline]
    pub(super) fn in_house(&self, house: usize) -> DigitSet {
        self.0[house % MAX_HOUSES]
    }

    /// The digits that are used in any of those houses.
    #[inline]
    pub(super) fn around(&self, houses: CellHouses) -> DigitSet {
        let [row, column, in_box] = houses.map(|house| self.in_house(house.into()));
        row.union(column).union(in_box)
    }

    #[inline]
    pub(super) fn add(&mut self, houses: CellHouses, digit: Digit) {
        for house in houses.map(|house| usize::from(house) % MAX_HOUSES) {
            self.0[house] = self.0[house].with(digit);
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, houses: CellHouses, digit: Digit) {
        for house in houses.map(|house| usize::from(house) % MAX_HOUSES) {
            self.0[house] = self.0[house].without(digit);
        }
    }

    /// Adds clues in reading order. Returns false if two of them contradict each other.
    pub(super) fn add_clues(&mut self, map: &HouseMap, cells: &[u8]) -> bool {
        let mut clues = cells.iter().enumerate().filter_map(|(cell, &clue)| Some((cell, Digit::new(clue)?)));
        clues.all(|(cell, digit)| {
            let houses = map.houses(cell);
            let fits = !self.around(houses).contains(digit);
            self.add(houses, digit);
            fits
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::House;

    #[test]
    fn houses_are_counted_as_grids_list_them() {
        for shape in [(2, 3), (3, 3), (5, 5)].map(|(rows, columns)| Shape::new(rows, columns).unwrap()) {
            let map = HouseMap::new(shape);
            for (index, house) in House::all(shape).enumerate() {
                for cell in Cell::all(shape) {
                    let holds = house.cells(shape).any(|other| other == cell);
                    assert_eq!(
                        map.houses(cell.index()).contains(&(index as u8)),
                        holds,
                        "{house} of {shape}"
                    );
                }
            }
        }
    }
}
