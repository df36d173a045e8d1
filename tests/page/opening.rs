//! Opening, removing, extending and changing files while the page shows them.

use std::io::Write as _;

use serde_json::json;

use crate::collection::classics;
use crate::session::{Page, with_page};

pub const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A script that drops files with these names and texts on the page.
pub const DROP: &str = "
    const data = new DataTransfer();
    for (const [name, text] of arguments[0]) data.items.add(new File([text], name));
    for (const type of ['dragover', 'drop']) {
        document.querySelector('main').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }";

impl Page {
    /// Waits until the table shows `records` records.
    fn wait_for_records(&self, records: usize) {
        self.wait(&format!("document.querySelector('#collection-count').dataset.shown === '{records}'"));
    }

    fn act(&self, name: &str, act: &str) {
        self.run("document.querySelector('#collection-files').open = true");
        self.click(&format!("[data-act={act}][aria-label$='{name}']"));
    }
}

#[test]
fn the_collection_opens_without_files_and_accepts_files() {
    with_page(&[], |page| {
        page.wait("document.querySelector('#tab-grid').ariaSelected === 'true'");
        page.click("#tab-collection");
        page.wait("document.querySelector('#collection-empty').textContent.includes('Open…')");
        page.picture("collection-empty");
        page.choose_file("#collection-choose", &classics());
        page.wait_for_records(41);
        page.wait("document.querySelectorAll('#collection-pictures .bar').length > 5");
        page.click("[data-record='3']");
        page.wait("document.querySelector('#origin').dataset.row === '2'");
        assert!(
            page.text("#origin-text").ends_with("record 3 of classics.txt"),
            "{}",
            page.text("#origin-text")
        );
        page.click("#tab-collection");
        page.act("classics.txt", "remove");
        page.wait_for_records(0);
        page.wait("document.querySelector('#collection-empty').textContent.includes('Open…')");
        assert_eq!(page.run("return document.querySelectorAll('[data-file]').length"), 0);
    });
}

#[test]
fn a_dropped_file_with_one_puzzle_opens_in_the_grid() {
    with_page(&[&classics()], |page| {
        page.wait_for_records(41);
        page.run_with(DROP, &[json!([["one ü.txt", format!("{LINE}\n")]])]);
        page.wait("document.querySelector('#origin').dataset.row === '41'");
        assert_eq!(page.text("#origin-text"), "record 1 of one ü.txt");
        assert_eq!(page.digits(), crate::oracle::classic(LINE).cells());
        page.run_with(
            DROP,
            &[json!([["a.csv", format!("id,puzzle\n1,{LINE}\n2,{LINE}\n")], ["b.txt", LINE]])],
        );
        page.wait_for_records(45);
        assert!(page.is_hidden("#grid-page"));
        // A file before the current one is removed. The record stays the same, but its row moves to the
        // front.
        page.act("classics.txt", "remove");
        page.wait("document.querySelector('#origin').dataset.row === '0'");
        page.picture("collection-opened");
        page.run_with(DROP, &[json!([["quiz.csv", "quiz,puzzle\n1,2\n"]])]);
        page.wait("document.querySelector('#message-text').textContent.includes('quiz.csv')");
        // The console is read here, because the browser logs a refused request there too.
        page.console();
    });
}

#[test]
fn rows_appended_to_a_file_appear_automatically() {
    let directory = tempfile::tempdir().unwrap();
    let [log, other] = ["log.txt", "other.txt"].map(|name| directory.path().join(name));
    std::fs::copy(classics(), &log).unwrap();
    std::fs::copy(classics(), &other).unwrap();
    with_page(&[&log, &other], |page| {
        page.open("#c.record=43&c.file=2");
        page.wait("document.querySelector('[data-record=\"43\"]')?.ariaSelected === 'true'");
        writeln!(std::fs::OpenOptions::new().append(true).open(&log).unwrap(), "{LINE}").unwrap();
        // The second record of the other file stays the current one.
        page.wait("document.querySelector('[data-record=\"44\"]')?.ariaSelected === 'true'");
        page.wait("location.hash.includes('c.record=44')");
        page.click(".chip");
        page.wait_for_records(83);
        page.run("document.querySelector('#collection-goto').value = '42'");
        page.click("#collection-goto-form button");
        page.wait(&format!(
            "document.querySelector('[data-record=\"42\"] .puzzle')?.textContent === '{LINE}'"
        ));
        page.wait("document.querySelector('[data-record=\"42\"]').dataset.status === 'unique'");
    });
}

#[test]
fn a_button_reloads_a_changed_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("changes.txt");
    std::fs::copy(classics(), &file).unwrap();
    with_page(&[&file], |page| {
        page.wait_for_records(41);
        std::fs::write(&file, format!("{LINE}\n")).unwrap();
        page.wait("document.querySelector('#collection-list .error').textContent.includes('Reload')");
        page.act("changes.txt", "reload");
        page.wait_for_records(1);
        page.wait("document.querySelector('[data-record=\"1\"]')?.dataset.status === 'unique'");
        page.wait("document.querySelectorAll('#collection-pictures .bar').length > 0");
        assert_eq!(page.text("#collection-list .error"), "");
        assert!(page.is_hidden("#message"), "{}", page.text("#message-text"));
        // The console is read here, because the browser logs refused requests there too.
        page.console();
    });
}

#[test]
fn the_search_finds_texts_puzzles_and_isomorphs() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("table.csv");
    let reversed: String = LINE.chars().rev().collect();
    let rows: String = (1..=5000).map(|id| format!("number-{id},{}\n", LINE.replacen('5', ".", 1))).collect();
    std::fs::write(&table, format!("id,puzzle\n{rows}twin,{reversed}\nsame,{LINE}\n")).unwrap();
    with_page(&[&table], |page| {
        page.wait_for_records(5002);
        page.write("#collection-find", "Number-4321");
        page.press(&crate::sheet::ENTER.to_string());
        page.wait_for_records(1);
        page.wait("document.querySelector('[data-record=\"4321\"]') !== null");
        page.wait("location.hash.includes('c.find=Number-4321')");
        page.click(".chip[data-field=find]");
        page.wait_for_records(5002);
        page.write("#collection-find", LINE);
        page.click("#collection-find-form button");
        page.wait_for_records(1);
        page.wait("document.querySelector('[data-record=\"5002\"]') !== null");
        page.click("#collection-isomorph");
        page.click("#collection-find-form button");
        page.wait_for_records(2);
        page.picture("collection-found");
        let address = page.fragment();
        assert!(address.contains(&format!("c.isomorph=3x3,{LINE}")), "{address}");
        page.open(&address);
        page.wait("document.querySelector('[data-record=\"5001\"]') !== null");
        page.wait_for_records(2);
        assert_eq!(page.run("return document.querySelector('#collection-isomorph').checked"), true);
        page.wait("document.querySelector('#collection-count').dataset.unsearched === '0'");
        assert!(page.is_hidden("#collection-searching"));
    });
}

#[test]
fn the_table_shows_the_chosen_columns_of_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("table.csv");
    let rows: String = (1..=50).map(|id| format!("id-{id},{LINE},book {id},3.{},x\n", id % 10)).collect();
    std::fs::write(&table, format!("id,puzzle,source,\"ra,ting\",more\n{rows}")).unwrap();
    with_page(&[&table], |page| {
        let own = "[...document.querySelectorAll('[data-record=\"7\"] .own')].map((cell) => cell.textContent).join('|')";
        page.wait(&format!("document.querySelector('[data-record=\"7\"]') && {own} === 'id-7|book 7|3.7'"));
        page.run("document.querySelector('#collection-columns').open = true");
        page.click("[data-column=source]");
        page.click("[data-column=more]");
        page.wait(&format!("document.querySelector('[data-record=\"7\"]') && {own} === 'id-7|3.7|x'"));
        let address = page.fragment();
        assert!(address.contains("c.columns=id,ra%2Cting,more"), "{address}");
        page.open(&address);
        page.wait(&format!("document.querySelector('[data-record=\"7\"]') && {own} === 'id-7|3.7|x'"));
        for width in [390, 768, 1024, 1400] {
            page.resize(width, 900);
            page.wait(&format!("innerWidth === {width}"));
            let fits = "return document.documentElement.scrollWidth <= innerWidth && document.querySelector('[data-record=\"7\"] .puzzle').clientWidth >= 120";
            assert_eq!(page.run(fits), true, "{width}");
            page.picture(&format!("own-columns-{width}"));
        }
        page.resize(1280, 900);
        page.run("document.querySelector('#collection-with').open = true");
        page.click("#collection-with-known");
        page.click("#collection-with-solution");
        let text = page.download("#collection-export-csv");
        let row = text.lines().nth(7).unwrap();
        assert_eq!(text.lines().next(), Some("row,file,record,puzzle,id,source,\"ra,ting\",more,solution"));
        assert!(row.starts_with("7,") && row.contains(",id-7,book 7,3.7,x,534678912"), "{row}");
    });
}
