//! The engines of a benchmark, by name.

use std::fmt;

use super::BenchError;
use crate::grid::Shape;
use crate::simd::Backend;
use crate::solver::{AnyLockstep, GridLike, GridSolver, Lockstep, Solver, SolverKind};

/// An engine that takes part in a [`super::Benchmark`]: its kind, and a backend if one is forced.
///
/// ```
/// use gridmill::bench::Contender;
/// use gridmill::solver::SolverKind;
///
/// let contender = Contender::by_name("lockstep-portable")?;
/// assert_eq!((contender.kind(), contender.to_string().as_str()), (SolverKind::Lockstep, "lockstep-portable"));
/// assert!(Contender::by_name("lockstep-abacus").is_err());
/// # Ok::<(), gridmill::bench::BenchError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contender {
    kind: SolverKind,
    /// The backend that was asked for; `None` for the engine's own choice.
    forced: Option<Backend>,
}

impl Contender {
    /// Returns the engine of that name: that of a [`SolverKind`], or `lockstep-` and that of a [`Backend`].
    ///
    /// # Errors
    ///
    /// [`BenchError::NoEngine`] where nothing has that name, [`BenchError::NoBackend`] where this processor
    /// can't run it.
    pub fn by_name(name: &str) -> Result<Contender, BenchError> {
        let unknown = || BenchError::NoEngine { name: name.to_owned() };
        let Some(backend) = name.strip_prefix("lockstep-") else {
            let kind = SolverKind::ALL.into_iter().find(|kind| kind.name() == name);
            return kind.map(Contender::from).ok_or_else(unknown);
        };
        let backend = Backend::ALL.into_iter().find(|known| known.name() == backend).ok_or_else(unknown)?;
        if !backend.is_available() {
            return Err(BenchError::NoBackend { backend: backend.name() });
        }
        Ok(Contender { kind: SolverKind::Lockstep, forced: Some(backend) })
    }

    /// Returns the kind of the engine.
    #[must_use]
    pub const fn kind(self) -> SolverKind {
        self.kind
    }

    /// Returns the vector unit of the engine, if it has a choice.
    #[must_use]
    pub fn backend(self) -> Option<Backend> {
        self.forced.or_else(|| (self.kind == SolverKind::Lockstep).then(Backend::best))
    }

    /// Returns a new engine for classic puzzles.
    #[must_use]
    pub fn build(self) -> Box<dyn Solver> {
        match self.forced {
            // The backend is available: that was checked when the contender was named.
            Some(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            None => self.kind.build(),
        }
    }

    /// Returns a new engine for puzzles of every shape that it serves.
    #[must_use]
    pub fn build_any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self.forced {
            Some(backend) => Box::new(AnyLockstep::with_backend(backend).unwrap_or_default()),
            None => self.kind.build_any_shape(),
        }
    }

    /// Returns whether the engine can solve puzzles of that shape.
    #[must_use]
    pub fn serves(self, shape: Shape) -> bool {
        self.kind.serves(shape)
    }
}

impl From<SolverKind> for Contender {
    fn from(kind: SolverKind) -> Contender {
        Contender { kind, forced: None }
    }
}

/// The name by which the engine is chosen.
impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.forced {
            Some(backend) => f.pad(&format!("{}-{backend}", self.kind)),
            None => self.kind.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_engine() {
        let backends = Backend::ALL.into_iter().filter(|backend| backend.is_available());
        let names = SolverKind::ALL.map(|kind| kind.name().to_owned()).into_iter();
        for name in names.chain(backends.map(|backend| format!("lockstep-{backend}"))) {
            let contender = Contender::by_name(&name).unwrap();
            assert_eq!(contender.to_string(), name);
            assert_eq!(contender.build().name(), contender.kind().name());
            assert_eq!(contender.backend().is_some(), contender.kind() == SolverKind::Lockstep);
        }
        for name in ["", "lockstep-", "Lockstep", "bitmask-avx2"] {
            assert!(Contender::by_name(name).is_err(), "{name}");
        }
    }
}
