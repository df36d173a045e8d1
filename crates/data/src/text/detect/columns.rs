//! The columns of a CSV header that a user may mean.

/// Known names of puzzle columns, in lower case.
const PUZZLE_COLUMNS: [&str; 8] =
    ["puzzle", "puzzles", "quizzes", "quiz", "question", "sudoku", "grid", "board"];

/// Returns the indices of the columns that may hold puzzles: of those of the wanted name, or of a known one.
pub(super) fn puzzle_columns(names: &[String], wanted: Option<&str>) -> Vec<usize> {
    columns_meant(names, wanted, &PUZZLE_COLUMNS)
}

/// Returns the indices of the columns that are meant. Without a wanted name these are all of a known one. A wanted
/// name is looked for as it is, then without the white space around it, then in other letters; and where no column
/// has it, as a number from 1.
pub fn columns_meant(names: &[String], wanted: Option<&str>, known: &[&str]) -> Vec<usize> {
    let those = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..names.len()).filter(|&column| fits(&names[column])).collect()
    };
    let Some(wanted) = wanted else {
        return those(&|name| known.iter().any(|known| name.trim().eq_ignore_ascii_case(known)));
    };
    let trimmed = wanted.trim();
    let named = [
        those(&|name| name == wanted),
        those(&|name| name.trim() == trimmed),
        those(&|name| name.trim().eq_ignore_ascii_case(trimmed)),
    ];
    let number = || trimmed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let numbered = || number().into_iter().filter(|&column| column < names.len()).collect();
    named.into_iter().find(|columns| !columns.is_empty()).unwrap_or_else(numbered)
}

/// Returns columns as text, with their numbers: `puzzle (column 1), quiz (column 3)`.
pub fn with_numbers(names: &[String], columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| format!("{} (column {})", names[column], column + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(header: &str, wanted: Option<&str>) -> Vec<usize> {
        let names: Vec<String> = header.split(',').map(str::to_owned).collect();
        puzzle_columns(&names, wanted)
    }

    #[test]
    fn a_wanted_name_is_met_as_closely_as_can_be() {
        let header = "Cells, cells ,CELLS,x,x,2";
        for (wanted, columns) in [
            ("Cells", &[0][..]),
            ("cells", &[1]),
            ("CELLS ", &[2]),
            ("cellS", &[0, 1, 2]),
            ("x", &[3, 4]),
            ("2", &[5]),
            ("5", &[4]),
            ("0", &[]),
            ("7", &[]),
            ("puzzle", &[]),
        ] {
            assert_eq!(meant(header, Some(wanted)), columns, "{wanted}");
        }
    }

    #[test]
    fn all_columns_of_known_names_are_meant() {
        assert_eq!(meant("id, Quizzes ,solutions", None), [1]);
        assert_eq!(meant("board,id,PUZZLE,puzzle", None), [0, 2, 3]);
        assert!(meant("id,cells", None).is_empty());
    }
}
