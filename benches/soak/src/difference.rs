//! A puzzle on which two answers differ.

use std::fmt;

/// A difference, with everything that is needed to show it again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) seed: u64,
    pub(crate) round: u64,
    /// The options of the command, without the seed and the round.
    pub(crate) options: String,
    pub(crate) puzzle: Case,
}

/// The puzzle and both answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) kind: String,
    /// Its index in the round, from 0.
    pub(crate) index: usize,
    pub(crate) puzzle: String,
    pub(crate) limit: u32,
    /// The two answers, each with the name of its engine.
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
