//! The analysis of a grid: its solutions, its true candidates, how hard it is, the next step.
//!
//! The verdict comes first, in the thread of the request. Where there are several solutions, one thread goes on counting
//! them, another works out what else is wanted, and that of the request tells how far the count is.

mod candidates;
mod conflicts;
mod count;
mod rating;
mod redundant;
mod step;
#[cfg(test)]
mod tests;
mod verdict;

use serde::{Deserialize, Serialize};

use super::PageGrid;
use super::grid::CheckedGrid;
use super::named::Named;
use crate::refusal::Refusal;
use crate::reply::Reply;
use conflicts::conflicts;
use gridmill_core::logic::{Profile, Ties};
use verdict::Verdict;

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyse {
    grid: PageGrid,
    /// Solutions up to which are counted; 0 for all.
    cap: u64,
    /// Solutions of each candidate up to which are counted.
    candidate_cap: u64,
    wants: Vec<Want>,
    scale: Option<Named<Profile>>,
    ties: Option<Named<Ties>>,
}

/// A wish besides the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Candidates,
    Redundant,
    Rating,
    Step,
}

/// The grid and its verdict: all that is known when further wishes are answered.
#[derive(Clone, Copy)]
struct Known<'a> {
    grid: &'a CheckedGrid,
    verdict: &'a Verdict,
}

/// How ratings are made.
#[derive(Clone, Copy, Debug)]
struct Scale {
    profile: Profile,
    ties: Ties,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Conflicts { cells: Vec<usize> },
    Solution { digits: Vec<u8> },
    Done,
}

impl Analyse {
    /// Tells one after the other.
    pub(crate) fn answer(self, reply: &Reply) -> Result<(), Refusal> {
        if self.candidate_cap == 0 {
            return Err(Refusal::bad("candidate_cap counts from 1"));
        }
        let scale =
            Scale { profile: self.scale.unwrap_or_default().0, ties: self.ties.unwrap_or_default().0 };
        let grid = self.grid.check()?;
        let cells = conflicts(&grid.digits);
        let has_conflicts = !cells.is_empty();
        reply.send(&Event::Conflicts { cells });
        let verdict = match has_conflicts {
            true => Some(Verdict::NONE),
            false => Verdict::of(&grid.digits, reply.stop())?,
        };
        // Without a verdict nobody is there any more to hear it.
        let Some(verdict) = verdict else { return Ok(()) };
        let known = Known { grid: &grid, verdict: &verdict };
        let wants = if has_conflicts { &[][..] } else { &self.wants };
        count::tell(known, self.cap, reply, || known.tell(wants, self.candidate_cap, scale, reply))?;
        reply.send(&Event::Done);
        Ok(())
    }
}

impl Known<'_> {
    /// Tells the solution of a unique grid, and what else is wanted.
    fn tell(self, wants: &[Want], cap: u64, scale: Scale, reply: &Reply) -> Result<(), Refusal> {
        if let Some(solution) = &self.verdict.solution {
            reply.send(&Event::Solution { digits: solution.cells().to_vec() });
        }
        // The rating of a very hard puzzle takes seconds.
        for want in [Want::Candidates, Want::Redundant, Want::Step, Want::Rating] {
            if !wants.contains(&want) || reply.is_over() {
                continue;
            }
            match want {
                Want::Candidates => candidates::tell(self, cap, reply),
                Want::Redundant => redundant::tell(self, reply),
                Want::Rating => rating::tell(self, scale, reply)?,
                Want::Step => step::tell(self, scale, reply)?,
            }
        }
        Ok(())
    }

    /// Returns whether the clues alone have exactly one solution; `None` if the reader is gone.
    fn is_proper(self, reply: &Reply) -> Result<Option<bool>, Refusal> {
        if self.grid.clues == self.grid.digits {
            return Ok(Some(self.verdict.is_unique()));
        }
        let verdict = Verdict::of(&self.grid.clues, reply.stop())?;
        Ok(verdict.map(|verdict| verdict.is_unique()))
    }
}
