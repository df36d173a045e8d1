//! Inference of the alphabet from the characters of the lines.

use std::collections::BTreeMap;

use crate::text::{Alphabet, Alternatives, AnyShapeReader, FormatError, MAX_RECORD, is_skipped};

/// The evidence for an alphabet of each side above 9, gathered line by line.
#[derive(Clone, Debug)]
pub struct AlphabetInference {
    reader: AnyShapeReader,
    evidence: BTreeMap<usize, Evidence>,
}

impl AlphabetInference {
    /// Starts without evidence, for a reader.
    #[must_use]
    pub fn new(reader: AnyShapeReader) -> AlphabetInference {
        AlphabetInference { reader, evidence: BTreeMap::new() }
    }

    /// Adds a line as evidence.
    pub fn add(&mut self, line: &[u8]) {
        if is_skipped(line) || line.len() > MAX_RECORD {
            return;
        }
        if let Some((side, cells)) = self.reader.evidence(line) {
            self.add_cells(side, &cells);
        }
    }

    /// Adds cells of a puzzle of that side as evidence: all of them, or a row.
    pub(in crate::text) fn add_cells(&mut self, side: usize, cells: &[u8]) {
        if !self.reader.knows(side) {
            self.evidence.entry(side).or_insert_with(|| Evidence::none(side)).add(cells);
        }
    }

    /// Returns whether there was a line that needs an inferred alphabet.
    pub(in crate::text) fn has_any(&self) -> bool {
        !self.evidence.is_empty()
    }

    /// Returns whether the alphabet of every side is proved.
    pub(in crate::text) fn is_certain(&self) -> bool {
        self.evidence.values().all(|evidence| evidence.conclude().is_ok())
    }

    /// Returns the reader with the alphabets that were proved.
    ///
    /// # Errors
    ///
    /// Where there are lines of a side whose alphabet the characters leave open.
    pub fn conclude(self) -> Result<AnyShapeReader, FormatError> {
        let AlphabetInference { mut reader, evidence } = self;
        for (side, evidence) in evidence {
            let proved = evidence.conclude();
            reader.learn(proved.map_err(|alternatives| FormatError::NoAlphabet { side, alternatives })?);
        }
        Ok(reader)
    }
}

/// The conventions that the lines of one side leave possible.
#[derive(Clone, Debug)]
struct Evidence {
    possible: Vec<Alphabet>,
    /// Whether one of them explains at least one line.
    explained: bool,
}

impl Evidence {
    fn none(side: usize) -> Evidence {
        Evidence { possible: Alphabet::conventions(side), explained: false }
    }

    /// Adds the cells of a line. A line that no alphabet explains is malformed, and proves nothing.
    fn add(&mut self, cells: &[u8]) {
        if self.possible.iter().any(|alphabet| alphabet.explains(cells)) {
            self.possible.retain(|alphabet| alphabet.explains(cells));
            self.explained = true;
        }
    }

    /// Returns the only alphabet that is left.
    ///
    /// # Errors
    ///
    /// The alphabets among which the user must choose.
    fn conclude(&self) -> Result<Alphabet, Alternatives> {
        match &self.possible[..] {
            [only] => Ok(only.clone()),
            several => Err(Alternatives { alphabets: several.to_vec(), fit: self.explained }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conclusion(side: usize, lines: &[&str]) -> Result<String, Vec<String>> {
        let mut evidence = Evidence::none(side);
        lines.iter().for_each(|line| evidence.add(line.as_bytes()));
        let names = |alphabets: Vec<Alphabet>| alphabets.iter().map(Alphabet::to_string).collect();
        evidence.conclude().map(|one| one.to_string()).map_err(|several| names(several.alphabets))
    }

    #[test]
    fn characters_prove_an_alphabet() {
        assert_eq!(conclusion(16, &["1G.."]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["1G00"]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["10.."]).unwrap(), "0-9A-F");
        assert_eq!(conclusion(16, &["P..."]).unwrap(), "A-P");
        assert_eq!(conclusion(16, &["1A..", "1%..", "2G.."]).unwrap(), "1-9A-G");
        assert_eq!(conclusion(16, &["1A.."]).unwrap_err(), ["1-9A-G", "0-9A-F"]);
        assert_eq!(conclusion(25, &["X..."]).unwrap(), "A-Y");
    }
}
