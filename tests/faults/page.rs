//! The server of the page. Faults are temporary, and the server must survive them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::jobs::{Job, Times, put_inputs};
use crate::run::{End, plain_command, wait_for_end};
use crate::shim::{Fault, Seen};
use crate::sweep::{Law, Tally};

/// How long the server may take until it answers as usual. It is far longer than even a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The files that the server shows: one that is read in place, and one that is unpacked to a temporary file.
const SHOWN: Job = Job {
    name: "serve",
    arguments: "serve --port 0 p.txt p.txt.gz",
    outputs: &[],
    times: Times::None,
    stdin: None,
};

/// A server in its own folder.
struct Server {
    child: Child,
    messages: Receiver<String>,
    lines: Vec<String>,
}

impl Server {
    fn start(folder: &Path, fault: &Fault, log: &Path) -> Server {
        put_inputs(&SHOWN, folder);
        let mut command = plain_command();
        fault.strike(&mut command, log);
        command.args(SHOWN.arguments.split(' ')).current_dir(folder).env("TMPDIR", folder.join("spills"));
        command
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, messages) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(|line| _ = sender.send(line)));
        Server { child, messages, lines: Vec::new() }
    }

    /// Waits for the address; `None` if the server ends without one.
    fn address(&mut self) -> Option<SocketAddr> {
        while let Ok(line) = self.messages.recv_timeout(PATIENCE) {
            let address = line.strip_prefix("gridmill: the page is at http://");
            let address = address.and_then(|line| line.split_once('/')?.0.parse().ok());
            self.lines.push(line);
            if address.is_some() {
                return address;
            }
        }
        None
    }
}

/// Sends a request, and returns the whole answer.
fn ask(address: SocketAddr, line: &str, headers: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.starts_with("HTTP/1.1 200") && is_whole(&answer) {
        true => Ok(answer),
        false => Err(std::io::Error::other(answer)),
    }
}

/// Returns whether an answer is complete: it has the length in its head, or its last chunk.
fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    length.map_or_else(
        || body.ends_with("\r\n0\r\n\r\n") || body == "0\r\n\r\n",
        |length: usize| body.len() == length,
    )
}

/// Sends the requests of a browser. Returns whether all files are shown.
fn use_page(address: SocketAddr) -> std::io::Result<bool> {
    let page = ask(address, "GET /", "", "")?;
    let token = page.split("gridmill-token\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
    let token = token.ok_or(std::io::Error::other("no token"))?;
    let rights = format!("Origin: http://{address}\r\nX-Gridmill-Token: {token}\r\n");
    let question = |name: &str, body: &str| ask(address, &format!("POST /api/{name}"), &rights, body);
    let read = question("read", r#"{"text":"1.....3..4.....2"}"#)?;
    if !read.contains("\"records\":1") {
        return Err(std::io::Error::other(read));
    }
    let empty = format!("{{\"shape\":\"3x3\",\"clues\":{:?}}}", [0; 81]);
    let counted = format!("{{\"grid\":{empty},\"cap\":3000,\"candidate_cap\":2,\"wants\":[]}}");
    for (name, body, end) in [
        ("analyse", counted.as_str(), "\"is_final\":true"),
        ("generate", r#"{"shape":"2x2","seed":1}"#, "\"puzzle\""),
    ] {
        let answer = question(name, body)?;
        if !answer.contains(end) {
            return Err(std::io::Error::other(answer));
        }
    }
    let state = question("collection", "{}")?;
    if state.contains("\"error\":\"") {
        return Ok(false);
    }
    if !state.contains("\"records\":8") || !state.contains("\"solved\":8") {
        return Err(std::io::Error::other(state));
    }
    let rows = question("rows", r#"{"from":0,"count":8}"#)?;
    let form = format!("token={token}&form=records&filter=%7B%22file%22%3A1%7D");
    let download = ask(address, "POST /api/export", &format!("Origin: http://{address}\r\n"), &form)?;
    let is_whole = rows.matches("\"unique\"").count() >= 8 && download.matches('\n').count() > 8;
    if is_whole { Ok(true) } else { Err(std::io::Error::other(format!("{rows}\n{download}"))) }
}

/// Runs a server that meets a fault, and returns how it ended: [`End::Ordinary`] if it showed all files in
/// the end, [`End::Partly`] if it reported a file that it could not read and showed the others,
/// [`End::Refused`] if it said why it did not start.
fn serve(fault: &Fault) -> (End, Seen) {
    let scratch = tempfile::Builder::new().prefix("faults-").tempdir().unwrap();
    let (folder, log) = (scratch.path().join("folder"), scratch.path().join("log"));
    fs::create_dir(&folder).unwrap();
    let mut server = Server::start(&folder, fault, &log);
    let end = server.address().map(|address| visit(address, &mut server));
    if end.is_some() {
        // The server may have ended already; the lines below check that. The signal is not SIGINT, because a
        // shell makes its background processes ignore it.
        let mut interrupt = Command::new("kill");
        interrupt.args(["-TERM", &server.child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    }
    let status = wait_for_end(&mut server.child);
    server.lines.extend(server.messages.iter());
    let output = server.lines.join("\n");
    let left = fs::read_dir(folder.join("spills")).unwrap().count();
    let code = status.and_then(|status| status.code());
    let bad = |what: &str| End::Bad(format!("{what}: {status:?}, {left} temporary files: {output}"));
    let end = match end {
        _ if status.is_none() => bad("hangs"),
        _ if output.contains("panicked") || left > 0 => bad("not clean"),
        None if code == Some(2) && server.lines.last().is_some_and(|line| line.starts_with("gridmill: ")) => {
            End::Refused(server.lines.last().cloned().unwrap_or_default())
        }
        None => bad("neither started nor refused"),
        Some(_) if code != Some(130) && !output.contains("Ctrl-C will end the run immediately") => {
            bad("not ended by Ctrl-C")
        }
        Some(Err(error)) => bad(&format!("does not serve: {error}")),
        Some(Ok(true)) => End::Ordinary,
        Some(Ok(false)) => End::Partly(
            server
                .lines
                .iter()
                .find(|line| line.contains("can't") || line.contains("failed"))
                .cloned()
                .unwrap_or_default(),
        ),
    };
    (end, Fault::seen(&log))
}

/// Uses the page again and again, until everything works as usual or [`PATIENCE`] is over.
fn visit(address: SocketAddr, server: &mut Server) -> std::io::Result<bool> {
    let begun = Instant::now();
    loop {
        let used = use_page(address);
        let is_over = begun.elapsed() > PATIENCE || server.child.try_wait().unwrap().is_some();
        if used.is_ok() || is_over {
            return used;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a server once for each of its calls, up to `most` of them, and lets that call fail.
pub(crate) fn each_call(calls: &str, act: &str, law: Law, most: u64) -> Tally {
    let counted = serve(&Fault::new(calls, "count", "")).1.calls;
    let turns = (1..=counted).step_by(counted.div_ceil(most).max(1) as usize);
    let conditions: Vec<String> = turns.map(|turn| format!("nth={turn}")).collect();
    under(calls, act, &conditions, law)
}

/// Runs a server with a fault, once for each of these conditions.
pub(crate) fn under(calls: &str, act: &str, conditions: &[impl AsRef<str>], law: Law) -> Tally {
    let mut tally = Tally::default();
    for conditions in conditions {
        let fault = Fault::new(calls, act, conditions.as_ref());
        let (end, seen) = serve(&fault);
        tally.count(&format!("serve: {fault:?}"), end, law, seen.hit > 0);
    }
    tally
}

#[test]
fn failed_sockets_do_not_stop_the_server() {
    under("accept4", "EMFILE", &["every=2"], Law::Harmless).check();
    under("accept4", "ECONNABORTED", &["nth=1"], Law::Harmless).check();
    under("sendto,writev", "ECONNRESET", &["nth=1", "nth=3"], Law::Harmless).check();
    under("epoll_wait,epoll_pwait", "EINTR", &["every=2"], Law::Harmless).check();
    // Calls on sockets are not shortened, because the runtime relies on them to transfer as much as they can.
    under("read,readv,pread64,pwrite64", "short=8", &[""], Law::Harmless).check();
}

#[test]
fn a_failed_thread_start_does_not_crash_the_server() {
    each_call("pthread_create", "EAGAIN", Law::Either, 12).check();
}

#[test]
fn a_full_disk_for_one_copy_is_reported_and_the_other_file_is_served() {
    let tally = under("pwrite64", "ENOSPC", &["path=spills,nth=1"], Law::Refused);
    tally.check();
    assert_eq!(tally.partly, 1, "{tally:?}");
}
