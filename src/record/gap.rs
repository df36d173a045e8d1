//! Numbers that only the writer can put into rows.

use super::Totals;

/// What is counted from the beginning of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Records, from 1.
    Records,
    /// Lines, from 1.
    Lines,
}

/// A place in the rows of a chunk where a number is missing: a worker counts from the start of its chunk,
/// and what is in front of that only the writer knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The byte of the rows that it stands before.
    pub at: usize,
    /// What the number counts.
    pub of: Counted,
    /// The number, from 0 at the start of the chunk.
    pub within: u64,
}

impl Gap {
    /// The number, where so much is in front of the chunk.
    #[must_use]
    pub fn number(&self, before: &Totals) -> u64 {
        let before = match self.of {
            Counted::Records => before.records,
            Counted::Lines => before.lines,
        };
        before + self.within + 1
    }

    /// Puts the numbers into their places of some rows: appends both to `out`. The gaps are in order.
    pub fn fill(gaps: &[Gap], rows: &[u8], before: &Totals, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        let mut done = 0;
        for gap in gaps {
            out.extend_from_slice(&rows[done..gap.at]);
            out.extend_from_slice(digits.format(gap.number(before)).as_bytes());
            done = gap.at;
        }
        out.extend_from_slice(&rows[done..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_the_beginning() {
        let gap = |at, of, within| Gap { at, of, within };
        let gaps = [gap(0, Counted::Records, 0), gap(1, Counted::Lines, 3), gap(3, Counted::Records, 1)];
        let before = Totals { records: 9, lines: 100, bytes: 0 };
        let mut out = b"> ".to_vec();
        Gap::fill(&gaps, b",\n,", &before, &mut out);
        assert_eq!(out, b"> 10,104\n,11");
    }
}
