//! Runs a test with the page of a server in a browser.

use std::cell::RefCell;
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::json;

use crate::driver::{self, Browser};
use crate::server::Server;

/// Whether this machine has a browser.
static HAS_BROWSER: LazyLock<bool> = LazyLock::new(|| {
    let has_browser = driver::is_installed();
    if !has_browser {
        // `eprintln!` is not used, because the test harness shows its text for failed tests only.
        std::io::stderr().write_all(b"page: left out, no chromedriver\n").unwrap();
    }
    has_browser
});

/// Browsers that no test uses now, without tabs and with them. They are kept so that the next test need not
/// start one.
static IDLE: [Mutex<Vec<Browser>>; 2] = [const { Mutex::new(Vec::new()) }; 2];

/// A script that records errors and foreign requests of each document from its beginning.
const WATCH: &str = "
    window.seenTrouble = [];
    const note = (text) => window.seenTrouble.push(text);
    addEventListener('error', (event) => note('error: ' + event.message));
    addEventListener('unhandledrejection', (event) => note('unhandled: ' + event.reason));
    addEventListener('securitypolicyviolation', (event) => note('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
    new PerformanceObserver((list) => {
        for (const { name } of list.getEntries()) if (!name.startsWith(location.origin + '/')) note('request: ' + name);
    }).observe({ type: 'resource', buffered: true });
";

/// A page that is shown in a browser.
pub struct Page {
    browser: Option<Browser>,
    server: RefCell<Server>,
    idle: &'static Mutex<Vec<Browser>>,
}

impl Deref for Page {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.browser.as_ref().unwrap()
    }
}

/// Runs a test with the page of a new server that shows these files. Without a browser the test is skipped.
pub fn with_page(files: &[&Path], test: impl FnOnce(&Page)) {
    run(false, files, test);
}

/// Runs a test like [`with_page`], in a browser that hides a tab when it shows another one.
pub fn with_tabs(test: impl FnOnce(&Page)) {
    run(true, &[], test);
}

fn run(needs_tabs: bool, files: &[&Path], test: impl FnOnce(&Page)) {
    if !*HAS_BROWSER {
        assert!(!is_required(), "GRIDMILL_REQUIRE_BROWSER is set, and chromedriver does not run");
        return;
    }
    let server = Server::start(files);
    let idle = &IDLE[usize::from(needs_tabs)];
    let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let browser = kept.unwrap_or_else(|| {
        let browser = Browser::start(!needs_tabs);
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}));
        browser
    });
    let page = Page { browser: Some(browser), server: RefCell::new(server), idle };
    page.resize(1280, 900);
    page.prefer("light");
    page.open("");
    test(&page);
    page.assert_no_trouble();
    page.end();
}

/// Returns whether a test that can't run must fail instead of being skipped.
pub fn is_required() -> bool {
    std::env::var_os("GRIDMILL_REQUIRE_BROWSER").is_some_and(|value| value == "1")
}

impl Page {
    /// Loads the page with a fragment after its address, e.g. `#shape=2x2`.
    pub fn open(&self, fragment: &str) {
        // An empty page comes first, because a change of the fragment alone would not load the page again.
        self.go("about:blank");
        self.go(&format!("{}{fragment}", self.server.borrow().address));
    }

    /// Ends the server of the page.
    pub fn end_server(&self) {
        self.server.borrow_mut().end();
    }

    /// The attribute of an element, if both exist.
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let script = "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null";
        self.run_with(script, &[json!(selector), json!(name)]).as_str().map(str::to_owned)
    }

    /// The text of an element, empty if it doesn't exist.
    pub fn text(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.run_with(script, &[json!(selector)]).as_str().unwrap().to_owned()
    }

    /// Waits until a condition is true in the page. The page itself checks it again and again, because each
    /// request from here would take 5 ms of processor time.
    pub fn wait(&self, condition: &str) {
        let script = format!(
            "const done = arguments[0];
             const look = async () => ({condition}) === true ? done(true) : setTimeout(check, 5);
             const check = () => look().catch((error) => done(String(error)));
             check();"
        );
        assert_eq!(self.run_until_done(&script), true, "{condition}");
    }

    /// Saves a picture in `target/page/`.
    pub fn picture(&self, name: &str) {
        self.screenshot(&artefact(&format!("{name}.png")));
    }

    /// Fails if the page logged an error, or sent a request to another server.
    pub fn assert_no_trouble(&self) {
        let trouble = self.run("return window.seenTrouble");
        assert_eq!(trouble, json!([]), "trouble in the page");
        let console = self.console();
        // The page has no icon, and the browser logs that it is missing.
        let errors =
            console.iter().filter(|(level, text)| level == "SEVERE" && !text.contains("/favicon.ico"));
        let errors: Vec<_> = errors.collect();
        assert!(errors.is_empty(), "on the console: {errors:#?}");
    }

    /// Cleans the browser, so that other tests can use it, and keeps it for them.
    fn end(mut self) {
        self.run("localStorage.clear()");
        self.devtools("Browser.resetPermissions", json!({}));
        self.go("about:blank");
        self.console();
        let browser = self.browser.take().unwrap();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(browser) = self.browser.take().filter(|_| std::thread::panicking()) {
            // The browser itself may be the cause of the failure.
            let printed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| print_state(&browser)));
            if printed.is_err() {
                eprintln!("page: the browser does not respond any more");
            }
        }
    }
}

/// Prints the state of the page of a test that failed, and saves it.
fn print_state(browser: &Browser) {
    let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
    let [source, picture] = ["html", "png"].map(|kind| artefact(&format!("failed-{test}.{kind}")));
    eprintln!("page: console of {test}:");
    browser.console().iter().for_each(|(level, text)| eprintln!("  {level} {text}"));
    eprintln!("page: trouble in it: {}", browser.run("return window.seenTrouble ?? []"));
    eprintln!(
        "page: it is {}, with the fragment {}",
        browser.run("return document.visibilityState"),
        browser.run("return location.hash")
    );
    std::fs::write(&source, browser.source()).unwrap();
    browser.screenshot(&picture);
    eprintln!("page: the page itself is in {} and {}", source.display(), picture.display());
}

/// The path of a file that is saved so that you can look at it.
pub fn artefact(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}
