//! The paths of the site: the bodies of requests, the form of answers, and the embedded files of the page. A request must come from
//! the page of this server, so its host, origin and token are checked.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CONTENT_DISPOSITION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
};
use hyper::{Method, Request, Response, StatusCode};
use rand::Rng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::collection::{self, Collection};
use crate::questions;
use crate::reply::{Answer, BrokenOff, Lines, Received, Refusal, Reply, Tasks};
use crate::server::Limits;

type Body = BoxBody<Bytes, BrokenOff>;

/// The beginning of the paths of questions.
const QUESTIONS: &str = "/api/";

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";

/// The headers of every answer. The page loads nothing from other sites, and no other page can show or read it.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    // With "no-referrer", the form for a download would have the origin "null", and be refused.
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
];

/// The site of the server: the access check, and everything that is needed to answer requests.
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

    /// Answers a request. `busy` lives until the answer has been sent.
    pub(super) async fn respond(&self, request: Request<Incoming>, busy: Arc<()>) -> Response<Body> {
        let methods = if request.uri().path().starts_with(QUESTIONS) { "POST" } else { "GET, HEAD" };
        let answered = match self.access.check_names(&request) {
            Ok(()) => self.route(request, busy).await,
            Err(refusal) => Err(refusal),
        };
        let mut response = answered.unwrap_or_else(|Refusal { status, message }| {
            whole(status, JSON, json!({ "error": message }).to_string().into())
        });
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        for (name, value) in HEADERS {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }

    async fn route(&self, request: Request<Incoming>, busy: Arc<()>) -> Answer<Response<Body>> {
        let path = request.uri().path().to_owned();
        match path.strip_prefix(QUESTIONS) {
            None => self.asset(&request, &path),
            Some("open") => {
                self.access.check_question(&request, false)?;
                self.open(request).await
            }
            Some(question) => {
                self.access.check_question(&request, question == "export")?;
                let body = read(request.into_body(), &self.limits).await?;
                self.question(question, &body, busy).await
            }
        }
    }

    /// A file of the page.
    fn asset(&self, request: &Request<Incoming>, path: &str) -> Answer<Response<Body>> {
        let asset = Asset::at(path).ok_or_else(no_page)?;
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this path only accepts GET"));
        }
        Ok(whole(StatusCode::OK, asset.kind(), asset.text(self.access.token()).into()))
    }

    /// Answers a question of the page.
    async fn question(&self, name: &str, body: &[u8], busy: Arc<()>) -> Answer<Response<Body>> {
        use collection::{OneFile, OneRecord, RateAll};
        use questions::{Analyse, Generate, Minimize, PackedText, Read, Solutions, ToMinlex, Write};
        match name {
            "analyse" => self.stream(body, busy, Analyse::answer),
            "solutions" => self.stream(body, busy, Solutions::answer),
            "generate" => self.stream(body, busy, Generate::answer),
            "read" => self.answer(body, |_, question: Read, _| question.answer()).await,
            "write" => self.answer(body, |_, question: Write, _| question.answer()).await,
            "pack" => self.answer(body, |_, question: PackedText, _| Ok(question.pack())).await,
            "unpack" => self.answer(body, |_, question: PackedText, _| Ok(question.unpack())).await,
            "minimize" => self.answer(body, |_, question: Minimize, stop| question.answer(stop)).await,
            "minlex" => self.answer(body, |_, question: ToMinlex, _| question.answer()).await,
            "collection" => self.answer(b"null", |shown, (), _| Ok(shown.state())).await,
            "rows" => self.answer(body, Collection::rows).await,
            "position" => self.answer(body, Collection::position).await,
            "pictures" => self.answer(body, Collection::pictures).await,
            "record" => self.answer(body, |shown, question: OneRecord, _| shown.record(&question)).await,
            "reload" => self.answer(body, |shown, question: OneFile, _| shown.reload(&question)).await,
            "remove" => self.answer(body, |shown, question: OneFile, _| shown.remove(&question)).await,
            "rate" => self.answer(body, |shown, question: RateAll, _| Ok(shown.rate_all(&question))).await,
            "export" => self.export(body, busy).await,
            _ => Err(no_page()),
        }
    }

    /// Adds the file in the body of a request. The file is read while it arrives.
    async fn open(&self, request: Request<Incoming>) -> Answer<Response<Body>> {
        let unnamed = || Refusal::bad("the file has no name; choose a file with a name");
        let name = only(request.headers(), FILE_NAME).filter(|name| !name.is_empty()).ok_or_else(unnamed)?;
        let name = percent_decoded(name);
        let (sender, received) = Received::pair();
        let collection = Arc::clone(&self.collection);
        let sending = tokio::spawn(sender.send_all(request.into_body(), self.limits));
        // This result comes first, because it explains more than the error of the transfer: it says why the file can't be shown.
        let opened = self.tasks.run(move |_| collection.take_in(&name, received)).await?;
        sending.await.map_err(|_| Refusal::bad("the file did not arrive completely; open it again"))??;
        Ok(whole(StatusCode::OK, JSON, opened.to_string().into()))
    }

    /// Answers a question with a single value.
    async fn answer<Q: DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        answer: impl FnOnce(&Collection, Q, &AtomicBool) -> Answer<Value> + Send + 'static,
    ) -> Answer<Response<Body>> {
        let (question, collection) = (parse(body)?, Arc::clone(&self.collection));
        let text = self.tasks.run(move |stop| Ok(answer(&collection, question, stop)?.to_string()));
        Ok(whole(StatusCode::OK, JSON, text.await?.into()))
    }

    /// Answers a question about one puzzle with a stream of events.
    fn stream<Q: DeserializeOwned + Send + 'static>(
        &self,
        body: &[u8],
        busy: Arc<()>,
        answer: fn(Q, &Reply) -> Answer,
    ) -> Answer<Response<Body>> {
        let question = parse(body)?;
        Ok(stream(self.tasks.stream(move |reply| answer(question, reply))?, LINES, busy))
    }

    /// Answers the form for a download.
    async fn export(&self, form: &[u8], busy: Arc<()>) -> Answer<Response<Body>> {
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
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing here; the page is at /")
}

/// The header with the name of a download. Characters that are not allowed there become underscores, e.g. `my file` becomes
/// `my_file`.
fn attachment(name: &str) -> HeaderValue {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).expect("plain characters")
}

fn whole(status: StatusCode, kind: &'static str, text: Bytes) -> Response<Body> {
    with_kind(status, kind, Full::new(text).map_err(|never| match never {}).boxed())
}

/// An answer that is sent while it is made.
fn stream(lines: Lines, kind: &'static str, busy: Arc<()>) -> Response<Body> {
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
async fn read<B>(body: B, limits: &Limits) -> Answer<Bytes>
where
    B: hyper::body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let limit = limits.body_bytes;
    let too_long =
        || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a request can have at most {limit} bytes"));
    if body.size_hint().lower() > limit as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(limits.body_patience, Limited::new(body, limit).collect()).await {
        Err(_) => {
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive; try again"))
        }
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(_)) => Err(Refusal::bad("the request did not arrive completely; try again")),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// Parses a JSON body.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Answer<T> {
    serde_json::from_slice(body).map_err(|error| Refusal::bad(in_words(&error)))
}

/// The beginnings of the parser's own messages, which do not help a user.
const OF_PARSER: [&str; 7] = [
    "invalid ",
    "missing field",
    "unknown field",
    "unknown variant",
    "duplicate field",
    "expected ",
    "data did",
];

/// The error of a request in words that help a user. Messages of our own types are kept, while those of the parser are replaced.
pub(super) fn in_words(error: &serde_json::Error) -> String {
    // The line and column are removed, because the user does not see the body.
    let (place, text) = (format!(" at line {} column {}", error.line(), error.column()), error.to_string());
    let reason = text.strip_suffix(&place).unwrap_or(&text);
    match error.is_data() && !OF_PARSER.iter().any(|words| reason.starts_with(words)) {
        true => reason.to_owned(),
        false if error.is_data() && reason.starts_with("invalid ") => {
            "a field has an invalid value, e.g. a fraction or a negative number instead of a whole number; correct it"
                .to_owned()
        }
        false => "the page is from another version of gridmill serve; load it again".to_owned(),
    }
}

/// The header with the name of a file, escaped as in an address.
const FILE_NAME: &str = "x-gridmill-name";

/// A text without its escapes, e.g. `a b` for `a%20b`.
fn percent_decoded(text: &str) -> String {
    // The parser of forms would read a plus as a space, but here it is only a plus.
    let pair = format!("={}", text.replace('+', "%2B"));
    form_urlencoded::parse(pair.as_bytes()).next().map_or(String::new(), |(_, value)| value.into_owned())
}

/// The header with the token.
const TOKEN: &str = "x-gridmill-token";

/// The names of the server, and the token of this run.
#[derive(Clone, Debug)]
pub(super) struct AccessCheck {
    hosts: Vec<String>,
    token: String,
}

impl AccessCheck {
    /// The check for a server at this address, with a new token.
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

    /// Checks that a request is for this server, and, if it has an origin, that it comes from the server's own page.
    pub(super) fn check_names<B>(&self, request: &Request<B>) -> Answer {
        let foreign = || {
            let message = format!("this server only answers at http://{}", self.hosts[0]);
            Refusal::new(StatusCode::FORBIDDEN, message)
        };
        let headers = request.headers();
        let host = only(headers, &HOST).ok_or_else(foreign)?;
        let authority = request.uri().authority().map_or(host, |authority| authority.as_str());
        if !self.is_own(host) || !self.is_own(authority) {
            return Err(foreign());
        }
        match headers.contains_key(ORIGIN) {
            true => self.check_origin(headers),
            false => Ok(()),
        }
    }

    /// Checks the method, origin and token, so that only the page of this run can ask questions.
    pub(super) fn check_question<B>(&self, request: &Request<B>, has_token_in_body: bool) -> Answer {
        if request.method() != Method::POST {
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this path only accepts POST"));
        }
        self.check_origin(request.headers())?;
        match only(request.headers(), TOKEN) {
            None if has_token_in_body => Ok(()),
            token => self.check_token(token.unwrap_or_default()),
        }
    }

    pub(super) fn check_token(&self, token: &str) -> Answer {
        let is_right = are_equal(token.as_bytes(), self.token.as_bytes());
        let message = "the page is from an earlier run of gridmill serve; load it again";
        is_right.then_some(()).ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Answer {
        let name = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        let message = "only the page of this server may send requests here";
        let is_own = name.is_some_and(|name| self.is_own(name));
        is_own.then_some(()).ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, message))
    }

    /// Whether a name with its port belongs to the server.
    fn is_own(&self, name: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Compares in constant time, so that the time does not reveal how much of a guessed token is right.
fn are_equal(left: &[u8], right: &[u8]) -> bool {
    let difference = left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right));
    left.len() == right.len() && difference == 0
}

/// The value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: impl hyper::header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    path: &'static str,
    text: &'static str,
}

/// The place of the token in the page.
const TOKEN_PLACE: &str = "{{token}}";

macro_rules! assets {
    ($($file:literal)*) => {
        &[$(Asset { path: concat!("/", $file), text: include_str!(concat!("assets/", $file)) }),*]
    };
}

/// The path of the page itself.
const PAGE: &str = "/index.html";

/// All files of the page.
#[rustfmt::skip]
pub(super) const ASSETS: &[Asset] = assets![
    "index.html" "icon.svg" "style.css"
    "address.js" "api.js" "board.js" "collection.js" "dom.js" "grid.js" "keys.js" "live.js" "main.js" "message.js"
    "other_programs.js" "book.js" "copying.js" "export.js" "files.js" "generate.js" "origin.js"
    "page.js" "panel.js" "path.js" "pictures.js" "solver.js" "step.js" "symbols.js" "table.js" "tools.js"
    "turns.js" "view.js" "work.js"
];

impl Asset {
    /// The file for the path of a request, if there is one.
    pub(super) fn at(path: &str) -> Option<&'static Asset> {
        ASSETS.iter().find(|asset| path == if asset.path == PAGE { "/" } else { asset.path })
    }

    /// The media type of the file.
    pub(super) fn kind(&self) -> &'static str {
        match self.path.rsplit_once('.') {
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        }
    }

    /// The text as the server sends it. The page contains the token of the run; modules have no comments and no indentation.
    pub(super) fn text(&self, token: &str) -> String {
        match self.path {
            PAGE => self.text.replace(TOKEN_PLACE, token),
            path if path.ends_with(".js") => without_comments(self.text),
            _ => self.text.to_owned(),
        }
    }
}

/// Removes the lines of a module that are only comments, and the indentation of the other lines. This is safe because no line within a
/// string begins with spaces or a comment. Comments leave empty lines, so that errors still name the right line of the source.
fn without_comments(module: &str) -> String {
    let mut is_within = false;
    let mut text = String::with_capacity(module.len());
    for line in module.lines() {
        let bare = line.trim();
        let begins = bare.starts_with("/**") && (!bare.contains("*/") || bare.ends_with("*/"));
        let is_comment = is_within || begins || bare.starts_with("//");
        is_within = (is_within || begins) && !bare.ends_with("*/");
        text.push_str(if is_comment { "" } else { bare });
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of a refused request, which is sent immediately or in the last line of the answer.
    fn refusal(site: &Site, name: &str, body: &[u8]) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            match site.question(name, body, Arc::new(())).await {
                Err(refusal) => refusal.message,
                Ok(answer) => {
                    let text = answer.into_body().collect().await.unwrap().to_bytes();
                    let last = text.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
                    let last: Value = serde_json::from_slice(last).unwrap();
                    last["error"].as_str().unwrap_or_default().to_owned()
                }
            }
        })
    }

    /// No message comes from the JSON parser. Each says what to do, unless that is obvious.
    #[test]
    fn invalid_requests_get_readable_messages() {
        let stop = Arc::new(AtomicBool::new(false));
        let wording =
            collection::Wording { explain: ToString::to_string, advice: gridmill_data::text::no_advice };
        let collection = Collection::open(std::iter::empty(), wording, &stop).unwrap();
        let site = Site::new(SocketAddr::from(([127, 0, 0, 1], 1)), collection, Limits::default());
        let grid = |rest: &str| {
            format!("{{\"grid\":{{\"shape\":\"3x3\",\"clues\":[{}]}}{rest}}}", ["0"; 81].join(","))
        };
        const OTHER_VERSION: &str = "the page is from another version of gridmill serve; load it again";
        const INVALID_VALUE: &str = "a field has an invalid value, e.g. a fraction or a negative number instead of a whole number; correct it";
        let table = [
            ("rows", "{".to_owned(), OTHER_VERSION),
            ("rows", r#"{"from":0}"#.to_owned(), OTHER_VERSION),
            ("rows", r#"{"from":-1,"count":1}"#.to_owned(), INVALID_VALUE),
            ("rows", r#"{"from":0,"count":201}"#.to_owned(), "a request can ask for at most 200 rows"),
            (
                "rows",
                r#"{"from":0,"count":1,"filter":{"clues":[3,2]}}"#.to_owned(),
                "clues: the range from 3 to 2 is empty; give the lower number first",
            ),
            (
                "rows",
                r#"{"from":0,"count":1,"filter":{"er":[3,2]}}"#.to_owned(),
                "er: the range from 3 to 2 is empty; give the lower number first",
            ),
            (
                "rows",
                r#"{"from":0,"count":1,"filter":{"status":["x"]}}"#.to_owned(),
                "there is no status \"x\"",
            ),
            ("rows", r#"{"from":0,"count":1,"filter":{"file":0}}"#.to_owned(), "there is no file 1, only 0"),
            (
                "rows",
                r#"{"from":0,"count":1,"filter":{"find":""}}"#.to_owned(),
                "no search text; type a part of a record, or a puzzle",
            ),
            ("record", r#"{"row":4}"#.to_owned(), "there is no record 5"),
            ("reload", r#"{"id":4}"#.to_owned(), "the file is no longer shown; load the page again"),
            ("remove", r#"{"id":-4}"#.to_owned(), INVALID_VALUE),
            ("rate", r#"{"on":1}"#.to_owned(), INVALID_VALUE),
            ("read", r#"{"text":""}"#.to_owned(), "there is no puzzle in the text"),
            ("read", r#"{"text":"12345"}"#.to_owned(), "line 1, column 6: 5 cells where 81 are needed"),
            (
                "read",
                r#"{"text":"1....","shape":"3xq"}"#.to_owned(),
                "'3xq' is not a shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to 25",
            ),
            ("write", grid(r#","form":"xml""#), OTHER_VERSION),
            ("solutions", grid(r#","limit":0"#), "limit must be 1 or more"),
            ("analyse", grid(r#","cap":0,"candidate_cap":0,"wants":[]"#), "candidate_cap must be 1 or more"),
            (
                "analyse",
                grid(r#","cap":0,"candidate_cap":1,"wants":[],"scale":"x""#),
                "there is no scale \"x\"; the scales are se, sukaku and sukaku-2020",
            ),
            ("minimize", grid(r#","seed":1.5"#), INVALID_VALUE),
            (
                "minimize",
                grid(r#","seed":1"#),
                "the clues have several solutions; only a puzzle with exactly one can be made minimal",
            ),
            (
                "minimize",
                grid(r#","seed":1,"symmetry":"x""#),
                "there is no symmetry \"x\"; choose none, rotate180, rotate90, mirror, diagonal",
            ),
            (
                "generate",
                r#"{"shape":"3x"}"#.to_owned(),
                "'3x' is not a shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to 25",
            ),
            (
                "generate",
                r#"{"shape":"3x3","clues":[30,20]}"#.to_owned(),
                "a puzzle of 81 cells can't have 30 to 20 clues",
            ),
            ("generate", r#"{"shape":"3x3","clues":[1.5,20]}"#.to_owned(), INVALID_VALUE),
            (
                "generate",
                r#"{"shape":"3x3","er":[-1,20]}"#.to_owned(),
                "\"-1\" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2",
            ),
            (
                "generate",
                r#"{"shape":"3x3","er":[1.55,2]}"#.to_owned(),
                "\"1.55\" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2",
            ),
            (
                "generate",
                r#"{"shape":"3x3","technique":["x"]}"#.to_owned(),
                "there is no technique \"x\"; the techniques are last-cell, ",
            ),
            (
                "generate",
                r#"{"shape":"3x3","pattern":"@"}"#.to_owned(),
                "'@' is neither x, for a clue, nor . for a blank, nor a digit (1-9, A-P)",
            ),
            ("generate", r#"{"shape":"3x3","attempts":0}"#.to_owned(), "attempts must be 1 or more"),
            ("export", "form=xml".to_owned(), "form: must be records or csv"),
            (
                "export",
                format!("form=csv&filter=%7B&token={}", site.access.token()),
                "filter: the page is from another version of gridmill serve; load it again",
            ),
            ("none", "{}".to_owned(), "there is nothing here; the page is at /"),
        ];
        // Only the beginnings of long lists are compared.
        let shortened = |found: String, words: &str| match words.ends_with(", ") && found.starts_with(words) {
            true => words.to_owned(),
            false => found,
        };
        let found: Vec<(String, &str)> = table
            .iter()
            .map(|(name, body, words)| (shortened(refusal(&site, name, body.as_bytes()), words), *name))
            .collect();
        let expected: Vec<(String, &str)> =
            table.iter().map(|(name, _, words)| ((*words).to_owned(), *name)).collect();
        assert_eq!(found, expected);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    #[test]
    fn the_page_has_at_most_225_kb() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text("").len()).sum();
        assert!(bytes <= 225_000, "{bytes}");
    }

    #[test]
    fn only_the_page_holds_the_token() {
        for asset in ASSETS {
            assert_eq!(asset.text.contains(TOKEN_PLACE), asset.path == PAGE, "{}", asset.path);
            assert_eq!(asset.text("abc").contains("\"abc\""), asset.path == PAGE, "{}", asset.path);
        }
    }

    #[test]
    fn served_modules_lose_their_comments_but_keep_their_lines() {
        let module =
            "// @ts-check\n/**\n * Adds.\n */\nadd(); // up\n  /** one */\n/** @type {X} */ (y) */ 2;\n";
        assert_eq!(without_comments(module), "\n\n\n\nadd(); // up\n\n/** @type {X} */ (y) */ 2;\n");
        for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".js")) {
            assert_eq!(asset.text("").lines().count(), asset.text.lines().count(), "{}", asset.path);
        }
    }
}
