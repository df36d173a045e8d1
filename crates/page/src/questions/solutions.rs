//! The solutions of a grid, one at a time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gridmill_core::grid::Grid;
use gridmill_core::solver::{Bounds, EngineKind, SearchEnd};
use serde::Deserialize;
use serde_json::json;

use super::PageGrid;
use crate::reply::{Answer, Refusal, Reply};

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Solutions {
    grid: PageGrid,
    /// The largest number of solutions to send.
    limit: u64,
}

impl Solutions {
    /// Sends each solution as it is found, in the order of the engine. The search waits if the reader is
    /// slower.
    pub(crate) fn answer(self, reply: &Reply) -> Answer {
        if self.limit == 0 {
            return Err(Refusal::bad("limit must be 1 or more"));
        }
        let grid = self.grid.check()?.digits;
        let mut engine = EngineKind::Bitmask.build_any_shape::<Grid>();
        let bounds = Bounds::solutions(self.limit);
        let searched = engine.search_until(&grid, &bounds, reply.stop(), &mut |digits| {
            // This serializes the digits directly, because building a JSON value for each of very many
            // solutions would be slow.
            match reply.event("solution", BTreeMap::from([("digits", digits)])) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let end = match searched.end {
            SearchEnd::Complete => "all",
            SearchEnd::Limit => "limit",
            SearchEnd::Stopped | SearchEnd::Budget => return Ok(()),
        };
        reply.event("end", json!({ "end": end }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread;

    use gridmill_core::grid::rules;
    use serde_json::Value;

    use crate::questions::tests::{dataset, ends_on_disconnect, events, grid, page, request};

    use super::*;

    fn solutions(grid: &Grid, limit: u64) -> (Vec<Vec<u8>>, Value) {
        let question: Solutions = request(json!({"grid": page(grid), "limit": limit}));
        let (mut events, ended) = events(|reply| question.answer(reply));
        assert_eq!(ended, Ok(()));
        let end = events.pop().unwrap();
        let digits = |event: Value| {
            assert_eq!(event["event"], "solution");
            serde_json::from_value(event["digits"].clone()).unwrap()
        };
        (events.into_iter().map(digits).collect(), end)
    }

    #[test]
    fn each_solution_is_sent_once() {
        let empty = Grid::empty("2x2".parse().unwrap());
        let (all, end) = solutions(&empty, 1000);
        assert_eq!(end, json!({"event": "end", "end": "all"}));
        assert!(all.iter().all(|digits| rules::is_solution(empty.shape(), empty.cells(), digits)));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 288);
        let (first, end) = solutions(&empty, 100);
        assert_eq!((&first[..], &end["end"]), (&all[..100], &json!("limit")));
    }

    #[test]
    fn only_the_end_is_sent_if_there_is_no_solution() {
        for line in [&dataset("none.txt", 1)[0], &format!("11{}", ".".repeat(79))] {
            let (found, end) = solutions(&grid("3x3", line), 10);
            assert_eq!((found.len(), &end["end"]), (0, &json!("all")));
        }
    }

    #[test]
    fn entries_count_as_digits() {
        let grid = json!({"shape": "2x2", "clues": vec![0; 16], "entries": [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]});
        let question: Solutions = request(json!({"grid": grid, "limit": 5}));
        let (events, _) = events(|reply| question.answer(reply));
        assert_eq!(events[1], json!({"event": "end", "end": "all"}));
    }

    #[test]
    fn the_search_pauses_for_its_client_and_ends_when_it_disconnects() {
        let empty = page(&Grid::empty("3x3".parse().unwrap()));
        let question: Solutions = request(json!({"grid": empty, "limit": 1_000_000_000_000_u64}));
        ends_on_disconnect(
            move |reply| question.answer(reply),
            |lines| {
                lines.lines.blocking_recv().unwrap().unwrap();
                // No more lines fit, so the search waits.
                while lines.lines.len() < 64 {
                    thread::yield_now();
                }
            },
        );
    }

    #[test]
    fn a_limit_of_0_is_refused() {
        let question: Solutions =
            request(json!({"grid": page(&Grid::empty("2x2".parse().unwrap())), "limit": 0}));
        let (events, ended) = events(|reply| question.answer(reply));
        assert!(events.is_empty() && ended.unwrap_err().message.contains("must be 1 or more"));
    }
}
