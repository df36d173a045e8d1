//! Import and export of a grid: text in many formats, and the address.

use gridmill_core::grid::CELLS;
use serde_json::json;

use crate::oracle;
use crate::session::{Page, with_page};
use crate::sheet::{CONTROL, DELETE};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// [`LINE`] in the formats in which people write puzzles, each with a name.
fn texts() -> Vec<(&'static str, String)> {
    let rows: Vec<&str> = (0..9).map(|row| &LINE[9 * row..9 * row + 9]).collect();
    let framed_row = |row: &str| format!("| {} |", [&row[..3], &row[3..6], &row[6..]].join(" | "));
    let bands: Vec<String> =
        rows.chunks(3).map(|band| band.iter().map(|row| framed_row(row) + "\n").collect()).collect();
    let frame = "+-----+-----+-----+\n";
    let numbers: Vec<String> = rows
        .iter()
        .map(|row| row.chars().map(|digit| digit.to_string().replace('.', "0")).collect::<Vec<_>>().join(" "))
        .collect();
    let cells = |row: &&str, between: &str| {
        row.chars().map(|digit| digit.to_string().replace('.', "")).collect::<Vec<_>>().join(between)
    };
    let boxed = |text: &str| {
        let frame = text.replace("+-----+-----+-----+\n", "├───────┼───────┼───────┤\n").replace('|', "│");
        frame.replacen("├───────┼───────┼───────┤", "┏━━━━━━━┳━━━━━━━┳━━━━━━━┓", 1)
    };
    let framed = format!("{frame}{}{frame}", bands.join(frame));
    vec![
        ("rows with commas", rows.iter().map(|row| cells(row, ",") + "\n").collect()),
        ("rows with commas, also at their ends", rows.iter().map(|row| cells(row, ", ") + ",\r\n").collect()),
        ("rows with commas and zeros", numbers.iter().map(|row| row.replace(' ', ", ") + "\n\n").collect()),
        ("a frame of lines", boxed(&framed)),
        ("no-break spaces", numbers.join("\n").replace(' ', "\u{a0}")),
        ("cells of a spreadsheet", rows.iter().map(|row| cells(row, "\t") + "\r\n").collect()),
        ("a table with bars", rows.iter().map(|row| format!("|{}|\n", cells(row, "|"))).collect()),
        ("an address of the page", format!("http://127.0.0.1:8181/#shape=3x3&clues={LINE}&cap=0")),
        ("a line", LINE.to_owned()),
        ("a line with zeros", LINE.replace('.', "0")),
        ("rows", rows.join("\n")),
        ("a framed grid", framed),
        ("numbers", numbers.join("\n")),
        ("a table", format!("puzzle,name\n{LINE},first\n")),
        ("an object", json!({"puzzle": LINE}).to_string()),
        ("HoDoKu", format!(":0000:x:{LINE}:::\n")),
    ]
}

fn clear(page: &Page) {
    page.go_to(0);
    page.press_with(&CONTROL.to_string(), 'a');
    page.press(&DELETE.to_string());
    assert_eq!(page.digits(), [0; CELLS]);
}

#[test]
fn puzzles_are_read_from_every_format() {
    let puzzle = oracle::classic(LINE);
    with_page(&[], |page| {
        for (name, text) in texts() {
            page.paste(&text);
            page.wait("document.querySelector('[data-cell=\"0\"]').dataset.digit === '5' || !document.querySelector('#message').hidden");
            assert!(page.is_hidden("#message"), "{name}: {}", page.text("#message"));
            assert_eq!(page.digits(), puzzle.cells(), "{name}");
            clear(page);
        }
    });
}

#[test]
fn a_pasted_line_keeps_the_boxes_and_the_user_can_change_them() {
    let line = format!("123456789ABC{}", ".".repeat(132));
    with_page(&[], |page| {
        let shape = || page.run("return document.querySelector('#boxes').value");
        page.begin("3x4");
        page.paste(&line);
        assert_eq!(shape(), "3x4");
        page.choose("#boxes", "2x6");
        page.wait("location.hash.includes('shape=2x6')");
        assert_eq!(page.digits()[..12], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        page.click("#undo");
        assert_eq!(shape(), "3x4");
        page.begin("3x3");
        assert!(page.is_hidden("#boxes-label"));
    });
}

#[test]
fn text_without_a_puzzle_is_reported_and_the_grid_is_unchanged() {
    with_page(&[], |page| {
        page.paste(LINE);
        page.paste("no puzzle at all");
        page.wait("!document.querySelector('#message').hidden");
        assert_eq!(page.digits(), oracle::classic(LINE).cells());
        page.picture("message");
        page.click("#message-close");
        assert!(page.is_hidden("#message"));
        page.paste("no puzzle at all");
        page.wait("!document.querySelector('#message').hidden");
        page.go_to(2);
        page.press("4");
        assert!(page.is_hidden("#message"));
        // The console is read here, because the browser logs a refused request there too.
        page.console();
    });
}

#[test]
fn the_clipboard_works_on_the_grid() {
    with_page(&[], |page| {
        page.go_to(0);
        let script = "const data = new DataTransfer();
            data.setData('text/plain', arguments[0]);
            document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));";
        page.run_with(script, &[json!(LINE)]);
        assert_eq!(page.digits(), oracle::classic(LINE).cells());
        let script = "const data = new DataTransfer();
            document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
            return data.getData('text/plain')";
        assert_eq!(page.run(script), LINE);
    });
}

#[test]
fn copy_puts_one_line_into_the_clipboard() {
    with_page(&[], |page| {
        page.devtools(
            "Browser.grantPermissions",
            json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}),
        );
        page.paste(LINE);
        page.click("#copy");
        page.wait("document.querySelector('#note').textContent.startsWith('Copied')");
        page.run("navigator.clipboard.readText().then((text) => (window.copied = text))");
        page.wait("window.copied !== undefined");
        assert_eq!(page.run("return window.copied"), LINE);
    });
}

/// The digits are only 2 to 15, because a `0` or a `G` in the text would show in which notation it is
/// written.
#[test]
fn a_large_grid_survives_copy_and_paste_in_every_notation() {
    let digits: Vec<u8> =
        (0..256).map(|cell| if cell % 5 == 0 { 2 + (cell % 14) as u8 } else { 0 }).collect();
    with_page(&[], |page| {
        let clues: String =
            digits.iter().map(|&digit| char::from(b".123456789ABCDEFG"[usize::from(digit)])).collect();
        page.open(&format!("#shape=4x4&clues={clues}"));
        page.wait("document.querySelectorAll('#board [data-cell]').length === 256");
        for symbols in ["1-9A-G", "0-9A-F", "A-P", "numbers"] {
            let choose = "const list = document.querySelector('#symbols');
                list.value = arguments[0];
                list.dispatchEvent(new Event('change'));";
            page.run_with(choose, &[json!(symbols)]);
            page.run("document.querySelector('[data-cell]').focus()");
            let copied = "const data = new DataTransfer();
                document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
                return data.getData('text/plain')";
            let text = page.run(copied).as_str().unwrap().to_owned();
            page.begin("4x4");
            page.paste(&text);
            assert_eq!(page.digits(), digits, "{symbols}: {text}");
        }
    });
}

#[test]
fn copied_formats_can_be_pasted_back() {
    with_page(&[], |page| {
        page.paste(LINE);
        page.click("#copy-as");
        let forms =
            page.run("return [...document.querySelectorAll('#copy-form option')].map((form) => form.value)");
        let first = page.run("return document.querySelector('#copy-form').value");
        page.wait("document.querySelector('#copy-text').value !== ''");
        let mut texts = Vec::new();
        for form in forms.as_array().unwrap().iter().map(|form| form.as_str().unwrap()) {
            page.run("document.querySelector('#copy-text').value = ''");
            page.choose("#copy-form", form);
            if form == first {
                // The first form is already selected. Selecting it again changes nothing, so the event must
                // be sent by hand.
                page.run("document.querySelector('#copy-form').dispatchEvent(new Event('change'))");
            }
            page.wait("document.querySelector('#copy-text').value !== ''");
            let text =
                page.run("return document.querySelector('#copy-text').value").as_str().unwrap().to_owned();
            texts.push((form.to_owned(), text));
        }
        page.click("#copy-dialog [data-close]");
        assert!(texts.len() > 5);
        // The form with candidates is skipped, because a cell with only one candidate is read as a digit.
        texts.retain(|(form, _)| form != "candidates");
        for (form, text) in texts {
            clear(page);
            page.paste(&text);
            page.wait("document.querySelector('[data-cell=\"0\"]').dataset.digit === '5' || !document.querySelector('#message').hidden");
            assert!(page.is_hidden("#message"), "{form}: {}\n{text}", page.text("#message"));
            assert_eq!(page.digits(), oracle::classic(LINE).cells(), "{form}:\n{text}");
        }
    });
}

#[test]
fn the_address_restores_the_page() {
    with_page(&[], |page| {
        page.paste(LINE);
        page.choose("#marks", "rules");
        page.choose("#cap", "1000");
        page.click("#mode-answers + span");
        page.go_to(2);
        page.press("4");
        page.wait("location.hash.includes('entries=..4')");
        page.wait("location.hash.includes('cap=1000') && location.hash.includes('marks=rules')");
        let before = (page.cells(), page.fragment());
        assert_eq!(before.0[2].kind, "answer");
        page.reload();
        assert_eq!(page.count().verdict, "unique");
        assert_eq!((page.cells(), page.fragment()), before);
        // With an empty storage, this is like a page that has never shown the grid.
        page.run("localStorage.clear()");
        page.open(&before.1);
        assert_eq!(page.count().verdict, "unique");
        assert_eq!((page.cells(), page.fragment()), before);
    });
}

#[test]
fn the_address_has_the_candidate_cap_only_for_candidates_of_solutions() {
    with_page(&[], |page| {
        page.open(&format!("#shape=3x3&clues={LINE}&marks=true&each=20"));
        assert_eq!(page.run("return document.querySelector('#candidate-cap').value"), "20");
        page.go_to(2);
        page.press("4");
        page.wait("location.hash.includes('..4') || location.hash.includes('534')");
        assert!(page.fragment().contains("marks=true&each=20"), "{}", page.fragment());
        page.choose("#marks", "rules");
        page.wait("!location.hash.includes('each=')");
    });
}

#[test]
fn settings_in_an_address_do_not_overwrite_those_of_the_user() {
    with_page(&[], |page| {
        let settings =
            || page.run("return ['cap', 'marks'].map((id) => document.querySelector('#' + id).value)");
        page.choose("#cap", "1000");
        page.open(&format!("#shape=3x3&clues={LINE}&cap=0&marks=rules"));
        assert_eq!(settings(), json!(["0", "rules"]));
        page.click("#step-shown");
        page.run("location.hash = location.hash.replace('cap=0', 'cap=100000')");
        page.wait("document.querySelector('#cap').value === '100000'");
        page.open("");
        page.run("location.hash = ''");
        page.reload();
        assert_eq!(settings(), json!(["1000", "off"]));
        assert_eq!(page.run("return document.querySelector('#step-shown').checked"), false);
    });
}

#[test]
fn an_unlisted_cap_in_an_address_selects_an_available_one() {
    with_page(&[], |page| {
        for (cap, chosen) in
            [("7", "1000"), ("1001", "100000"), ("999999999999", "100000000"), ("0", "0"), ("x", "1000000")]
        {
            page.open(&format!("#shape=3x3&clues={LINE}&cap={cap}"));
            page.reload();
            assert_eq!(page.run("return document.querySelector('#cap').value"), chosen, "{cap}");
        }
    });
}

#[test]
fn invalid_removed_candidates_in_an_address_are_ignored() {
    with_page(&[], |page| {
        page.open(&format!("#shape=3x3&clues={LINE}&removed=1e-1.5_-1.5_81.5_2.x_2.1_.4"));
        assert_eq!(page.count().verdict, "unique");
        page.go_to(2);
        page.press("4");
        page.wait("location.hash.includes('534')");
        assert!(!page.fragment().contains("1e-1"), "{}", page.fragment());
    });
}

#[test]
fn back_restores_the_previous_grid() {
    with_page(&[], |page| {
        page.paste(LINE);
        page.begin("2x2");
        assert_eq!(page.digits(), [0; 16]);
        page.back();
        page.wait("document.querySelectorAll('#board [data-cell]').length === 81");
        assert_eq!(page.digits(), oracle::classic(LINE).cells());
    });
}
