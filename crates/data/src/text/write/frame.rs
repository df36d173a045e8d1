//! Grids with a frame around each box.

use gridmill_core::grid::Shape;

use super::cells_of_line;

/// Appends the cells of a line as a grid: characters, or numbers that are set apart by spaces.
///
/// # Panics
///
/// Where the line does not have as many cells as the shape.
pub(crate) fn write_framed(shape: Shape, line: &[u8], out: &mut Vec<u8>) {
    let (side, box_rows, box_columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let cells = cells_of_line(line);
    assert_eq!(cells.len(), shape.cells());
    let width = cells.iter().map(|cell| cell.len()).max().unwrap_or(1);
    let border = format!("+{}", "-".repeat(box_columns * (width + 1) + 1)).repeat(side / box_columns) + "+\n";
    for (row, cells) in cells.chunks(side).enumerate() {
        if row % box_rows == 0 {
            out.extend_from_slice(border.as_bytes());
        }
        for of_box in cells.chunks(box_columns) {
            out.push(b'|');
            for cell in of_box {
                out.extend(std::iter::repeat_n(b' ', 1 + width - cell.len()));
                out.extend_from_slice(cell);
            }
            out.push(b' ');
        }
        out.extend_from_slice(b"|\n");
    }
    out.extend_from_slice(border.as_bytes());
}
