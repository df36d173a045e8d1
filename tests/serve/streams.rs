//! Streams, and clients that disconnect.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};

use crate::client::{Server, everything, wait_until};
use crate::ends::{end, interrupt};

/// The largest number of threads that work at once.
const THREADS: usize = 32;

/// Begins to count all solutions of an empty grid, which would take years, and sends some more bytes after
/// the request.
fn begin(server: &Server, after: &str) -> BufReader<TcpStream> {
    let clues = ["0"; 81].join(",");
    let grid = format!("{{\"shape\": \"3x3\", \"clues\": [{clues}]}}");
    let body = format!("{{\"grid\": {grid}, \"cap\": 0, \"candidate_cap\": 1, \"wants\": []}}");
    let mut stream = server.connect();
    let head = format!("{}Content-Length: {}\r\n\r\n", server.head("analyse"), body.len());
    stream.write_all(format!("{head}{body}{after}").as_bytes()).unwrap();
    BufReader::new(stream)
}

/// Reads until a count arrives, or until the end of an answer that has none.
fn counts(stream: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    while !text.contains("\"event\":\"count\"") && stream.read_line(&mut text).unwrap() > 0 {
        if !text.starts_with("HTTP/1.1 200 ") {
            break;
        }
    }
    text
}

/// Waits until no thread works for a request. The counts of these tests never end by themselves, so their
/// threads end only if the request is cancelled.
fn wait_for_the_end_of_work(server: &Server) {
    wait_until("the server has stopped counting", || threads_at_work(server) == 0);
}

/// The number of threads that work for requests. Threads that they start inherit their name, so these are
/// counted too.
fn threads_at_work(server: &Server) -> usize {
    let threads = std::fs::read_dir(format!("/proc/{}/task", server.child.id())).unwrap();
    // A thread may end before its name is read.
    let names = threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "request").count()
}

#[test]
fn work_stops_when_its_client_disconnects() {
    let server = Server::start();
    let mut streams: Vec<_> = ["", "", "", "\r\n", "GET / HT"].map(|after| begin(&server, after)).into();
    for stream in &mut streams {
        let text = counts(stream);
        assert!(text.contains("\"event\":\"count\""), "{text}");
    }
    assert!(threads_at_work(&server) >= streams.len());
    // One client closes its sending side, one closes both sides, and the others, of which two have sent more
    // than they should, are dropped.
    streams[1].get_ref().shutdown(Shutdown::Write).unwrap();
    streams[2].get_ref().shutdown(Shutdown::Both).unwrap();
    let half_closed = streams.remove(1);
    drop(streams);
    wait_for_the_end_of_work(&server);
    drop(half_closed);
    server.assert_responds();
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
    // The page must still be served.
    assert_eq!(server.ask("GET / HTTP/1.1", "", "").status, 200);
    drop(streams);
    wait_until("a thread is free", || server.question("collection", "{}").status == 200);
    wait_for_the_end_of_work(&server);
}

#[test]
fn open_streams_do_not_delay_the_end_of_the_server() {
    let mut server = Server::start();
    let mut streams: Vec<_> = (0..4).map(|_| begin(&server, "")).collect();
    for stream in &mut streams {
        assert!(counts(stream).contains("\"event\":\"count\""));
    }
    interrupt(&server.child);
    assert_eq!(end(&mut server.child), Some(130));
    // An unfinished stream must have no end mark, so that no reader can take it for complete.
    for stream in &mut streams {
        assert!(!everything(stream.get_mut()).ends_with("0\r\n\r\n"));
    }
}
