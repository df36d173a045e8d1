//! The analysis of a grid: its solutions, its true candidates, its rating and the next step.
//!
//! The verdict comes first, in the thread of the request. If there are several solutions, one thread continues to count them, and
//! another works on the details. Meanwhile, the thread of the request reports the progress of the count.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::{Cell, Grid, Puzzle, Solution};
use gridmill_core::hunt::BackdoorFinder;
use gridmill_core::jobs::{BatchSearch, Rate, Status, WrongAnswer};
use gridmill_core::logic::{
    CandidateSet, Explainer, Explanation, ExplanationEnd, Rater, Rating, RatingEnd, Scale, State, Ties, Until,
};
use gridmill_core::minlex::band_classes;
use gridmill_core::solver::{Bounds, Budget, Engine, EngineKind, SearchEnd, SearchResult, true_candidates};
use serde::Deserialize;
use serde_json::json;

use super::{CheckedGrid, Named, PageGrid, PageStep, title, with_ticks};
use crate::reply::{Answer, Refusal, Reply};

/// How often the count is reported.
const PERIOD: Duration = Duration::from_millis(50);

/// The note for a grid from which a candidate of the solution has been removed.
pub(super) const WRONG: &str = "a candidate of the solution was removed";

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyse {
    grid: PageGrid,
    /// The limit for the count of solutions; 0 counts all.
    cap: u64,
    /// The limit for the count of each candidate's solutions.
    candidate_cap: u64,
    wants: Vec<Want>,
    scale: Option<Named<Scale>>,
    ties: Option<Named<Ties>>,
}

/// A detail besides the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Candidates,
    Redundant,
    Rating,
    Step,
    Path,
}

/// A grid with its verdict, which is the basis for the details.
pub(super) struct Analysis<'a> {
    grid: CheckedGrid,
    verdict: Verdict,
    pub(super) rate: Rate,
    pub(super) reply: &'a Reply,
}

/// Whether a grid has no solution, one, or several.
struct Verdict {
    status: Status,
    /// The solution, if there is exactly one.
    solution: Option<Grid>,
    /// The time of the search.
    nanos: u64,
}

impl Verdict {
    /// Searches a grid for up to two solutions. `None` if `stop` became true.
    fn search(grid: &Grid, stop: &AtomicBool) -> Answer<Option<Verdict>> {
        let defect = |WrongAnswer { engine, .. }| {
            Refusal::defect(format!("the engine '{engine}' gave a grid that is not a solution"))
        };
        let mut search = BatchSearch::proof(Engine::Other(EngineKind::Bitmask));
        let found = search.run(slice::from_ref(grid), stop).map_err(defect)?;
        Ok(found.first().map(|found| {
            let status = Status::proved(grid, found);
            let solution = found.solution.clone().filter(|_| status == Status::Unique);
            Verdict { status, solution, nanos: found.nanos }
        }))
    }

    /// The number of solutions that were found, and its name. If digits repeat, the name is the same as for any grid without a
    /// solution.
    fn found(&self) -> (u64, &'static str) {
        match self.status {
            Status::Unique => (1, "unique"),
            Status::Multiple => (2, "multiple"),
            _ => (0, "none"),
        }
    }
}

impl Analyse {
    pub(crate) fn answer(self, reply: &Reply) -> Answer {
        if self.candidate_cap == 0 {
            return Err(Refusal::bad("candidate_cap must be 1 or more"));
        }
        let (scale, ties) = (self.scale.unwrap_or_default().0, self.ties.unwrap_or_default().0);
        let rate = Rate { scale, ties, ..Rate::default() };
        let grid = self.grid.check()?;
        // If there is no verdict, the client has left.
        let Some(verdict) = Verdict::search(&grid.digits, reply.stop())? else { return Ok(()) };
        let wants = if verdict.status == Status::Conflict { &[][..] } else { &self.wants };
        let analysis = Analysis { grid, verdict, rate, reply };
        analysis.count(self.cap, || analysis.details(wants, self.candidate_cap))
    }
}

impl Analysis<'_> {
    /// Sends the count until it is final. Meanwhile, another thread sends the details.
    fn count(&self, cap: u64, details: impl FnOnce() -> Answer + Send) -> Answer {
        let (found, verdict) = self.verdict.found();
        let is_capped = found > 1 && (1..=found).contains(&cap);
        let is_final = is_capped || found < 2;
        let known = if is_capped { cap } else { found };
        let count = |solutions: u64, is_final: bool, is_capped: bool| {
            // The count starts from 0 again, but the solutions of the verdict are known already, so the number never falls below
            // them.
            let solutions = solutions.max(known);
            json!({ "verdict": verdict, "solutions": solutions, "is_final": is_final, "is_capped": is_capped })
        };
        let mut first = count(known, is_final, is_capped);
        first["engine_ns"] = self.verdict.nanos.into();
        self.reply.event("count", first);
        if is_final {
            return details();
        }
        thread::scope(|scope| {
            let details = thread::Builder::new().spawn_scoped(scope, details).map_err(Refusal::no_thread)?;
            let seen = AtomicU64::new(0);
            let searched = with_ticks(
                PERIOD,
                || search(&self.grid.digits, cap, &seen, self.reply.stop()),
                || _ = self.reply.event("count", count(seen.load(Ordering::Relaxed), false, false)),
            )
            .map_err(Refusal::no_thread)?;
            if searched.end != SearchEnd::Stopped {
                let is_capped = searched.end == SearchEnd::Limit;
                self.reply.event("count", count(searched.solutions, true, is_capped));
            }
            details.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Sends the solution of a unique grid, and the details.
    fn details(&self, wants: &[Want], cap: u64) -> Answer {
        if let Some(solution) = &self.verdict.solution {
            self.reply.event("solution", json!({ "digits": solution.cells() }));
        }
        // The rating and the path come last, because they take seconds for a very hard puzzle.
        for want in [Want::Candidates, Want::Redundant, Want::Step, Want::Rating, Want::Path] {
            if !wants.contains(&want) || self.reply.is_over() {
                continue;
            }
            match want {
                Want::Candidates => self.candidates(cap),
                Want::Redundant => self.redundant(),
                Want::Rating => self.rating()?,
                Want::Step => self.step()?,
                Want::Path => self.path()?,
            }
        }
        Ok(())
    }

    /// The verdict of the clues alone; `None` if the client has left.
    fn clues_verdict(&self) -> Answer<Option<Verdict>> {
        Verdict::search(&self.grid.clues, self.reply.stop())
    }

    /// Sends the number of solutions of each candidate. In a grid without a solution, all of them are 0.
    fn candidates(&self, cap: u64) {
        let digits = &self.grid.digits;
        let (cells, side) = (digits.cells().len(), digits.shape().side());
        let mut engine = EngineKind::Bitmask.build_any_shape::<Grid>();
        let found = true_candidates(digits, cap, Budget::NONE, &mut *engine, self.reply.stop());
        if let Some(found) = found {
            let mut solutions = found.counts().to_vec();
            solutions.resize(cells * side, 0);
            let solutions: Vec<&[u64]> = solutions.chunks(side).collect();
            self.reply.event("candidates", json!({ "cap": cap, "solutions": solutions }));
        }
    }

    /// Sends the redundant clues, if the clues alone have exactly one solution.
    fn redundant(&self) {
        let clues = slice::from_ref(&self.grid.clues);
        let found = Minimizer::default().redundant_until(clues, self.reply.stop());
        for found in found.into_iter().filter(|found| found.solutions == 1) {
            let cells: Vec<usize> = found.result.into_iter().map(Cell::index).collect();
            self.reply.event("redundant", json!({ "cells": cells, "is_doubtful": found.is_given_up }));
        }
    }

    /// Sends the rating of 9x9 clues that alone have exactly one solution, with their smallest backdoor and the classes of the bands
    /// of the solution.
    fn rating(&self) -> Answer {
        let Some(puzzle) = self.grid.clues.to_classic() else { return Ok(()) };
        let verdict = self.clues_verdict()?;
        let Some(solution) = verdict.and_then(|verdict| verdict.solution) else { return Ok(()) };
        let mut finder = BackdoorFinder::new(None, Budget::NONE);
        let backdoor = finder.find(&puzzle, solution.cells(), false, self.reply.stop());
        let backdoor = backdoor.and_then(|found| found.sets.into_iter().next());
        let mut rater = Rater::new(self.rate.scale, Rating::BEYOND).with_ties(self.rate.ties);
        let rating = rater.rate_until(&puzzle, self.reply.stop());
        if self.reply.is_over() {
            return Ok(());
        }
        if rating.end == RatingEnd::Contradiction {
            return Err(Refusal::defect(format!(
                "the techniques of {} find no solution",
                self.rate.version()
            )));
        }
        let (is_solved, has_rounds) = (rating.end == RatingEnd::Solved, rating.round_count > 0);
        let told = json!({
            "er": (is_solved && has_rounds).then_some(rating.er.number()),
            "ep": rating.ep.map(Rating::number),
            "ed": rating.ed.map(Rating::number),
            "at_least": (!is_solved).then_some(rating.er.max(Rating::LEAST).number()),
            "name": rating.hardest.filter(|_| is_solved).map(title),
            "scale": self.rate.version(),
            "backdoor": backdoor.map(|cells| cells.into_iter().map(Cell::index).collect::<Vec<_>>()),
            "bands": solution.cells().try_into().ok().map(band_classes),
        });
        self.reply.event("rating", told);
        Ok(())
    }

    /// Sends the next step of a 9x9 grid with exactly one solution.
    fn step(&self) -> Answer {
        let Some((state, solution)) = self.start()? else { return Ok(()) };
        if is_wrong(&state, &solution) {
            self.reply.event("step", json!({ "steps": [], "note": WRONG }));
            return Ok(());
        }
        let mut explainer = Explainer::new(self.rate.scale, Some(Until::Round(1))).with_ties(self.rate.ties);
        let Some(found) = explainer.explain(state, &solution, self.reply.stop()) else { return Ok(()) };
        self.check(&found)?;
        self.reply.event("step", json!({ "steps": steps_of(&found) }));
        Ok(())
    }

    /// The start of the steps and the solution to which they lead. `None` unless it is a 9x9 grid with exactly one solution, or if
    /// the client has left.
    pub(super) fn start(&self) -> Answer<Option<(State, Solution)>> {
        let solution = self.verdict.solution.as_ref().map(Grid::cells);
        let solution = solution.and_then(|cells| Solution::from_cells(cells.try_into().ok()?));
        let (Some(solution), Some(digits)) = (solution, self.grid.digits.to_classic()) else {
            return Ok(None);
        };
        let Some(verdict) = self.clues_verdict()? else { return Ok(None) };
        // The order of ties depends on the clues, as long as the clues alone have one solution.
        let clues = self.grid.clues.to_classic().filter(|_| verdict.solution.is_some()).unwrap_or(digits);
        Ok(Some((state(&clues, &digits, &self.grid.removed), solution)))
    }

    /// Refuses steps that contradict the solution.
    pub(super) fn check(&self, found: &Explanation) -> Answer {
        if found.end != ExplanationEnd::Contradiction {
            return Ok(());
        }
        Err(Refusal::defect(format!("a technique of {} contradicts the solution", self.rate.version())))
    }
}

/// The steps of the first round.
pub(super) fn steps_of(found: &Explanation) -> Vec<PageStep<'_>> {
    found.rounds.first().map_or(&[][..], |round| &round.steps).iter().map(PageStep::new).collect()
}

/// Whether a candidate of the solution is missing.
pub(super) fn is_wrong(state: &State, solution: &Solution) -> bool {
    let digit = |cell: usize| usize::from(solution.cells()[cell]) - 1;
    state.empty().into_iter().any(|cell| !state.has(cell, digit(cell)))
}

/// Counts the solutions of a grid, and stores the progress in `seen`.
fn search(grid: &Grid, cap: u64, seen: &AtomicU64, stop: &AtomicBool) -> SearchResult {
    let mut found = 0;
    let mut engine = EngineKind::Bitmask.build_any_shape::<Grid>();
    engine.search_until(grid, &Bounds::solutions(cap), stop, &mut |_| {
        found += 1;
        seen.store(found, Ordering::Relaxed);
        ControlFlow::Continue(())
    })
}

/// The state of a puzzle after some steps: with digits besides its clues, and without some candidates.
fn state(clues: &Puzzle, digits: &Puzzle, removed: &[(usize, usize)]) -> State {
    let mut state = State::from_puzzle(clues);
    let mut entries = CandidateSet::EMPTY;
    for cell in state.empty().into_iter().filter(|&cell| digits.cells()[cell] != 0) {
        entries.insert(cell, usize::from(digits.cells()[cell]) - 1);
    }
    state.place_all(&entries);
    removed.iter().for_each(|&(cell, digit)| state.remove(cell, digit));
    state
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use gridmill_core::grid::{Grid, Shape, rules};
    use gridmill_core::solver::{Backtracking, Bounds, DancingLinks, SolutionEngine};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use serde_json::Value;

    use crate::questions::tests::{dataset, ends_on_disconnect, events, grid, named, next, page, request};

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn question(grid: &Value, cap: u64, wants: &[&str]) -> Analyse {
        request(json!({"grid": grid, "cap": cap, "candidate_cap": 3, "wants": wants}))
    }

    fn analyse(grid: &Value, cap: u64, wants: &[&str]) -> Vec<Value> {
        let (events, ended) = events(|reply| question(grid, cap, wants).answer(reply));
        assert_eq!(ended, Ok(()), "{grid}");
        events
    }

    fn names(events: &[Value]) -> Vec<&str> {
        events.iter().map(|event| event["event"].as_str().unwrap()).collect()
    }

    /// The solutions of a grid up to a limit, by a different engine.
    fn oracle_solutions(grid: &Grid, limit: u64) -> Vec<Vec<u8>> {
        let mut solutions = Vec::new();
        Backtracking::new().search(grid, &Bounds::solutions(limit), &mut |cells| {
            solutions.push(cells.to_vec());
            ControlFlow::Continue(())
        });
        solutions
    }

    /// Removes some clues from a grid.
    fn without(puzzle: &Grid, clues: usize, rng: &mut ChaCha8Rng) -> Grid {
        let mut cells = puzzle.cells().to_vec();
        for _ in 0..clues {
            let remaining: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] != 0).collect();
            cells[remaining[rng.random_range(0..remaining.len())]] = 0;
        }
        Grid::new(puzzle.shape(), cells).unwrap()
    }

    #[test]
    fn the_events_of_a_proper_puzzle_are_in_order() {
        let events = analyse(&page(&grid("3x3", EASY)), 0, &["step", "rating", "redundant", "candidates"]);
        let order = ["count", "solution", "candidates", "redundant", "step", "rating"];
        assert_eq!(names(&events), order);
        let count = &events[0];
        assert_eq!((&count["verdict"], &count["solutions"]), (&json!("unique"), &json!(1)));
        assert_eq!((&count["is_final"], &count["is_capped"]), (&json!(true), &json!(false)));
        assert!(count["engine_ns"].as_u64().unwrap() > 0);
        assert_eq!(events[1]["digits"][2], 4);
        let candidates = &events[2]["solutions"];
        assert_eq!((&candidates[2], &events[2]["cap"]), (&json!([0, 0, 0, 1, 0, 0, 0, 0, 0]), &json!(3)));
        let expected = json!({
            "event": "rating", "er": 1.2, "ep": 1.2, "ed": 1.2, "at_least": null,
            "name": "Hidden Single in a Box", "scale": "sukaku-1",
            "backdoor": [], "bands": [379, 244, 209, 368, 174, 331],
        });
        assert_eq!(events[5], expected);
    }

    #[test]
    fn repeated_digits_give_a_count_of_0_and_no_other_event() {
        let mut cells = vec![0; 81];
        (cells[0], cells[8], cells[20], cells[40]) = (5, 5, 5, 5);
        let events = analyse(&json!({"shape": "3x3", "clues": cells}), 0, &["candidates", "rating", "step"]);
        assert_eq!(names(&events), ["count"]);
        assert_eq!((&events[0]["verdict"], &events[0]["solutions"]), (&json!("none"), &json!(0)));
        assert_eq!(events[0]["is_final"], true);
    }

    #[test]
    fn a_grid_without_solution_has_no_candidates_and_no_steps() {
        let line = &dataset("none.txt", 1)[0];
        let events = analyse(&page(&grid("3x3", line)), 0, &["candidates", "redundant", "rating", "step"]);
        assert_eq!(names(&events), ["count", "candidates"]);
        assert_eq!(events[0]["verdict"], "none");
        assert_eq!(events[1]["solutions"], json!(vec![[0; 9]; 81]));
    }

    #[test]
    fn a_full_grid_has_one_solution_and_no_step() {
        let full = oracle_solutions(&grid("3x3", EASY), 1).remove(0);
        let events = analyse(&json!({"shape": "3x3", "clues": full}), 1, &["redundant", "rating", "step"]);
        assert_eq!(names(&events), ["count", "solution", "redundant", "step", "rating"]);
        assert_eq!(events[1]["digits"], json!(full));
        assert_eq!(events[2]["cells"].as_array().unwrap().len(), 81);
        assert_eq!((&events[4]["er"], &events[4]["at_least"]), (&Value::Null, &Value::Null));
        assert_eq!(events[3], json!({"event": "step", "steps": []}));
    }

    #[test]
    fn counts_and_candidates_are_those_of_the_oracle_in_every_shape() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut puzzles: Vec<Grid> = Vec::new();
        for (file, shape, clues) in [("4x4.txt", "2x2", 2), ("6x6.txt", "2x3", 3), ("easy.txt", "3x3", 5)] {
            let lines = dataset(file, 6);
            puzzles.extend(lines.iter().map(|line| without(&grid(shape, line), clues, &mut rng)));
        }
        for puzzle in &puzzles {
            let solutions = oracle_solutions(puzzle, 0);
            let events = analyse(&page(puzzle), 0, &["candidates"]);
            let count = named(&events, "count").last().unwrap();
            assert_eq!(count["solutions"], solutions.len(), "{puzzle}");
            assert_eq!((&count["is_final"], &count["is_capped"]), (&json!(true), &json!(false)));
            let candidates = &named(&events, "candidates").next().unwrap()["solutions"];
            for cell in 0..puzzle.cells().len() {
                for digit in 1..=puzzle.shape().side() {
                    let with = solutions.iter().filter(|cells| usize::from(cells[cell]) == digit).count();
                    assert_eq!(candidates[cell][digit - 1], with.min(3), "{puzzle}: {digit} in {cell}");
                }
            }
        }
    }

    #[test]
    fn counts_stop_exactly_at_the_cap() {
        let empty = Grid::empty(Shape::new(2, 2).unwrap());
        for cap in [1, 2, 3, 4, 287, 288, 289, 1000, 0] {
            let events = analyse(&page(&empty), cap, &[]);
            let count = named(&events, "count").last().unwrap();
            let expected = if cap == 0 { 288 } else { cap.min(288) };
            assert_eq!((&count["solutions"], &count["is_final"]), (&json!(expected), &json!(true)), "{cap}");
            assert_eq!(count["is_capped"], (1..=288).contains(&cap), "{cap}");
            assert!(named(&events, "count").all(|count| count["solutions"].as_u64().unwrap() <= expected));
            assert!(named(&events, "count").all(|count| count["verdict"] == "multiple"));
            assert!(names(&events).iter().all(|name| *name == "count"));
        }
        let unique = analyse(&page(&grid("3x3", EASY)), 1, &[]);
        assert_eq!(unique[0]["is_capped"], false);
    }

    #[test]
    fn only_the_first_count_has_the_time_of_the_engine() {
        let events = analyse(&page(&Grid::empty(Shape::new(2, 2).unwrap())), 0, &[]);
        let times: Vec<bool> = named(&events, "count").map(|count| count["engine_ns"].is_u64()).collect();
        assert!(times.len() > 1 && times[0] && times[1..].iter().all(|has| !has), "{times:?}");
    }

    #[test]
    fn large_grids_are_analysed_without_rating_and_step() {
        let puzzle = grid("4x4", &dataset("16x16.txt", 1)[0]);
        let events = analyse(&page(&puzzle), 0, &["candidates", "redundant", "rating", "step"]);
        assert_eq!(names(&events), ["count", "solution", "candidates", "redundant"]);
        let digits: Vec<u8> = serde_json::from_value(events[1]["digits"].clone()).unwrap();
        assert!(rules::is_solution(puzzle.shape(), puzzle.cells(), &digits));
    }

    /// Reads the events of an endless answer until `enough`, and then disconnects.
    fn read_until(question: Analyse, enough: impl Fn(&Value) -> bool) {
        ends_on_disconnect(move |reply| question.answer(reply), |lines| while !enough(&next(lines)) {});
    }

    #[test]
    fn the_count_of_an_empty_grid_grows_until_the_client_disconnects() {
        let empty = page(&Grid::empty(Shape::CLASSIC));
        let grows = |event: &Value| event["event"] == "count" && event["solutions"].as_u64().unwrap() > 2;
        read_until(question(&empty, 0, &["candidates", "redundant", "rating", "step"]), |event| {
            assert_ne!(event["is_final"], true);
            grows(event)
        });
    }

    #[test]
    fn an_immediate_disconnect_ends_the_analysis() {
        let large = page(&Grid::empty(Shape::new(4, 4).unwrap()));
        let question: Analyse = request(json!({
            "grid": large, "cap": 0, "candidate_cap": 100_000, "wants": ["candidates", "redundant"],
        }));
        read_until(question, |_| true);
    }

    #[test]
    fn redundant_clues_can_be_removed_without_a_second_solution() {
        for (file, shape) in [("4x4.txt", "2x2"), ("6x6.txt", "2x3"), ("easy.txt", "3x3")] {
            let puzzle = grid(shape, &dataset(file, 1)[0]);
            let mut clues = puzzle.cells().to_vec();
            let solution = oracle_solutions(&puzzle, 1).remove(0);
            (0..clues.len()).step_by(7).for_each(|cell| clues[cell] = solution[cell]);
            let is_redundant = |cell: usize| {
                let mut fewer = clues.clone();
                fewer[cell] = 0;
                let fewer = Grid::new(puzzle.shape(), fewer).unwrap();
                clues[cell] != 0 && DancingLinks::new().count(&fewer, &Bounds::solutions(2)).solutions == 1
            };
            let expected: Vec<usize> = (0..clues.len()).filter(|&cell| is_redundant(cell)).collect();
            let asked = page(&Grid::new(puzzle.shape(), clues.clone()).unwrap());
            let events = analyse(&asked, 2, &["redundant"]);
            let redundant = named(&events, "redundant").next().unwrap();
            assert!(!expected.is_empty());
            assert_eq!(
                (&redundant["cells"], &redundant["is_doubtful"]),
                (&json!(expected), &json!(false)),
                "{puzzle}"
            );
        }
    }

    #[test]
    fn a_rating_reports_its_scale_and_the_order_of_its_ties() {
        let grid = page(&grid("3x3", EASY));
        let asked = json!({
            "grid": grid, "cap": 2, "candidate_cap": 1, "wants": ["rating"], "scale": "se", "ties": "reading",
        });
        let question: Analyse = request(asked);
        let (events, _) = events(|reply| question.answer(reply));
        assert_eq!(named(&events, "rating").next().unwrap()["scale"], "se-1-reading");
    }

    #[test]
    fn invalid_requests_are_refused() {
        let easy = page(&grid("3x3", EASY));
        let wrong = |more: Value| {
            let mut request = json!({"grid": easy, "cap": 0, "candidate_cap": 1, "wants": []});
            request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<Analyse>(request).unwrap_err().to_string()
        };
        assert!(wrong(json!({"scale": "x"})).contains("the scales are se, sukaku and sukaku-2020"));
        assert!(wrong(json!({"ties": "x"})).contains("the orders are minlex and reading"));
        assert!(wrong(json!({"more": 1})).contains("unknown field"));
        assert!(wrong(json!({"wants": ["x"]})).contains("unknown variant"));
        let question: Analyse =
            request(json!({"grid": easy, "cap": 0, "candidate_cap": 0, "wants": [], "scale": null}));
        let (events, ended) = events(|reply| question.answer(reply));
        assert!(events.is_empty() && ended.unwrap_err().message.contains("must be 1 or more"));
    }

    /// A grid with the entries and removed candidates of the page.
    struct Page {
        clues: Grid,
        entries: Vec<u8>,
        removed: Vec<Value>,
    }

    impl Page {
        fn new(line: &str) -> Page {
            Page { clues: grid("3x3", line), entries: vec![0; 81], removed: Vec::new() }
        }

        fn ask(&self, wants: &[&str]) -> Vec<Value> {
            let grid = json!({
                "shape": "3x3", "clues": self.clues.cells(), "entries": self.entries, "removed": self.removed,
            });
            let question = json!({"grid": grid, "cap": 2, "candidate_cap": 1, "wants": wants});
            let question: Analyse = request(question);
            let (events, ended) = events(|reply| question.answer(reply));
            assert_eq!(ended, Ok(()));
            events
        }

        fn step(&self) -> Value {
            named(&self.ask(&["step"]), "step").next().unwrap().clone()
        }

        /// Applies a step.
        fn apply(&mut self, step: &Value) {
            match step["placed"].as_array() {
                Some(placed) => {
                    let [cell, digit] = [0, 1].map(|at| placed[at].as_u64().unwrap() as usize);
                    self.entries[cell] = digit as u8;
                }
                None => self.removed.extend(step["removed"].as_array().unwrap().iter().cloned()),
            }
        }
    }

    #[test]
    fn steps_lead_to_the_solution_with_the_rating_of_the_puzzle() {
        let mut lines = dataset("minimal.txt", 8);
        lines.push(EASY.to_owned());
        let mut removed = 0;
        for line in lines {
            let mut page = Page::new(&line);
            let events = page.ask(&["rating"]);
            let rating = named(&events, "rating").next().unwrap()["er"].as_f64().unwrap();
            let mut hardest: f64 = 0.0;
            loop {
                let event = page.step();
                let Some(first) = event["steps"].get(0) else { break };
                hardest = hardest.max(first["rating"].as_f64().unwrap());
                event["steps"].as_array().unwrap().iter().for_each(|step| page.apply(step));
            }
            let full: Vec<u8> =
                (0..81).map(|cell| page.clues.cells()[cell].max(page.entries[cell])).collect();
            let solution = &named(&events, "solution").next().unwrap()["digits"];
            assert_eq!((hardest, &json!(full)), (rating, solution), "{line}");
            removed += page.removed.len();
        }
        assert!(removed > 0, "no puzzle needs more than singles");
    }

    #[test]
    fn a_step_lists_the_cells_of_its_houses() {
        let event = Page::new(EASY).step();
        let houses = |step: &Value| -> Vec<(String, usize)> {
            let names = step["houses"].as_array().unwrap();
            let cells = step["house_cells"].as_array().unwrap();
            assert_eq!(names.len(), cells.len());
            let first = |cells: &Value| {
                assert_eq!(cells.as_array().unwrap().len(), 9);
                cells[0].as_u64().unwrap() as usize
            };
            names.iter().map(|name| name.as_str().unwrap().to_owned()).zip(cells.iter().map(first)).collect()
        };
        for step in event["steps"].as_array().unwrap() {
            for (name, first) in houses(step) {
                let (kind, number) = name.split_once(' ').unwrap();
                let number = number.parse::<usize>().unwrap() - 1;
                let expected = match kind {
                    "row" => 9 * number,
                    "column" => number,
                    _ => number / 3 * 27 + number % 3 * 3,
                };
                assert_eq!(first, expected, "{name}");
            }
        }
    }

    #[test]
    fn a_cell_with_one_candidate_is_not_filled_before_its_step() {
        let puzzle = grid("3x3", EASY).to_classic().unwrap();
        // The third cell can be 1, 2 or 4, and is 4 in the solution.
        let state = state(&puzzle, &puzzle, &[(2, 0), (2, 1)]);
        assert_eq!((state.value(2), state.candidates(2)), (None, 0b1000));
        let mut page = Page::new(EASY);
        page.removed = vec![json!([2, 1]), json!([2, 2])];
        for _ in 0..81 {
            let event = page.step();
            let steps = event["steps"].as_array().unwrap();
            if steps.iter().any(|step| step["placed"] == json!([2, 4])) {
                return;
            }
            steps.iter().for_each(|step| page.apply(step));
        }
        panic!("there is no step for the cell");
    }

    #[test]
    fn a_missing_candidate_of_the_solution_is_reported() {
        let mut page = Page::new(EASY);
        page.removed = vec![json!([2, 4])];
        let event = page.step();
        assert_eq!((&event["steps"], &event["note"]), (&json!([]), &json!(WRONG)));
        page.entries[2] = 4;
        assert!(!page.step()["steps"].as_array().unwrap().is_empty());
    }

    #[test]
    fn with_a_wrong_entry_the_clues_are_rated_but_there_is_no_step() {
        let mut page = Page::new(EASY);
        page.entries[2] = 1;
        let events = page.ask(&["redundant", "rating", "step"]);
        assert_eq!(named(&events, "count").next().unwrap()["verdict"], "none");
        assert_eq!(named(&events, "rating").next().unwrap()["er"], 1.2);
        assert_eq!(named(&events, "redundant").count(), 1);
        assert_eq!(named(&events, "step").count(), 0);
    }

    #[test]
    fn a_puzzle_that_only_entries_make_proper_has_steps_but_no_rating() {
        let mut page = Page::new(&EASY.replace(['5', '7'], "."));
        page.entries = grid("3x3", EASY).cells().to_vec();
        let events = page.ask(&["redundant", "rating", "step"]);
        assert_eq!(named(&events, "rating").count() + named(&events, "redundant").count(), 0);
        assert!(!named(&events, "step").next().unwrap()["steps"].as_array().unwrap().is_empty());
    }
}
