//! How many threads a run has.

use std::ffi::OsStr;
use std::num::NonZeroUsize;

use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{Arg, Command, Error};
use gridmill_data::pipeline::THREAD_LIMIT;

use super::values::up_to;

/// The number of threads that was asked for; `None` where the environment has an empty value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads(Option<u64>);

impl Threads {
    /// Returns the number that was asked for, or that of the cores.
    pub(crate) fn count(asked: Option<Threads>) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        asked.and_then(|Threads(asked)| asked).map_or_else(all, |threads| threads as usize)
    }
}

/// Reads a number of threads. An empty variable of the environment counts as not set, as scripts leave it.
#[derive(Clone)]
pub(crate) struct ThreadsParser;

impl TypedValueParser for ThreadsParser {
    type Value = Threads;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Threads, Error> {
        up_to(THREAD_LIMIT).parse_ref(command, arg, value).map(|threads| Threads(Some(threads)))
    }

    fn parse_ref_(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<Threads, Error> {
        if source == ValueSource::EnvVariable && value.is_empty() {
            return Ok(Threads(None));
        }
        self.parse_ref(command, arg, value)
    }
}
