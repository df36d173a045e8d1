//! The text of a grid.

use gridmill_core::grid::{Digit, Grid, Pencilmarks};
use gridmill_data::text::{Alphabet, PuzzleForm, PuzzleWriter};
use serde::Deserialize;
use serde_json::{Value, json};

use super::PageGrid;
use super::grid::CheckedGrid;
use crate::reply::Refusal;

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    grid: PageGrid,
    form: Form,
}

/// The forms that `gridmill convert` has.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Line,
    Grid,
    Framed,
    Sdk,
    Numbers,
    Csv,
    Jsonl,
    Hodoku,
    Pencilmarks,
}

impl Write {
    /// Returns the text of the digits; of pencilmarks, also without the candidates that were taken out.
    pub(crate) fn answer(self) -> Result<Value, Refusal> {
        let grid = self.grid.check()?;
        let digits = &grid.digits;
        let alphabet = match digits.shape().side() {
            side if matches!(self.form, Form::Numbers) => Alphabet::numbers(side),
            side @ ..=9 => Alphabet::digits(side),
            // 1 to 9, then letters.
            side => Alphabet::conventions(side).swap_remove(0),
        };
        let written = |form| written(digits, form, &alphabet);
        let text = match self.form {
            Form::Line | Form::Numbers => written(PuzzleForm::Line)?,
            Form::Grid => written(PuzzleForm::Grid)?,
            Form::Framed => written(PuzzleForm::Framed)?,
            Form::Sdk => written(PuzzleForm::Sdk)?,
            Form::Csv => format!("puzzle\n{}", written(PuzzleForm::Line)?),
            Form::Jsonl => format!("{}\n", json!({"puzzle": alphabet.write(digits.cells())})),
            Form::Hodoku => written(PuzzleForm::Hodoku)?,
            Form::Pencilmarks => format!("{}\n", pencilmarks(&grid)?),
        };
        Ok(json!({ "text": text }))
    }
}

fn written(digits: &Grid, form: PuzzleForm, alphabet: &Alphabet) -> Result<String, Refusal> {
    let shape = digits.shape();
    if !form.suits(shape) {
        return Err(for_classic());
    }
    let mut text = Vec::new();
    PuzzleWriter { form, blank: b'.' }.write(shape, digits.cells(), alphabet, &mut text);
    Ok(text.into_iter().map(char::from).collect())
}

fn pencilmarks(grid: &CheckedGrid) -> Result<Pencilmarks, Refusal> {
    let digits = grid.digits.cells();
    let puzzle = grid.digits.to_classic().ok_or_else(for_classic)?;
    let mut candidates = *Pencilmarks::from(&puzzle).candidates();
    for &(cell, digit) in grid.removed.iter().filter(|&&(cell, _)| digits[cell] == 0) {
        candidates[cell] =
            Digit::new(digit as u8 + 1).map_or(candidates[cell], |it| candidates[cell].without(it));
    }
    Ok(Pencilmarks::new(candidates))
}

fn for_classic() -> Refusal {
    Refusal::bad("this form is for 9x9 alone")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::Read;
    use crate::questions::tests::{dataset, grid, page, request};

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const FORMS: [&str; 9] =
        ["line", "grid", "framed", "sdk", "numbers", "csv", "jsonl", "hodoku", "pencilmarks"];

    fn write(grid: &Value, form: &str) -> Result<String, Refusal> {
        let written = request::<Write>(json!({"grid": grid, "form": form})).answer()?;
        Ok(written["text"].as_str().unwrap().to_owned())
    }

    fn read(text: &str) -> Value {
        let found = request::<Read>(json!({ "text": text })).answer().unwrap();
        serde_json::to_value(found).unwrap()
    }

    #[test]
    fn what_is_written_is_read_as_the_same_grid() {
        for (shape, line) in [
            ("2x2", &dataset("4x4.txt", 1)[0]),
            ("2x3", &dataset("6x6.txt", 1)[0]),
            ("3x3", &EASY.to_owned()),
            ("4x4", &dataset("16x16.txt", 1)[0]),
        ] {
            let page = page(&grid(shape, line));
            for form in
                FORMS.into_iter().filter(|form| shape == "3x3" || !["hodoku", "pencilmarks"].contains(form))
            {
                let text = write(&page, form).unwrap();
                assert!(text.ends_with('\n'));
                let found = read(&text);
                assert_eq!((&found["grid"], &found["records"]), (&page, &json!(1)), "{form}: {text}");
            }
        }
    }

    #[test]
    fn entries_are_written_as_digits_and_candidates_as_pencilmarks() {
        let mut entries = vec![0; 81];
        entries[2] = 4;
        let clues = grid("3x3", EASY);
        let page = json!({
            "shape": "3x3", "clues": clues.cells(), "entries": entries, "removed": [[2, 4], [3, 2], [3, 5]],
        });
        assert!(write(&page, "line").unwrap().starts_with("534.7"));
        let marks = write(&page, "pencilmarks").unwrap();
        assert_eq!((marks.len(), &marks[18..36]), (730, "...4.....1.34.6789"));
        assert_eq!(read(&marks)["grid"]["removed"], json!([[3, 2]]), "5 is in the row");
    }

    #[test]
    fn forms_that_do_not_suit_are_refused() {
        let page = page(&grid("2x2", &".".repeat(16)));
        for form in ["hodoku", "pencilmarks"] {
            assert!(write(&page, form).unwrap_err().message.contains("9x9"));
        }
        let error =
            serde_json::from_value::<Write>(json!({"grid": page, "form": "x"})).unwrap_err().to_string();
        assert!(FORMS.iter().all(|form| error.contains(form)), "{error}");
    }
}
