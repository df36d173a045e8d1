//! The bodies of requests, read within their limits.

use std::error::Error;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes};
use serde::de::DeserializeOwned;

use super::limits::Limits;
use super::refusal::Refusal;

/// Reads a whole body.
pub(super) async fn read<B>(body: B, limits: &Limits) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let limit = limits.body_bytes;
    let too_long =
        || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a request may have {limit} bytes at most"));
    if body.size_hint().lower() > limit as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(limits.body_patience, Limited::new(body, limit).collect()).await {
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request did not come to its end")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(error)) => Err(Refusal::bad(format!("the request could not be read: {error}"))),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// Parses a body of JSON.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        // Nobody who reads this sees the line and the column that it is about.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let error = error.to_string();
        let reason = error.strip_suffix(&place).unwrap_or(&error);
        Refusal::bad(format!("the request is not as expected: {reason}"))
    })
}
