//! Streams, and readers who go away.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::client::{Server, everything};
use crate::ends::{cpu_ticks, end, interrupt};

/// The threads that may be at work at once.
const THREADS: usize = 32;

/// Begins to count all solutions of an empty grid, which nobody lives to see, and reads the first events.
fn begin(server: &Server, behind: &str) -> BufReader<TcpStream> {
    let clues = ["0"; 81].join(",");
    let grid = format!("{{\"shape\": \"3x3\", \"clues\": [{clues}]}}");
    let body = format!("{{\"grid\": {grid}, \"cap\": 0, \"candidate_cap\": 1, \"wants\": []}}");
    let mut stream = server.connect();
    let head = format!("{}Content-Length: {}\r\n\r\n", server.head("analyse"), body.len());
    stream.write_all(format!("{head}{body}{behind}").as_bytes()).unwrap();
    BufReader::new(stream)
}

/// Reads until a running count has come, or what came in its place has ended.
fn counts(stream: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    while !text.contains("\"event\":\"count\"") && stream.read_line(&mut text).unwrap() > 0 {
        if !text.starts_with("HTTP/1.1 200 ") {
            break;
        }
    }
    text
}

/// Waits until the server does next to nothing.
fn is_soon_idle(server: &Server) {
    let begun = Instant::now();
    loop {
        let before = cpu_ticks(server);
        std::thread::sleep(Duration::from_millis(200));
        if cpu_ticks(server) - before <= 2 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "the server still counts");
    }
}

#[test]
fn work_ends_when_its_reader_goes_away() {
    let server = Server::start();
    let mut streams: Vec<_> = ["", "", "", "\r\n", "GET / HT"].map(|behind| begin(&server, behind)).into();
    for stream in &mut streams {
        let text = counts(stream);
        assert!(text.contains("\"event\":\"count\""), "{text}");
    }
    // A reader that takes nothing more, one that says nothing more, and one that said more than it should.
    streams[1].get_ref().shutdown(Shutdown::Write).unwrap();
    streams[2].get_ref().shutdown(Shutdown::Both).unwrap();
    let half_closed = streams.remove(1);
    drop(streams);
    is_soon_idle(&server);
    drop(half_closed);
    server.is_well();
}

#[test]
fn more_streams_than_threads_are_refused_until_one_ends() {
    let server = Server::start();
    let mut streams: Vec<_> = (0..THREADS).map(|_| begin(&server, "")).collect();
    for stream in &mut streams {
        assert!(counts(stream).contains("\"event\":\"count\""));
    }
    let mut refused = begin(&server, "");
    assert!(counts(&mut refused).starts_with("HTTP/1.1 503 "));
    assert_eq!(server.question("collection", "{}").status, 503);
    // The page is there all the same.
    assert_eq!(server.ask("GET / HTTP/1.1", "", "").status, 200);
    drop(streams);
    let begun = Instant::now();
    while server.question("collection", "{}").status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(10));
    }
    is_soon_idle(&server);
}

#[test]
fn streams_keep_the_server_from_ending_no_longer() {
    let mut server = Server::start();
    let mut streams: Vec<_> = (0..4).map(|_| begin(&server, "")).collect();
    for stream in &mut streams {
        assert!(counts(stream).contains("\"event\":\"count\""));
    }
    interrupt(&server.child);
    let (code, time) = end(&mut server.child);
    assert_eq!(code, Some(130));
    assert!(time < Duration::from_secs(1), "{time:?}");
    // What was begun has no end by which a reader could take it for whole.
    for stream in &mut streams {
        assert!(!everything(stream.get_mut()).ends_with("0\r\n\r\n"));
    }
}
