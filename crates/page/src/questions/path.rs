//! The path of a grid: all steps that lead to the solution, round by round.

use gridmill_core::logic::{Explainer, ExplanationEnd, Until};
use serde_json::json;

use super::analyse::{Analysis, WRONG, is_wrong, steps_of};
use crate::reply::{Answer, Refusal};

impl Analysis<'_> {
    /// Sends each round as it is found. A round has all steps of the lowest rating, because they are applied together.
    pub(super) fn path(&self) -> Answer {
        let Some((mut state, solution)) = self.start()? else { return Ok(()) };
        if is_wrong(&state, &solution) {
            return Err(Refusal::bad(WRONG));
        }
        let mut explainer = Explainer::new(self.rate.scale, Some(Until::Round(1))).with_ties(self.rate.ties);
        while let Some(found) = explainer.explain(state, &solution, self.reply.stop()) {
            self.check(&found)?;
            if !found.rounds.is_empty() && !self.reply.event("round", json!({ "steps": steps_of(&found) })) {
                break;
            }
            if found.end != ExplanationEnd::AfterRound {
                self.reply.event("end", json!({ "end": found.end.name() }));
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
    use gridmill_core::logic::{Explanation, Rating, Scale, State};
    use gridmill_core::solver::{EngineKind, SolutionLimit};
    use serde_json::Value;

    use crate::questions::Analyse;
    use crate::questions::tests::{dataset, ends_on_disconnect, events, grid, next, page, request};
    use crate::reply::Lines;

    use super::*;

    fn question(grid: &Value) -> Analyse {
        request(json!({"grid": grid, "cap": 2, "candidate_cap": 1, "wants": ["path"]}))
    }

    /// The events of the path, without the verdict and the solution.
    fn path(grid: &Value) -> (Vec<Value>, Answer) {
        let (mut events, ended) = events(|reply| question(grid).answer(reply));
        events.retain(|event| event["event"] != "count" && event["event"] != "solution");
        (events, ended)
    }

    /// The explanation that the core gives in one call.
    fn explained(puzzle: &Grid) -> Explanation {
        let puzzle = puzzle.to_classic().unwrap();
        let solved = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
        let mut explainer = Explainer::new(Scale::Sukaku, None);
        let state = State::from_puzzle(&puzzle);
        explainer.explain(state, &solved.solution.unwrap(), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn the_path_is_the_explanation_round_by_round() {
        let lines = [dataset("easy.txt", 2), dataset("medium.txt", 3), dataset("hard.txt", 1)].concat();
        for line in lines {
            let puzzle = grid("3x3", &line[..81]);
            let expected = explained(&puzzle);
            let (mut events, ended) = path(&page(&puzzle));
            assert_eq!(ended, Ok(()));
            assert_eq!(events.pop().unwrap(), json!({"event": "end", "end": expected.end.name()}));
            assert_eq!(events.len(), expected.rounds.len(), "{line}");
            for (round, expected) in events.iter().zip(&expected.rounds) {
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
        let solved = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
        let cells = solved.solution.unwrap();
        let full = json!({"shape": "3x3", "clues": cells.cells().to_vec()});
        assert_eq!(path(&full), (vec![json!({"event": "end", "end": "solved"})], Ok(())));
    }

    #[test]
    fn only_9x9_grids_with_one_solution_have_a_path() {
        for grid in
            [json!({"shape": "2x2", "clues": vec![0; 16]}), json!({"shape": "3x3", "clues": vec![0; 81]})]
        {
            assert_eq!(path(&grid), (Vec::new(), Ok(())));
        }
    }

    #[test]
    fn a_grid_that_lacks_a_candidate_of_the_solution_is_refused() {
        let line = &dataset("easy.txt", 1)[0];
        let mut wrong = page(&grid("3x3", &line[..81]));
        let puzzle = explained(&grid("3x3", &line[..81]));
        let open = (0..81).find(|&cell| wrong["clues"][cell] == 0).unwrap();
        wrong["removed"] = json!([[open, puzzle.state.value(open).unwrap().get()]]);
        let (events, ended) = path(&wrong);
        assert!(events.is_empty());
        assert!(ended.unwrap_err().message.contains(WRONG));
    }

    #[test]
    fn the_path_ends_when_its_client_disconnects() {
        let puzzle = page(&grid("3x3", &dataset("hard.txt", 1)[0][..81]));
        let read = |lines: &mut Lines| while next(lines)["event"] != "round" {};
        ends_on_disconnect(move |reply| question(&puzzle).answer(reply), read);
    }
}
