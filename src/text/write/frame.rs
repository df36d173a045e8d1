//! Grids with a frame around each box.

use crate::grid::Shape;

/// Appends the cells of a line as a grid: characters, or numbers that are set apart by spaces.
///
/// # Panics
///
/// Where the line does not have as many cells as the shape.
pub(crate) fn write_framed(shape: Shape, line: &[u8], out: &mut Vec<u8>) {
    let (side, box_rows, box_columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let line = String::from_utf8_lossy(line);
    let texts: Vec<String> = match line.contains(' ') {
        true => line.split(' ').map(str::to_owned).collect(),
        false => line.chars().map(String::from).collect(),
    };
    assert_eq!(texts.len(), shape.cells());
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
