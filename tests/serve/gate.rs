//! The requests that are allowed, and those that are refused.

use std::net::TcpStream;

use crate::client::Server;

#[test]
fn only_the_host_names_of_the_server_are_accepted() {
    let server = Server::start();
    let port = server.address.port();
    let other = if port == 65_535 { port - 1 } else { port + 1 };
    let page = "GET / HTTP/1.1";
    for own in ["127.0.0.1", "localhost", "LocalHost"] {
        let answer = server.ask_as(&format!("Host: {own}:{port}\r\n"), page, "", "");
        assert_eq!(answer.status, 200, "{own}");
    }
    let foreign = [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        format!("Host: localhost.:{port}\r\n"),
        format!("Host: [::1]:{port}\r\n"),
        format!("Host: 0.0.0.0:{port}\r\n"),
        format!("Host: 2130706433:{port}\r\n"),
        format!("Host: user@127.0.0.1:{port}\r\n"),
        format!("Host: 127.0.0.1:{other}\r\n"),
        format!("Host: 127.0.0.1:0{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        "Host: localhost\r\n".to_owned(),
        "Host:\r\n".to_owned(),
        "Host: \u{fc}\r\n".to_owned(),
        String::new(),
        format!("Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"),
        format!("Host: 127.0.0.1:{port}, evil.example\r\n"),
    ];
    for host in foreign {
        for line in [page, "GET /api.js HTTP/1.1", "POST /api/collection HTTP/1.1", "GET /none HTTP/1.0"] {
            let answer = server.ask_as(&host, line, &server.rights(), "{}");
            assert_eq!(answer.status, 403, "{line} {host}");
            assert_eq!(answer.error(), format!("this server only answers at http://127.0.0.1:{port}"));
            assert!(!answer.body.contains(&server.token));
        }
    }
}

/// An absolute URL in the request line names the server too.
#[test]
fn only_absolute_urls_of_the_server_are_accepted() {
    let server = Server::start();
    let port = server.address.port();
    let get = |address: &str| server.ask(&format!("GET {address} HTTP/1.1"), "", "").status;
    assert_eq!(get(&format!("http://127.0.0.1:{port}/")), 200);
    for foreign in [
        format!("http://evil.example:{port}/"),
        format!("http://user@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}@evil.example/"),
        "http://127.0.0.1/".to_owned(),
        format!("https://[::1]:{port}/"),
    ] {
        assert_eq!(get(&foreign), 403, "{foreign}");
    }
}

#[test]
fn api_requests_need_the_origin_and_the_token_of_the_page() {
    let server = Server::start();
    let (address, token) = (server.address, server.token.clone());
    let (origin, right) = (format!("Origin: http://{address}\r\n"), format!("X-Gridmill-Token: {token}\r\n"));
    let port = address.port();
    let ask = |lines: &str| server.ask("POST /api/collection HTTP/1.1", lines, "{}");
    assert_eq!(ask(&format!("{origin}{right}")).status, 200);
    assert_eq!(ask(&format!("Origin: http://LOCALHOST:{port}\r\n{right}")).status, 200);
    let foreign = [
        String::new(),
        "Origin: null\r\n".to_owned(),
        "Origin:\r\n".to_owned(),
        "Origin: http://evil.example\r\n".to_owned(),
        format!("Origin: http://evil.example:{port}\r\n"),
        format!("Origin: https://{address}\r\n"),
        format!("Origin: {address}\r\n"),
        format!("Origin: http://{address}/\r\n"),
        format!("Origin: http://{address}.evil.example\r\n"),
        "Origin: http://127.0.0.1\r\n".to_owned(),
        format!("Origin: http://[::1]:{port}\r\n"),
        format!("{origin}{origin}"),
        format!("{origin}Origin: http://evil.example\r\n"),
    ];
    for lines in &foreign {
        let answer = ask(&format!("{lines}{right}"));
        assert_eq!(answer.status, 403, "{lines}");
        assert_eq!(answer.error(), "only the page of this server may send requests here", "{lines}");
    }
    let other = if token.starts_with('a') { "b" } else { "a" };
    let wrong = [
        String::new(),
        "X-Gridmill-Token:\r\n".to_owned(),
        format!("X-Gridmill-Token: {}\r\n", &token[1..]),
        format!("X-Gridmill-Token: {token}a\r\n"),
        format!("X-Gridmill-Token: {other}{}\r\n", &token[1..]),
        format!("X-Gridmill-Token: {}\r\n", token.to_uppercase()),
        "X-Gridmill-Token: {{token}}\r\n".to_owned(),
        format!("{right}{right}"),
        format!("{right}X-Gridmill-Token: a\r\n"),
        format!("Cookie: token={token}\r\nAuthorization: Bearer {token}\r\n"),
    ];
    for lines in wrong {
        let answer = ask(&format!("{origin}{lines}"));
        assert_eq!(answer.status, 403, "{lines}");
        assert!(answer.error().ends_with("load it again"), "{lines}");
    }
    let form = |lines: &str, token: &str| {
        let body = format!("token={token}&filter=%7B%7D&sort=%7B%7D&form=csv");
        server.ask("POST /api/export HTTP/1.1", lines, &body).status
    };
    assert_eq!(form(&origin, "a"), 403);
    assert_eq!(form(&format!("{origin}X-Gridmill-Token: a\r\n"), &token), 403);
    assert_eq!(form("Origin: null\r\n", &token), 403);
}

/// Requests for the page itself are refused if their `Origin` is another site.
#[test]
fn assets_are_refused_to_foreign_origins() {
    let server = Server::start();
    for (origin, status) in
        [(format!("http://{}", server.address), 200), ("http://evil.example".to_owned(), 403)]
    {
        let answer = server.ask("GET / HTTP/1.1", &format!("Origin: {origin}\r\n"), "");
        assert_eq!(answer.status, status, "{origin}");
    }
}

#[test]
fn other_methods_are_refused() {
    let server = Server::start();
    let rights = server.rights();
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "post", "BREW"] {
        let answer = server.ask(&format!("{method} /api/collection HTTP/1.1"), &rights, "");
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.head.contains("allow: post\r\n"), "{}", answer.head);
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get"] {
        let answer = server.ask(&format!("{method} / HTTP/1.1"), &rights, "");
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.head.contains("allow: get, head\r\n"), "{}", answer.head);
        assert!(!answer.body.contains(&server.token) && !answer.body.contains(&rights), "{}", answer.body);
    }
    assert_eq!(server.ask("OPTIONS * HTTP/1.1", "", "").status, 404);
    assert_eq!(server.ask("CONNECT evil.example:443 HTTP/1.1", "", "").status, 403);
    assert_eq!(server.ask(&format!("CONNECT {} HTTP/1.1", server.address), "", "").status, 404);
    let head = server.ask("HEAD / HTTP/1.1", "", "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let length = server.ask("GET / HTTP/1.1", "", "").body.len();
    assert!(head.head.contains(&format!("content-length: {length}\r\n")), "{}", head.head);
}

/// A browser first asks whether the page of another site may send a request (a preflight). The answer must
/// not give permission.
#[test]
fn preflights_get_no_permission_and_upgrades_are_ignored() {
    let server = Server::start();
    let lines = "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\
                 Access-Control-Request-Headers: x-gridmill-token\r\nAccess-Control-Request-Private-Network: true\r\n";
    let answer = server.ask("OPTIONS /api/collection HTTP/1.1", lines, "");
    assert_eq!(answer.status, 403);
    assert!(!answer.head.contains("access-control"), "{}", answer.head);
    let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    assert_eq!(server.ask("GET / HTTP/1.1", upgrade, "").status, 200);
}

#[test]
fn only_the_files_of_the_page_are_served() {
    let server = Server::start();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for path in [
        "/index.html",
        "/none",
        "/.",
        "/..",
        "/../Cargo.toml",
        "/./main.js",
        "/%2e%2e/Cargo.toml",
        "/%2e%2e%2fCargo.toml",
        "/..%5cCargo.toml",
        "/..\\Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "//main.js",
        "/main.js/",
        "/main.js%00",
        "/main.js;a",
        "/MAIN.JS",
        "/%6dain.js",
        "/assets/main.js",
        "/file:///etc/passwd",
        "/proc/self/environ",
        "/api",
        "/api/",
        "/api/none",
        "/api/../main.js",
        "/api/%2e%2e/main.js",
        manifest,
    ] {
        for line in [format!("GET {path} HTTP/1.1"), format!("POST {path} HTTP/1.1")] {
            let answer = server.ask(&line, &server.rights(), "");
            let is_question = path.starts_with("/api/") && line.starts_with("GET");
            assert_eq!(answer.status, if is_question { 405 } else { 404 }, "{line}");
            assert!(answer.body.len() < 200, "{line}: {}", answer.body);
        }
    }
    for path in ["../Cargo.toml", "Cargo.toml", "/main.js\0", "/a b", "file:///etc/passwd", "\\\\a\\b", ""] {
        let answer = server.ask(&format!("GET {path} HTTP/1.1"), "", "");
        assert!([400, 403, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(answer.body.len() < 200, "{path}: {}", answer.body);
    }
    // The server ignores the text after a question mark, because only the page uses it.
    assert_eq!(server.ask("GET /?g=../Cargo.toml HTTP/1.1", "", "").status, 200);
}

#[test]
fn every_answer_has_the_security_headers() {
    let server = Server::start();
    let answers = [
        server.ask("GET / HTTP/1.1", "", ""),
        server.ask("HEAD /main.js HTTP/1.1", "", ""),
        server.ask("GET /none HTTP/1.1", "", ""),
        server.ask("POST / HTTP/1.1", "", ""),
        server.ask("GET /api/collection HTTP/1.1", "", ""),
        server.ask_as("Host: evil.example\r\n", "GET / HTTP/1.1", "", ""),
        server.ask("GET / HTTP/1.1", "Origin: http://evil.example\r\n", ""),
        server.question("collection", "{}"),
        server.question("analyse", "no"),
        server.question("none", "{}"),
    ];
    for answer in answers {
        let head = &answer.head;
        assert!(!head.contains("access-control"), "{head}");
        for line in [
            "\r\ncontent-security-policy: default-src 'self'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'; object-src 'none'\r\n",
            "\r\nx-content-type-options: nosniff\r\n",
            "\r\nreferrer-policy: same-origin\r\n",
            "\r\ncross-origin-resource-policy: same-origin\r\n",
            "\r\ncross-origin-opener-policy: same-origin\r\n",
            "\r\nx-frame-options: deny\r\n",
            "\r\ncache-control: no-store\r\n",
        ] {
            assert_eq!(head.matches(line).count(), 1, "{line} {head}");
        }
        if answer.status != 200 {
            assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
            assert!(!answer.error().is_empty());
        }
    }
}

#[test]
fn every_run_has_its_own_token() {
    let tokens = [Server::start().token.clone(), Server::start().token.clone()];
    assert_ne!(tokens[0], tokens[1]);
    for token in tokens {
        assert!(token.len() == 32 && token.bytes().all(|c| c.is_ascii_lowercase()), "{token}");
    }
}

/// The loopback has other addresses, e.g. `127.0.0.2`. A server for the whole network would answer there too.
#[test]
fn the_server_listens_on_no_other_address() {
    let server = Server::start();
    let port = server.address.port();
    for other in ["[::1]", "127.0.0.2"] {
        assert!(TcpStream::connect(format!("{other}:{port}")).is_err(), "{other}");
    }
}
