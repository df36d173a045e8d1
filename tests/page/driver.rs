//! A browser, controlled by the WebDriver protocol over plain HTTP.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

/// The time after which a wait fails. It only ends tests that hang, because no test expects anything to be
/// done in less time.
pub const DEADLINE: Duration = Duration::from_secs(180);

const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
];

/// The key code of Ctrl, which is held while another key is pressed.
pub const CONTROL: char = '\u{e009}';

/// The field of an answer that holds the id of an element. The WebDriver standard defines it.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Chromium's shell: the same engine without tabs, menus and services around the page. With it the tests take
/// only three quarters of the time. It is given an address, because chromedriver waits for a page, and the
/// shell opens none by itself.
const SHELL: &str = "#!/bin/sh\nexec chromium-headless-shell \"$@\" about:blank\n";

/// A chromedriver with its own browser. Both end when it is dropped.
pub struct Browser {
    agent: Agent,
    session: String,
    _guard: Guard,
    // Kept open so that the driver can write its messages.
    _messages: BufReader<ChildStdout>,
    directory: TempDir,
}

impl Browser {
    /// Starts Chromium, or its shell if `may_be_shell` and there is one.
    pub fn start(may_be_shell: bool) -> Browser {
        // This is retried, because a driver may end at once, e.g. if another one starts at the same time.
        let (directory, guard, messages, port) = until_ok("chromedriver starts", start_driver);
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(2 * DEADLINE));
        let agent = config.proxy(None).build().new_agent();
        let session = format!("http://127.0.0.1:{port}/session");
        let mut browser = Browser { agent, session, _guard: guard, _messages: messages, directory };
        browser.open_session(may_be_shell && runs("chromium-headless-shell"));
        browser
    }

    fn open_session(&mut self, is_shell: bool) {
        let profile = format!("--user-data-dir={}", self.directory.path().join("profile").display());
        let flags: Vec<&str> = FLAGS.into_iter().chain([profile.as_str()]).collect();
        let mut browser = json!({"args": flags});
        if is_shell {
            let shell = self.directory.path().join("browser");
            std::fs::write(&shell, SHELL).unwrap();
            std::fs::set_permissions(&shell, Permissions::from_mode(0o755)).unwrap();
            browser["binary"] = json!(shell);
        }
        let options = json!({
            "goog:chromeOptions": browser,
            "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "ignore",
            "timeouts": {"script": DEADLINE.as_millis(), "pageLoad": DEADLINE.as_millis()},
        });
        let capabilities = json!({"capabilities": {"alwaysMatch": options}});
        // This is retried, because the driver stops waiting for a browser that takes a minute to start. That
        // can happen while other programs start too.
        let opened = until_ok("a browser starts", || self.try_post("", capabilities.clone()));
        let name = opened["sessionId"].as_str().expect("the browser has no session").to_owned();
        self.session = format!("{}/{name}", self.session);
        let downloads = self.downloads();
        std::fs::create_dir(&downloads).unwrap();
        let behavior = json!({"behavior": "allow", "downloadPath": downloads, "eventsEnabled": false});
        self.devtools("Browser.setDownloadBehavior", behavior);
    }

    /// The directory for downloads.
    pub fn downloads(&self) -> PathBuf {
        self.directory.path().join("downloads")
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.try_post(path, body).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn try_post(&self, path: &str, body: Value) -> Result<Value, String> {
        let request = self.agent.post(format!("{}{path}", self.session));
        value(request.content_type("application/json").send(body.to_string()))
    }

    fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.session);
        value(self.agent.get(url).call()).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Loads an address, and waits until it is loaded.
    pub fn go(&self, address: &str) {
        self.post("/url", json!({"url": address}));
    }

    pub fn reload(&self) {
        self.post("/refresh", json!({}));
    }

    pub fn back(&self) {
        self.post("/back", json!({}));
    }

    /// Opens another tab, switches to it, and returns its handle.
    pub fn open_tab(&self) -> String {
        let tab = self.post("/window/new", json!({"type": "tab"}))["handle"].as_str().unwrap().to_owned();
        self.go_to_tab(&tab);
        tab
    }

    /// Opens another window, which leaves the other ones visible, switches to it, and returns its handle.
    pub fn open_window(&self) -> String {
        let window =
            self.post("/window/new", json!({"type": "window"}))["handle"].as_str().unwrap().to_owned();
        self.go_to_window(&window);
        window
    }

    /// The handle of the current tab.
    pub fn tab(&self) -> String {
        self.get("/window").as_str().unwrap().to_owned()
    }

    /// Shows a tab, and hides the others.
    pub fn go_to_tab(&self, tab: &str) {
        self.post("/window", json!({"handle": tab}));
        self.devtools("Page.bringToFront", json!({}));
    }

    /// Switches to a window. All windows stay as visible as they are.
    pub fn go_to_window(&self, window: &str) {
        self.post("/window", json!({"handle": window}));
    }

    /// Closes the current tab. Then the caller must switch to another one.
    pub fn close_tab(&self) {
        let closed = self.agent.delete(format!("{}/window", self.session)).call();
        value(closed).expect("the tab can't be closed");
    }

    /// Runs the body of a function in the page, and returns its value.
    pub fn run(&self, script: &str) -> Value {
        self.run_with(script, &[])
    }

    /// Runs the body of a function in the page with these `arguments`.
    pub fn run_with(&self, script: &str, arguments: &[Value]) -> Value {
        self.post("/execute/sync", json!({"script": script, "args": arguments}))
    }

    /// Runs the body of a function in the page, waits until it calls its only argument, and returns the value
    /// that it passes. If another document is loaded meanwhile, the function runs again there.
    pub fn run_until_done(&self, script: &str) -> Value {
        loop {
            match self.try_post("/execute/async", json!({"script": script, "args": []})) {
                Ok(value) => return value,
                Err(error) => assert!(error.contains("unloaded"), "{error}: {script}"),
            }
        }
    }

    /// Waits until an element exists, and returns its id.
    fn find(&self, selector: &str) -> String {
        let query = json!({"using": "css selector", "value": selector});
        let found = until(&format!("{selector} exists"), || self.try_post("/element", query.clone()).ok());
        format!("/element/{}", found[ELEMENT].as_str().unwrap())
    }

    /// Clicks an element with the mouse, as soon as it can be clicked.
    pub fn click(&self, selector: &str) {
        let click = || self.try_post(&format!("{}/click", self.find(selector)), json!({}));
        until_ok(&format!("{selector} is clicked"), click);
    }

    /// Types a text into a field, in place of its old text.
    pub fn write(&self, selector: &str, text: &str) {
        self.click(selector);
        self.press_with(&CONTROL.to_string(), 'a');
        self.press(text);
    }

    /// Chooses a file in a file field.
    pub fn choose_file(&self, selector: &str, path: &Path) {
        self.post(&format!("{}/value", self.find(selector)), json!({"text": path}));
    }

    /// Presses and releases keys one after the other. They are sent to the element that has the focus.
    pub fn press(&self, keys: &str) {
        let pressed =
            |key: char| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.perform(keys.chars().flat_map(pressed).collect());
    }

    /// Presses a key while others are held.
    pub fn press_with(&self, held: &str, key: char) {
        let down = |key: char| json!({"type": "keyDown", "value": key});
        let up = |key: char| json!({"type": "keyUp", "value": key});
        let ends = held.chars().rev().map(up);
        self.perform(held.chars().map(down).chain([down(key), up(key)]).chain(ends).collect());
    }

    fn perform(&self, actions: Vec<Value>) {
        self.post("/actions", json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Sets the size of the page in CSS pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the preferred colour scheme, `light` or `dark`.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Shows the page as it would be printed, with the preferred colour scheme `light` or `dark`.
    pub fn show_as_printed(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"media": "print", "features": features}));
    }

    /// The number of printed pages.
    pub fn printed_pages(&self) -> usize {
        let printed = self.devtools("Page.printToPDF", json!({"paperWidth": 8.27, "paperHeight": 11.69}));
        let document = BASE64_STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
        let pages = |text: &[u8]| document.windows(text.len()).filter(|&window| window == text).count();
        pages(b"/Type /Page\n") + pages(b"/Type /Page ")
    }

    /// Sends a command of the browser's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", json!({"cmd": command, "params": parameters}))
    }

    /// Closes a window that was opened for a download, and shows the page again. This is needed because a
    /// browser does not draw a page that another window hides, and may be late to show it again.
    pub fn come_back(&self) {
        let own = self.tab();
        let others = || {
            let mut handles: Vec<String> = serde_json::from_value(self.get("/window/handles")).unwrap();
            handles.retain(|handle| *handle != own);
            handles
        };
        for other in others() {
            // It may be closed already, because a browser with tabs closes it by itself.
            let close = json!({"cmd": "Target.closeTarget", "params": {"targetId": other}});
            let _ = self.try_post("/goog/cdp/execute", close);
        }
        until("one window", || others().is_empty().then_some(()));
        self.devtools("Page.bringToFront", json!({}));
        let is_shown = || self.run("return document.visibilityState") == "visible";
        until("the page is shown", || is_shown().then_some(()));
    }

    /// Saves a picture of the page.
    pub fn screenshot(&self, path: &Path) {
        let picture = self.get("/screenshot");
        std::fs::write(path, BASE64_STANDARD.decode(picture.as_str().unwrap()).unwrap()).unwrap();
    }

    /// The current text of the document.
    pub fn source(&self) -> String {
        self.get("/source").as_str().unwrap_or_default().to_owned()
    }

    /// The level and the text of each message on the console since the last call.
    pub fn console(&self) -> Vec<(String, String)> {
        let entries = self.post("/se/log", json!({"type": "browser"}));
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let entries = entries.as_array().unwrap();
        entries.iter().map(|entry| (text(entry, "level"), text(entry, "message"))).collect()
    }
}

/// A shell that has started a command. When its input is closed, it kills the command and every process that
/// the command started, and removes the directory. So they end even if the test is killed.
pub struct Guard(Child);

impl Guard {
    /// Starts a command of the shell, in which `$1` is the directory.
    pub fn start(command: &str, directory: &Path) -> Guard {
        let script = format!(
            "set -m; trap '' INT TERM HUP; {command} </dev/null 2>&1 & \
             exec >/dev/null 2>&1; read -r _; kill -KILL -- -$!; wait; rm -rf -- \"$1\""
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &script, "guard"]).arg(directory).stdin(Stdio::piped()).stdout(Stdio::piped());
        Guard(bash.process_group(0).spawn().expect("bash could not be started"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Starts a guarded driver, and returns its directory, its guard, its messages and its port.
fn start_driver() -> Result<(TempDir, Guard, BufReader<ChildStdout>, u16), String> {
    let directory = tempfile::tempdir().unwrap();
    let mut guard = Guard::start("chromedriver --port=0", directory.path());
    let mut messages = BufReader::new(guard.0.stdout.take().unwrap());
    let port = port(&mut messages).ok_or("it ended at once")?;
    Ok((directory, guard, messages, port))
}

/// Reads the port from the first messages of the driver. Returns `None` if the driver ends before it has one.
fn port(messages: &mut BufReader<ChildStdout>) -> Option<u16> {
    let mut lines = messages.by_ref().lines().map(Result::unwrap);
    let port = |line: String| {
        let (_, port) = line.split_once("started successfully on port ")?;
        Some(port.trim_end_matches('.').parse().unwrap())
    };
    lines.find_map(port)
}

/// The value of an answer, or its error in one line.
fn value(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut answer = answer.map_err(|error| format!("chromedriver does not answer: {error}"))?;
    let text = answer.body_mut().with_config().limit(200_000_000).read_to_string();
    let text = text.map_err(|error| format!("chromedriver's answer is incomplete: {error}"))?;
    let mut body: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    let value = body["value"].take();
    match value["error"].as_str() {
        Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or_default())),
        None => Ok(value),
    }
}

/// Calls `look` again and again, until it returns a value.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    until_ok(what, || look().ok_or_else(|| "there is no value".to_owned()))
}

/// Repeats an attempt until it succeeds.
fn until_ok<T>(what: &str, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let begun = Instant::now();
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(error) => assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns whether this machine has a browser and its driver.
pub fn is_installed() -> bool {
    runs("bash") && runs("chromedriver")
}

fn runs(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}
