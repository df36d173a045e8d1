//! Generating new puzzles that meet the user's criteria.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use gridmill_core::generate::{
    DuplicatePolicy, GenerateError, Goal, GridMethod, Made, MadeStats, ParallelGenerator, Pattern, Recipe,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::logic::{Rating, RatingCriteria, Scale, Technique, TechniqueSet};
use rand::Rng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::{Named, PageGrid, one_of, symmetry, with_ticks};
use crate::reply::{Answer, Refusal, Reply};

/// How often the number of attempts is reported.
const PERIOD: Duration = Duration::from_millis(200);

/// The least and the greatest value, each of which may be open.
type OpenRange<T> = (Option<T>, Option<T>);

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generate {
    shape: Named<Shape>,
    clues: Option<OpenRange<usize>>,
    minimal: Option<bool>,
    #[serde(default, deserialize_with = "symmetry")]
    symmetry: Option<Symmetry>,
    pattern: Option<Named<Pattern>>,
    guesses: Option<OpenRange<u64>>,
    no_guess: Option<bool>,
    er: Option<OpenRange<f64>>,
    /// Techniques of which the solver must use at least one.
    technique: Option<Vec<Named<Technique>>>,
    scale: Option<Named<Scale>>,
    #[serde(default, deserialize_with = "grid_method")]
    grid_method: Option<GridMethod>,
    seed: Option<u64>,
    attempts: Option<u64>,
    /// The number of puzzles; 1 if it is missing.
    count: Option<u64>,
}

/// The largest number of puzzles for one request.
const MAX_COUNT: u64 = 100;

fn grid_method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GridMethod>, D::Error> {
    one_of(deserializer, "grid method", GridMethod::ALL, GridMethod::name)
}

impl Generate {
    /// Sends the number of attempts, and each puzzle that meets the criteria.
    pub(crate) fn answer(self, reply: &Reply) -> Answer {
        let recipe = self.recipe()?;
        let attempts = self.attempts.unwrap_or_else(|| recipe.default_max_failed_attempts());
        if attempts == 0 {
            return Err(Refusal::bad("attempts must be 1 or more"));
        }
        let count = self.count.unwrap_or(1);
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(bad!("{count} puzzles can't be generated at once; ask for 1 to {MAX_COUNT}"));
        }
        // The seed has 32 bits, because JavaScript can hold such a number exactly.
        let seed = self.seed.unwrap_or_else(|| UnwrapErr(SysRng).next_u32().into());
        let failed = |error: GenerateError| Refusal::bad(error.to_string());
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let generator = ParallelGenerator::new(recipe, seed, None, threads).map_err(failed)?;
        let goal = Goal {
            count,
            max_failed_attempts: attempts,
            duplicates: DuplicatePolicy::RefuseEqual,
            earlier: MadeStats::default(),
        };
        let made = generator.attempts_made();
        let mut send = |Made { puzzle, guesses, rating, .. }: &Made, _: &MadeStats| {
            let grid = PageGrid::new(puzzle.shape(), puzzle.cells());
            let er = rating.as_ref().map(|rating| rating.er.number());
            reply.event("puzzle", json!({ "grid": grid, "guesses": guesses, "er": er, "seed": seed }));
            Ok(())
        };
        let make = || generator.make::<GenerateError>(&goal, reply.stop(), &mut send);
        let tell = || _ = reply.event("attempts", json!({ "attempts": made.load(Ordering::Relaxed) }));
        with_ticks(PERIOD, make, tell).map_err(Refusal::no_thread)?.map_err(failed)?;
        Ok(())
    }

    fn recipe(&self) -> Answer<Recipe> {
        let shape = self.shape.0;
        let pattern = self.pattern.as_ref().map(|pattern| pattern.0.clone());
        Ok(Recipe {
            shape,
            method: self.grid_method,
            clues: self.clues.map(|clues| range(clues, 0, shape.cells())),
            minimal: self.minimal.unwrap_or_default(),
            symmetry: self.symmetry,
            digits: pattern.as_ref().and_then(|pattern| pattern.digits.clone()),
            pattern: pattern.map(|pattern| pattern.clues),
            solution: None,
            guesses: self.guesses.map(|guesses| range(guesses, 0, u64::MAX)),
            singles: self.no_guess.unwrap_or_default(),
            rating: self.rating_criteria()?,
        })
    }

    /// The ratings and techniques that are allowed; `None` for any.
    fn rating_criteria(&self) -> Answer<Option<RatingCriteria>> {
        let span = |(least, most): OpenRange<f64>| {
            let span = (least.map(rating).transpose()?, most.map(rating).transpose()?);
            Ok(range(span, Rating::LEAST, Rating::BEYOND))
        };
        let names = self.technique.as_deref().unwrap_or_default();
        let mut techniques = TechniqueSet::EMPTY;
        names.iter().for_each(|name| techniques.insert(name.0));
        let techniques = if names.is_empty() { Vec::new() } else { vec![techniques] };
        Ok(RatingCriteria::new(self.scale.unwrap_or_default().0, self.er.map(span).transpose()?, techniques))
    }
}

/// Converts a span to a range. Open ends become the first or last possible value.
fn range<T>((least, most): OpenRange<T>, first: T, last: T) -> RangeInclusive<T> {
    least.unwrap_or(first)..=most.unwrap_or(last)
}

/// Converts a number to a rating.
fn rating(number: f64) -> Answer<Rating> {
    format!("{number}").parse().map_err(|error| bad!("{error}"))
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::{Grid, Symmetry};
    use gridmill_core::solver::{Bounds, DancingLinks, SolutionEngine};
    use serde_json::Value;

    use crate::questions::tests::{ends_on_disconnect, events, named, next, request};

    use super::*;

    fn ask(wishes: Value) -> (Vec<Value>, Answer) {
        let question: Generate = request(wishes);
        events(|reply| question.answer(reply))
    }

    /// Generates a puzzle, and checks that it is proper. Returns its event and its grid.
    fn generated(wishes: Value) -> (Value, Grid) {
        let (mut events, ended) = ask(wishes.clone());
        assert_eq!(ended, Ok(()), "{wishes}");
        let place = events.iter().position(|event| event["event"] == "puzzle").unwrap();
        let puzzle = events.remove(place);
        assert_eq!(named(&events, "attempts").count(), events.len());
        let clues: Vec<u8> = serde_json::from_value(puzzle["grid"]["clues"].clone()).unwrap();
        let grid = Grid::new(puzzle["grid"]["shape"].as_str().unwrap().parse().unwrap(), clues).unwrap();
        assert_eq!(DancingLinks::new().count(&grid, &Bounds::solutions(2)).solutions, 1, "{wishes}");
        (puzzle, grid)
    }

    fn refused(wishes: Value) -> String {
        let (events, ended) = ask(wishes);
        assert_eq!(named(&events, "puzzle").count(), 0);
        ended.unwrap_err().message
    }

    #[test]
    fn puzzles_have_the_requested_shape_and_clues() {
        for (shape, clues) in [("2x2", [6, 7]), ("2x3", [14, 14]), ("3x2", [15, 16]), ("3x3", [30, 31])] {
            let (puzzle, grid) = generated(json!({"shape": shape, "clues": clues, "seed": 5}));
            assert!((clues[0]..=clues[1]).contains(&grid.clue_count()), "{grid}");
            assert_eq!((&puzzle["grid"]["shape"], &puzzle["seed"]), (&json!(shape), &json!(5)));
            assert_eq!(puzzle["er"], Value::Null);
        }
        let (_, grid) = generated(json!({"shape": "4x4", "clues": [130, null], "seed": 1}));
        assert!(grid.clue_count() >= 130);
    }

    #[test]
    fn a_random_seed_is_reported_and_gives_the_same_puzzle_again() {
        let (first, grid) =
            generated(json!({"shape": "3x3", "seed": null, "clues": null, "technique": null}));
        let (again, same) = generated(json!({"shape": "3x3", "seed": first["seed"]}));
        assert_eq!((first, grid), (again, same));
    }

    #[test]
    fn up_to_100_different_puzzles_can_be_requested() {
        let (events, ended) = ask(json!({"shape": "2x2", "count": 20, "seed": 4}));
        assert_eq!(ended, Ok(()));
        let puzzles: std::collections::HashSet<String> =
            named(&events, "puzzle").map(|event| event["grid"]["clues"].to_string()).collect();
        assert_eq!(puzzles.len(), 20, "some puzzles are equal");
        for count in [0, 101] {
            assert!(refused(json!({"shape": "2x2", "count": count})).contains("ask for 1 to 100"));
        }
    }

    #[test]
    fn puzzles_can_be_symmetric_or_minimal() {
        for symmetry in Symmetry::ALL {
            let (_, grid) = generated(json!({"shape": "3x3", "symmetry": symmetry.name(), "seed": 2}));
            assert!(symmetry.holds_for(grid.shape(), grid.cells()));
        }
        let (_, grid) = generated(json!({"shape": "2x3", "minimal": true, "symmetry": "none", "seed": 2}));
        for cell in (0..36).filter(|&cell| grid.cells()[cell] != 0) {
            let mut fewer = grid.cells().to_vec();
            fewer[cell] = 0;
            let fewer = Grid::new(grid.shape(), fewer).unwrap();
            assert_eq!(DancingLinks::new().count(&fewer, &Bounds::solutions(2)).solutions, 2);
        }
    }

    #[test]
    fn clues_are_placed_by_the_pattern() {
        let pattern = "x.1|.x|\n|..|x.|\n|.x|..|\n|x.|.x";
        let (_, grid) = generated(json!({"shape": "2x2", "pattern": "x1.. .xx. x..x ..x.", "seed": 1}));
        let is_clue: Vec<bool> = grid.cells().iter().map(|&clue| clue != 0).collect();
        let expected: Vec<bool> = "x1...xx.x..x..x.".chars().map(|symbol| symbol != '.').collect();
        assert_eq!((is_clue, grid.cells()[1]), (expected, 1));
        assert!(refused(json!({"shape": "3x3", "pattern": pattern})).contains("cells where 81 are needed"));
        let error = serde_json::from_value::<Generate>(json!({"shape": "3x3", "pattern": "@/etc/passwd"}))
            .unwrap_err();
        assert!(error.to_string().contains("'@' is neither x, for a clue"), "{error}");
    }

    #[test]
    fn puzzles_have_the_requested_difficulty() {
        let (puzzle, _) = generated(json!({"shape": "3x3", "guesses": [1, null], "seed": 3}));
        assert!(puzzle["guesses"].as_u64().unwrap() >= 1);
        let (puzzle, _) = generated(json!({"shape": "3x3", "no_guess": true, "seed": 3}));
        assert_eq!(puzzle["guesses"], 0);
        let (puzzle, _) = generated(json!({"shape": "3x3", "er": [1.2, 2.3], "scale": "se", "seed": 3}));
        assert!((1.2..=2.3).contains(&puzzle["er"].as_f64().unwrap()));
        let wishes =
            json!({"shape": "3x3", "technique": ["pointing", "claiming"], "er": [null, 2.8], "seed": 3});
        let (puzzle, _) = generated(wishes);
        assert!((2.6..=2.8).contains(&puzzle["er"].as_f64().unwrap()));
    }

    #[test]
    fn grid_methods_are_chosen_by_name() {
        for method in GridMethod::ALL {
            generated(json!({"shape": "3x3", "grid_method": method.name(), "seed": 1}));
        }
        assert!(refused(json!({"shape": "2x2", "grid_method": "bands"})).contains("for 9x9 only"));
        let error =
            serde_json::from_value::<Generate>(json!({"shape": "3x3", "grid_method": "x"})).unwrap_err();
        assert!(error.to_string().contains("bands, backtracking, cycle, diagonal"), "{error}");
    }

    #[test]
    fn impossible_requests_are_explained() {
        for (wishes, words) in [
            (json!({"shape": "3x3", "clues": [10, 16]}), "no puzzle with fewer than 17 clues"),
            (json!({"shape": "3x3", "clues": [30, 20]}), "30 to 20"),
            (json!({"shape": "3x3", "clues": [30, 100]}), "30 to 100"),
            (json!({"shape": "3x3", "guesses": [3, 2]}), "3 to 2"),
            (json!({"shape": "3x3", "er": [4.0, 3.0]}), "4.0 to 3.0"),
            (json!({"shape": "3x3", "er": [4.25, 5]}), "is not a rating"),
            (json!({"shape": "3x3", "er": [-1, 5]}), "is not a rating"),
            (json!({"shape": "2x2", "er": [1, 5]}), "ratings are for 9x9"),
            (json!({"shape": "3x3", "attempts": 0}), "must be 1 or more"),
            (json!({"shape": "3x3", "clues": [17, 17], "attempts": 2}), "none in 2 attempts"),
        ] {
            let message = refused(wishes.clone());
            assert!(message.contains(words) && !message.contains("--"), "{wishes}: {message}");
        }
    }

    #[test]
    fn attempts_are_reported_until_the_client_disconnects() {
        let question: Generate =
            request(json!({"shape": "3x3", "clues": [17, 17], "attempts": 1_000_000_000}));
        ends_on_disconnect(
            move |reply| question.answer(reply),
            |lines| {
                for _ in 0..2 {
                    let event = next(lines);
                    assert!(event["event"] == "attempts" && event["attempts"].is_u64());
                }
            },
        );
    }
}
