//! Bodies of requests.

use std::io::Write;

use crate::client::{Answer, Server, everything};

/// The peak memory of the server in bytes, if the system reports it.
fn peak(server: &Server) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

#[test]
fn large_bodies_are_refused_and_not_buffered() {
    let server = Server::start();
    let before = peak(&server);
    let part = vec![b' '; 1 << 20];
    for lines in ["Content-Length: 104857600\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(format!("{}{lines}", server.head("read")).as_bytes()).unwrap();
        for _ in 0..100 {
            let chunk = if lines.starts_with('T') { "100000\r\n" } else { "" };
            let end = if lines.starts_with('T') { "\r\n" } else { "" };
            let written = stream
                .write_all(chunk.as_bytes())
                .and_then(|()| stream.write_all(&part))
                .and_then(|()| stream.write_all(end.as_bytes()));
            if written.is_err() {
                break;
            }
        }
        let answer = Answer::parse(&everything(&mut stream));
        assert_eq!(
            (answer.status, answer.error().as_str()),
            (413, "a request can have at most 1048576 bytes")
        );
    }
    let (Some(before), Some(after)) = (before, peak(&server)) else { return };
    assert!(after - before < 8 << 20, "{before} {after}");
}

#[test]
fn bodies_up_to_the_limit_are_read() {
    let server = Server::start();
    let spaces = |count: usize| " ".repeat(count) + "{}";
    assert_eq!(server.question("collection", &spaces((1 << 20) - 2)).status, 200);
    assert_eq!(server.question("collection", &spaces((1 << 20) - 1)).status, 413);
}

#[test]
fn clients_that_disconnect_within_a_body_do_no_harm() {
    let server = Server::start();
    for body in ["Content-Length: 1000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"] {
        for _ in 0..50 {
            let mut stream = server.connect();
            stream.write_all(format!("{}{body}", server.head("read")).as_bytes()).unwrap();
        }
    }
    server.assert_responds();
}

#[test]
fn malformed_api_requests_are_refused() {
    let server = Server::start();
    let grid = |shape: &str, clues: &str| format!("{{\"shape\": \"{shape}\", \"clues\": {clues}}}");
    let empty = format!("[{}]", ["0"; 81].join(","));
    let with = |grid: &str, more: &str| format!("{{\"grid\": {grid}{more}}}");
    let asked = ", \"cap\": 2, \"candidate_cap\": 1, \"wants\": []";
    let bodies = [
        String::new(),
        "{".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        "\"a\"".to_owned(),
        "[".repeat(500_000),
        "{\"grid\":".repeat(100_000),
        with(&"[".repeat(100_000), asked),
        "{} {}".to_owned(),
        "{\"none\": 1}".to_owned(),
        with(&grid("3x3", &empty), &format!("{asked}, \"none\": 1")),
        with(&grid("3x3", &empty.replacen('0', "10", 1)), asked),
        with(&grid("3x3", &empty.replacen('0', "256", 1)), asked),
        with(&grid("3x3", &empty.replacen('0', "-1", 1)), asked),
        with(&grid("3x3", &empty.replacen('0', "1.5", 1)), asked),
        with(&grid("3x3", &empty.replacen('0', "1e999", 1)), asked),
        with(&grid("3x3", "[]"), asked),
        with(&grid("3x3", &empty.replace(']', ",0]")), asked),
        with(&grid("0x0", "[]"), asked),
        with(&grid("1x1", "[0]"), asked),
        with(&grid("999999999999x999999999999", "[]"), asked),
        with(&grid("65535x65537", "[]"), asked),
        with(&grid("6x6", &format!("[{}]", ["0"; 1296].join(","))), asked),
    ];
    for body in &bodies {
        for name in ["analyse", "solutions", "minimize", "write", "read", "generate"] {
            let answer = server.question(name, body);
            // If the error is found only after the work has begun, the status has already been sent, and the
            // stream ends with an event instead.
            let is_stream = answer.status == 200 && answer.body.contains("{\"event\":\"error\",\"error\":\"");
            let shown = &body[..body.len().min(60)];
            assert!(is_stream || (answer.status == 400 && !answer.error().is_empty()), "{name}: {shown}");
            assert!(answer.body.len() < 1_000, "{name}: {shown}");
        }
    }
    let mut stream = server.connect();
    let head = format!("{}Connection: close\r\nContent-Length: 14\r\n\r\n", server.head("read"));
    stream.write_all(&[head.as_bytes(), b"{\"text\": \"\xff\"} "].concat()).unwrap();
    assert_eq!(Answer::parse(&everything(&mut stream)).status, 400);
    server.assert_responds();
}
