//! Many connections at once.

use std::net::TcpStream;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::client::{Server, serve, wait_until};

/// Raises this process's limit of open files as far as allowed, because the tests open many connections.
fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

#[test]
fn silent_connections_do_not_block_others() {
    allow_many_files();
    let server = Server::start();
    let silent: Vec<TcpStream> = (0..1_000).map(|_| server.connect()).collect();
    server.assert_responds();
    assert_eq!(server.question("collection", "{}").status, 200);
    drop(silent);
    server.assert_responds();
}

#[test]
fn closed_connections_free_their_descriptors() {
    let server = Server::start();
    for _ in 0..1_000 {
        server.connect();
    }
    server.assert_responds();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).map_or(0, Iterator::count);
    wait_until("few files are open", || files() <= 20);
}

/// There are so many silent connections that a server which waited for each of them to time out would answer
/// only minutes after the test has given up.
#[test]
fn a_low_limit_of_open_files_does_not_block_new_clients() {
    let program = env!("CARGO_BIN_EXE_gridmill");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n 64; exec '{program}' serve --port 0")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let server = Server::from_command(&mut command);
    let silent: Vec<TcpStream> = (0..1_200).map(|_| server.connect()).collect();
    server.assert_responds();
    assert_eq!(server.question("collection", "{}").status, 200);
    drop(silent);
    server.assert_responds();
}

/// The time of the server is compared with that of a thread that computes all the time.
#[test]
#[cfg(target_os = "linux")]
fn an_idle_server_uses_almost_no_processor_time() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/classics.txt");
    let server = Server::from_command(serve().arg(file));
    let silent: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    crate::files::solved(&server);
    let of_server = || cpu_ticks(&server.child.id().to_string());
    let of_this_thread = || cpu_ticks("thread-self");
    let (before, begun) = (of_server(), of_this_thread());
    while of_this_thread() - begun < 100 {}
    assert!(of_server() - before <= 10, "{}", of_server() - before);
    drop(silent);
}

/// The processor time that a process or thread of `/proc` has used, in hundredths of a second.
#[cfg(target_os = "linux")]
fn cpu_ticks(name: &str) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{name}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
