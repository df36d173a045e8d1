//! Export of grids as text, address, picture or book, and import of addresses.
//!
//! The packed puzzles were made by lz-string 1.5.0, because a test with our own packer would not notice an
//! error that packing and unpacking share.

use std::path::PathBuf;

use gridmill_core::grid::Shape;
use serde_json::{Value, json};

use crate::driver::until;
use crate::oracle;
use crate::session::{Page, with_page};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// The puzzle of [`LINE`] in the JSON of f-puzzles, with a title, and the answer 4 in the third cell.
const PLAIN: &str = "N4IgzglgXgpiBcBOANCALhNAbO8QCEBPAAgAsBDAOwBMRVyBXNUgewCcEQBBOkAczYRa8ANojQAN3JYGuAKyo+ECTEoI0bWQF9kk6bIQBmRctXrNMHXpm4ALFasgpNhAHYTKtfA3bdDv34AusjiTvq4AGweZt4W/sCOzgbwAIzRXj6WumEuSOnmvtbJCvymGXEBCUEhVUW4KKWeBVl1CAAc+bGF8fE5yVGNMZkOwaFJuB2D5d2VieEIA0pNXS092eNGncOjrfC2WxW1c7mTS0OHx8nGU81ru2k3K1o7fbjuj8Ozla8IAEwHMyO63m8EWZVuO0ukQBqy+tR+8H+H0OCNO4Ke1XEdwR+2RhQRDzO0xaCIaRNucIRJXJT0hcKh7Rh2I28HeNM+uzJ6O2gS0QA==";

/// The same with a killer cage and a diagonal.
const KILLER: &str = "N4IgzglgXgpiBcBOANCALhNAbO8QCEBPAAgAsBDAOwBMRVyBXNUgewCcEQBBOkAczYRa8ANojQAN3JYGuAKyo+ECTEoI0bWQF9kk6bIQBmRctXrNMHXpm4ALFasgpNhAHYTKtfA3bdDv34AusjiTvq4AGweZt4W/sCOzgbwAIzRXj6WumEuSOnmvtbJCvymGXEBCUEhVUW4KKWeBVl1CAAc+bGF8fE5yVGNMZkOwaFJuB2D5d2VieEIA0pNXS092eNGncOjrfC2WxW1c7mTS0OHx8nGU81ru2k3K1o7fbjuj8Ozla8IAEwHMyO63m8EWZVuO0ukQBqy+tR+8H+H0OCNO4Ke1XEdwR+2RhQRDzO0xaCIaRNucIRJXJT0hcKh7Rh2I28HeNM+uzJ6O2wRAAGsIFgcGwAMbkPi4UIimBCsAIEQgABKKQAwileMqVb8QLyWSA2iBnqhqBBxSxKNIANS3IA==";

/// A 6x6 puzzle whose regions are boxes of 3 rows and 2 columns.
const TALL: &str = "N4IgzglgXgpiBcA2ANCA5gJwgEwQbT1ADcBDAGwFc54BGVNCImAOwQBcMrUMYGB7VvAAMAX2Sge/QaPEhJEAQhpiJvBYOWz5i+ACYVctTv0BdZIUNSEM1VeEHSlarvqMW7TjG5GNB7b60fBH1Au1NzW3VrPyD7UKjaB3IqBABmVyZBDi5LBM1I4xiwkTMLfzSihNTKnQAWGsF62UcU+FqM93hsr1ydAFYGhAHSgsFq+J1x0YQm6bbB+AHm5Oo+jqzPbzthiJAW6hR0Nw2c8vgp3rGF2cuZhaW54ZMRIA";

/// The same with two cells of different regions swapped.
const CROOKED: &str = "N4IgzglgXgpiBcA2ANCA5gJwgEwQbT1ADcBDAGwFc54BGVNCImAOwQBcMrUMYGB7VrQC+yUD36CADCLG8IAhNNEhx8wTRkq5C+ACZNqnfoC6yQlomKD2qZtKVqu+oxbtOMbjYQblh9dcs9ALUEEzNZQKUIkPgoixifYnIqBABmZyZBDi54nUTcwX1fLyDTcz804J1UqsEAFlqEBuV7FPg6jNd4bI8ChABWRvhBsujqoZriwOax+qHBluTqfs6s909AkfCQVuoUdBc1nIr4SdnKqZiZvvb5u+NjISA===";

/// The puzzle of [`LINE`] in the short form of SudokuPad.
const SHORT: &str = "N4YwzgXArADANCAphA2i4A3aBfOmIDMuceWA7MSQLpzpYBsl+AjLvgJxtZSU0qkROAgByUS+RnD75RJcQzH4i0rABYmWWQKJyW2FRApyBAJkUK+AycfxmRuS/IjqBrAUKc9HTrQKMd9GgAnZDQUeBg+eGYouBM+ZjhI2kSYlLi+EyTMuDSULPi+cLgCWNVYqASSqvL0ytos0oa4Wvy4SqL4eliyWOEq7vTe9P7mwbbhtv6igmzaWbzZ+NpVOZRVvNXllCg13bzdwtoUWaaTlr5Z+vXqlYu7692z3dbdjuPZ8dnJ2dGb8dWk1Wf12412k1202O9DWMLyMO2ZDWSLySO2wjWGLyGKOaBhZxhrRh1yRZyRrSR1wxZwxrQx7zxcHGMMmML+SPGSMmSL+GPGGMmGOmNBAAENUPgAOQAFwAltKADbIAAEACEAJ7KgAWooAdgATSX6OAAW0Q0tF+tFFogoAgADF7TBnfA9XKANa62UAcy10ogADNsNggA==";

/// The same with an arrow.
const ARROW: &str = "N4YwzgXArADANCAphA2i4A3aBfOmIDMuceWA7MSQLpzpYBsl+AjLvgJxtZSU0qkROAgByUS+RnD75RJcQzH4i0rABYmWWQKJyW2FRApyBAJkUK+AycfxmRuS/IjqBrAUKc9HTrQKMd9GgAnZDQUeBg+eGYouBM+ZjhI2kSYlLi+EyTMuDSULPi+cLgCWNVYqASSqvL0ytos0oa4Wvy4SqL4eliyWOEq7vTe9P7mwbbhtv6igmzaWbzZ+NpVOZRVvNXllCg13bzdwtoUWaaTlr5Z+vXqlYu7692z3dbdjuPZ8dnJ2dGb8dWk1Wf12412k1202O9DWMLyMO2ZDWSLySO2wjWGLyGKOaBhZxhrRh1yRZyRrSR1wxZwxrQx7zxcHGMMmML+SPGSMmSL+GPGGMmGOmNAAhqhQBAAGKSmCy+AAdwADqhiskUKkqFR9AgxXQIAByAAuAEtDQAbZAAAgAQgBPS0ACxFADsACb67UAW0QhpFrpFvogEulcvgLpNAGtncaAOYOw0QABm2GwQA=";

/// Opens the dialog that copies the grid in other forms, and returns the text of `form`.
fn copied(page: &Page, form: &str) -> String {
    page.click("#copy-as");
    page.choose("#copy-form", form);
    page.wait("!document.querySelector('#copy-take').disabled");
    let text = page.run("return document.querySelector('#copy-text').value");
    page.click("#copy-dialog [data-close]");
    text.as_str().unwrap().to_owned()
}

/// The address of a packed puzzle: `form` with the puzzle in place of `{}`.
fn address(form: &str, packed: &str) -> String {
    form.replace("{}", &packed.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"))
}

#[test]
fn addresses_of_other_programs_are_read() {
    let clues = oracle::classic(LINE);
    with_page(&[], |page| {
        for (form, packed) in [
            ("https://www.f-puzzles.com/?load={}", PLAIN),
            ("https://sudokupad.app/fpuzzles{}", PLAIN),
            ("https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuzzles{}", PLAIN),
            ("https://sudokupad.app/scl{}", SHORT),
            ("https://www.sudokuwiki.org/sudoku.htm?bd={}", LINE),
            ("https://sudokuexchange.com/play/?s={}", LINE),
        ] {
            page.begin("2x2");
            page.paste(&address(form, packed));
            page.wait("document.querySelectorAll('#board [data-cell]').length === 81");
            assert_eq!(page.clues(Shape::CLASSIC), clues, "{form}");
            let expected = if packed == PLAIN { "answer" } else { "open" };
            assert_eq!(page.cells()[2].kind, expected, "{form}");
        }
        page.paste(&address("https://www.f-puzzles.com/?load={}", TALL));
        page.wait("location.hash.includes('shape=3x2')");
        assert_eq!(&page.digits()[..8], [1, 0, 0, 0, 0, 0, 0, 0]);
    });
}

#[test]
fn addresses_of_variants_or_without_a_puzzle_are_refused_with_a_reason() {
    with_page(&[], |page| {
        page.paste(LINE);
        let clues = page.digits();
        for (form, packed, words) in [
            ("https://www.f-puzzles.com/?load={}", KILLER, "killer cages, the rising diagonal"),
            ("https://www.f-puzzles.com/?load={}", CROOKED, "not rectangles"),
            ("https://sudokupad.app/scl{}", ARROW, "it has arrows"),
            ("https://sudokupad.app/{}", "abc123", "only the name"),
            ("https://www.f-puzzles.com/?load={}", &PLAIN[..200], "a part of a puzzle"),
            ("https://www.sudokuwiki.org/sudoku.htm?bd={}", "S9B01", "not contain 81 cells"),
            ("https://example.com/{}", "x", "The page can't read addresses of example.com"),
        ] {
            page.paste(&address(form, packed));
            page.wait("!document.querySelector('#message').hidden");
            let text = page.text("#message-text");
            assert!(text.contains(words), "{form}: {text}");
            assert_eq!(page.digits(), clues, "{form}");
            page.click("#message-close");
        }
    });
}

#[test]
fn a_dropped_address_opens_its_grid() {
    with_page(&[], |page| {
        page.run_with(
            "const data = new DataTransfer();
            data.setData('text/plain', arguments[0]);
            document.querySelector('#board').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }))",
            &[json!(address("https://www.f-puzzles.com/?load={}", PLAIN))],
        );
        page.wait("document.querySelector('[data-cell=\"0\"]').dataset.digit === '5'");
        assert_eq!(page.clues(Shape::CLASSIC), oracle::classic(LINE));
    });
}

#[test]
fn exported_addresses_open_the_same_grid() {
    with_page(&[], |page| {
        page.paste(&address("https://www.f-puzzles.com/?load={}", PLAIN));
        page.wait("document.querySelector('[data-cell=\"2\"]').dataset.digit === '4'");
        let (cells, digits) = (page.cells(), page.digits());
        for form in ["f-puzzles", "sudokupad", "sudokuwiki", "sudokuexchange"] {
            let text = copied(page, form);
            page.begin("3x3");
            page.paste(&text);
            until("the grid", || (page.digits() == digits).then_some(()));
            // The last two forms can't mark answers, so these become clues.
            assert_eq!(page.cells() == cells, form.contains("pad") || form.contains("puzzles"), "{text}");
        }
        page.begin("2x6");
        page.press("5");
        let text = copied(page, "sudokupad");
        page.begin("3x4");
        page.paste(&text);
        page.wait("location.hash.includes('shape=2x6')");
        assert_eq!(page.digits()[0], 5);
        page.begin("5x5");
        page.click("#copy-as");
        let is_disabled =
            page.run("return document.querySelector('#copy-form option[value=sudokupad]').disabled");
        assert_eq!(is_disabled, true, "this form ends at 16x16");
        page.picture("copy-as");
    });
}

#[test]
fn candidate_grids_are_copied_as_shown_or_by_the_rules() {
    with_page(&[], |page| {
        page.open(&format!("#shape=3x3&clues={LINE}&removed=2.1&marks=rules"));
        page.wait("document.querySelectorAll('[data-cell=\"2\"] [data-mark]').length > 0");
        let shown = copied(page, "candidates");
        page.click("#copy-as");
        page.choose("#copy-form", "candidates");
        page.choose("#copy-candidates", "rules");
        page.wait("!document.querySelector('#copy-take').disabled");
        page.picture("copy-candidates");
        let by_rules = page.run("return document.querySelector('#copy-text').value");
        page.click("#copy-dialog [data-close]");
        let widths: Vec<usize> = shown.lines().map(str::len).collect();
        assert!(widths.len() == 13 && widths.iter().all(|width| *width == widths[0]), "{shown}");
        assert!(by_rules.as_str().unwrap().contains(" 124 ") && !shown.contains(" 124 "), "{by_rules}");
        let removed = |text: &str| {
            page.begin("2x2");
            page.paste(text);
            page.wait("document.querySelectorAll('#board [data-cell]').length === 81");
            page.wait("location.hash.includes('shape=3x3')");
            page.fragment().split("removed=").nth(1).map(|rest| rest.split('&').next().unwrap().to_owned())
        };
        assert_eq!(removed(&shown).as_deref(), Some("2.1"));
        assert_eq!(removed(by_rules.as_str().unwrap()), None);
    });
}

#[test]
fn exported_pictures_are_self_contained() {
    with_page(&[], |page| {
        page.paste(LINE);
        page.choose("#marks", "rules");
        page.click("#copy-as");
        let svg = String::from_utf8(page.download_bytes("#save-svg")).unwrap();
        let png = page.download_bytes("#save-png");
        std::fs::write(crate::session::artefact("grid.svg"), &svg).unwrap();
        std::fs::write(crate::session::artefact("grid.png"), &png).unwrap();
        let shown = page.run("return document.querySelectorAll('#board [data-mark]').length");
        assert_eq!(svg.matches("<text").count() as u64, 30 + shown.as_u64().unwrap());
        assert!(!svg.contains("href") && !svg.contains("url(") && !svg.contains("style"), "{svg}");
        let is_whole = page.run_with(
            "return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror') === null",
            &[json!(svg)],
        );
        assert_eq!(is_whole, Value::Bool(true));
        assert!(png.starts_with(b"\x89PNG"));
        let side = u32::from_be_bytes(png[16..20].try_into().unwrap());
        assert_eq!(side, 2 * (9 * 60 + 8));
    });
}

fn puzzles() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/hard.txt"))
}

#[test]
fn a_book_prints_the_chosen_puzzles_per_page_and_their_solutions() {
    let file = puzzles();
    with_page(&[&file], |page| {
        page.wait("document.querySelectorAll('#collection-table [data-record=\"1\"]').length > 0");
        page.run("window.print = () => (window.printed = (window.printed ?? 0) + 1)");
        for (round, (each, titles)) in
            [("1", true), ("2", true), ("4", true), ("6", true), ("9", false)].into_iter().enumerate()
        {
            page.click("#book");
            page.write("#book-from", "2");
            page.write("#book-count", "9");
            page.choose("#book-each", each);
            if !titles {
                page.click("#book-titles");
            }
            page.picture("book-dialog");
            page.click("#book-print");
            page.wait(&format!("window.printed === {}", round + 1));
            let pages = 9_usize.div_ceil(each.parse().unwrap()) + 1;
            let drawn = page.run("return [...document.querySelectorAll('.book-page')].map((page) => page.querySelectorAll('svg').length)");
            let drawn: Vec<usize> = serde_json::from_value(drawn).unwrap();
            assert_eq!((drawn.len(), drawn.iter().sum::<usize>()), (pages, 18), "{each}");
            let titled = page.run("return document.querySelectorAll('figcaption:not(:empty)').length");
            assert_eq!(titled, json!(if titles { 18 } else { 9 }));
            page.show_as_printed("dark");
            page.wait("matchMedia('print').matches");
            page.picture(&format!("book-{each}"));
            page.devtools("Emulation.setEmulatedMedia", json!({"media": "", "features": []}));
            page.prefer("dark");
            assert_eq!(page.printed_pages(), pages, "{each} a page");
            page.wait("!document.querySelector('.book-page')");
        }
        assert_eq!(page.run("return document.body.hasAttribute('data-book')"), false);
        page.click("#book");
        page.write("#book-from", "999999999");
        page.click("#book-print");
        page.wait("!document.querySelector('#book-dialog .error').hidden");
        assert!(page.text("#book-dialog .error").contains("Choose a lower position"));
        assert!(page.is_hidden("#message"));
    });
}
