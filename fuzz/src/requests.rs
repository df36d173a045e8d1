//! Requests to the page of `gridmill serve`.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gridmill_data::pipeline::Input;
use gridmill_data::text::{FormatOptions, no_advice};
use gridmill_page::{Collection, CollectionFile, Server as PageServer, Wording};

use super::choices::Choices;

/// The questions of the page, and some that do not exist, e.g. `none`.
const QUESTIONS: [&str; 17] = [
    "analyse",
    "read",
    "write",
    "solutions",
    "minimize",
    "generate",
    "collection",
    "rows",
    "position",
    "pictures",
    "record",
    "rate",
    "open",
    "reload",
    "remove",
    "export",
    "none",
];

/// The collection that the server shows.
const COLLECTION: &str = "datasets/fixtures/train.csv";

/// How long a client waits. It then closes the connection, because a count may run for ever and ends only
/// when its client has disconnected.
const PATIENCE: Duration = Duration::from_millis(40);

/// How long the answer to a simple question may take while the server does other work.
const SOON: Duration = Duration::from_secs(30);

/// The number of panics in all threads. They must be counted, because the server survives panics of its
/// threads.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Sends a request. The input consists of a byte 0 and the bytes of a connection, in which `{host}` and
/// `{token}` are replaced by those of the server; or of a byte for the question and its body. The check fails
/// unless:
///
/// - No thread of the server panics, and no answer reports a defect.
/// - The answer is HTTP, with a status that the page's protocol uses.
/// - The server still answers other requests.
pub fn check(data: &[u8]) {
    let server = Server::of_process();
    let mut choices = Choices::of(data);
    let question = choices.below(QUESTIONS.len() + 1);
    let bytes = match question.checked_sub(1) {
        None => server.filled_in(choices.rest()),
        Some(question) => server.question(QUESTIONS[question], choices.rest()),
    };
    let answer = server.say(&bytes, question > 0);
    let shown = || format!("{}: {}", String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&answer));
    if !answer.is_empty() {
        let status = status(&answer).unwrap_or_else(|| panic!("no HTTP: {}", shown()));
        let is_known = [100, 200, 400, 403, 404, 405, 408, 409, 413, 414, 431, 503].contains(&status);
        assert!(is_known, "{}", shown());
    } else {
        assert_eq!(question, 0, "no answer: {}", shown());
    }
    assert!(!answer.windows(8).any(|part| part == b"a defect"), "{}", shown());
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "{}", shown());
    server.is_well();
}

/// The server of this process.
struct Server {
    address: SocketAddr,
    token: String,
}

impl Server {
    /// The server. It is started by the first call.
    fn of_process() -> &'static Server {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(Server::start)
    }

    fn start() -> Server {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            before(panic);
        }));
        let roots = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let file = roots.map(|root| root.join(COLLECTION)).find(|file| file.exists()).expect("a collection");
        let input = Input::open(Some(&file), false);
        let file = CollectionFile { input, path: Some(file), options: FormatOptions::default() };
        let wording = Wording { explain: ToString::to_string, advice: no_advice };
        let stop = Arc::new(AtomicBool::new(false));
        let collection = Collection::open([file].into_iter(), wording, &stop).expect("a collection");
        let listener = PageServer::listen(0).expect("a free port");
        let page = PageServer::new(listener, collection).expect("a server");
        let address = page.address().expect("an address");
        let run = move || page.run(&stop);
        std::thread::Builder::new().name("server".to_owned()).spawn(run).expect("a thread");
        let mut server = Server { address, token: String::new() };
        let page = String::from_utf8(server.page()).expect("the page");
        let token = page.split_once("<meta name=\"gridmill-token\" content=\"").expect("a token").1;
        server.token = token.split_once('"').expect("its end").0.to_owned();
        server
    }

    /// The bytes with the host and the token of the server filled in.
    fn filled_in(&self, bytes: &[u8]) -> Vec<u8> {
        let host = self.address.to_string();
        let mut filled = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some((&first, behind)) = rest.split_first() {
            let places = [(&b"{host}"[..], host.as_bytes()), (b"{token}", self.token.as_bytes())];
            match places.iter().find(|(name, _)| rest.starts_with(name)) {
                Some((name, value)) => {
                    filled.extend_from_slice(value);
                    rest = &rest[name.len()..];
                }
                None => {
                    filled.push(first);
                    rest = behind;
                }
            }
        }
        filled
    }

    /// A question in the form in which the page sends it.
    fn question(&self, name: &str, body: &[u8]) -> Vec<u8> {
        let body = self.filled_in(body);
        let Server { address, token } = self;
        let head = format!(
            "POST /api/{name} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
             X-Gridmill-Token: {token}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), &body].concat()
    }

    /// Sends bytes over a new connection, and returns the data that arrives within a short time. For a
    /// question, it waits until the answer begins.
    fn say(&self, bytes: &[u8], is_question: bool) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        // Writing may fail, because the server may close the connection before it has read everything.
        let is_sent = stream.write_all(bytes).is_ok();
        if !is_question && is_sent && !bytes.windows(4).any(|part| part == b"\r\n\r\n") {
            // The request has no complete head, so there is no work that the server would cancel when the
            // connection closes.
            let _ = stream.shutdown(Shutdown::Write);
        }
        let (begun, mut answer, mut part) = (Instant::now(), Vec::new(), [0; 4096]);
        loop {
            let waited = begun.elapsed();
            let is_awaited = is_question && answer.is_empty() && waited < SOON;
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(count) => answer.extend_from_slice(&part[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if !is_awaited {
                        break;
                    }
                }
                Err(_) => break,
            }
            if waited > PATIENCE && !answer.is_empty() {
                break;
            }
        }
        answer
    }

    /// The answer to a request for the page.
    fn page(&self) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(SOON)).expect("a time");
        let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        stream.write_all(head.as_bytes()).expect("the server reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the page comes, and soon");
        answer
    }

    /// Checks that the server still returns the page.
    fn is_well(&self) {
        assert_eq!(status(&self.page()), Some(200));
    }
}

/// The status of an answer.
fn status(answer: &[u8]) -> Option<u16> {
    let version = answer.strip_prefix(b"HTTP/1.")?;
    std::str::from_utf8(version.get(2..5)?).ok()?.parse().ok()
}
