//! What is wanted besides the count: true candidates, redundant clues, and how hard the clues are for people.

use std::slice;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::Cell;
use gridmill_core::jobs::{Candidates, Rate, Value};
use gridmill_core::logic::{PuzzleRating, Rater, Rating, RatingEnd, Technique};
use serde::Serialize;

use super::Known;
use crate::questions::ask;
use crate::reply::{Refusal, Reply};

#[derive(Serialize)]
#[serde(tag = "event", rename = "candidates")]
struct CandidatesTold<'a> {
    cap: u64,
    /// For each cell and each digit.
    solutions: Vec<&'a [u64]>,
}

/// Tells the true candidates with the number of solutions of each. The verdict says those of a grid without a solution, or
/// with one.
pub(super) fn candidates(known: Known<'_>, cap: u64, reply: &Reply) -> Result<(), Refusal> {
    let digits = &known.grid.digits;
    let side = digits.shape().side();
    let mut solutions = vec![0; digits.cells().len() * side];
    if let Some(solution) = &known.verdict.solution {
        for (of_cell, &digit) in solutions.chunks_mut(side).zip(solution.cells()) {
            of_cell[usize::from(digit) - 1] = 1;
        }
    } else if known.verdict.found() > 0 {
        let Some(answers) = ask(&Candidates { cap }, digits, reply.stop())? else { return Ok(()) };
        if let Value::Candidates(counts) = answers.value(0, 0) {
            solutions.copy_from_slice(counts);
        }
    }
    reply.send(&CandidatesTold { cap, solutions: solutions.chunks(side).collect() });
    Ok(())
}

#[derive(Serialize)]
#[serde(tag = "event", rename = "redundant")]
struct Redundant {
    cells: Vec<usize>,
    is_doubtful: bool,
}

/// Tells the redundant clues, where the clues alone have exactly one solution.
pub(super) fn redundant(known: Known<'_>, reply: &Reply) {
    let grid = known.grid;
    if grid.clues == grid.digits && !known.verdict.is_unique() {
        return;
    }
    let found = Minimizer::new(None).redundant_until(slice::from_ref(&grid.clues), reply.stop());
    for found in found.into_iter().filter(|found| found.solutions == 1) {
        let cells = found.result.into_iter().map(Cell::index).collect();
        reply.send(&Redundant { cells, is_doubtful: found.is_given_up });
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename = "rating")]
struct RatingTold {
    er: Option<f64>,
    ep: Option<f64>,
    ed: Option<f64>,
    at_least: Option<f64>,
    hardest: Option<&'static str>,
    scale: &'static str,
}

/// Tells the rating of 9x9 clues that alone have exactly one solution.
pub(super) fn rating(known: Known<'_>, rate: Rate, reply: &Reply) -> Result<(), Refusal> {
    let Some(puzzle) = known.grid.clues.to_classic() else { return Ok(()) };
    if known.is_proper(reply)? != Some(true) {
        return Ok(());
    }
    let mut rater = Rater::new(rate.scale, Rating::BEYOND).with_ties(rate.ties);
    let rating = rater.rate_until(&puzzle, reply.stop());
    if reply.is_over() {
        return Ok(());
    }
    if rating.end == RatingEnd::Contradiction {
        return Err(Refusal::defect(format!("the techniques of {} find no solution", rate.version())));
    }
    reply.send(&rating_told(&rating, rate));
    Ok(())
}

fn rating_told(rating: &PuzzleRating, rate: Rate) -> RatingTold {
    let (is_solved, has_rounds) = (rating.end == RatingEnd::Solved, rating.steps > 0);
    RatingTold {
        er: (is_solved && has_rounds).then_some(rating.er.number()),
        ep: rating.ep.map(Rating::number),
        ed: rating.ed.map(Rating::number),
        at_least: (!is_solved).then_some(rating.er.max(Rating::LEAST).number()),
        hardest: rating.hardest.filter(|_| is_solved).map(Technique::slug),
        scale: rate.version(),
    }
}
