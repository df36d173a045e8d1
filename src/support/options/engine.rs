//! The engine of a run, chosen by the user and by the shape of the puzzles; and its number of threads.

use std::ffi::OsStr;
use std::num::NonZeroUsize;

use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{Arg, Args, Command};
use gridmill_core::grid::Shape;
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Engine, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::pipeline::THREAD_LIMIT;
use gridmill_data::text::Layout;

use super::values::{Choice, one_of, up_to};
use crate::support::command_error::{no_backend, refuse, size};

fn engine_parser() -> impl TypedValueParser<Value = Choice<SolverKind>> {
    one_of([
        ("auto", "The fastest", None),
        (
            "lockstep",
            "A puzzle in each lane of a vector: for batches, up to 16x16",
            Some(SolverKind::Lockstep),
        ),
        ("bitmask", "Masks of bits, the most constrained cell first", Some(SolverKind::Bitmask)),
        ("dancing-links", "Algorithm X on the exact-cover matrix", Some(SolverKind::DancingLinks)),
        ("singles", "Naked singles, then a guess in the first blank", Some(SolverKind::Singles)),
        ("backtracking", "Cell by cell in reading order: simple, and slow", Some(SolverKind::Backtracking)),
    ])
}

fn backend_parser() -> impl TypedValueParser<Value = Choice<Backend>> {
    one_of([
        ("auto", "The best that this processor has", None),
        ("avx512", "AVX-512 with VBMI2, BITALG and VPOPCNTDQ, 32 puzzles at once", Some(Backend::Avx512)),
        ("avx512-base", "AVX-512 with F, BW and VL, 32 puzzles at once", Some(Backend::Avx512Base)),
        ("avx2", "AVX2, 16 puzzles at once", Some(Backend::Avx2)),
        ("portable", "Any processor, 8 puzzles at once", Some(Backend::Portable)),
    ])
}

/// Which engine is to search.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EngineArgs {
    /// How to search
    #[arg(long, value_parser = engine_parser(), default_value = "auto")]
    engine: Choice<SolverKind>,

    /// The vector unit for the lockstep engine
    #[arg(long, value_parser = backend_parser(), default_value = "auto")]
    backend: Choice<Backend>,
}

/// `auto` is the best by measurement: `scripts/measure engines`, figures in `docs/measuring.md`.
impl EngineArgs {
    /// Returns the engine for puzzles of a shape, or of any shape for `None`.
    pub(crate) fn choose(self, shape: Option<Shape>) -> Result<Engine, Error> {
        let engine = self.best()?;
        let is_served = shape.is_some_and(|shape| SolverKind::Lockstep.serves(shape));
        match engine {
            Engine::Lockstep(_) if is_served => Ok(engine),
            Engine::Lockstep(_) if self.is_named() => refuse(format!(
                "the lockstep engine is for puzzles of one size up to 16x16, and these are {}: leave --engine and --backend out, or choose bitmask, dancing-links, singles or backtracking",
                size(shape)
            )),
            Engine::Lockstep(_) => Ok(Engine::Other(SolverKind::Bitmask)),
            Engine::Other(_) => Ok(engine),
        }
    }

    /// Returns the engine for the puzzles of a file.
    pub(crate) fn choose_for(self, layout: &Layout) -> Result<Engine, Error> {
        match self.best()? {
            _ if !layout.is_pencilmarks() => self.choose(layout.shape),
            Engine::Other(SolverKind::Bitmask) => Ok(Engine::Other(SolverKind::Bitmask)),
            engine if self.is_named() => {
                let engine = engine.name();
                refuse(format!(
                    "the engine {engine} does not take pencilmarks: leave --engine and --backend out, or choose bitmask"
                ))
            }
            _ => Ok(Engine::Other(SolverKind::Bitmask)),
        }
    }

    /// Returns the engines for lists of solutions of puzzles of a shape, or of any shape for `None`: one for the first solutions
    /// of many puzzles at once, if there is any, and one for the others, of one puzzle at a time.
    ///
    /// Lanes list 2 to 4 times as quick as `bitmask` where a batch fills them, and take 5 times as long for a puzzle that
    /// is alone, as lists can't be shared. `bitmask` is quicker than `dancing-links` in both, by 1.05 to 3 times.
    pub(crate) fn choose_for_lists(self, shape: Option<Shape>) -> Result<(Option<Engine>, Engine), Error> {
        let engine = self.choose(shape)?;
        let batch = matches!(engine, Engine::Lockstep(_)).then_some(engine);
        let single = if self.is_named() { engine } else { Engine::Other(SolverKind::Bitmask) };
        Ok((batch, single))
    }

    /// Returns whether the user chose the engine or its backend.
    pub(crate) fn is_named(self) -> bool {
        self.engine.is_some() || self.backend.is_some()
    }

    fn best(self) -> Result<Engine, Error> {
        match (self.engine, self.backend) {
            (None | Some(SolverKind::Lockstep), backend) => {
                let backend = backend.unwrap_or_else(Backend::best);
                if backend.is_available() { Ok(Engine::Lockstep(backend)) } else { Err(no_backend(backend)) }
            }
            (Some(_), Some(backend)) => refuse(format!(
                "--backend {backend}: only the lockstep engine has backends; leave it out, or choose --engine lockstep"
            )),
            (Some(engine), None) => Ok(Engine::Other(engine)),
        }
    }
}

/// Reads a number of threads. An empty variable of the environment counts as not set, as scripts leave it.
#[derive(Clone)]
pub(crate) struct ThreadsParser;

impl TypedValueParser for ThreadsParser {
    type Value = usize;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<usize, clap::Error> {
        up_to(THREAD_LIMIT).parse_ref(command, arg, value).map(|threads| threads as usize)
    }

    fn parse_ref_(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<usize, clap::Error> {
        if source == ValueSource::EnvVariable && value.is_empty() {
            return Ok(cores());
        }
        self.parse_ref(command, arg, value)
    }
}

/// Returns the number of threads where none is asked for.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
