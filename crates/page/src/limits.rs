//! How much the server takes, and how long it waits.

use std::time::Duration;

/// The limits of connections and their requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most connections; the oldest one without a request makes room for a new one.
    pub(super) connections: usize,
    /// The most bytes of the head of a request.
    pub(super) head_bytes: usize,
    /// How long a head may take to come; also how long a connection may wait for its next request.
    pub(super) head_patience: Duration,
    /// The most bytes of a body.
    pub(super) body_bytes: usize,
    /// How long a body may take to come.
    pub(super) body_patience: Duration,
    /// How long a closed connection lets its peer finish what it sends.
    pub(super) linger: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 256,
            head_bytes: 64 << 10,
            head_patience: Duration::from_secs(15),
            body_bytes: 1 << 20,
            body_patience: Duration::from_secs(10),
            linger: Duration::from_secs(1),
        }
    }
}
