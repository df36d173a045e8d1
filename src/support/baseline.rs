//! Saved measurements, which later ones are compared with.

use gridmill_data::bench::PuzzleSet;

use super::measurement_table::{Circumstances, MeasurementLine, checksum};

/// The measurements of an earlier benchmark, as [`Export::Json`](super::measurement_table::Export::Json) wrote them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Baseline(Vec<MeasurementLine>);

impl Baseline {
    /// Reads saved measurements.
    ///
    /// # Errors
    ///
    /// Where the text is none; the message says what is missing.
    pub(crate) fn from_json(text: &str) -> Result<Baseline, String> {
        match serde_json::from_str::<Vec<MeasurementLine>>(text) {
            Ok(lines) if lines.is_empty() => Err("there are no measurements in it".to_owned()),
            Ok(lines) => Ok(Baseline(lines)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the puzzles a second of an engine on a file; `None` where it was not measured.
    #[must_use]
    pub(crate) fn rate(&self, file: &str, engine: &str) -> Option<f64> {
        let line = self.0.iter().find(|line| line.file == file && line.engine == engine)?;
        Some(line.puzzles_per_second)
    }

    /// Returns what is missing to compare an engine on a file: the file, or `singles on a.txt`. `None` where nothing is.
    #[must_use]
    pub(crate) fn lack(&self, file: &str, engine: &str) -> Option<String> {
        if !self.0.iter().any(|line| line.file == file) {
            return Some(file.to_owned());
        }
        self.rate(file, engine).is_none().then(|| format!("{engine} on {file}"))
    }

    /// Returns whether a file of that name was measured with other puzzles.
    #[must_use]
    pub(crate) fn has_others(&self, file: &str, set: &PuzzleSet) -> bool {
        let of_file = self.0.iter().find(|line| line.file == file);
        of_file.is_some_and(|line| (line.puzzles, line.checksum) != (set.len(), checksum(set)))
    }

    /// Returns how it was measured.
    #[must_use]
    pub(crate) fn circumstances(&self) -> Option<&Circumstances> {
        self.0.first().map(|line| &line.circumstances)
    }
}
