//! Runs rounds on several threads, and adds up their counts in order.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::bases::Bases;
use crate::compare::{Case, Difference};
use crate::engines::Engines;
use crate::soaker::Soaker;
use crate::state::State;
use crate::tally::Tally;

/// The longest time between two calls of the observer.
const OBSERVE_INTERVAL: Duration = Duration::from_millis(200);

/// How many rounds may start after the first incomplete one. This is limited, because results have to be kept
/// until that round ends, and it may never end.
const MAX_ROUNDS_AHEAD: u64 = 10_000;

/// The settings of a run.
pub(crate) struct Job<'a> {
    pub(crate) bases: &'a Bases,
    pub(crate) engines: &'a (dyn Fn() -> Engines + Sync),
    pub(crate) threads: usize,
    /// The number of puzzles that every backend should search, including those of earlier runs.
    pub(crate) puzzles: u64,
    /// Stops the run after the current rounds.
    pub(crate) stop: &'a AtomicBool,
}

/// How a run ended.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    Done,
    Stopped,
    Difference(Box<Difference>),
}

type Result = std::result::Result<Tally, Box<Case>>;

impl Job<'_> {
    /// Runs rounds from the next one of the state on, until every backend has searched enough puzzles. Rounds
    /// are counted in order, so that the state does not depend on the number of threads. Calls `observe`
    /// several times per second.
    pub(crate) fn run(&self, state: &mut State, observe: &mut dyn FnMut(&State)) -> End {
        let (seed, before, start) = (state.seed, state.seconds, Instant::now());
        let (next, counted) = (AtomicU64::new(state.next), AtomicU64::new(state.next));
        let ended = AtomicBool::new(false);
        let has_ended = || ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
        let (sender, receiver) = sync_channel::<(u64, Result)>(64);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let sender = sender.clone();
                scope.spawn(|| {
                    let sender = sender;
                    let mut soaker = Soaker::new(seed, self.bases, (self.engines)());
                    while !has_ended() {
                        if next.load(Ordering::Relaxed) > counted.load(Ordering::Relaxed) + MAX_ROUNDS_AHEAD {
                            thread::sleep(OBSERVE_INTERVAL);
                            continue;
                        }
                        let round = next.fetch_add(1, Ordering::Relaxed);
                        if sender.send((round, try_round(&mut soaker, round))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut done = BTreeMap::new();
            let end = loop {
                if state.tally.by_every_backend() >= self.puzzles {
                    break End::Done;
                }
                match receiver.recv_timeout(OBSERVE_INTERVAL) {
                    Ok((round, result)) => drop(done.insert(round, result)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break End::Stopped,
                }
                if let Some(difference) = self.count(&mut done, state) {
                    break End::Difference(Box::new(difference));
                }
                counted.store(state.next, Ordering::Relaxed);
                state.seconds = before + start.elapsed().as_secs_f64();
                observe(state);
            };
            ended.store(true, Ordering::Relaxed);
            drop(receiver);
            end
        })
    }

    /// Counts finished rounds in order, as long as more puzzles are needed. Returns the first difference.
    fn count(&self, done: &mut BTreeMap<u64, Result>, state: &mut State) -> Option<Difference> {
        while state.tally.by_every_backend() < self.puzzles
            && let Some(result) = done.remove(&state.next)
        {
            match result {
                Ok(tally) => state.tally.add(&tally),
                Err(case) => {
                    let (seed, round, options) = (state.seed, state.next, state.options.clone());
                    return Some(Difference { seed, round, options, puzzle: *case });
                }
            }
            state.next += 1;
        }
        None
    }
}

/// Runs a round. A panic in an engine counts as a difference.
pub(crate) fn try_round(soaker: &mut Soaker<'_>, round: u64) -> Result {
    let panicked = |_| {
        let kind = "unknown".to_owned();
        let answers =
            ["an engine panicked; see the message above".to_owned(), "expected: no panic".to_owned()];
        Err(Box::new(Case {
            kind,
            index: 0,
            puzzle: "any puzzle of the round".to_owned(),
            limit: 0,
            answers,
        }))
    };
    catch_unwind(AssertUnwindSafe(|| soaker.round(round))).unwrap_or_else(panicked)
}
