//! Which path leads where, the bodies of requests, and the form of answers.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::access::AccessCheck;
use super::assets::Asset;
use super::collection::{self, Collection};
use super::questions;
use super::reply::{BrokenOff, Counted, Lines, Refusal, Reply, Tasks};
use super::server::Limits;

type Body = BoxBody<Bytes, BrokenOff>;

/// Where the paths of questions begin.
const QUESTIONS: &str = "/api/";

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";

/// Headers of every answer: the page loads nothing from elsewhere, and no other page shows or reads it.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    // With "no-referrer" the form that asks for a download would come with the origin "null".
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// The server's site: the access check, and all that requests are answered from.
#[derive(Debug)]
pub(super) struct Site {
    access: AccessCheck,
    tasks: Tasks,
    collection: Arc<Collection>,
    pub(super) limits: Limits,
}

impl Site {
    pub(super) fn new(address: SocketAddr, collection: Arc<Collection>, limits: Limits) -> Site {
        Site { access: AccessCheck::new(address), tasks: Tasks::new(), collection, limits }
    }

    /// Answers a request. `busy` lives as long as the answer is on its way.
    pub(super) async fn respond(&self, request: Request<Incoming>, busy: Counted) -> Response<Body> {
        let methods = if request.uri().path().starts_with(QUESTIONS) { "POST" } else { "GET, HEAD" };
        let answered = match self.access.check_names(&request) {
            Ok(()) => self.route(request, busy).await,
            Err(refusal) => Err(refusal),
        };
        let mut response = answered.unwrap_or_else(|refusal| refused(&refusal));
        let is_wrong_method = response.status() == StatusCode::METHOD_NOT_ALLOWED;
        let headers = response.headers_mut();
        if is_wrong_method {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        for (name, value) in HEADERS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    async fn route(&self, request: Request<Incoming>, busy: Counted) -> Result<Response<Body>, Refusal> {
        let path = request.uri().path().to_owned();
        match path.strip_prefix(QUESTIONS) {
            None => self.asset(&request, &path),
            Some(question) => {
                self.access.check_question(&request, question == "export")?;
                let body = read(request.into_body(), &self.limits).await?;
                self.question(question, &body, busy).await
            }
        }
    }

    /// Returns a file of the page.
    fn asset(&self, request: &Request<Incoming>, path: &str) -> Result<Response<Body>, Refusal> {
        let asset = Asset::at(path).ok_or_else(no_page)?;
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "pages are read with GET"));
        }
        Ok(whole(StatusCode::OK, asset.kind(), asset.text(self.access.token()).into()))
    }

    /// Answers a question of the page.
    async fn question(&self, name: &str, body: &[u8], busy: Counted) -> Result<Response<Body>, Refusal> {
        use collection::{OneRecord, RateAll};
        use questions::{Analyse, Generate, Minimize, Read, Solutions, Write};
        match name {
            "analyse" => self.stream(body, busy, Analyse::answer),
            "solutions" => self.stream(body, busy, Solutions::answer),
            "generate" => self.stream(body, busy, Generate::answer),
            "read" => self.answer(body, |_, question: Read, _| question.answer()).await,
            "write" => self.answer(body, |_, question: Write, _| question.answer()).await,
            "minimize" => self.answer(body, |_, question: Minimize, stop| question.answer(stop)).await,
            "collection" => self.answer(b"null", |shown, (), _| Ok(shown.state())).await,
            "rows" => self.answer(body, Collection::rows).await,
            "position" => self.answer(body, Collection::position).await,
            "pictures" => self.answer(body, Collection::pictures).await,
            "record" => self.answer(body, |shown, question: OneRecord, _| shown.record(&question)).await,
            "rate" => self.answer(body, |shown, question: RateAll, _| Ok(shown.rate_all(&question))).await,
            "export" => self.export(body, busy).await,
            _ => Err(no_page()),
        }
    }

    /// Answers a question with a value.
    async fn answer<Q: DeserializeOwned + Send + 'static, T: Serialize>(
        &self,
        body: &[u8],
        answer: impl FnOnce(&Collection, Q, &AtomicBool) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Response<Body>, Refusal> {
        let (question, collection) = (parse(body)?, Arc::clone(&self.collection));
        let json =
            self.tasks.run(move |stop| answer(&collection, question, stop).map(|answer| json(&answer)));
        json.await.map(|json| whole(StatusCode::OK, JSON, json))
    }

    /// Answers a question about one puzzle event by event.
    fn stream<Q: DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        busy: Counted,
        answer: fn(Q, &Reply) -> Result<(), Refusal>,
    ) -> Result<Response<Body>, Refusal> {
        let question = parse(body)?;
        Ok(stream(self.tasks.stream(move |reply| answer(question, reply))?, LINES, busy))
    }

    /// Answers the form that asks for a download.
    async fn export(&self, form: &[u8], busy: Counted) -> Result<Response<Body>, Refusal> {
        let question = collection::Export::parse(form)?;
        self.access.check_token(&question.token)?;
        let collection = Arc::clone(&self.collection);
        let planned = Arc::clone(&collection);
        let plan = self.tasks.run(move |stop| planned.plan_export(&question, stop)).await?;
        let (name, kind) = (attachment(&plan.name), plan.media_type);
        let lines = self.tasks.download(move |reply| collection.export(&plan, reply))?;
        let mut response = stream(lines, kind, busy);
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
        Ok(response)
    }
}

fn no_page() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing here")
}

/// Returns the answer to a refused request.
fn refused(refusal: &Refusal) -> Response<Body> {
    whole(refusal.status, JSON, json(&json!({ "error": refusal.message })))
}

fn json(answer: &impl Serialize) -> Bytes {
    serde_json::to_vec(answer).expect("keys are texts").into()
}

/// Returns the header that names a download. What may not stand in it becomes an underscore.
fn attachment(name: &str) -> HeaderValue {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).expect("plain characters")
}

fn whole(status: StatusCode, kind: &'static str, text: Bytes) -> Response<Body> {
    with_kind(status, kind, Full::new(text).map_err(|never| match never {}).boxed())
}

/// Returns an answer that goes out as it is made.
fn stream(lines: Lines, kind: &'static str, busy: Counted) -> Response<Body> {
    let body = lines.map_frame(move |frame| {
        let _ = &busy;
        frame
    });
    with_kind(StatusCode::OK, kind, body.boxed())
}

fn with_kind(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let response = Response::builder().status(status).header(CONTENT_TYPE, kind).body(body);
    response.expect("a status and a plain header")
}

/// Reads a whole body.
async fn read<B>(body: B, limits: &Limits) -> Result<Bytes, Refusal>
where
    B: hyper::body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
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
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        // Without the line and column, because readers of the message do not see the body.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let error = error.to_string();
        let reason = error.strip_suffix(&place).unwrap_or(&error);
        Refusal::bad(format!("the request is not as expected: {reason}"))
    })
}
