//! Tables with aligned columns.

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Columns two spaces apart.
    Plain,
    /// Markdown.
    Markdown,
}

/// Returns a table of a header and rows. Columns of names are aligned to the left, all others, which are
/// numbers, to the right.
pub(crate) fn table<R: AsRef<[String]>>(rows: &[R], names: &[usize], style: Style) -> String {
    let columns = rows.first().map_or(0, |header| header.as_ref().len());
    let width =
        |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let is_name = |column: usize| names.contains(&column);
    let line = |row: &[String]| {
        let cell = |(i, cell): (usize, &String)| match is_name(i) {
            true => format!("{cell:<width$}", width = widths[i]),
            false => format!("{cell:>width$}", width = widths[i]),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        match style {
            Style::Plain => format!("{}\n", cells.join("  ").trim_end()),
            Style::Markdown => format!("| {} |\n", cells.join(" | ")),
        }
    };
    let rule = |i| match is_name(i) {
        true => "-".repeat(widths[i]),
        false => "-".repeat(widths[i].max(2) - 1) + ":",
    };
    let rules = (style == Style::Markdown).then(|| line(&(0..columns).map(rule).collect::<Vec<_>>()));
    let mut lines = rows.iter().map(|row| line(row.as_ref()));
    lines.next().into_iter().chain(rules).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["name", "µs"], ["a", "1"], ["long name", "1000"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows, &[0], Style::Plain), "name         µs\na             1\nlong name  1000\n");
        let markdown =
            "| name      |   µs |\n| --------- | ---: |\n| a         |    1 |\n| long name | 1000 |\n";
        assert_eq!(table(&rows, &[0], Style::Markdown), markdown);
    }
}
