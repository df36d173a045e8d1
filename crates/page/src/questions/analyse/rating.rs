//! How hard the clues are for people.

use gridmill_core::logic::{PuzzleRating, Rater, Rating, RatingEnd, Technique};
use serde::Serialize;

use super::{Known, Scale};
use crate::refusal::Refusal;
use crate::reply::Reply;

#[derive(Serialize)]
#[serde(tag = "event", rename = "rating")]
struct Told {
    er: Option<f64>,
    ep: Option<f64>,
    ed: Option<f64>,
    at_least: Option<f64>,
    hardest: Option<&'static str>,
    scale: &'static str,
}

/// Tells the rating of 9x9 clues that alone have exactly one solution.
pub(super) fn tell(known: Known<'_>, scale: Scale, reply: &Reply) -> Result<(), Refusal> {
    let Some(puzzle) = known.grid.clues.to_classic() else { return Ok(()) };
    if known.is_proper(reply)? != Some(true) {
        return Ok(());
    }
    let mut rater = Rater::new(scale.profile, Rating::BEYOND).with_ties(scale.ties);
    let rating = rater.rate_until(&puzzle, reply.stop());
    if reply.is_over() {
        return Ok(());
    }
    if rating.end == RatingEnd::Contradiction {
        return Err(Refusal::defect(format!("the techniques of {} find no solution", scale.version())));
    }
    reply.send(&told(&rating, scale));
    Ok(())
}

fn told(rating: &PuzzleRating, scale: Scale) -> Told {
    let (is_solved, has_rounds) = (rating.end == RatingEnd::Solved, rating.steps > 0);
    Told {
        er: (is_solved && has_rounds).then_some(rating.er.number()),
        ep: rating.ep.map(Rating::number),
        ed: rating.ed.map(Rating::number),
        at_least: (!is_solved).then_some(rating.er.max(Rating::LEAST).number()),
        hardest: rating.hardest.filter(|_| is_solved).map(Technique::slug),
        scale: scale.version(),
    }
}

impl Scale {
    /// Returns the name of the scale with its version.
    pub(super) fn version(self) -> &'static str {
        self.profile.version_with(self.ties)
    }
}
