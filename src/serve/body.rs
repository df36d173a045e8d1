//! The bodies of requests, read within their limits.

use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use serde::de::DeserializeOwned;

use super::refusal::Refusal;

/// The most bytes of a body.
pub(super) const BODY_BYTES: usize = 1 << 20;

/// How long a body may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads a whole body.
pub(super) async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    let too_long = || {
        let message = format!("a request may have {BODY_BYTES} bytes at most");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    if body.size_hint().lower() > BODY_BYTES as u64 {
        return Err(too_long());
    }
    let read = tokio::time::timeout(PATIENCE, Limited::new(body, BODY_BYTES).collect()).await;
    match read {
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request did not come to its end")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(error)) => Err(Refusal::bad(format!("the request could not be read: {error}"))),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// Reads a body of JSON.
pub(super) async fn json<T: DeserializeOwned>(body: Incoming) -> Result<T, Refusal> {
    let bytes = read(body).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::bad(format!("the request is not as expected: {error}")))
}
