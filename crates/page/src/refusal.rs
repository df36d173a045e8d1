//! Requests that are refused, and why.

use hyper::StatusCode;

/// A refused request: a status, and a sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// Refuses a request that asks for what makes no sense.
    pub(super) fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// Refuses a request for which the system gives no thread.
    pub(super) fn no_thread(error: std::io::Error) -> Refusal {
        let message = format!("no thread can be had for the request: {error}; try again");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Tells of a defect of this program.
    pub(super) fn defect(message: impl std::fmt::Display) -> Refusal {
        let message = format!("{message}: a defect of gridmill; please report it with this grid");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}
