//! The path of a grid: all steps that lead to the solution, round by round.

use gridmill_core::jobs::Rate;
use gridmill_core::logic::{Explainer, ExplanationEnd, Profile, Ties, Until};
use serde::Deserialize;
use serde_json::json;

use super::analyse::{Analysis, Verdict, WRONG, is_wrong, steps_of};
use super::{Named, PageGrid};
use crate::reply::{Refusal, Reply};

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Path {
    grid: PageGrid,
    scale: Option<Named<Profile>>,
    ties: Option<Named<Ties>>,
}

impl Path {
    /// Sends each round as it is found. A round has all steps of the lowest rating, because they are applied
    /// together.
    pub(crate) fn answer(self, reply: &Reply) -> Result<(), Refusal> {
        let (scale, ties) = (self.scale.unwrap_or_default().0, self.ties.unwrap_or_default().0);
        let rate = Rate { scale, ties, ..Rate::default() };
        let grid = self.grid.check()?;
        if grid.digits.to_classic().is_none() {
            return Err(Refusal::bad("a path is of a 9x9 grid"));
        }
        let Some(verdict) = Verdict::search(&grid.digits, reply.stop())? else { return Ok(()) };
        if verdict.solution.is_none() {
            return Err(Refusal::bad("a path needs a grid with exactly one solution"));
        }
        let analysis = Analysis { grid, verdict, rate, reply };
        let Some((mut state, solution)) = analysis.start()? else { return Ok(()) };
        if is_wrong(&state, &solution) {
            return Err(Refusal::bad(WRONG));
        }
        let mut explainer = Explainer::new(scale, Some(Until::Round(1))).with_ties(ties);
        while let Some(found) = explainer.explain(state, &solution, reply.stop()) {
            analysis.check(&found)?;
            if !found.rounds.is_empty() && !reply.event("round", json!({ "steps": steps_of(&found) })) {
                break;
            }
            if found.end != ExplanationEnd::AfterRound {
                reply.event("end", json!({ "end": found.end.name() }));
                break;
            }
            state = found.state;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use gridmill_core::grid::Grid;
    use gridmill_core::logic::{Explanation, Rating, State};
    use gridmill_core::solver::{SolutionLimit, SolverKind};
    use serde_json::Value;

    use crate::questions::tests::{dataset, ends_with_its_reader, events, grid, next, page, request};

    use super::*;

    fn path(grid: &Value) -> (Vec<Value>, Result<(), Refusal>) {
        let question: Path = request(json!({ "grid": grid }));
        events(|reply| question.answer(reply))
    }

    /// The explanation that the core gives in one call.
    fn explained(puzzle: &Grid) -> Explanation {
        let puzzle = puzzle.to_classic().unwrap();
        let solved = SolverKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
        let mut explainer = Explainer::new(Profile::Sukaku, None);
        let state = State::from_puzzle(&puzzle);
        explainer.explain(state, &solved.solution.unwrap(), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn the_path_is_the_explanation_round_by_round() {
        let lines = [dataset("easy.txt", 2), dataset("medium.txt", 3), dataset("hard.txt", 1)].concat();
        for line in lines {
            let puzzle = grid("3x3", &line[..81]);
            let expected = explained(&puzzle);
            let (mut told, ended) = path(&page(&puzzle));
            assert_eq!(ended, Ok(()));
            assert_eq!(told.pop().unwrap(), json!({"event": "end", "end": expected.end.name()}));
            assert_eq!(told.len(), expected.rounds.len(), "{line}");
            for (round, expected) in told.iter().zip(&expected.rounds) {
                let steps = round["steps"].as_array().unwrap();
                assert_eq!(steps.len(), expected.steps.len());
                for (step, expected) in steps.iter().zip(&expected.steps) {
                    assert_eq!(step["technique"], expected.deduction.technique.slug());
                    assert_eq!(step["rating"], expected.deduction.rating.number());
                    assert_eq!(step["reason"], expected.pattern.reason);
                    assert!(expected.deduction.rating <= Rating::BEYOND);
                }
            }
        }
    }

    #[test]
    fn a_full_grid_has_a_path_without_rounds() {
        let line = &dataset("easy.txt", 1)[0];
        let puzzle = grid("3x3", &line[..81]).to_classic().unwrap();
        let solved = SolverKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
        let cells = solved.solution.unwrap();
        let full = json!({"shape": "3x3", "clues": cells.cells().to_vec()});
        assert_eq!(path(&full), (vec![json!({"event": "end", "end": "solved"})], Ok(())));
    }

    #[test]
    fn grids_without_a_path_are_refused_with_a_sentence() {
        let line = &dataset("easy.txt", 1)[0];
        let mut wrong = page(&grid("3x3", &line[..81]));
        let puzzle = explained(&grid("3x3", &line[..81]));
        let open = (0..81).find(|&cell| wrong["clues"][cell] == 0).unwrap();
        wrong["removed"] = json!([[open, puzzle.state.value(open).unwrap().get()]]);
        for (grid, words) in [
            (json!({"shape": "2x2", "clues": vec![0; 16]}), "of a 9x9 grid"),
            (json!({"shape": "3x3", "clues": vec![0; 81]}), "exactly one solution"),
            (wrong, WRONG),
        ] {
            let (told, ended) = path(&grid);
            assert!(told.is_empty());
            assert!(ended.unwrap_err().message.contains(words), "{words}");
        }
    }

    #[test]
    fn the_path_ends_with_its_reader() {
        let puzzle = page(&grid("3x3", &dataset("hard.txt", 1)[0][..81]));
        let question: Path = request(json!({ "grid": puzzle }));
        ends_with_its_reader(move |reply| question.answer(reply), |lines| _ = next(lines));
    }
}
