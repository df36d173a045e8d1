//! Which path leads where, and the form of answers.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;

use super::assets::Asset;
use super::body::{self, parse};
use super::collection::{self, Collection};
use super::connection::Busy;
use super::gate::Gate;
use super::limits::Limits;
use super::questions;
use super::refusal::Refusal;
use super::reply::BrokenOff;
use super::task::{LineBody, Tasks};

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

/// The server's site: who may ask, and what there is.
#[derive(Debug)]
pub(super) struct Site {
    gate: Gate,
    tasks: Tasks,
    collection: Arc<Collection>,
    limits: Limits,
}

impl Site {
    pub(super) fn new(address: SocketAddr, collection: Arc<Collection>, limits: Limits) -> Site {
        Site { gate: Gate::new(address), tasks: Tasks::new(), collection, limits }
    }

    /// Answers a request. `busy` lives as long as the answer is on its way.
    pub(super) async fn respond(&self, request: Request<Incoming>, busy: Busy) -> Response<Body> {
        let methods = if request.uri().path().starts_with(QUESTIONS) { "POST" } else { "GET, HEAD" };
        let answered = match self.gate.check_names(&request) {
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

    async fn route(&self, request: Request<Incoming>, busy: Busy) -> Result<Response<Body>, Refusal> {
        let path = request.uri().path().to_owned();
        match path.strip_prefix(QUESTIONS) {
            None => self.asset(&request, &path),
            Some(question) => {
                self.gate.check_question(&request, question == "export")?;
                let body = body::read(request.into_body(), &self.limits).await?;
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
        Ok(whole(StatusCode::OK, asset.kind, asset.text(self.gate.token()).into()))
    }

    /// Answers a question of the page.
    async fn question(&self, name: &str, body: &[u8], busy: Busy) -> Result<Response<Body>, Refusal> {
        let collection = Arc::clone(&self.collection);
        match name {
            "analyse" => {
                let question: questions::Analyse = parse(body)?;
                Ok(stream(self.tasks.stream(move |reply| question.answer(reply))?, LINES, busy))
            }
            "solutions" => {
                let question: questions::Solutions = parse(body)?;
                Ok(stream(self.tasks.stream(move |reply| question.answer(reply))?, LINES, busy))
            }
            "generate" => {
                let question: questions::Generate = parse(body)?;
                Ok(stream(self.tasks.stream(move |reply| question.answer(reply))?, LINES, busy))
            }
            "read" => {
                let question: questions::Read = parse(body)?;
                self.tasks.answer(move |_| question.answer()).await.map(found)
            }
            "write" => {
                let question: questions::Write = parse(body)?;
                self.tasks.answer(move |_| question.answer()).await.map(found)
            }
            "minimize" => {
                let question: questions::Minimize = parse(body)?;
                self.tasks.answer(move |stop| question.answer(stop)).await.map(found)
            }
            "collection" => self.tasks.answer(move |_| Ok(collection.state())).await.map(found),
            "rows" => {
                let question: collection::Rows = parse(body)?;
                self.tasks.answer(move |stop| collection.rows(&question, stop)).await.map(found)
            }
            "position" => {
                let question: collection::Position = parse(body)?;
                self.tasks.answer(move |stop| collection.position(&question, stop)).await.map(found)
            }
            "pictures" => {
                let question: collection::Pictures = parse(body)?;
                self.tasks.answer(move |stop| collection.pictures(&question, stop)).await.map(found)
            }
            "record" => {
                let question: collection::OneRecord = parse(body)?;
                self.tasks.answer(move |_| collection.record(&question)).await.map(found)
            }
            "rate" => {
                let question: collection::Rate = parse(body)?;
                self.tasks.answer(move |_| collection.rate(&question)).await.map(found)
            }
            "export" => self.export(body, busy).await,
            _ => Err(no_page()),
        }
    }

    /// Answers the form that asks for a download.
    async fn export(&self, form: &[u8], busy: Busy) -> Result<Response<Body>, Refusal> {
        let question = collection::Export::parse(form)?;
        self.gate.check_token(&question.token)?;
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

fn found(answer: Bytes) -> Response<Body> {
    whole(StatusCode::OK, JSON, answer)
}

/// Returns the answer to a refused request.
fn refused(refusal: &Refusal) -> Response<Body> {
    #[derive(Serialize)]
    struct Refused<'a> {
        error: &'a str,
    }
    let text = serde_json::to_vec(&Refused { error: &refusal.message }).expect("keys are texts");
    whole(refusal.status, JSON, text.into())
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
fn stream(lines: LineBody, kind: &'static str, busy: Busy) -> Response<Body> {
    let body = lines.map_frame(move |frame| {
        let _ = &busy;
        frame
    });
    with_kind(StatusCode::OK, kind, body.boxed())
}

fn with_kind(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
