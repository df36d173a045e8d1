//! A puzzle on which two answers differ.

use std::fmt;

/// What is wrong with the answers to a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) seed: u64,
    pub(crate) round: u64,
    /// The options of the command besides the seed and the round.
    pub(crate) options: String,
    pub(crate) puzzle: Case,
}

/// The puzzle and both answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) kind: String,
    /// Its place in the round, from 0.
    pub(crate) index: usize,
    pub(crate) puzzle: String,
    pub(crate) limit: u32,
    /// Two lines: who says what.
    pub(crate) answers: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { seed, round, options, puzzle } = self;
        writeln!(f, "DIFFERENCE: seed {seed}, round {round}, puzzle {} of it", puzzle.index)?;
        writeln!(f, "  kind:    {}, up to {} solutions", puzzle.kind, puzzle.limit)?;
        writeln!(f, "  puzzle:  {}", puzzle.puzzle)?;
        puzzle.answers.iter().try_for_each(|answer| writeln!(f, "  {answer}"))?;
        writeln!(f, "  show it: scripts/soak --seed {seed} --round {round}{options}")
    }
}
