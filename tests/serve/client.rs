//! The program as a server, and raw requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// The time after which a wait fails. It only ends tests that hang, because no test expects anything to be
/// done in less time.
pub(crate) const GUARD: Duration = Duration::from_secs(300);

/// Calls `has_happened` again and again, until it returns true.
pub(crate) fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !has_happened() {
        assert!(begun.elapsed() < GUARD, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) stderr: BufReader<ChildStderr>,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The head in small letters, with the status line.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The command that starts a server on a free port.
pub(crate) fn serve() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    command.args(["serve", "--port", "0"]).env_remove("GRIDMILL_THREADS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::from_command(&mut serve())
    }

    /// Starts a command that runs a server, and waits for its address.
    pub(crate) fn from_command(command: &mut Command) -> Server {
        Server::from_child(command.spawn().unwrap())
    }

    /// Waits for the address of a server that is already started.
    pub(crate) fn from_child(mut child: Child) -> Server {
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut lines, mut address) = (String::new(), None);
        // Messages about files may come first.
        while address.is_none() {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "no address: {lines}");
            lines += &line;
            let found = line.strip_prefix("gridmill: the page is at http://");
            address = found.and_then(|line| line.strip_suffix("/ (Ctrl-C ends it)\n")?.parse().ok());
        }
        let address = address.unwrap();
        let mut server = Server { child, address, token: String::new(), stderr };
        let page = server.ask("GET / HTTP/1.1", "", "").body;
        let token = page.split_once("<meta name=\"gridmill-token\" content=\"").unwrap().1;
        server.token = token.split_once('"').unwrap().0.to_owned();
        server
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(GUARD)).unwrap();
        stream
    }

    /// Sends bytes over a new connection, and returns everything that arrives until it is closed.
    pub(crate) fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // An error is ignored, because the server may close the connection before everything is written.
        let _ = stream.write_all(bytes);
        everything(&mut stream)
    }

    /// Sends a request with the `Host` of the server, these header lines and a body.
    pub(crate) fn ask(&self, line: &str, lines: &str, body: &str) -> Answer {
        let host = format!("Host: {}\r\n", self.address);
        self.ask_as(&host, line, lines, body)
    }

    /// Sends a request with another `Host` line.
    pub(crate) fn ask_as(&self, host: &str, line: &str, lines: &str, body: &str) -> Answer {
        let length = body.len();
        let head = format!("{line}\r\n{host}{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n");
        Answer::parse(&self.say(format!("{head}{body}").as_bytes()))
    }

    /// The headers that prove that the request comes from the page.
    pub(crate) fn rights(&self) -> String {
        format!("Origin: http://{}\r\nX-Gridmill-Token: {}\r\n", self.address, self.token)
    }

    /// Sends an API request as the page does.
    pub(crate) fn question(&self, name: &str, body: &str) -> Answer {
        self.ask(&format!("POST /api/{name} HTTP/1.1"), &self.rights(), body)
    }

    /// The head of an API request as the page sends it, without the length.
    pub(crate) fn head(&self, name: &str) -> String {
        format!("POST /api/{name} HTTP/1.1\r\nHost: {}\r\n{}", self.address, self.rights())
    }

    /// Asserts that the server still serves the page.
    pub(crate) fn assert_responds(&self) {
        assert_eq!(self.ask("GET / HTTP/1.1", "", "").status, 200);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    pub(crate) fn parse(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// The error message of an answer with an error status.
    pub(crate) fn error(&self) -> String {
        let value: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        value["error"].as_str().unwrap().to_owned()
    }
}

/// Everything that arrives until the connection is closed or reset.
pub(crate) fn everything(stream: &mut TcpStream) -> String {
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(read) => bytes.extend(&part[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the server has stopped sending")
            }
            Err(_) => break,
        }
    }
    String::from_utf8(bytes).unwrap()
}
