//! `gridmill book`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::{Bitmask, SolutionLimit, Solver};

use crate::common::{as_lines, easy_puzzles};
use crate::program::{Ran, Scratch, gridmill, run, texts_of};

const PROPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const MULTIPLE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85......9....4..";
const NONE: &str = "2.............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
const CONFLICT: &str = "66...894.9....61...7..4....2..61..........2...89..2.......6...5.......3.8....16..";

fn book(file: &Path, output: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("book").arg(file).arg("-o").arg(output).args(arguments))
}

/// The digits of a text in order, without blanks.
fn digits(cells: &str) -> String {
    cells.replace('.', "")
}

fn solution(puzzle: &Puzzle) -> String {
    Bitmask::new().solve(puzzle, SolutionLimit::UNIQUENESS).solution.unwrap().to_string()
}

/// A text on a page of a PDF.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    text: String,
    is_bold: bool,
    size: String,
}

/// The content of a PDF: the texts of each page, in the order in which they are drawn.
struct Pdf {
    bytes: Vec<u8>,
    pages: Vec<Vec<Shown>>,
}

impl Pdf {
    fn read(path: &Path) -> Pdf {
        let bytes = std::fs::read(path).unwrap();
        assert!(bytes.starts_with(b"%PDF-1.7") && bytes.trim_ascii_end().ends_with(b"%%EOF"));
        let (mut maps, mut pages) = (Vec::new(), Vec::new());
        for content in streams(&bytes) {
            let text = String::from_utf8_lossy(&content);
            if text.contains("beginbfchar") {
                maps.push(characters(&text));
            } else if text.contains("BT") && text.contains(" Tf") {
                pages.push(texts(&content, &maps));
            }
        }
        assert_eq!(maps.len(), 2, "there is a regular and a bold font");
        Pdf { bytes, pages }
    }

    /// The texts of all pages.
    fn texts(&self) -> Vec<&str> {
        self.pages.iter().flatten().map(|shown| shown.text.as_str()).collect()
    }

    /// The grids of a page: the number above each one, and its digits in reading order.
    fn grids(&self, page: usize) -> Vec<(String, String)> {
        let texts = &self.pages[page];
        let is_number = |shown: &Shown| shown.is_bold && shown.text.parse::<u32>().is_ok();
        let first = texts.iter().position(is_number).unwrap();
        let mut grids: Vec<(String, String)> = Vec::new();
        // The last text is left out, because it is the number of the page.
        for shown in &texts[first..texts.len() - 1] {
            match (shown.is_bold, &shown.size) == (true, &texts[first].size) {
                true => grids.push((shown.text.clone(), String::new())),
                false => grids.last_mut().unwrap().1 += &shown.text,
            }
        }
        grids
    }

    /// The grids of some pages.
    fn all_grids(&self, pages: std::ops::Range<usize>) -> Vec<(String, String)> {
        pages.flat_map(|page| self.grids(page)).collect()
    }
}

/// The decompressed streams of a PDF.
fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
    let (mut streams, mut rest) = (Vec::new(), pdf);
    while let Some(at) = memchr::memmem::find(rest, b"/Length ") {
        rest = &rest[at + 8..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let len: usize = std::str::from_utf8(&rest[..digits]).unwrap().parse().unwrap();
        rest = &rest[memchr::memmem::find(rest, b"stream\n").unwrap() + 7..];
        let mut unpacked = Vec::new();
        flate2::read::ZlibDecoder::new(&rest[..len]).read_to_end(&mut unpacked).unwrap();
        streams.push(unpacked);
        rest = &rest[len..];
    }
    streams
}

/// The character of each glyph of a font, read from lines such as `<0012> <0031>`.
fn characters(map: &str) -> BTreeMap<u16, char> {
    let number = |text: &str| u16::from_str_radix(text.strip_prefix('<')?.strip_suffix('>')?, 16).ok();
    let pairs = map.lines().filter_map(|line| {
        let (glyph, character) = line.split_once(' ')?;
        Some((number(glyph)?, char::from_u32(number(character)?.into())?))
    });
    pairs.collect()
}

/// The texts that the operators of a page show: `/F1 11 Tf` chooses a font and a size, and `(..) Tj` and
/// `<..> Tj` show glyphs.
fn texts(content: &[u8], maps: &[BTreeMap<u16, char>]) -> Vec<Shown> {
    let (mut shown, mut glyphs, mut words) = (Vec::new(), Vec::new(), Vec::<String>::new());
    let (mut font, mut size) = (0, String::new());
    let mut at = 0;
    while at < content.len() {
        match content[at] {
            b'(' => (glyphs, at) = literal(content, at + 1),
            b'<' => {
                let end = at + content[at..].iter().position(|&byte| byte == b'>').unwrap();
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
                glyphs =
                    content[at + 1..end].chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect();
                at = end + 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"(</".contains(byte);
                let len = 1 + content[at + 1..].iter().position(is_end).unwrap_or(content.len() - at - 1);
                let word = String::from_utf8_lossy(&content[at..at + len]).into_owned();
                at += len;
                match &*word {
                    "Tf" => {
                        let [.., name, points] = &words[..] else { panic!("{words:?}") };
                        (font, size) = (usize::from(name == "/F1"), points.clone());
                    }
                    "Tj" => {
                        let glyphs = glyphs.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                        let text = glyphs.map(|glyph| maps[font][&glyph]).collect();
                        shown.push(Shown { text, is_bold: font == 1, size: size.clone() });
                    }
                    _ => {}
                }
                words.push(word);
            }
        }
    }
    shown
}

/// The bytes of the string in parentheses that begins at an index, and the index after it.
fn literal(content: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let (mut bytes, mut depth) = (Vec::new(), 1);
    loop {
        let byte = content[at];
        at += 1;
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (bytes, at);
        }
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = content[at..].iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        if octal > 0 {
            let digits = std::str::from_utf8(&content[at..at + octal]).unwrap();
            bytes.push(u8::from_str_radix(digits, 8).unwrap());
            at += octal;
            continue;
        }
        bytes.push(match content[at] {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            other => other,
        });
        at += 1;
    }
}

#[test]
fn every_puzzle_and_its_solution_are_in_the_book() {
    let (scratch, puzzles) = (Scratch::new(), easy_puzzles(21, 5));
    let (file, out) = (scratch.file("p.txt", as_lines(&puzzles)), scratch.path("b.pdf"));
    let ran = book(&file, &out, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert_eq!(ran.err, "21 of 21 records are in the book, which has 8 pages\n");
    let pdf = Pdf::read(&out);
    assert_eq!(pdf.pages.len(), 8);
    let numbered = |write: &dyn Fn(&Puzzle) -> String| -> Vec<_> {
        (1..).zip(&puzzles).map(|(number, puzzle): (u32, _)| (number.to_string(), write(puzzle))).collect()
    };
    // A page has four puzzles, or twenty solutions.
    assert_eq!(
        (pdf.grids(0).len(), pdf.grids(5).len(), pdf.grids(6).len(), pdf.grids(7).len()),
        (4, 1, 20, 1)
    );
    assert!(pdf.all_grids(0..6) == numbered(&|puzzle| digits(&puzzle.to_string())));
    assert!(pdf.all_grids(6..8) == numbered(&solution));
    assert!(pdf.pages[6][0].text == "Solutions" && pdf.pages[0][0].text == "1", "{:?}", pdf.pages[0]);
    assert_eq!(scratch.names(), ["b.pdf", "p.txt"]);
}

#[test]
fn all_formats_have_the_same_texts_in_the_same_order() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", as_lines(&easy_puzzles(7, 5)));
    let named = |name: &str| {
        let path = scratch.path(name);
        let ran = book(&file, &path, &["--title", "A <&> B", "--cover", "--levels", "easy:5"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        path
    };
    let pdf = Pdf::read(&named("b.pdf"));
    let expected = pdf.texts();
    assert!(expected[..4] == ["A <&> B", "Easy", "1–5", "2"], "{:?}", &expected[..9]);
    for name in ["b.svg", "b.html", "b.htm"] {
        let text = std::fs::read_to_string(named(name)).unwrap();
        let texts = texts_of(&text);
        let is_shown = |text: &&str| !text.is_empty() && !text.contains('{');
        let mut shown = texts.iter().map(String::as_str).filter(is_shown);
        // The first text is the title of the document. A picture also has the names of its pages: each is a
        // number before the texts of the page.
        assert_eq!(shown.next(), Some("A <&> B"), "{name}");
        let mut shown: Vec<&str> = shown.collect();
        if name == "b.svg" {
            let mut at = 0;
            for (page, texts) in pdf.pages.iter().enumerate() {
                assert_eq!(shown.remove(at), (page + 1).to_string());
                at += texts.len();
            }
        }
        assert!(shown == expected, "{name}");
        assert!(text.contains("src:url(data:font/ttf;base64,AAEAAAA"), "{name} has no font");
        assert_eq!(text.matches("<svg ").count(), if name == "b.svg" { 1 } else { pdf.pages.len() });
        assert!(name == "b.svg" || text.contains("@page { size: 595.28pt 841.89pt; margin: 0 }"));
    }
}

#[test]
fn books_are_identical_for_any_threads_and_chunk_size() {
    let scratch = Scratch::new();
    let bad = format!("{MULTIPLE}\nbad\n{NONE}\n");
    let lines = as_lines(&easy_puzzles(300, 6)) + &bad + &as_lines(&easy_puzzles(40, 7)) + &bad;
    let file = scratch.file("p.txt", lines);
    for name in ["b.pdf", "b.svg", "b.html"] {
        for levels in [&[][..], &["--levels", "easy:..1.2:100,medium:..4.4:60"]] {
            let books: Vec<_> = [&["-t1"][..], &["-t4"], &["-t4", "--chunk-bytes", "700"]]
                .map(|threads| {
                    let path = scratch.path(name);
                    let ran = book(&file, &path, &[threads, levels].concat());
                    (ran.code, ran.err, std::fs::read(path).unwrap())
                })
                .into();
            assert!(
                books[0].2.len() > 50_000 && books.iter().all(|other| *other == books[0]),
                "{name} {levels:?}"
            );
            // Records after the last puzzle of the levels are not read, so they don't affect the exit code.
            assert_eq!(books[0].0, Some(i32::from(levels.is_empty())), "{}", books[0].1);
        }
    }
}

#[test]
fn each_level_is_a_section_with_the_requested_puzzles() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", include_str!("../../datasets/easy.txt"));
    let rated = run(gridmill().args(["rate", "-q"]).arg(&file));
    let of_level = |least: f64, most: f64, count| -> Vec<String> {
        let rows = rated.rows().into_iter().filter(|row| (least..=most).contains(&row[1].parse().unwrap()));
        rows.map(|row| digits(&row[0])).take(count).collect()
    };
    let out = scratch.path("b.pdf");
    let levels = "Second:1.5..1.5:9,easy:..1.2:5,Odd:1.3..2.0:2";
    let ran = book(&file, &out, &["--levels", levels, "--per-page", "4"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.starts_with("16 of ") && !ran.err.contains("of 2,000 "),
        "reading must end early: {}",
        ran.err
    );
    let pdf = Pdf::read(&out);
    let heads: Vec<&str> = pdf.pages.iter().map(|page| page[0].text.as_str()).collect();
    assert_eq!(heads, ["Second", "Second", "Second", "Easy", "Easy", "Odd", "Solutions"]);
    let clues = |pages| pdf.all_grids(pages).into_iter().map(|(_, digits)| digits).collect::<Vec<_>>();
    assert_eq!(clues(0..3), of_level(1.5, 1.5, 9));
    assert_eq!(clues(3..5), of_level(1.0, 1.2, 5));
    // A puzzle is given to the first level that has room.
    let later = of_level(1.3, 2.0, 2000);
    assert!(clues(5..6).iter().all(|clues| later.contains(clues) && !of_level(1.5, 1.5, 9).contains(clues)));
    let numbers: Vec<_> = pdf.all_grids(0..6).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, (1..=16).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_level_with_too_few_puzzles_is_reported() {
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", format!("{PROPER}\n").repeat(3)), scratch.path("b.pdf"));
    let ran = book(&file, &out, &["--levels", "easy:5,hard,Mine:..1.2:1"]);
    assert_eq!(ran.code, Some(1));
    let missing = "Easy: 3 of 5 puzzles: there are no more of that level\n";
    assert!(ran.err.starts_with(missing) && ran.err.contains("\nMine: 0 of 1 puzzles"), "{}", ran.err);
    // A level without puzzles has no section.
    assert_eq!(Pdf::read(&out).pages.len(), 2);
    let ran = book(&file, &out, &["--levels", "hard:5"]);
    assert!(ran.code == Some(2) && ran.err.ends_with("no puzzle is left for the book\n"), "{}", ran.err);
    let small = scratch.file("s.txt", "1.....3..4.....2\n");
    let ran = book(&small, &out, &["--levels", "easy"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("ratings are for puzzles of one size, 9x9"),
        "{}",
        ran.err
    );
}

#[test]
fn records_that_are_not_proper_puzzles_are_reported_and_left_out() {
    let scratch = Scratch::new();
    let lines = [PROPER, MULTIPLE, "# a comment", &PROPER[..80], NONE, CONFLICT, PROPER].join("\n");
    let (file, out) = (scratch.file("p.txt", lines), scratch.path("b.pdf"));
    let name = file.display();
    let messages = format!(
        "{name}:2:1: record 2: multiple: two solutions or more\n\
         {name}:4:81: record 3: malformed: 80 cells where 81 are needed\n\
         {name}:5:1: record 4: none: no solution\n\
         {name}:6:1: record 5: conflict: row 1 holds two 6s\n"
    );
    for levels in [&[][..], &["--levels", "easy"]] {
        let ran = book(&file, &out, levels);
        assert_eq!(ran.code, Some(1));
        assert_eq!(ran.err, format!("{messages}2 of 6 records are in the book, which has 2 pages\n"));
        let clues = digits(PROPER);
        assert_eq!(Pdf::read(&out).grids(0), [("1".to_owned(), clues.clone()), ("2".to_owned(), clues)]);
    }
    let few = book(&file, &out, &["--max-messages", "1"]).err;
    assert!(few.contains("\n… and 3 more: gridmill verify lists them all\n"), "{few}");
    let quiet = book(&file, &out, &["-q"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(1), ""));
    let stopped = book(
        &scratch.file("b.txt", format!("{PROPER}\n{}\n", ".".repeat(81))),
        &out,
        &["--budget-guesses", "3"],
    );
    assert!(
        stopped.err.contains("b.txt:2:1: record 2: budget: the search ended at the budget\n"),
        "{}",
        stopped.err
    );
}

#[test]
fn a_book_that_fails_leaves_no_file() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{MULTIPLE}\nbad\n"));
    let ran = book(&file, &scratch.path("b.pdf"), &[]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.ends_with("no puzzle is left for the book\n") && ran.err.lines().count() == 3,
        "{}",
        ran.err
    );
    for name in ["b.txt", "b", "b.csv", "-", "b.pdf.bz2"] {
        let ran = run(gridmill().arg("book").arg(&file).arg("-o").arg(name).current_dir(scratch.path("")));
        let advice = "a book is PDF, SVG or HTML: give a name that ends in .pdf, .svg or .html";
        assert!(ran.code == Some(2) && ran.err.contains(advice), "{name}: {}", ran.err);
    }
    let ran = run(gridmill().arg("book").arg(&file));
    assert!(ran.code == Some(2) && ran.err.contains("--output <FILE>"), "{}", ran.err);
    let marks = scratch.file("m.txt", "123456789".repeat(81));
    let ran = book(&marks, &scratch.path("b.pdf"), &[]);
    assert!(ran.code == Some(2) && ran.err.contains("puzzles with clues"), "{}", ran.err);
    assert_eq!(scratch.names(), ["m.txt", "p.txt"]);
}

#[test]
fn puzzles_of_every_size_are_printed_with_their_own_symbols() {
    let scratch = Scratch::new();
    let out = scratch.path("b.pdf");
    let generated = |shape: &str| run(gridmill().args(["generate", "-q", "-n", "2", "--shape", shape])).out;
    let mut all = String::new();
    for (shape, pages) in [("2x2", 2), ("2x3", 2), ("2x5", 2), ("4x4", 3), ("5x5", 3)] {
        let lines = generated(shape);
        let file = scratch.file("p.txt", &lines);
        let ran = book(&file, &out, &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let pdf = Pdf::read(&out);
        assert_eq!(pdf.pages.len(), pages, "{shape}");
        let solved = run(gridmill().args(["solve", "-q"]).arg(&file)).rows();
        let clues: Vec<_> = lines.lines().map(digits).collect();
        let puzzles = pdf.all_grids(0..pages - 1).into_iter().map(|(_, digits)| digits);
        assert_eq!(puzzles.collect::<Vec<_>>(), clues, "{shape}");
        let solutions: Vec<_> = pdf.grids(pages - 1).into_iter().map(|(_, digits)| digits).collect();
        assert_eq!(solutions, solved.iter().map(|row| row[1].clone()).collect::<Vec<_>>(), "{shape}");
        all += &lines;
    }
    let ran = book(&scratch.file("p.txt", &all), &out, &["--mixed", "--per-page", "2"]);
    assert_eq!((ran.code, Pdf::read(&out).pages.len()), (Some(0), 10), "{}", ran.err);
    // The numbers have two digits.
    let numbers = run(gridmill().args(["convert", "--to", "numbers", "-"]).write_stdin(generated("2x5"))).out;
    let ran = book(&scratch.file("n.txt", &numbers), &out, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let expected: String = numbers.split_whitespace().take(100).filter(|number| *number != "0").collect();
    assert_eq!(Pdf::read(&out).grids(0)[0].1, expected);
}

#[test]
fn pages_follow_the_layout_options() {
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", as_lines(&easy_puzzles(12, 8))), scratch.path("b.pdf"));
    for (arguments, pages, size) in [
        (&[][..], 4, "0 0 595.28 841.89"),
        (&["--cover"], 5, "0 0 595.28 841.89"),
        (&["--paper", "letter", "--per-page", "6"], 3, "0 0 612 792"),
        (&["--paper", "a5"], 7, "0 0 419.53 595.28"),
        (&["--per-page", "1", "--solutions-per-page", "0"], 12, "0 0 595.28 841.89"),
        (&["--per-page", "9", "--solutions-per-page", "4"], 5, "0 0 595.28 841.89"),
    ] {
        let ran = book(&file, &out, arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let pdf = Pdf::read(&out);
        let boxes = format!("/MediaBox[{size}]");
        let found = memchr::memmem::find_iter(&pdf.bytes, boxes.as_bytes()).count();
        assert_eq!((pdf.pages.len(), found), (pages, pages), "{arguments:?}");
    }
    let ran = book(&file, &out, &["--title", "Łamigłówki", "--solutions", "Rozwiązania", "--cover"]);
    let pdf = Pdf::read(&out);
    let heads: Vec<&str> = pdf.pages.iter().map(|page| page[0].text.as_str()).collect();
    assert_eq!(
        (ran.code, heads),
        (Some(0), vec!["Łamigłówki", "Łamigłówki", "Łamigłówki", "Łamigłówki", "Rozwiązania"])
    );
    for (arguments, refusal) in [
        (["--per-page", "0"], "0 is not in 1..=100"),
        (["--solutions-per-page", "101"], "101 is not in 0..=100"),
        (["--scale", "se"], "--levels"),
    ] {
        let ran = book(&file, &out, &arguments);
        assert!(ran.code == Some(2) && ran.err.contains(refusal), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn books_can_be_compressed_and_puzzles_can_be_piped() {
    let scratch = Scratch::new();
    let (lines, out) = (as_lines(&easy_puzzles(3, 9)), scratch.path("b.html.gz"));
    let ran = run(gridmill().args(["book", "-", "-q", "-o"]).arg(&out).write_stdin(lines));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&std::fs::read(&out).unwrap()[..]).read_to_string(&mut text).unwrap();
    assert!(
        ran.code == Some(0) && text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"),
        "{}",
        ran.err
    );
}
