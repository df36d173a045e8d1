//! Tables with aligned columns.

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Columns two spaces apart.
    Plain,
    /// Markdown.
    Markdown,
}

/// Returns a table of a header and rows. Columns of names are aligned to the left, all others, which are
/// numbers, to the right.
pub(super) fn table<const N: usize>(rows: &[[String; N]], names: &[usize], style: Style) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let is_name = |column: usize| names.contains(&column);
    let line = |row: &[String; N]| {
        let cells: [String; N] = std::array::from_fn(|i| match is_name(i) {
            true => format!("{:<width$}", row[i], width = widths[i]),
            false => format!("{:>width$}", row[i], width = widths[i]),
        });
        match style {
            Style::Plain => format!("{}\n", cells.join("  ").trim_end()),
            Style::Markdown => format!("| {} |\n", cells.join(" | ")),
        }
    };
    let rules = std::array::from_fn(|i| match is_name(i) {
        true => "-".repeat(widths[i]),
        false => "-".repeat(widths[i].max(2) - 1) + ":",
    });
    let header = rows.first().map(line);
    let rules = (style == Style::Markdown).then(|| line(&rules));
    header.into_iter().chain(rules).chain(rows.iter().skip(1).map(line)).collect()
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
