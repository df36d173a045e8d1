//! Valid and invalid heads of requests.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::client::{Answer, Server, everything};

#[test]
fn malformed_http_is_refused() {
    let server = Server::start();
    let host = format!("Host: {}\r\n", server.address);
    let zeros = [0_u8; 10_000];
    let garbage: [(&[u8], &str); 9] = [
        (b"hello\r\n\r\n", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"),
        (&zeros, "400"),
        (b"GET\r\n\r\n", "400"),
        (b"GET / HTTP/9.9\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n", "400"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""),
    ];
    for (bytes, status) in garbage {
        let answer = server.say(bytes);
        assert_eq!(answer.split(' ').nth(1).unwrap_or(""), status, "{}", String::from_utf8_lossy(bytes));
    }
    let folded = format!("GET / HTTP/1.1\r\n{host}A: b\r\n c\r\n\r\n");
    assert_eq!(Answer::parse(&server.say(folded.as_bytes())).status, 400);
    server.assert_responds();
}

#[test]
fn large_heads_are_refused() {
    let server = Server::start();
    let get = |path: &str, lines: &str| server.ask(&format!("GET {path} HTTP/1.1"), lines, "").status;
    assert_eq!(get("/", &format!("A: {}\r\n", "a".repeat(20_000))), 200);
    assert_eq!(get("/", &format!("A: {}\r\n", "a".repeat(100_000))), 431);
    assert_eq!(get("/", &"A: b\r\n".repeat(90)), 200);
    assert_eq!(get("/", &"A: b\r\n".repeat(200)), 431);
    assert_eq!(get(&format!("/{}", "a".repeat(20_000)), ""), 404);
    assert_eq!(get(&format!("/{}", "a".repeat(100_000)), ""), 431);
    // A line without an end.
    assert_eq!(Answer::parse(&server.say(&[b'A'; 200_000])).status, 431);
    server.assert_responds();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = Server::start();
    let host = format!("Host: {}\r\n", server.address);
    let paths = ["/none", "/api.js", "/style.css", "/none"];
    let mut requests: String = paths.map(|path| format!("GET {path} HTTP/1.1\r\n{host}\r\n")).concat();
    requests +=
        &format!("GET /api/a HTTP/1.1\r\n{host}Connection: close\r\n\r\nGET / HTTP/1.1\r\n{host}\r\n");
    let answers = server.say(requests.as_bytes());
    let statuses: Vec<&str> = answers.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
    assert_eq!(statuses, ["404", "200", "200", "404", "405"]);
}

/// If the end of a request could be read in two ways, one request could hide in the body of another.
#[test]
fn requests_with_an_ambiguous_end_close_the_connection() {
    let server = Server::start();
    let inner = format!("GET /style.css HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let chunked = "Transfer-Encoding: chunked\r\n";
    let cases = [
        (format!("Content-Length: 2\r\n{chunked}"), format!("2\r\n{{}}\r\n0\r\n\r\n{inner}"), Some(200)),
        (format!("{chunked}Content-Length: 2\r\n"), format!("2\r\n{{}}\r\n0\r\n\r\n{inner}"), Some(200)),
        ("Content-Length: 2\r\nContent-Length: 3\r\n".to_owned(), format!("{{}} {inner}"), None),
        ("Content-Length: 2, 2\r\n".to_owned(), format!("{{}}{inner}"), None),
        ("Content-Length: +2\r\n".to_owned(), format!("{{}}{inner}"), None),
        ("Content-Length: -1\r\n".to_owned(), inner.clone(), None),
        ("Content-Length: 0x2\r\n".to_owned(), format!("{{}}{inner}"), None),
        ("Content-Length: 99999999999999999999999\r\n".to_owned(), inner.clone(), None),
        ("Transfer-Encoding: identity\r\n".to_owned(), inner.clone(), None),
        ("Transfer-Encoding: chunked, identity\r\n".to_owned(), inner.clone(), None),
        ("Transfer-Encoding : chunked\r\n".to_owned(), inner.clone(), None),
        ("Transfer-Encoding: xchunked\r\n".to_owned(), inner.clone(), None),
        (chunked.to_owned(), format!("x\r\n{{}}\r\n0\r\n\r\n{inner}"), None),
        (chunked.to_owned(), format!("-1\r\n{{}}\r\n0\r\n\r\n{inner}"), None),
        (chunked.to_owned(), format!("ffffffffffffffffff\r\n{{}}\r\n0\r\n\r\n{inner}"), None),
        (chunked.to_owned(), format!("2\r\n{{}}x\r\n0\r\n\r\n{inner}"), None),
        (chunked.to_owned(), format!("2;{}\r\n{{}}\r\n0\r\n\r\n{inner}", "a".repeat(100_000)), None),
        (chunked.to_owned(), format!("2\r\n{{}}\r\n0\r\n{}\r\n{inner}", "A: b\r\n".repeat(20_000)), None),
    ];
    for (lines, body, status) in cases {
        let answers = server.say(format!("{}{lines}\r\n{body}", server.head("collection")).as_bytes());
        let shown = &body[..body.len().min(40)];
        assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{lines} {shown}: {answers}");
        let answer = Answer::parse(&answers);
        assert!(!answer.head.contains("text/css"), "{lines} {shown}");
        assert_eq!(answer.status, status.unwrap_or(400), "{lines} {shown}");
    }
    server.assert_responds();
}

#[test]
fn http_1_0_is_answered_and_http_0_9_is_refused() {
    let server = Server::start();
    let page = server.say(format!("GET / HTTP/1.0\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    assert!(page.starts_with("HTTP/1.0 200 OK\r\n") && page.contains(&server.token));
    assert_eq!(server.say(b"GET / HTTP/1.0\r\n\r\n").split(' ').nth(1), Some("403"));
    let answer = server.say(b"GET /\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[test]
fn the_server_sends_100_continue_only_for_requests_it_accepts() {
    let server = Server::start();
    let expecting = |head: &str, length: usize| {
        let mut stream = server.connect();
        let lines = format!("Expect: 100-continue\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(format!("{head}{lines}").as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        (String::from_utf8(answer.to_vec()).unwrap(), stream)
    };
    let (line, mut stream) = expecting(&server.head("collection"), 2);
    assert_eq!(line, "HTTP/1.1 100");
    stream.write_all(b"{}").unwrap();
    assert!(everything(&mut stream).contains("HTTP/1.1 200 OK"));
    assert_eq!(expecting(&server.head("collection"), 100 << 20).0, "HTTP/1.1 413");
    let foreign = server.head("collection").replace("Token: ", "Token: a");
    assert_eq!(expecting(&foreign, 2).0, "HTTP/1.1 403");
}

/// A client that closes its side of the connection still gets an answer that is ready, but an incomplete
/// request is dropped.
#[test]
fn half_closed_connections_are_answered_if_possible_and_closed() {
    let server = Server::start();
    for text in
        ["", "GET / HT", &server.head("read"), &format!("{}Content-Length: 9\r\n\r\n", server.head("read"))]
    {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        everything(&mut stream);
    }
    let mut stream = server.connect();
    stream.write_all(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes()).unwrap();
    // The first bytes are read before the connection is half closed, because otherwise the server may see the
    // end together with the request, and drop it as if the client had left.
    stream.read_exact(&mut [0; 12]).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(everything(&mut stream).contains(&server.token));
    server.assert_responds();
}
