//! Accessibility of the page: axe-core must find no problem for people who use a screen reader or only the
//! keyboard.
//!
//! `scripts/check-page` installs axe-core. Without it the tests say so and pass, unless
//! `GRIDMILL_REQUIRE_BROWSER=1` is set.

use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use crate::collection::classics;
use crate::session::{Page, is_required, with_page};

/// The source of axe-core in the version of the script, if it is installed.
fn axe() -> Option<String> {
    let script = include_str!("../../scripts/check-page");
    let version =
        script.lines().find_map(|line| line.strip_prefix("axe=")).expect("the script names the version");
    let file = format!("axe-core-{version}/node_modules/axe-core/axe.min.js");
    let found = std::fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(file)).ok();
    if found.is_none() {
        assert!(
            !is_required(),
            "GRIDMILL_REQUIRE_BROWSER is set, and scripts/check-page has not installed axe-core"
        );
        // `eprintln!` is not used, because the test harness shows its text for failed tests only.
        std::io::stderr().write_all(b"page: left out, no axe-core\n").unwrap();
    }
    found
}

impl Page {
    /// Asserts that axe-core finds no problem in the visible page in light colours, and no problem with the
    /// contrast in dark ones.
    fn assert_accessible(&self, axe: &str, what: &str) {
        for (scheme, rules) in [("light", ""), ("dark", "runOnly: ['color-contrast'], ")] {
            self.prefer(scheme);
            self.wait(&format!("matchMedia('(prefers-color-scheme: {scheme})').matches"));
            if self.run("return !window.axe") == true {
                self.run(axe);
            }
            let found = self.run_until_done(&format!(
                "const text = ({{ html, failureSummary }}) => `${{html}} ${{failureSummary}}`;
                 axe.run(document, {{ {rules}resultTypes: ['violations'] }})
                     .then(({{ violations }}) => violations.map(({{ id, nodes }}) => [id, ...nodes.slice(0, 3).map(text)]), String)
                     .then(arguments[0]);"
            ));
            assert_eq!(found, json!([]), "{what}, {scheme}");
        }
        self.prefer("light");
    }
}

#[test]
fn the_grid_and_its_dialogs_are_accessible() {
    let Some(axe) = axe() else { return };
    with_page(&[], |page| {
        page.paste(include_str!("../../datasets/classics.txt").lines().nth(4).unwrap());
        page.count();
        page.choose("#marks", "rules");
        page.assert_accessible(&axe, "grid");
        page.run("document.querySelectorAll('#grid-page details').forEach((box) => (box.open = true))");
        page.assert_accessible(&axe, "grid with all open");
        let script = "return [...document.querySelectorAll('dialog')].map(({ id }) => id)";
        let dialogs: Vec<String> = serde_json::from_value(page.run(script)).unwrap();
        assert!(dialogs.len() > 4, "{dialogs:?}");
        for dialog in dialogs {
            page.run_with("document.getElementById(arguments[0]).showModal()", &[json!(dialog)]);
            page.assert_accessible(&axe, &dialog);
            page.run_with("document.getElementById(arguments[0]).close()", &[json!(dialog)]);
        }
    });
}

#[test]
fn the_collection_is_accessible() {
    let Some(axe) = axe() else { return };
    with_page(&[], |page| {
        page.click("#tab-collection");
        page.wait("document.querySelector('#collection-empty').textContent.includes('Open…')");
        page.assert_accessible(&axe, "empty collection");
    });
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/fixtures/train.csv");
    with_page(&[&classics(), &table], |page| {
        page.wait("document.querySelector('#collection-progress')?.dataset.phase === 'idle'");
        page.wait("document.querySelectorAll('#collection-pictures .bar').length > 5");
        page.assert_accessible(&axe, "collection");
        page.click(".bar[data-field=status][data-value=unique]");
        page.wait("document.querySelectorAll('.chip').length === 1");
        page.run("document.querySelectorAll('#collection details').forEach((box) => (box.open = true))");
        page.assert_accessible(&axe, "collection with all open");
    });
}
