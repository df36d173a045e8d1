//! A large collection on the page: its table, its pictures, its records in the grid, and its downloads.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, Shape};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::driver::until;
use crate::oracle;
use crate::session::{Page, with_page};
use crate::sheet::{DOWN, ENTER, HOME, SHIFT};

const RECORDS: usize = 100_000;
const END: char = '\u{e010}';
const LEFT: char = '\u{e012}';

/// A puzzle of the collection, and its known properties. Each is an isomorph of a dataset's puzzle, and so
/// has the same status.
struct Record {
    line: String,
    clues: usize,
    status: &'static str,
}

static ALL_RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
    let files = [
        ("unique", include_str!("../../datasets/easy.txt")),
        ("unique", include_str!("../../datasets/medium.txt")),
        ("unique", include_str!("../../datasets/minimal.txt")),
        ("multiple", include_str!("../../datasets/multiple.txt")),
        ("none", include_str!("../../datasets/none.txt")),
    ];
    let read =
        |status, text: &'static str| text.lines().map(move |line| (status, line.parse::<Puzzle>().unwrap()));
    let puzzles: Vec<(&str, Puzzle)> =
        files.into_iter().flat_map(|(status, text)| read(status, text)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let record = |index: usize| {
        let (status, puzzle) = puzzles[index * 7 % puzzles.len()];
        let puzzle = Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
        Record { line: puzzle.to_string(), clues: puzzle.clue_count(), status }
    };
    (0..RECORDS).map(record).collect()
});

fn records() -> &'static [Record] {
    &ALL_RECORDS
}

/// Runs a test with the page of the collection, as soon as the server knows all its records.
fn with_collection(test: impl FnOnce(&Page)) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("many.txt");
    let lines: String = records().iter().flat_map(|record| [record.line.as_str(), "\n"]).collect();
    std::fs::write(&file, lines).unwrap();
    with_page(&[&file], |page| {
        page.wait("document.querySelector('#collection-progress')?.dataset.phase === 'idle'");
        test(page);
    });
}

/// The file of 41 well-known puzzles.
pub fn classics() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/classics.txt")
}

/// A puzzle of that file.
fn classic(row: usize) -> Grid {
    // The first two lines are comments.
    let line = include_str!("../../datasets/classics.txt").lines().nth(row + 2).unwrap();
    oracle::classic(&line[..81])
}

/// The numbers of the records in a view, from 0.
fn view(filter: impl Fn(&Record) -> bool) -> Vec<usize> {
    (0..RECORDS).filter(|&row| filter(&records()[row])).collect()
}

impl Page {
    /// Waits for the pictures of all records. They replace earlier ones shortly after the last search, and a
    /// click at that moment could hit another bar.
    fn wait_for_last_pictures(&self) {
        let unique = records().iter().filter(|record| record.status == "unique").count();
        let count = format!("{},{:03}", unique / 1000, unique % 1000);
        self.wait(&format!(
            "document.querySelector('[data-picture=status]')?.textContent.includes('{count}')"
        ));
    }

    /// Waits until the rows of a view are loaded, and compares the visible ones with it.
    fn assert_rows(&self, view: &[usize]) {
        let shown =
            format!("document.querySelector('#collection-count')?.dataset.shown === '{}'", view.len());
        self.wait(&shown);
        let script = "if ('pending' in document.querySelector('#collection-count').dataset) return null;
            const rows = [...document.querySelectorAll('#collection-scroller [role=row]:not([hidden])')];
            return rows.some((row) => row.ariaBusy === 'true') ? null : rows.map((row) =>
                [Number(row.ariaRowIndex) - 2, Number(row.dataset.record) - 1, row.dataset.status,
                 row.querySelector('.puzzle').textContent, row.querySelector('.clues').textContent])";
        type Row = (usize, usize, String, String, String);
        let read = || serde_json::from_value::<Option<Vec<Row>>>(self.run(script)).unwrap();
        let rows = until("rows", || read().filter(|rows| !rows.is_empty()));
        for (position, row, status, puzzle, clues) in rows {
            let record = &records()[row];
            assert_eq!(view.get(position), Some(&row), "at position {position}");
            assert_eq!((status.as_str(), puzzle), (record.status, record.line.clone()));
            assert_eq!(clues, record.clues.to_string());
        }
    }

    /// The number of the record in the last visible row, from 0.
    fn last_row(&self) -> u64 {
        let script = "return Math.max(...[...document.querySelectorAll('#collection-scroller [role=row]:not([hidden])')]
            .map((row) => Number(row.ariaRowIndex))) - 2";
        self.run(script).as_u64().unwrap_or(0)
    }

    /// Presses a download button, and returns the bytes of the file.
    pub fn download_bytes(&self, button: &str) -> Vec<u8> {
        // An unfinished download has another name, and an empty file may reserve the final one.
        let is_whole = |file: &DirEntry| {
            let name = file.file_name().into_string().unwrap();
            !name.starts_with('.')
                && !name.ends_with(".crdownload")
                && file.metadata().is_ok_and(|file| file.len() > 0)
        };
        let finished = || {
            let files = std::fs::read_dir(self.downloads()).unwrap();
            files.map(Result::unwrap).find(is_whole).map(|file| file.path())
        };
        self.click(button);
        let path = until("a download", finished);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        self.come_back();
        bytes
    }

    pub fn download(&self, button: &str) -> String {
        String::from_utf8(self.download_bytes(button)).unwrap()
    }
}

#[test]
fn a_large_collection_is_scrolled_sorted_and_filtered() {
    with_collection(|page| {
        let all = view(|_| true);
        page.assert_rows(&all);
        page.picture("collection-100000");
        page.run("const scroller = document.querySelector('#collection-scroller'); scroller.scrollTop = scroller.scrollHeight");
        until("the last row", || (page.last_row() == RECORDS as u64 - 1).then_some(()));
        page.assert_rows(&all);

        let mut sorted = all;
        sorted.sort_by_key(|&row| records()[row].clues);
        page.click("[data-sort=clues]");
        page.assert_rows(&sorted);
        sorted.sort_by_key(|&row| std::cmp::Reverse(records()[row].clues));
        page.click("[data-sort=clues]");
        page.assert_rows(&sorted);
        page.run("document.querySelector('#collection-table').focus()");
        page.press(&END.to_string());
        until("the last row", || (page.last_row() == RECORDS as u64 - 1).then_some(()));
        page.assert_rows(&sorted);

        page.click("[data-sort=row]");
        page.wait_for_last_pictures();
        page.click(".bar[data-field=clues][data-least='25']");
        page.assert_rows(&view(|record| record.clues == 25));
        page.click(".bar[data-field=status][data-value=multiple]");
        page.assert_rows(&view(|record| record.clues == 25 && record.status == "multiple"));
        page.picture("collection-filtered");
        let address = page.fragment();
        page.open(&address);
        page.assert_rows(&view(|record| record.clues == 25 && record.status == "multiple"));
        page.click("#collection-clear");
        page.assert_rows(&view(|_| true));
    });
}

#[test]
fn a_row_opens_in_the_grid_and_next_moves_to_its_neighbour() {
    with_page(&[&classics()], |page| {
        page.click("[data-record='3']");
        page.wait("!document.querySelector('#origin').hidden");
        assert_eq!(page.attribute("#origin", "data-row").unwrap(), "2");
        assert_eq!(page.digits(), classic(2).cells());
        page.click("#origin-next");
        page.wait("document.querySelector('#origin').dataset.row === '3'");
        assert_eq!(page.digits(), classic(3).cells());
        page.reload();
        page.wait("!document.querySelector('#origin').hidden");
        assert_eq!(page.attribute("#origin", "data-row").unwrap(), "3");
        page.back();
        page.wait("document.querySelector('#origin').dataset.row === '2'");
        assert_eq!(page.digits(), classic(2).cells());
        page.click("#tab-collection");
        page.wait("document.querySelector('[data-record=\"3\"]')?.ariaSelected === 'true'");
    });
}

#[test]
fn next_follows_the_order_of_the_view() {
    with_page(&[&classics()], |page| {
        page.open("#c.sort=row,descending&c.record=3");
        page.wait("document.querySelector('[data-record=\"3\"]') !== null");
        page.click("[data-record='3']");
        page.wait("document.querySelector('#origin').dataset.row === '2'");
        page.click("#origin-next");
        page.wait("document.querySelector('#origin').dataset.row === '1'");
        page.click("#origin-next");
        page.wait("document.querySelector('#origin').dataset.row === '0'");
        page.wait("document.querySelector('#origin-next').disabled");
        assert_eq!(page.run("return document.querySelector('#origin-prev').disabled"), false);
        assert_eq!(page.digits(), classic(0).cells());
    });
}

#[test]
fn sorting_scrolls_to_the_first_row_and_keeps_the_current_record() {
    with_page(&[&classics()], |page| {
        page.open("#c.record=3");
        page.wait("document.querySelector('[data-record=\"3\"]')?.ariaSelected === 'true'");
        page.click("[data-sort='row']");
        page.wait("document.querySelector('[data-record=\"41\"]') !== null");
        assert_eq!(page.run("return document.querySelector('#collection-scroller').scrollTop"), 0);
        assert!(page.fragment().contains("c.record=3"), "{}", page.fragment());
    });
}

#[test]
fn the_grid_is_not_counted_before_it_is_shown() {
    with_page(&[&classics()], |page| {
        page.wait("document.querySelector('[data-record=\"3\"]') !== null");
        let verdict = || page.attribute("#verdict", "data-verdict").unwrap();
        assert_eq!(verdict(), "waiting");
        page.click("#tab-grid");
        page.wait("document.querySelector('#verdict').dataset.verdict === 'multiple'");
    });
}

#[test]
fn a_late_answer_does_not_replace_the_last_requested_record() {
    with_page(&[&classics()], |page| {
        page.wait("document.querySelectorAll('#collection-table [data-record=\"5\"]').length === 1");
        // The first request waits until the second one has its answer. The timer runs only after the page has
        // processed an answer completely, so that the test would notice a late effect of the first answer.
        page.run(
            "const ask = fetch;
             const note = () => setTimeout(() => window.hasFirstAnswer = true);
             window.fetch = (...question) => {
                 if (question[0] !== '/api/record') return ask(...question);
                 window.fetch = ask;
                 const answer = new Promise((go) => window.letFirstGo = go).then(() => ask(...question));
                 answer.then((response) => {
                     const json = response.json.bind(response);
                     response.json = () => json().finally(note);
                 }, note);
                 return answer;
             };
             document.querySelector('[data-record=\"5\"]').click();",
        );
        page.wait("window.letFirstGo !== undefined");
        page.run("document.querySelector('[data-record=\"3\"]').click()");
        page.wait("document.querySelector('#origin').dataset.row === '2'");
        page.run("window.letFirstGo()");
        page.wait("window.hasFirstAnswer === true");
        assert_eq!(page.attribute("#origin", "data-row").unwrap(), "2");
        page.run("for (const _ of [1, 2]) document.querySelector('#origin-next').click()");
        page.wait("document.querySelector('#origin').dataset.row === '4'");
        assert_eq!(page.digits(), classic(4).cells());
    });
}

#[test]
fn downloads_contain_the_rows_of_the_view_in_order() {
    with_collection(|page| {
        page.assert_rows(&view(|_| true));
        assert_eq!(page.download("#collection-export-records").lines().count(), RECORDS);
        page.wait_for_last_pictures();
        page.click(".bar[data-field=clues][data-least='26']");
        page.click("[data-sort=status]");
        let mut expected = view(|record| record.clues == 26);
        expected.sort_by_key(|&row| {
            ["unique", "multiple", "none"].iter().position(|&name| name == records()[row].status)
        });
        page.assert_rows(&expected);
        let lines = page.download("#collection-export-records");
        let expected: Vec<&str> = expected.iter().map(|&row| records()[row].line.as_str()).collect();
        assert!(lines.lines().eq(expected.iter().copied()), "different records");
        let table = page.download("#collection-export-csv");
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let column = reader.headers().unwrap().iter().position(|name| name == "puzzle").unwrap();
        let puzzles: Vec<String> = reader.records().map(|row| row.unwrap()[column].to_owned()).collect();
        assert_eq!(puzzles, expected);
    });
}

#[test]
fn a_collection_hides_old_figures_after_its_file_changes() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("changes.txt");
    std::fs::copy(classics(), &file).unwrap();
    with_page(&[&file], |page| {
        page.wait("document.querySelectorAll('#collection-pictures .bar').length > 5");
        std::fs::write(&file, "# nothing\n").unwrap();
        page.wait("document.querySelectorAll('#collection-pictures .bar').length === 0");
        page.wait("document.querySelector('#collection-list').textContent.includes('while it was shown')");
        let count = page.text("#collection-count");
        assert!(!count.contains("0 records"), "{count}");
        // The console is read here, because the browser logs refused requests there too.
        page.console();
    });
}

#[test]
fn the_title_names_what_is_shown_and_main_contains_both_views() {
    with_page(&[&classics()], |page| {
        let title = || page.run("return document.title").as_str().unwrap().to_owned();
        let is_in_main = |selector: &str| {
            page.run(&format!(
                "return document.querySelector('main').contains(document.querySelector('{selector}'))"
            ))
        };
        page.wait("document.title.endsWith('classics.txt – gridmill')");
        assert!(is_in_main("#collection") == true && is_in_main("#grid-page") == true);
        page.click("[data-record='3']");
        page.wait("!document.querySelector('#origin').hidden");
        assert!(title().starts_with("record 3 of "), "{}", title());
        page.paste(ALL_RECORDS[0].line.as_str());
        assert_eq!(title(), format!("9×9, {} clues – gridmill", ALL_RECORDS[0].clues));
        page.click("#tab-collection");
        assert!(title().ends_with("classics.txt – gridmill"), "{}", title());
    });
}

#[test]
fn a_collection_works_with_the_keyboard_alone() {
    with_page(&[&classics()], |page| {
        page.wait("document.querySelectorAll('#collection-table [data-record=\"1\"]').length === 1");
        page.tab_to("#collection-scroller", "");
        page.press(&DOWN.to_string());
        page.wait("document.querySelector('[data-record=\"1\"]').ariaSelected === 'true'");
        page.press(&END.to_string());
        page.wait("document.querySelector('[data-record=\"41\"]')?.ariaSelected === 'true'");
        page.press(&HOME.to_string());
        page.wait("document.querySelector('[data-record=\"1\"]')?.ariaSelected === 'true'");
        page.tab_to("#collection-table", &SHIFT.to_string());
        page.press(&[DOWN, ENTER].iter().collect::<String>());
        page.wait("!document.querySelector('#origin').hidden");
        assert_eq!(page.attribute("#origin", "data-row").unwrap(), "1");
        page.tab_to("#tab-grid", &SHIFT.to_string());
        page.press(&LEFT.to_string());
        page.wait("!document.querySelector('#collection').hidden");
    });
}
