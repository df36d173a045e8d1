//! Differences between Firefox and Chromium, and the main ways to use the page in Firefox. Firefox is
//! controlled by its own protocol, Marionette, because that needs no driver. Each message is JSON after its
//! length, e.g. `29:[0,1,"WebDriver:NewSession",{}]`.

use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::{DEADLINE, Guard, until};
use crate::server::Server;
use crate::session::is_required;

/// Port 0 chooses any free port. The other settings keep Firefox from sending requests to other servers.
const SETTINGS: &str = r#"
user_pref("marionette.port", 0);
user_pref("app.normandy.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("services.settings.server", "data:,");
"#;

/// The command that starts Firefox; `$1` is its profile.
const START: &str = "firefox-esr --headless --no-remote --marionette --profile \"$1\" >/dev/null";

/// A Firefox process, which ends when this is dropped.
struct Firefox {
    stream: TcpStream,
    messages: u32,
    _guard: Guard,
    _profile: TempDir,
}

impl Firefox {
    fn start() -> Firefox {
        let profile = tempfile::tempdir().unwrap();
        std::fs::write(profile.path().join("user.js"), SETTINGS).unwrap();
        let guard = Guard::start(START, profile.path());
        let file = profile.path().join("MarionetteActivePort");
        let port = || std::fs::read_to_string(&file).ok()?.trim().parse::<u16>().ok();
        let connect = || TcpStream::connect(("127.0.0.1", port()?)).ok();
        let stream = until("Firefox starts", connect);
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut firefox = Firefox { stream, messages: 0, _guard: guard, _profile: profile };
        // Firefox sends a greeting first.
        firefox.read();
        firefox.command("WebDriver:NewSession", json!({}));
        firefox
    }

    fn read(&mut self) -> Value {
        let mut byte = [0];
        let mut len = 0;
        loop {
            self.stream.read_exact(&mut byte).expect("Firefox does not answer");
            match byte[0] {
                b':' => break,
                digit => len = len * 10 + usize::from(digit - b'0'),
            }
        }
        let mut message = vec![0; len];
        self.stream.read_exact(&mut message).expect("Firefox stops within a message");
        serde_json::from_slice(&message).unwrap()
    }

    fn command(&mut self, name: &str, parameters: Value) -> Value {
        self.messages += 1;
        let message = json!([0, self.messages, name, parameters]).to_string();
        write!(self.stream, "{}:{message}", message.len()).unwrap();
        let mut answer = self.read();
        assert_eq!(answer[2], Value::Null, "{name}");
        answer[3].take()
    }

    fn resize(&mut self, width: u32, height: u32) {
        self.command("WebDriver:SetWindowRect", json!({"width": width, "height": height}));
    }

    fn go(&mut self, address: &str) {
        self.command("WebDriver:Navigate", json!({"url": address}));
    }

    /// Runs the body of a function in the page, and returns its value.
    fn run(&mut self, script: &str) -> Value {
        self.command("WebDriver:ExecuteScript", json!({"script": script, "args": []}))["value"].take()
    }

    /// Presses keys together, e.g. Shift and a digit, and releases them.
    fn press(&mut self, keys: &[&str]) {
        let act = |kind: &'static str| move |key: &&str| json!({"type": kind, "value": key});
        let actions: Vec<Value> =
            keys.iter().map(act("keyDown")).chain(keys.iter().rev().map(act("keyUp"))).collect();
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": actions});
        self.command("WebDriver:PerformActions", json!({ "actions": [keyboard] }));
    }

    /// Waits until a condition is true in the page.
    fn wait(&mut self, condition: &str) {
        let script = format!("return {condition}");
        until(condition, || (self.run(&script) == true).then_some(()));
    }
}

/// Runs a test in Firefox with the page of a server that shows these files. Without Firefox the test is
/// skipped.
fn with_firefox(files: &[&Path], test: impl FnOnce(&mut Firefox)) {
    let version =
        Command::new("firefox-esr").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        assert!(!is_required(), "GRIDMILL_REQUIRE_BROWSER is set, and firefox-esr does not run");
        // `eprintln!` is not used, because the test harness shows its text for failed tests only.
        std::io::stderr().write_all(b"page: left out, no firefox-esr\n").unwrap();
        return;
    }
    let server = Server::start(files);
    let mut firefox = Firefox::start();
    firefox.go(&server.address);
    test(&mut firefox);
}

#[test]
fn a_large_collection_scrolls_to_its_last_row() {
    const ROWS: usize = 400_000;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("many.txt");
    std::fs::write(&file, "42........21....\n".repeat(ROWS)).unwrap();
    with_firefox(&[&file], |firefox| {
        firefox.wait(&format!("document.querySelector('#collection-count')?.dataset.shown === '{ROWS}'"));
        // Rows are higher in a narrow window.
        for (width, share) in [(1200, 0.5), (1200, 0.8), (1200, 1.0), (500, 0.5), (500, 1.0)] {
            firefox.resize(width, 800);
            firefox.wait(&format!("innerWidth === {width}"));
            firefox.run(&format!(
                "const scroller = document.querySelector('#collection-scroller');
                 scroller.scrollTop = {share} * (scroller.scrollHeight - scroller.clientHeight);"
            ));
            // The middle of the table must show a row about as far down the collection as the scroll bar is.
            // The position is approximate, because it is scaled, except near both ends.
            firefox.wait(&format!(
                "(() => {{
                     const {{ left, top, width, height }} = document.querySelector('#collection-scroller').getBoundingClientRect();
                     const seen = document.elementFromPoint(left + width / 2, top + height / 2);
                     const record = Number(seen?.closest('[data-record]')?.dataset.record);
                     return Math.abs(record - {share} * {ROWS}) < 0.1 * {ROWS};
                 }})()"
            ));
        }
        let last = "Math.max(...[...document.querySelectorAll('[data-record]:not([hidden])')].map((row) => row.dataset.record))";
        firefox.wait(&format!("{last} === {ROWS}"));
    });
}

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

#[test]
fn keys_type_an_answer_and_a_mark_and_ask_for_a_hint() {
    const SHIFT: &str = "\u{e008}";
    const RIGHT: &str = "\u{e014}";
    with_firefox(&[], |firefox| {
        firefox.run(&format!("location.hash = 'shape=3x3&clues={LINE}'"));
        firefox.wait("document.querySelector('[data-cell=\"0\"]')?.dataset.digit === '5'");
        firefox.run(
            "document.querySelector('#solving').click();
             document.querySelector('[data-cell=\"2\"]').focus()",
        );
        firefox.press(&["4"]);
        firefox.wait("document.querySelector('[data-cell=\"2\"]').dataset.digit === '4'");
        firefox.press(&[RIGHT]);
        firefox.press(&[SHIFT, "2"]);
        firefox.wait("document.querySelector('[data-cell=\"3\"] [data-corner=\"2\"]') !== null");
        firefox.press(&["h"]);
        firefox.wait("document.querySelector('#hint-text').textContent.startsWith('Look at')");
    });
}

#[test]
fn dialogs_paste_and_transform_a_puzzle() {
    with_firefox(&[], |firefox| {
        firefox.run(&format!(
            "document.querySelector('#paste').click();
             document.querySelector('#paste-text').value = '{LINE}';
             document.querySelector('#paste-read').click()"
        ));
        firefox.wait("!document.querySelector('#paste-dialog').open");
        firefox.wait("document.querySelector('[data-cell=\"0\"]').dataset.digit === '5'");
        firefox.run("document.querySelector('#transform').click()");
        firefox.wait("document.querySelector('#transform-dialog').open");
        firefox.run("document.querySelector('#transform-dialog [data-move=rotate90]').click()");
        firefox.wait("document.querySelector('[data-cell=\"8\"]').dataset.digit === '5'");
        firefox.wait("!document.querySelector('#transform-dialog').open");
    });
}
