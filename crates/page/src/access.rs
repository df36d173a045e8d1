//! Checks that a request comes from the page of this server: its host, origin and token.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderMap, ORIGIN};
use hyper::{Method, Request, StatusCode};
use rand::Rng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::reply::Refusal;

/// The header that carries the token.
const TOKEN: &str = "x-gridmill-token";

/// The names of the server, and the token of the run.
#[derive(Clone, Debug)]
pub(super) struct AccessCheck {
    hosts: Vec<String>,
    token: String,
}

impl AccessCheck {
    /// Returns the check for a server at that address, with a new token.
    pub(super) fn new(address: SocketAddr) -> AccessCheck {
        let port = address.port();
        let mut hosts: Vec<String> = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")).to_vec();
        if port == 80 {
            hosts.extend(["127.0.0.1", "localhost"].map(str::to_owned));
        }
        let mut rng = UnwrapErr(SysRng);
        let token = (0..32).map(|_| char::from(b'a' + rng.next_u32() as u8 % 16)).collect();
        AccessCheck { hosts, token }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Checks that a request names this server, and comes from its own page if it says where it comes from.
    pub(super) fn check_names<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let foreign = || {
            let message = format!("this server answers only as http://{}", self.hosts[0]);
            Refusal::new(StatusCode::FORBIDDEN, message)
        };
        let headers = request.headers();
        let host = only(headers, &HOST).ok_or_else(foreign)?;
        let authority = request.uri().authority().map_or(host, |authority| authority.as_str());
        let is_own = |name: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        if !is_own(host) || !is_own(authority) {
            return Err(foreign());
        }
        match headers.contains_key(ORIGIN) {
            true => self.check_origin(headers),
            false => Ok(()),
        }
    }

    /// Checks method, origin and token, by which only the page of this run can ask.
    pub(super) fn check_question<B>(
        &self,
        request: &Request<B>,
        has_token_in_body: bool,
    ) -> Result<(), Refusal> {
        if request.method() != Method::POST {
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "questions are asked with POST"));
        }
        self.check_origin(request.headers())?;
        match only(request.headers(), TOKEN) {
            Some(token) => self.check_token(token),
            None if has_token_in_body => Ok(()),
            None => self.check_token(""),
        }
    }

    /// Checks the token.
    pub(super) fn check_token(&self, token: &str) -> Result<(), Refusal> {
        let is_right = are_equal(token.as_bytes(), self.token.as_bytes());
        let message = "the page belongs to an earlier run of gridmill serve: load it again";
        is_right.then_some(()).ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let name = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        let is_own = |name: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        let message = "questions come from the page of this server alone";
        name.is_some_and(is_own).then_some(()).ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, message))
    }
}

/// Compares in a time that does not show how far the two agree.
fn are_equal(left: &[u8], right: &[u8]) -> bool {
    let difference = left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right));
    left.len() == right.len() && difference == 0
}

/// Returns the value of a header that occurs once.
fn only(headers: &HeaderMap, name: impl hyper::header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
