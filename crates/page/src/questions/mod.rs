//! Questions about one puzzle.

mod analyse;
mod event;
mod generate;
mod grid;
mod minimize;
mod read;
mod solutions;
#[cfg(test)]
mod tests;
mod write;

use std::fmt::Display;
use std::io;
use std::panic::resume_unwind;
use std::slice;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gridmill_core::grid::{Grid, Symmetry};
use gridmill_core::jobs::{Answers, Job, Refuted};
use serde::{Deserialize, Deserializer, de::Error};

use crate::reply::Refusal;
pub(super) use analyse::Analyse;
pub(super) use event::{Event, PageStep};
pub(super) use generate::Generate;
pub(super) use grid::PageGrid;
pub(super) use minimize::Minimize;
pub(super) use read::Read;
pub(super) use solutions::Solutions;
pub(super) use write::Write;

/// Asks a job of a grid. `None` if `stop` became true.
fn ask(job: &impl Job, grid: &Grid, stop: &AtomicBool) -> Result<Option<Answers>, Refusal> {
    let mut answers = Answers::new(job.schema());
    let defect = |Refuted { engine, .. }| {
        Refusal::defect(format!("the engine '{engine}' gave a grid that is no solution"))
    };
    job.worker().answer(slice::from_ref(grid), 0, stop, &mut answers).map_err(defect)?;
    Ok(Some(answers).filter(|answers| !answers.is_empty()))
}

/// A value that a request gives by its name, e.g. the scale `sukaku-2020`, as options of the command line do.
#[derive(Clone, Copy, Debug, Default)]
struct Named<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        String::deserialize(deserializer)?.parse().map(Named).map_err(D::Error::custom)
    }
}

/// Reads the name of a symmetry; null and `none` are none.
fn symmetry<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Symmetry>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?.unwrap_or("none".to_owned());
    let found = Symmetry::ALL.into_iter().find(|symmetry| symmetry.name() == name);
    if found.is_none() && name != "none" {
        let names = Symmetry::ALL.map(Symmetry::name).join(", ");
        return Err(D::Error::custom(format!(
            "there is no symmetry {name:?}; the symmetries are none, {names}"
        )));
    }
    Ok(found)
}

/// The first tick comes after this part of a period, because readers should have some news soon.
const SOON: u32 = 5;

/// Runs some work in a thread of its own, and calls `tick` after each period until it is done. Fails if the system gives no
/// thread.
fn with_ticks<T: Send>(
    period: Duration,
    work: impl FnOnce() -> T + Send,
    mut tick: impl FnMut(),
) -> io::Result<T> {
    thread::scope(|scope| {
        let (end, ended) = channel();
        let working = thread::Builder::new().spawn_scoped(scope, move || {
            let done = work();
            // The receiver stays until then.
            let _ = end.send(());
            done
        })?;
        let mut wait = period / SOON;
        // Work that panics closes the channel.
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            tick();
            wait = period;
        }
        Ok(working.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
