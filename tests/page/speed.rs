//! The time from a key to its verdict. Here the times are only printed, because they depend on the machine
//! and its load. `scripts/measure page` measures them too, and compares them with a limit.

use crate::session::{Page, with_page};
use crate::sheet::{DELETE, RIGHT};

const KEYS: usize = 30;

/// A script that measures the time from the next key until the document shows the verdict on its grid.
const MEASURE: &str = "
    const verdict = document.querySelector('#verdict');
    const measure = ({ timeStamp: start }) => new MutationObserver((_, observer) => {
        if (verdict.dataset.verdict === 'waiting') return;
        performance.measure('verdict', { start, end: performance.now() });
        observer.disconnect();
    }).observe(verdict, { attributes: true });
    addEventListener('keydown', measure, { capture: true, once: true });";

/// The durations of all measurements with this name, in milliseconds, sorted.
fn times(page: &Page, name: &str) -> Vec<f64> {
    let script =
        format!("return performance.getEntriesByName('{name}', 'measure').map((one) => one.duration)");
    let mut times: Vec<f64> = serde_json::from_value(page.run(&script)).unwrap();
    times.sort_by(f64::total_cmp);
    times
}

/// Removes the clues of a proper puzzle and puts them back, key by key. Each key waits for the verdict of
/// the previous one, so that no two times overlap.
#[test]
fn each_key_gets_one_verdict_and_its_time_is_measured() {
    let puzzles = include_str!("../../datasets/hard.txt");
    with_page(&[], |page| {
        let mut keys = 0;
        for line in puzzles.lines() {
            if keys >= KEYS {
                break;
            }
            page.paste(line);
            page.count();
            page.go_to(0);
            for (cell, character) in line.chars().enumerate().take(9) {
                if character != '.' {
                    for key in [DELETE, character] {
                        page.run(MEASURE);
                        page.press(&key.to_string());
                        keys += 1;
                        page.wait(&format!(
                            "performance.getEntriesByName('verdict', 'measure').length === {keys}"
                        ));
                    }
                    assert_eq!(
                        page.attribute("#verdict", "data-verdict").unwrap(),
                        "unique",
                        "{line} {cell}"
                    );
                }
                page.press(&RIGHT.to_string());
            }
        }
        let times = times(page, "verdict");
        assert_eq!(times.len(), keys);
        assert!(times[0] > 0.0, "{times:?}");
        let [half, most] = [times[keys / 2], times[keys * 95 / 100]];
        println!("page: {keys} verdicts, p50 {half:.1} ms, p95 {most:.1} ms");
    });
}
