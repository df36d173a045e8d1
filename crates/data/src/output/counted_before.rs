//! How much of an input is in front of the part that a run reads.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::Error;
use crate::record::Totals;

/// Counts the amount of an input in front of a part.
type Count = dyn Fn() -> Result<Totals, Error> + Send + Sync;

/// The amount of an input in front of a part, counted when it is first asked for: most runs over a part have no need of
/// it, and it takes reading all that is in front.
#[derive(Clone)]
pub struct CountedBefore(Arc<Counted>);

struct Counted {
    count: Box<Count>,
    totals: OnceLock<Totals>,
    /// Why it could not be counted.
    failure: Mutex<Option<Error>>,
}

impl CountedBefore {
    /// Takes the function that counts. It is called once at most.
    pub(crate) fn by(count: impl Fn() -> Result<Totals, Error> + Send + Sync + 'static) -> CountedBefore {
        let (totals, failure) = (OnceLock::new(), Mutex::default());
        CountedBefore(Arc::new(Counted { count: Box::new(count), totals, failure }))
    }

    /// Returns the amount. Where it can't be counted this is nothing, and the run reports why.
    pub fn totals(&self) -> Totals {
        *self.0.totals.get_or_init(|| {
            (self.0.count)().unwrap_or_else(|error| {
                *self.0.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Totals::default()
            })
        })
    }

    /// Takes the error that kept it from being counted, if there is one.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.0.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for CountedBefore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CountedBefore").field(&self.0.totals).finish()
    }
}
