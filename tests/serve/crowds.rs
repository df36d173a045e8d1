//! Many connections at once.

use std::net::TcpStream;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::client::{Server, serve};

/// Allows this process as many open files as it may have.
fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    allow_many_files();
    let server = Server::start();
    let silent: Vec<TcpStream> = (0..1_000).map(|_| server.connect()).collect();
    server.is_well();
    assert_eq!(server.question("collection", "{}").status, 200);
    drop(silent);
    server.is_well();
}

#[test]
fn connections_that_come_and_go_are_forgotten() {
    let server = Server::start();
    for _ in 0..1_000 {
        server.connect();
    }
    server.is_well();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).map_or(0, Iterator::count);
    let begun = std::time::Instant::now();
    while files() > 20 {
        assert!(begun.elapsed().as_secs() < 5, "{} files are open", files());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_low_limit_of_open_files_keeps_nobody_out() {
    let program = env!("CARGO_BIN_EXE_gridmill");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n 64; exec '{program}' serve --port 0")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let server = Server::of(&mut command);
    let silent: Vec<TcpStream> = (0..100).map(|_| server.connect()).collect();
    server.is_well();
    assert_eq!(server.question("collection", "{}").status, 200);
    drop(silent);
    server.is_well();
}

/// Without anything to do the server does next to nothing.
#[test]
#[cfg(target_os = "linux")]
fn an_idle_server_is_idle() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/classics.txt");
    let server = Server::of(serve().arg(file));
    let silent: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    let before = crate::ends::cpu_ticks(&server);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(crate::ends::cpu_ticks(&server) - before <= 10);
    drop(silent);
}
