//! A test with a page of the program in a browser.

use std::cell::RefCell;
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::driver::{self, Browser};
use crate::server::Server;

/// Returns whether there is a browser on this machine.
static HAS_BROWSER: LazyLock<bool> = LazyLock::new(|| {
    let has_browser = driver::is_there();
    if !has_browser {
        // The macros that print would show it of tests that fail alone.
        std::io::stderr().write_all(b"page: left out, no chromedriver\n").unwrap();
    }
    has_browser
});

/// Browsers that no test uses now.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// Watches each document from its beginning for what must not happen.
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
}

impl Deref for Page {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.browser.as_ref().unwrap()
    }
}

/// Runs a test with the page of a program of its own, which has these files. Is left out where there is no browser.
pub fn with_page(files: &[&Path], test: impl FnOnce(&Page)) {
    if !*HAS_BROWSER {
        assert!(!is_required(), "GRIDMILL_REQUIRE_BROWSER is set, and chromedriver does not run");
        return;
    }
    let server = Server::start(files);
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let browser = idle.unwrap_or_else(|| {
        let browser = Browser::start();
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}));
        browser
    });
    let page = Page { browser: Some(browser), server: RefCell::new(server) };
    page.resize(1280, 900);
    page.prefer("light");
    page.open("");
    test(&page);
    page.assert_no_trouble();
    page.end();
}

/// Returns whether a test that is left out is a failure.
pub fn is_required() -> bool {
    std::env::var_os("GRIDMILL_REQUIRE_BROWSER").is_some_and(|value| value == "1")
}

impl Page {
    /// Loads the page with this behind its address, such as `#shape=2x2`.
    pub fn open(&self, fragment: &str) {
        // From elsewhere, so that another fragment loads the page anew.
        self.go("about:blank");
        self.go(&format!("{}{fragment}", self.server.borrow().address));
    }

    /// Ends the program that the page is of.
    pub fn end_server(&self) {
        self.server.borrow_mut().end();
    }

    /// Returns an attribute of an element, if there are both.
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let script = "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null";
        self.run_with(script, &[json!(selector), json!(name)]).as_str().map(str::to_owned)
    }

    /// Returns the text of an element, empty where there is none.
    pub fn text(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.run_with(script, &[json!(selector)]).as_str().unwrap().to_owned()
    }

    /// Waits until a condition holds in the page.
    pub fn wait(&self, condition: &str) {
        let script = format!("return {condition}");
        driver::until(condition, || (self.run(&script) == Value::Bool(true)).then_some(()));
    }

    /// Keeps a picture in `target/page/`.
    pub fn picture(&self, name: &str) {
        self.screenshot(&artefact(&format!("{name}.png")));
    }

    /// Fails if the page complained, or asked for something elsewhere.
    pub fn assert_no_trouble(&self) {
        let trouble = self.run("return window.seenTrouble");
        assert_eq!(trouble, json!([]), "seen in the page");
        let console = self.console();
        // No page has an icon yet.
        let errors =
            console.iter().filter(|(level, text)| level == "SEVERE" && !text.contains("/favicon.ico"));
        let errors: Vec<_> = errors.collect();
        assert!(errors.is_empty(), "on the console: {errors:#?}");
    }

    /// Leaves the browser to other tests, without anything this one left there.
    fn end(mut self) {
        self.run("localStorage.clear()");
        self.devtools("Browser.resetPermissions", json!({}));
        self.go("about:blank");
        self.console();
        let browser = self.browser.take().unwrap();
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(browser) = self.browser.take().filter(|_| std::thread::panicking()) {
            // The browser itself may be what failed.
            let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tell(&browser)));
            if told.is_err() {
                eprintln!("page: the browser tells nothing any more");
            }
        }
    }
}

/// Says what stood on the page of a test that failed, and keeps it.
fn tell(browser: &Browser) {
    let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
    let [source, picture] = ["html", "png"].map(|kind| artefact(&format!("failed-{test}.{kind}")));
    eprintln!("page: console of {test}:");
    browser.console().iter().for_each(|(level, text)| eprintln!("  {level} {text}"));
    eprintln!("page: seen in it: {}", browser.run("return window.seenTrouble ?? []"));
    eprintln!(
        "page: it is {} at {}",
        browser.run("return document.visibilityState"),
        browser.run("return location.hash")
    );
    std::fs::write(&source, browser.source()).unwrap();
    browser.screenshot(&picture);
    eprintln!("page: the page itself is in {} and {}", source.display(), picture.display());
}

/// Returns the path of a file that is kept for people.
pub fn artefact(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}
