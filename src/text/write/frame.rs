//! Grids with a frame around each box.

use crate::grid::Shape;

/// Appends a grid whose cells have the texts that `text` returns: columns as wide as the widest of them.
pub(super) fn write(shape: Shape, text: impl Fn(usize) -> String, out: &mut Vec<u8>) {
    let (side, box_rows, box_columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let texts: Vec<String> = (0..shape.cells()).map(text).collect();
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(1);
    let border = format!("+{}", "-".repeat(box_columns * (width + 1) + 1)).repeat(side / box_columns) + "+\n";
    for (row, cells) in texts.chunks(side).enumerate() {
        if row % box_rows == 0 {
            out.extend_from_slice(border.as_bytes());
        }
        for of_box in cells.chunks(box_columns) {
            out.push(b'|');
            of_box.iter().for_each(|cell| out.extend_from_slice(format!(" {cell:>width$}").as_bytes()));
            out.push(b' ');
        }
        out.extend_from_slice(b"|\n");
    }
    out.extend_from_slice(border.as_bytes());
}
