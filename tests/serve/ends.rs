//! Start and end of the server, and its messages.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::{Server, serve, wait_until};

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

pub(crate) fn interrupt(child: &Child) {
    send(Signal::INT, child);
}

/// Waits for the end, and returns the exit code.
pub(crate) fn end(child: &mut Child) -> Option<i32> {
    wait_until("the server ends", || child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

fn read_all(from: &mut impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    text
}

/// A port that was free a moment ago. It is below the ports that systems give to programs which ask for any
/// port, so that no other test gets it meanwhile.
fn free_port() -> String {
    let first = 10_000 + (std::process::id() % 10_000) as u16;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..).find(is_free).unwrap().to_string()
}

/// Waits until a server listens on a port, and returns whether it answers.
fn answers(port: &str) -> bool {
    let mut connected = None;
    wait_until("the server listens", || {
        connected = TcpStream::connect(format!("127.0.0.1:{port}")).ok();
        connected.is_some()
    });
    let mut stream = connected.unwrap();
    write!(stream, "GET / HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
    read_all(&mut stream).contains("gridmill-token")
}

/// Open connections must not delay the end. `crates/page/src/server.rs` tests that too, with connections that
/// never end by themselves.
#[test]
fn signals_end_the_server() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut server = Server::start();
        let mut busy = server.connect();
        write!(busy, "{}Content-Length: 10\r\n\r\n{{", server.head("read")).unwrap();
        let silent: Vec<TcpStream> = (0..10).map(|_| server.connect()).collect();
        server.assert_responds();
        send(signal, &server.child);
        assert_eq!(end(&mut server.child), Some(130), "{signal:?}");
        assert_eq!(read_all(&mut server.stderr), "");
        assert_eq!(read_all(server.child.stdout.as_mut().unwrap()), "");
        drop(silent);
    }
}

#[test]
fn a_port_in_use_is_an_error_with_advice() {
    let server = Server::start();
    let port = server.address.port().to_string();
    let second =
        Command::new(env!("CARGO_BIN_EXE_gridmill")).args(["serve", "--port", &port]).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(second.stdout.is_empty());
    let messages = String::from_utf8(second.stderr).unwrap();
    assert!(
        messages.starts_with(&format!("gridmill: can't listen on port {port} of 127.0.0.1: ")),
        "{messages}"
    );
    assert!(
        messages.ends_with("; choose another one with --port, or --port 0 for any free one\n"),
        "{messages}"
    );
    server.assert_responds();
}

#[test]
fn invalid_ports_are_refused() {
    for port in ["--port=99999", "--port=-1", "--port=http"] {
        let ran = Command::new(env!("CARGO_BIN_EXE_gridmill")).args(["serve", port]).output().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{port}");
        let value = port.split_once('=').unwrap().1;
        let expected = format!("error: invalid value '{value}' for '--port <PORT>': ");
        assert!(String::from_utf8(ran.stderr).unwrap().starts_with(&expected), "{port}");
    }
}

#[test]
fn the_server_continues_if_no_browser_can_be_opened() {
    let mut server = Server::from_command(serve().arg("--open").env("PATH", ""));
    server.assert_responds();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut server.stderr, &mut line).unwrap();
    assert!(line.starts_with("gridmill: no browser could be opened ("), "{line}");
    assert!(line.ends_with(&format!("): go to http://{}/\n", server.address)), "{line}");
    server.assert_responds();
}

#[test]
fn the_server_continues_if_its_messages_cannot_be_written() {
    let program = env!("CARGO_BIN_EXE_gridmill");
    for closed in ["<&- >&- 2>&-", "2>&-", "2>/dev/full"] {
        let port = free_port();
        let line = format!("PATH= exec '{program}' serve --open --port {port} {closed}");
        let mut child = Command::new("sh").args(["-c", &line]).spawn().unwrap();
        let is_well = answers(&port) && answers(&port);
        send(Signal::INT, &child);
        assert!(is_well && end(&mut child) == Some(130), "{closed}");
    }
    let port = free_port();
    let mut child = Command::new(program)
        .args(["serve", "--open", "--port", &port])
        .env("PATH", "")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let is_well = answers(&port) && answers(&port);
    send(Signal::TERM, &child);
    assert!(is_well && end(&mut child) == Some(130));
}
