//! The messages of the program: one table with the command line, the files that it reads, and the message, so
//! that a new message is written next to similar ones, in the same words.
//!
//! ```text
//! > NAME CONTENT     a file of the theme; \n, \r and \0 are escapes
//! $ ARGUMENTS        runs the program, with `< NAME` for its standard input
//! gridmill: …        the lines that it prints on standard error
//! ```
//!
//! A command that can't do its job (exit code 2) prints nothing else, and writes nothing. The others also
//! print summaries with times, so the lines of the table only have to be among those that they print. Long
//! puzzles have names (see `puzzles`), in files, arguments and messages; `$HERE` is the folder of the files.

use crate::program::{Ran, Scratch, gridmill, run};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// The names of puzzles and other long texts in the table.
fn puzzles() -> Vec<(&'static str, String)> {
    let solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let letter = |cell: usize| char::from(b'A' + ((cell / 16 * 4 + cell / 64 + cell % 16) % 16) as u8);
    let rows: Vec<&str> = (0..9).map(|row| &solved[9 * row..9 * row + 9]).collect();
    vec![
        ("$LINE", LINE.to_owned()),
        ("$SHORT", LINE[1..].to_owned()),
        ("$SOLVED", solved.to_owned()),
        ("$GRID", rows.join("\n")),
        ("$FOUR", "1.....3..4.....2".to_owned()),
        ("$MARKS", "123456789".repeat(81)),
        ("$X79", "x".repeat(79)),
        ("$X80", "x".repeat(80)),
        ("$DOTS", ".".repeat(81)),
        ("$ONES", "1".repeat(81)),
        ("$HEX", ".".repeat(255)),
        ("$Z256", "z".repeat(256)),
        ("$LETTERS", (0..256).map(letter).collect()),
        ("$WIDE", ".".repeat(324)),
        ("$FIVE", ".".repeat(625)),
        ("$LONG", "1".repeat(70_000)),
    ]
}

/// Replaces the names in a text by the puzzles.
fn expanded(text: &str) -> String {
    puzzles().iter().fold(text.to_owned(), |text, (name, puzzle)| text.replace(name, puzzle))
}

/// Writes the files of a theme, runs its commands, and compares their messages.
fn check(theme: &str) {
    let scratch = Scratch::new();
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for line in theme.trim().lines() {
        if let Some(file) = line.strip_prefix("> ") {
            let (name, content) = file.split_once(' ').unwrap_or((file, ""));
            let content = content.replace("\\n", "\n").replace("\\r", "\r").replace("\\0", "\0");
            scratch.file(name, expanded(&content));
        } else if let Some(command) = line.strip_prefix("$ ") {
            rows.push((command, Vec::new()));
        } else {
            let here = scratch.path("").canonicalize().unwrap();
            let message = expanded(line).replace("$HERE", here.to_str().unwrap());
            rows.last_mut().expect("the messages follow a command").1.push(message);
        }
    }
    let wrong: Vec<String> =
        rows.iter().filter_map(|(command, messages)| difference(&scratch, command, messages)).collect();
    assert!(wrong.is_empty(), "{} of {} messages differ:\n\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Runs a command of the table. If its messages differ from the expected ones, returns what it prints.
fn difference(scratch: &Scratch, command: &str, messages: &[String]) -> Option<String> {
    let (arguments, input) = command.split_once(" < ").unwrap_or((command, ""));
    let mut gridmill = gridmill();
    gridmill.current_dir(scratch.path(".")).args(shlex::split(&expanded(arguments)).unwrap());
    if !input.is_empty() {
        gridmill.write_stdin(std::fs::read(scratch.path(input)).unwrap());
    }
    let before = scratch.names();
    let Ran { code, out, err } = run(&mut gridmill);
    let lines: Vec<&str> = err.lines().collect();
    let are_printed = match code {
        // The argument parser also prints a usage line.
        Some(2) if err.starts_with("error: ") => lines[..1] == *messages,
        Some(2) => lines == *messages,
        _ => messages.iter().all(|message| lines.contains(&message.as_str())),
    };
    let is_refused_whole = code != Some(2) || (out.is_empty() && scratch.names() == before);
    let is_right = !messages.is_empty() && are_printed && is_refused_whole;
    (!is_right).then(|| format!("$ {command}\nexpected:\n{}\nprinted:\n{err}{out}", messages.join("\n")))
}

#[test]
fn files() {
    check(FILES);
}

/// Files that can't be read, or that have nothing to read.
const FILES: &str = r#"
> a.txt $LINE\n
> two.txt $LINE\n$LINE\n
> empty.txt
$ solve none.txt
gridmill: none.txt: can't be opened: No such file or directory (os error 2)
$ bench none.txt
gridmill: none.txt: can't be opened: No such file or directory (os error 2)
$ solve .
gridmill: .: is a directory; name the files in it
$ solve - - < a.txt
gridmill: standard input can be read only once: give - once
$ serve - -
gridmill: standard input can be read only once: give - once
$ solve a.txt:b
gridmill: a.txt:b: can't be opened: No such file or directory (os error 2)
$ solve a.txt none.txt --shard 1/2
gridmill: none.txt: can't be opened: No such file or directory (os error 2)
gridmill: --shard divides all files together, but some of them can't be opened
$ solve 53..7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79
gridmill: the arguments look like the rows of one puzzle: put the rows of a puzzle in quotes
$ verify empty.txt
gridmill: empty.txt: it has no records
$ verify - < empty.txt
gridmill: <stdin>: it has no records
$ check empty.txt
gridmill: empty.txt: it has no records
$ bench empty.txt
gridmill: empty.txt: it has no puzzles
$ matrix empty.txt
gridmill: empty.txt: it has no puzzles
$ matrix two.txt
gridmill: two.txt: it has several records: choose one with --record N
$ matrix two.txt --record 4
gridmill: two.txt: it has no record 4
$ book empty.txt -o book.pdf
gridmill: no puzzle is left for the book
"#;

#[test]
fn formats() {
    check(FORMATS);
}

/// Files whose format is unsupported, unclear, or different from what the options say.
const FORMATS: &str = r#"
> sqlite SQLite format 3\0
> packed.txt BZh91AY&SY
> objects.json [{"puzzle": "$LINE"}]\n
> strings.json ["$LINE"]\n
> grid.json [[5,3,0],[6,0,0]]\n
> numbers.json [5,3,0]\n
> object.json {\n"puzzle": "$LINE"\n}\n
> words.json "$LINE"\n
> mac.txt $LINE\r$LINE\r
> pair.txt $LINE|$LINE\n
> three.txt $LINE,$LINE,$LINE\n
> fields.txt 1|$LINE|easy\n
> line.txt $LINE\n
> bare.csv 1,$LINE,x\n2,$LINE,y\n
> cells.csv id,cells\n1,$LINE\n
> both.csv puzzle,quiz\n$LINE,$LINE\n
> cells.jsonl {"id": 1, "cells": "$LINE"}\n
> none.jsonl []\n[]\n
> wide.txt $WIDE\n
> hex.txt A$HEX\n
> z.txt $Z256\n
> rows.txt $GRID\n
> four.txt $FOUR\n
$ solve sqlite
gridmill: sqlite: the input is an SQLite database; pipe it in: sqlite3 -csv -header FILE 'SELECT * FROM TABLE' | gridmill COMMAND -
$ solve packed.txt
gridmill: packed.txt: the input is bzip2-compressed; pipe it in: bzcat FILE | gridmill COMMAND -
$ solve objects.json
gridmill: objects.json: the input is a JSON array of objects; pipe it in: jq -c '.[]' FILE | gridmill COMMAND -
$ solve strings.json
gridmill: strings.json: the input is a JSON array; pipe it in: jq -c '{puzzle: .[]}' FILE | gridmill COMMAND -
$ solve grid.json
gridmill: grid.json: the input is a JSON array of rows; pipe it in: jq -c '{puzzle: .}' FILE | gridmill COMMAND -
$ solve numbers.json
gridmill: numbers.json: the input is JSON arrays of numbers; pipe it in: jq -c '{puzzle: .}' FILE | gridmill COMMAND -
$ solve object.json
gridmill: object.json: the input is a JSON object over several lines; pipe it in: jq -c . FILE | gridmill COMMAND -
$ solve words.json
gridmill: words.json: the input is JSON strings; pipe it in: jq -r . FILE | gridmill COMMAND -
$ solve mac.txt
gridmill: mac.txt: the input is text whose lines end with CR alone; pipe it in: tr '\r' '\n' < FILE | gridmill COMMAND -
$ solve pair.txt
gridmill: pair.txt: a line has several puzzles, separated by '|'; give each its own line: tr '|' '\n' < FILE | gridmill COMMAND -, or read only the first of each line with --format line
$ solve three.txt
gridmill: three.txt: a line has several puzzles, separated by ','; give each its own line: tr ',' '\n' < FILE | gridmill COMMAND -, or read only the first of each line with --format line
$ solve fields.txt
gridmill: fields.txt: a line has fields separated by '|', one of them a puzzle; if they are columns, use --delimiter '|'
$ solve line.txt --format csv
gridmill: line.txt: the CSV input has no header row; --no-header reads it, and calls the columns 1, 2, ...
$ solve bare.csv --format csv --delimiter ';'
gridmill: bare.csv: the CSV input has no column with a usual name for puzzles; its columns are: 1,$LINE,x; name the one with the puzzles: --puzzle-column NAME
$ solve line.txt --format hodoku --shape 4x4
gridmill: line.txt: the format hodoku is for 9x9 puzzles: leave --shape out
$ solve line.txt --puzzle-column id
gridmill: line.txt: the CSV input has no header row; --no-header reads it, and calls the columns 1, 2, ...
$ solve rows.txt --delimiter ';' --format grid
gridmill: rows.txt: the input has no columns: its format is grid; leave --puzzle-column, --delimiter and --no-header out
$ solve cells.csv
gridmill: cells.csv: the CSV input has no column with a usual name for puzzles; its columns are: id, cells; name the one with the puzzles: --puzzle-column NAME
$ solve cells.csv --puzzle-column quiz
gridmill: cells.csv: the CSV input has no column 'quiz'; its columns are: id, cells; name the one with the puzzles: --puzzle-column NAME
$ solve both.csv
gridmill: both.csv: the input has several columns that may hold puzzles: puzzle (column 1), quiz (column 2); choose one with --puzzle-column, by its name or its number
$ solve cells.jsonl
gridmill: cells.jsonl: the JSON objects have no key with a usual name for puzzles; their keys are: id, cells; name the one with the puzzles: --puzzle-column NAME
$ solve cells.jsonl --puzzle-column quiz
gridmill: cells.jsonl: the JSON objects have no key 'quiz'; their keys are: id, cells; name the one with the puzzles: --puzzle-column NAME
$ solve none.jsonl --format jsonl
gridmill: none.jsonl: no line at the beginning of the input is a JSON object with keys
$ solve wide.txt
gridmill: wide.txt: 18x18 puzzles may have boxes of 2x9, 3x6, 6x3 or 9x2; choose one with --shape
$ solve hex.txt
gridmill: hex.txt: the 16x16 puzzles can be read with more than one alphabet; choose --alphabet 1-9A-G or --alphabet 0-9A-F or --alphabet A-P
$ solve z.txt
gridmill: z.txt: the 16x16 puzzles fit none of --alphabet 1-9A-G or --alphabet 0-9A-F or --alphabet A-P; give their digits in order with --alphabet
$ solve rows.txt --mixed
gridmill: rows.txt: --mixed is for one puzzle a line, CSV and JSON Lines, but this file has puzzles in rows
$ solve line.txt --alphabet A-P
gridmill: line.txt: --alphabet A-P is for 16x16 puzzles, but these are 9x9: leave it out
$ solve line.txt cells.csv --puzzle-column 2
gridmill: line.txt: the CSV input has no header row; --no-header reads it, and calls the columns 1, 2, ...
$ solve line.txt bare.csv --no-header
gridmill: bare.csv: differs from line.txt in the header; convert them to one form first (gridmill convert), or name them in separate runs
$ dedupe line.txt four.txt
gridmill: four.txt: differs from line.txt in the size; name them in separate runs
"#;

#[test]
fn records() {
    check(RECORDS);
}

/// Records that aren't puzzles, or whose clues contradict each other.
const RECORDS: &str = r#"
> a.txt $LINE\n$SHORT\n$LINEx\nx $LINE\nx$SHORT\n
> sizes.txt $FOUR\n$LINE\n
> odd.txt $LINE\n.....................................\n
> ragged.csv id,puzzle,x\n1,$LINE,a\n2,$LINE\n3,$LINE,b,c\n4,"$LINE,d\n5,$LINE,e\n
> bank.txt 0000183b305c $LINE 1.2\n0000183b305c $LINE 1.2\n$LINE\n
> hodoku.txt :0000:x:$LINE:::\n:0000:x:$LINE:::\n$LINE\n:0000:x:$LINE:7a4::\n
> marks.txt $MARKS\n5$MARKS\n
> a.jsonl {"puzzle": "$LINE"}\n{"id": 1}\n{"puzzle": true}\n5\n
> grid.txt 534678912\n67219534\n198342567\n859761423\n426853791\n713924856\n961537284\n287419635\n345286179\n\n$GRID\n
> conflict.txt 55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n
> large.txt 1 2 3 17 1 2 3 4 1 2 3 4 1 2 3 4\n
> long.txt $LINE\n$LONG\n
$ solve a.txt
a.txt:2:81: record 2: malformed: 80 cells where 81 are needed
a.txt:3:82: record 3: malformed: text after cell 81; separate a remark with a comma, a semicolon or a tab
a.txt:4:4: record 4: malformed: 2 cells where 81 are needed
$ solve a.txt --max-messages 1
a.txt:2:81: record 2: malformed: 80 cells where 81 are needed
… and 2 more that are malformed or in conflict: gridmill verify lists them all
$ bench a.txt
gridmill: a.txt:2:81: record 2: 80 cells where 81 are needed; measuring needs a puzzle in every record
$ solve sizes.txt --shape 2x2
sizes.txt:2:82: record 2: malformed: 81 cells, but the puzzles of this file are 4x4 (16 cells); --mixed accepts both
$ solve odd.txt --mixed
odd.txt:2:38: record 2: malformed: 37 cells are not a grid of a usual size (16, 36, 64, 81, 100, 144, 225, 256, 400 or 625 cells); give other shapes with --shape
$ solve ragged.csv
ragged.csv:3:1: record 2: malformed: the row has 2 fields, but the header has 3
ragged.csv:4:1: record 3: malformed: the row has 4 fields, but the header has 3
ragged.csv:5:3: record 4: malformed: the quoted field has no closing quote, so only this line is read
$ solve bank.txt
bank.txt:3:1: record 3: malformed: the line is not one of a puzzle bank: a hash of 12 hexadecimal digits, a space and the puzzle
$ solve hodoku.txt
hodoku.txt:3:1: record 3: malformed: the line is not one of a HoDoKu library: :technique:digits:cells:...
hodoku.txt:4:91: record 4: malformed: a deleted candidate must be a digit, its row and its column, as in 714
$ solve marks.txt
marks.txt:2:1: record 2: malformed: 5 where pencilmarks have 1, . or 0
$ solve a.jsonl
a.jsonl:2:1: record 2: malformed: the object does not have the key of the puzzles
a.jsonl:3:12: record 3: malformed: the grid is neither a string nor an array of numbers
a.jsonl:4:1: record 4: malformed: the line is not a JSON object: {"key": value, ...}; NaN is not JSON, write null
$ solve grid.txt
grid.txt:2:1: record 1: malformed: row 2 has 8 cells where 9 are needed
$ solve conflict.txt
conflict.txt:1:1: record 1: conflict: row 1 holds two 5s
$ solve large.txt --shape 2x2
large.txt:1:7: record 1: malformed: 17 is too large for a 4x4 puzzle
$ solve long.txt
long.txt:2:1: record 2: malformed: the record is longer than 64 KiB
$ book conflict.txt -o book.pdf
conflict.txt:1:1: record 1: conflict: row 1 holds two 5s
gridmill: no puzzle is left for the book
"#;

#[test]
fn outputs() {
    check(OUTPUTS);
}

/// Outputs: their names, and what is written to them.
const OUTPUTS: &str = r#"
> a.txt $LINE\n
> done.csv
> lost.csv.partial puzzle\n
> broken.csv.partial puzzle\n
> broken.csv.journal journal
> a.csv id,puzzle,note,note\n1,$LINE,a,b\n
> a.jsonl {"id": 1, "puzzle": "$LINE"}\n
> four.txt $FOUR\n
$ solve a.txt -o a.txt
gridmill: a.txt: is also an input; choose another name for the output
$ solve a.txt -o none/o.csv
gridmill: none/o.csv: can't be written: No such file or directory (os error 2)
$ solve a.txt -o o.csv --summary o.csv
gridmill: two outputs would both be written to o.csv: give each its own name
$ solve a.txt --summary -
gridmill: two outputs would both be written to <stdout>: give each its own name
$ bench a.txt --plot o.svg --save o.svg
gridmill: two outputs would both be written to o.svg: give each its own name
$ split a.txt --ratio 1:1 -o o.txt -o o.txt
gridmill: two outputs would both be written to o.txt: give each its own name
$ solve a.txt -o done.csv --skip-existing
gridmill: done.csv: already exists; nothing was done
$ solve a.txt -o - --skip-existing
gridmill: --skip-existing needs an output file for the rows: name it with -o
$ solve a.txt -o - --resume
gridmill: --resume needs an output file for the rows: name it with -o
$ solve a.txt -o /dev/null --resume
gridmill: /dev/null: --resume needs an output that is a regular file
$ solve a.txt -o lost.csv --resume
gridmill: $HERE/lost.csv.partial: the journal of these rows is missing; move the file away to start again
$ solve a.txt -o broken.csv --resume
gridmill: $HERE/broken.csv.journal: this journal can't be used: it is damaged, or of another version of gridmill; remove it and $HERE/broken.csv.partial to start again
$ solve a.txt -o o.csv.bz2
gridmill: o.csv.bz2: can't be written: the only compressed files that gridmill writes are .gz, .zst and .xz
$ solve a.txt -o o.xlsx
gridmill: o.xlsx: this name suggests a spreadsheet, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ solve a.txt -o o.json
gridmill: o.json: this name suggests one JSON document, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ solve a.txt -o o.npy
gridmill: o.npy: this name suggests arrays of Python, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ solve a.txt -o o.svg
gridmill: o.svg: this name suggests an image, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ solve a.txt -o o.pdf
gridmill: o.pdf: this name suggests PDF, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ solve a.txt -o o.html
gridmill: o.html: this name suggests HTML, but the rows are CSV or JSON Lines: choose one that ends in .csv or .jsonl
$ candidates a.txt --counts -o o.jsonl
gridmill: o.jsonl: this name suggests JSON Lines, but the rows are CSV: choose one that ends in .csv
$ select a.csv -o o.jsonl
gridmill: o.jsonl: records are written unchanged, in csv: choose another name, or convert them first (gridmill convert)
$ select a.jsonl -o o.csv
gridmill: o.csv: records are written unchanged, in JSON Lines: choose another name, or convert them first (gridmill convert)
$ solve a.jsonl --to csv
gridmill: the CSV has only the puzzles of the objects; --to jsonl keeps all keys
$ solve a.csv --columns x
gridmill: there is no column 'x' for --columns; the columns are: id, puzzle, note, note, solution, status, guesses, time_ns, file, record, line
$ solve a.csv --columns note
gridmill: 'note' for --columns may mean several columns: note (column 3), note (column 4); choose one by its number
$ solve a.csv --columns id,id
gridmill: --columns names id more than once: each column is written once
$ solve a.csv --columns ''
error: invalid value '' for '--columns <NAMES>': give names of columns, as in record,status
$ solve a.txt --to grid --columns puzzle
gridmill: --columns chooses columns of CSV or keys of JSON Lines, and grids have none: leave --to grid or --columns out
$ bench a.txt --plot o.png
gridmill: o.png: --plot draws SVG: give a name that ends in .svg, or in .svg.gz for a compressed one
$ stats a.txt --html o.txt
gridmill: o.txt: --html writes HTML: give a name that ends in .html, or in .html.gz for a compressed one
$ book a.txt -o o.txt
gridmill: o.txt: a book is PDF, SVG or HTML: give a name that ends in .pdf, .svg or .html
$ convert a.txt --to hodoku --to-alphabet A-I
gridmill: --to-alphabet cannot be used with --to hodoku, which has digits of its own: leave it out
$ convert four.txt --to hodoku
gridmill: --to hodoku is for 9x9 puzzles, but these are 4x4: choose another form
$ convert a.txt --blank 5
error: invalid value '5' for '--blank <CHAR>': give one of . 0 _ - * ? x X
$ convert a.txt --to numbers --blank x
gridmill: --blank has no effect on numbers: leave it out
$ convert a.txt --to-alphabet A-P
gridmill: --to-alphabet A-P is for 16x16 puzzles, but these are 9x9: leave it out
$ generate --to csv --with-solution
gridmill: --with-solution cannot be used with CSV or JSON Lines, which have the solution in a column: leave it out
$ generate --columns clues
gridmill: --columns chooses columns of CSV or JSON Lines: give --to csv, --to jsonl, or a name that ends in .csv or .jsonl
$ generate --to csv --columns er
gridmill: there is no column 'er' for --columns; the columns are: puzzle, solution, clues, guesses
$ generate -o none/o.txt
gridmill: none/o.txt: can't be written: No such file or directory (os error 2)
"#;

#[test]
fn options() {
    check(OPTIONS);
}

/// Values of options.
const OPTIONS: &str = r#"
> a.txt $LINE\n
> five.txt $FIVE\n
$ solve a.txt --shard 3
error: invalid value '3' for '--shard <K/N>': give the number of a part and how many there are, as in 3/64
$ solve a.txt --shard 0/4
error: invalid value '0/4' for '--shard <K/N>': parts are counted from 1
$ solve a.txt --shard 5/4
error: invalid value '5/4' for '--shard <K/N>': there is no part 5 of 4: they are counted from 1 to 4
$ solve a.txt --shard 1/2000000
error: invalid value '1/2000000' for '--shard <K/N>': there can be at most 1000000 parts
$ solve a.txt --shape 3x9
error: invalid value '3x9' for '--shape <RxC>': '3x9' is not a shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to 25
$ solve a.txt --alphabet 9-1
error: invalid value '9-1' for '--alphabet <SYMBOLS>': '9-1' is not an alphabet: a range runs backwards; give the digits in order, as in 1-9A-G
$ solve a.txt --alphabet 1-9?
error: invalid value '1-9?' for '--alphabet <SYMBOLS>': '1-9?' is not an alphabet: only letters and digits are symbols; give the digits in order, as in 1-9A-G
$ solve a.txt --alphabet 1123
error: invalid value '1123' for '--alphabet <SYMBOLS>': '1123' is not an alphabet: a symbol is in it twice; give the digits in order, as in 1-9A-G
$ solve a.txt --alphabet 123
error: invalid value '123' for '--alphabet <SYMBOLS>': '123' is not an alphabet: it has 3 symbols, and grids have 4 to 25; give the digits in order, as in 1-9A-G
$ solve a.txt --delimiter 5
error: invalid value '5' for '--delimiter <C>': give one of , ; | : ! / & ~ ^ or tab
$ solve a.txt --budget-time x
error: invalid value 'x' for '--budget-time <SECONDS>': give seconds, as in 10 or 0.5
$ bench a.txt --time=-1
error: invalid value '-1' for '--time <SECONDS>': give seconds, as in 10 or 0.5
$ sort a.txt --by er --memory 1K
error: invalid value '1K' for '--memory <SIZE>': give 64K or more
$ sort a.txt --by er --memory lots
error: invalid value 'lots' for '--memory <SIZE>': give a number of bytes, as in 500K, 256M or 4G
$ select a.txt --clues 28..24
error: invalid value '28..24' for '--clues <N|MIN..MAX>': give a number, or two with the smaller one first: 24, 24..28, 24.. or ..28
$ select a.txt --er 4.2..3.0
error: invalid value '4.2..3.0' for '--er <R|MIN..MAX>': there is no rating from 4.2 to 3.0: give the smaller one first
$ select a.txt --er 22
error: invalid value '22' for '--er <R|MIN..MAX>': "22" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2
$ rate a.txt --up-to 3.85
error: invalid value '3.85' for '--up-to <RATING>': "3.85" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2
$ explain a.txt --until 4.25
error: invalid value '4.25' for '--until <RATING|ROUND>': "4.25" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2
$ explain a.txt --until x
error: invalid value 'x' for '--until <RATING|ROUND>': give a rating with a point, such as 4.2, or the number of a round, such as 12
$ select a.txt --technique xwing
error: invalid value 'xwing' for '--technique <NAME>': there is no technique "xwing"; the techniques are last-cell, hidden-single-box, hidden-single-line, direct-pointing, direct-claiming, direct-hidden-pair, naked-single, direct-hidden-triplet, pointing, claiming, naked-pair, x-wing, hidden-pair, naked-triplet, swordfish, hidden-triplet, turbot-fish, xy-wing, xyz-wing, unique-rectangle, unique-loop, naked-quad, jellyfish, hidden-quad, three-strong-links, wxyz-wing, bug, four-strong-links, vwxyz-wing, aligned-pair, x-cycle, y-cycle, uvwxyz-wing, x-chain, chain, cycle, tuvwxyz-wing, aligned-triplet, nishio, cell-chains, house-chains, dynamic-chains, dynamic-plus, nested-chains
$ split a.txt --ratio 90 -o b.txt
error: invalid value '90' for '--ratio <N:N>': give a whole number above 0 for each part: 90:10, or 8:1:1
$ split a.txt --ratio 0.9:0.1 -o b.txt
error: invalid value '0.9:0.1' for '--ratio <N:N>': give a whole number above 0 for each part: 90:10, or 8:1:1
$ split a.txt --ratio 1:0 -o b.txt
error: invalid value '1:0' for '--ratio <N:N>': give a whole number above 0 for each part: 90:10, or 8:1:1
$ split a.txt --ratio 90:10 -o b.txt
gridmill: --ratio makes 2 parts, but there is 1 output: give one -o for each part
$ split a.txt --ratio 1:1 -o b.txt -o c.txt -o d.txt
gridmill: --ratio makes 2 parts, but there are 3 outputs: give one -o for each part
$ solve a.txt --engine bitmask --backend portable
gridmill: --backend portable: only the lockstep engine has backends; leave it out, or choose --engine lockstep
$ solve five.txt --alphabet A-Y --engine lockstep
gridmill: the lockstep engine is for puzzles of one size up to 16x16, but these are 25x25: leave --engine and --backend out, or choose bitmask, dancing-links, singles or backtracking
$ bench five.txt --alphabet A-Y --engine lockstep
gridmill: 'lockstep' does not solve puzzles of 25x25 with boxes of 5x5; bitmask, dancing-links, singles and backtracking do
$ bench a.txt --engine bitmask --backend portable
gridmill: --backend: only the lockstep engine has backends, up to 16x16; leave it out, or choose --engine lockstep
$ bench a.txt --engine abacus
gridmill: there is no engine 'abacus' to measure; the engines are lockstep, bitmask, dancing-links, singles, backtracking
$ bench a.txt --engine bitmask,bitmask
gridmill: --engine names bitmask more than once: each engine is measured once
$ bench a.txt --backend portable,portable
gridmill: --backend names portable more than once: each backend is measured once
$ bench a.txt --program tdoku
error: invalid value 'tdoku' for '--program <NAME='COMMAND {}'>': give a name without blanks, and the command: NAME='COMMAND {}'
$ bench a.txt --program 'a b=c'
error: invalid value 'a b=c' for '--program <NAME='COMMAND {}'>': give a name without blanks, and the command: NAME='COMMAND {}'
$ bench a.txt --program a=
error: invalid value 'a=' for '--program <NAME='COMMAND {}'>': there is no command after the name: NAME='COMMAND {}'
$ bench a.txt --program "a=sh -c 'x"
error: invalid value 'a=sh -c 'x' for '--program <NAME='COMMAND {}'>': a quote in the command is not closed, or a backslash is its last character
$ bench a.txt --program bitmask=cat
gridmill: --program bitmask: there is an engine with that name: choose another name
$ bench a.txt --program a=cat --program a=tac
gridmill: --program a: there is another program with that name: choose another name
$ book a.txt -o b.pdf --levels mine
error: invalid value 'mine' for '--levels <LEVEL,…>': 'mine' needs ratings, because only easy, medium and hard have their own: give mine:3.0..4.2
$ book a.txt -o b.pdf --levels mine:x
error: invalid value 'mine:x' for '--levels <LEVEL,…>': 'mine:x' is not a level: give NAME:RATINGS:COUNT, as in easy:..2.5:40, or easy:40
$ book a.txt -o b.pdf --title 数独
error: invalid value '数独' for '--title <TEXT>': the font of books has no '数': it has the letters of Latin script
$ man nothing
gridmill: there is no command 'nothing' (gridmill --help)
"#;

#[test]
fn kinds_and_sizes() {
    check(KINDS_AND_SIZES);
}

/// Puzzles of a kind or size that a command or an option is not for.
const KINDS_AND_SIZES: &str = r#"
> a.txt $LINE\n
> four.txt $FOUR\n
> marks.txt $MARKS\n
> hex.txt A$HEX\n
$ rate four.txt --format line
gridmill: ratings are for puzzles of one size, 9x9, but these are 4x4
$ rate a.txt --mixed
gridmill: ratings are for puzzles of one size, 9x9, but these are of mixed sizes
$ select four.txt --format line --er 1.2
gridmill: ratings are for puzzles of one size, 9x9, but these are 4x4
$ hint four.txt --format line
gridmill: techniques are for 9x9 puzzles, but these are 4x4; gridmill explain --trace backtracking is for every size
$ explain four.txt --format line
gridmill: techniques are for 9x9 puzzles, but these are 4x4; gridmill explain --trace backtracking is for every size
$ canon hex.txt --alphabet A-P
gridmill: canonical forms are for puzzles of one size up to 9x9, but these are 16x16
$ dedupe a.txt --isomorphic --mixed
gridmill: a.txt: canonical forms are for puzzles of one size up to 9x9, but these are of mixed sizes
$ dedupe marks.txt --isomorphic
gridmill: marks.txt: canonical forms are for puzzles with clues, but these are pencilmarks
$ neighbors hex.txt --alphabet A-P --each
gridmill: neighbors are for puzzles of one size up to 9x9, but these are 16x16
$ neighbors a.txt --each --pattern x.x
gridmill: the pattern has 3 cells where 81 are needed
$ canon marks.txt
gridmill: marks.txt: this command is for puzzles with clues, but these are pencilmarks; the commands for them are solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert
$ bench marks.txt
gridmill: marks.txt: this command is for puzzles with clues, but these are pencilmarks; the commands for them are solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert
$ solve marks.txt --mixed
gridmill: marks.txt: --mixed is for puzzles with clues, but these are pencilmarks, which are all 9x9: leave it out
$ count marks.txt --shared
gridmill: --shared is for puzzles with clues, but these are pencilmarks: gridmill candidates shows where their solutions differ
$ solve marks.txt --engine singles
gridmill: the engine singles does not solve pencilmarks: leave --engine and --backend out, or choose bitmask
$ convert marks.txt --to grid
gridmill: --to grid is for puzzles with clues, but these are pencilmarks: choose pencilmarks, csv or jsonl
$ count --grids --shape 4x4
gridmill: the full grids of shape 4x4 are too many to count: gridmill can count 2x2, 2x3, 2x4, 2x5 and 3x3, and the transposed ones, e.g. 3x2
$ matrix 55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 --reduced
gridmill: 55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79: row 1 holds two 5s, so the puzzle has no solution, and its matrix can't be reduced: leave --reduced out
$ enumerate marks.txt
gridmill: marks.txt: this command is for puzzles with clues, but these are pencilmarks; the commands for them are solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert
$ shuffle marks.txt
gridmill: marks.txt: this command is for puzzles with clues, but these are pencilmarks; the commands for them are solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert
"#;

#[test]
fn columns_and_solutions() {
    check(COLUMNS_AND_SOLUTIONS);
}

/// Columns, keys, conditions and solutions.
const COLUMNS_AND_SOLUTIONS: &str = r#"
> a.csv id,puzzle,x,x\n1,$LINE,,\n
> a.jsonl {"id": 1, "puzzle": "$LINE"}\n
> bank.txt a1b2c3d4e5f6 $LINE  1.2\n
> a.txt $LINE\n
> hodoku.txt :0000:x:$LINE:::\n
> solved.csv puzzle,solution,answer\n$LINE,$SOLVED,$SOLVED\n
> unsolved.csv puzzle\n$LINE\n
$ select a.csv --where 'rating>3'
gridmill: there is no column 'rating' for --where; the columns are: id, puzzle, x, x
$ select a.csv --where 'id > column(rating)'
gridmill: there is no column 'rating' for --where; the columns are: id, puzzle, x, x
$ select a.jsonl --where 'rating>3'
gridmill: there is no key 'rating' for --where; the keys are: id, puzzle
$ select bank.txt --where 'clues>3'
gridmill: there is no column 'clues' for --where; the columns are: hash, rating
$ select a.txt --where 'id=3'
gridmill: --where is for CSV, JSON Lines and puzzle banks, but this file has another format
$ select a.csv --where 'x>3'
gridmill: 'x' for --where may mean several columns: x (column 3), x (column 4); choose one by its number
$ select a.csv --where id
error: invalid value 'id' for '--where <CONDITION>': 'id' is not a condition: give a column, a relation and a value, as in rating>=3
$ select a.csv --where 'id in (1,2'
error: invalid value 'id in (1,2' for '--where <CONDITION>': 'id in (1,2': the list of values has no closing )
$ select a.csv --where 'id > column(x'
error: invalid value 'id > column(x' for '--where <CONDITION>': 'id > column(x': give a column as in column(NAME)
$ select a.csv --where 'id > hard'
error: invalid value 'id > hard' for '--where <CONDITION>': 'id > hard': only numbers have an order, but 'hard' is not a number; use = or !=
$ select a.csv --sample 5 --stratify levels
gridmill: there is no column 'levels' for --stratify; the columns are: id, puzzle, x, x
$ select a.csv --sample 5 --stratify 'id by 0'
error: invalid value 'id by 0' for '--stratify <COLUMN>': 'id by 0': bins need a width above 0
$ select a.csv --sample 5 --stratify ''
error: invalid value '' for '--stratify <COLUMN>': '' names no column: give one, or clues, or bins as in 'rating by 0.5'
$ sort a.csv --by ep
gridmill: there is no column 'ep' for --by; the columns are: id, puzzle, x, x
$ sort a.csv --by 'id,column(clues)'
gridmill: there is no column 'clues' for --by; the columns are: id, puzzle, x, x
$ sort a.txt --by er
gridmill: --by is for CSV, JSON Lines and puzzle banks, but this file has another format
$ sort a.csv --by id --tmp none
gridmill: none: temporary files can't be written there: No such file or directory (os error 2); name a folder with more space with --tmp, or allow more memory with --memory
$ check unsolved.csv
gridmill: unsolved.csv: the CSV input has no column with a usual name for solutions; its columns are: puzzle; name the one with the solutions: --solution-column NAME
$ check unsolved.csv --solution-column x
gridmill: unsolved.csv: the CSV input has no column 'x'; its columns are: puzzle; name the one with the solutions: --solution-column NAME
$ check solved.csv
gridmill: solved.csv: the input has several columns that may hold solutions: solution (column 2), answer (column 3); choose one with --solution-column, by its name or its number
$ check solved.csv --solution-column puzzle
gridmill: solved.csv: the puzzles and the solutions would be read from the same column: choose others with --puzzle-column and --solution-column
$ check a.txt --solution-column x
gridmill: a.txt: the input has no columns: leave --solution-column out
$ check hodoku.txt
gridmill: hodoku.txt: solutions are read from CSV, JSON Lines, or lines of puzzle,solution, but this file has another format
$ check a.jsonl
gridmill: a.jsonl: the JSON objects have no key with that name, or with a usual name for solutions; their keys are: id, puzzle; name the one with the solutions: --solution-column NAME
"#;

#[test]
fn parts() {
    check(PARTS);
}

/// Parts of files.
const PARTS: &str = r#"
> rows.txt $GRID\n
> quoted.csv id,puzzle\n"1\n",$LINE\n2,$LINE\n
> a.txt $LINE\n
$ solve rows.txt --shard 1/2
gridmill: rows.txt: --shard takes files with one record per line, but this one has records that span several lines: convert it first (gridmill convert --to line)
$ solve quoted.csv --shard 1/2
gridmill: quoted.csv:2: this row has line breaks in quotes, but --shard takes files with one record per line: leave --shard out
$ solve - --shard 1/2 < a.txt
gridmill: <stdin>: --shard takes files with one record per line, but this one is standard input: write it to a file first
$ solve $LINE --shard 1/2
gridmill: $LINE: --shard takes files with one record per line, but this one is a puzzle, not a file: leave --shard out
$ solve /dev/null --shard 1/2
gridmill: /dev/null: --shard takes files with one record per line, but this one is not a regular file: write it to one first
$ solve a.zip:a.txt --shard 1/2
gridmill: a.zip:a.txt: can't be opened: No such file or directory (os error 2)
$ select rows.txt --clues 20 -o o.txt --resume
gridmill: --resume takes files with one record per line: convert these files first (gridmill convert --to line)
"#;

#[test]
fn generating() {
    check(GENERATING);
}

/// Puzzles that can't be generated.
const GENERATING: &str = r#"
> solved.txt $SOLVED\n
> words.txt hello\n
$ generate --clues 90
gridmill: a puzzle of 81 cells can't have 90 clues (gridmill generate --help)
$ generate --clues 16
gridmill: no puzzle with fewer than 17 clues has exactly one solution in 9x9, but 16 are asked for: ask for 17 or more (gridmill generate --help)
$ generate --clues 0
gridmill: no puzzle with fewer than 17 clues has exactly one solution in 9x9, but 0 are asked for: ask for 17 or more (gridmill generate --help)
$ generate --clues 14 --shape 4x4
gridmill: no puzzle with fewer than 15 clues has exactly one solution in 16x16, but 14 are asked for: ask for 15 or more (gridmill generate --help)
$ generate --clues many
error: invalid value 'many' for '--clues <N|MIN..MAX>': give a number, or two with the smaller one first: 24, 24..28, 24.. or ..28
$ generate --clues 30..20
error: invalid value '30..20' for '--clues <N|MIN..MAX>': give a number, or two with the smaller one first: 24, 24..28, 24.. or ..28
$ generate --symmetry rotate90 --clues 22..23
gridmill: clues with the symmetry rotate90 come in groups, which never add up to 22 to 23 clues: ask for 21 or 24 (gridmill generate --help)
$ generate --symmetry rotate180 --clues 101 --shape 4x4
gridmill: clues with the symmetry rotate180 come in groups, which never add up to 101 clues: ask for 100 or 102 (gridmill generate --help)
$ generate --pattern x.x
gridmill: the pattern has 3 cells where 81 are needed (gridmill generate --help)
$ generate --pattern xz
error: invalid value 'xz' for '--pattern <CELLS|@FILE>': 'z' is neither x, for a clue, nor . for a blank, nor a digit (1-9, A-P); to read a file, write @FILE
$ generate --pattern @none
error: invalid value '@none' for '--pattern <CELLS|@FILE>': none: can't be read: No such file or directory (os error 2)
$ generate --pattern @words.txt
gridmill: the pattern has 5 cells where 81 are needed (gridmill generate --help)
$ generate --pattern 33$X79
gridmill: the pattern has a digit twice in row 1 (gridmill generate --help)
$ generate --pattern 3$X80 --grid-method bands
gridmill: the grid method bands cannot be used with given digits or a given grid: leave it out (gridmill generate --help)
$ generate --pattern $DOTS
gridmill: no puzzle with fewer than 17 clues has exactly one solution in 9x9, but 0 are asked for: ask for 17 or more (gridmill generate --help)
$ generate --pattern xxxxxxxxxxxxxxxxxxxxxxxxxxx..................xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
gridmill: the pattern has no clue in rows 4 and 5: they could be swapped in every solution, so put a clue into one of them (gridmill generate --help)
$ generate --pattern 12345678x........9xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
gridmill: no full grid has the digits of the pattern in these places: change one of them to x (gridmill generate --help)
$ generate --pattern x$X80 --symmetry mirror
gridmill: a pattern cannot be used with a symmetry or a number of clues: it determines both (gridmill generate --help)
$ generate --pattern x$X80 --clues 30
gridmill: a pattern cannot be used with a symmetry or a number of clues: it determines both (gridmill generate --help)
$ generate --from 12
gridmill: the grid to dig has 2 cells where 81 are needed (gridmill generate --help)
$ generate --from $DOTS
gridmill: the grid to dig is not a solution: it has blanks; solve it first (gridmill generate --help)
$ generate --from $ONES
gridmill: the grid to dig is not a solution: it has a digit twice in row 1 (gridmill generate --help)
$ generate --from A$HEX --shape 4x4
gridmill: the grid to dig is not a solution: it has blanks; solve it first (digits are 1-9A-G, and 0 is a blank) (gridmill generate --help)
$ generate --from $LETTERS --shape 4x4
gridmill: the grid to dig has the digit 17, but those of 16x16 are 1 to 16, written 1-9A-G (gridmill generate --help)
$ generate --from solved.txt
error: invalid value 'solved.txt' for '--from <GRID|@FILE>': 's' is not a digit: 1-9, and A-P for 10 to 25; to read the file, write @solved.txt
$ generate --from 'one'
gridmill: the grid to dig has 3 cells where 81 are needed (gridmill generate --help)
$ generate --from '12?'
error: invalid value '12?' for '--from <GRID|@FILE>': '?' is not a digit: 1-9, and A-P for 10 to 25; to read a file, write @FILE
$ generate --from @words.txt
gridmill: the grid to dig has 5 cells where 81 are needed (gridmill generate --help)
$ generate --from $SOLVED --pattern 3$X80
gridmill: the pattern and the grid to dig have different digits in r1c1 (gridmill generate --help)
$ generate --from $SOLVED --pattern x$X80 -n 3
gridmill: this grid and this pattern make only one puzzle, but 3 are asked for: ask for 1 with --count, or leave --pattern out
$ generate --no-guess --guesses 1..
gridmill: a puzzle that singles solve needs no guess, but 1 or more are asked for: leave one of the two options out (gridmill generate --help)
$ generate --no-guess --er 3.0..
gridmill: a puzzle that singles solve is rated 2.3 at most, but 3.0 or more is asked for: leave one of the two options out (gridmill generate --help)
$ generate --er 4.5..4.0
error: invalid value '4.5..4.0' for '--er <R|MIN..MAX>': there is no rating from 4.5 to 4.0: give the smaller one first
$ generate --er 22
error: invalid value '22' for '--er <R|MIN..MAX>': "22" is not a rating: give 1.0 to 13.0 in tenths, such as 4.2
$ generate --technique xwing
error: invalid value 'xwing' for '--technique <NAME>': there is no technique "xwing"; the techniques are last-cell, hidden-single-box, hidden-single-line, direct-pointing, direct-claiming, direct-hidden-pair, naked-single, direct-hidden-triplet, pointing, claiming, naked-pair, x-wing, hidden-pair, naked-triplet, swordfish, hidden-triplet, turbot-fish, xy-wing, xyz-wing, unique-rectangle, unique-loop, naked-quad, jellyfish, hidden-quad, three-strong-links, wxyz-wing, bug, four-strong-links, vwxyz-wing, aligned-pair, x-cycle, y-cycle, uvwxyz-wing, x-chain, chain, cycle, tuvwxyz-wing, aligned-triplet, nishio, cell-chains, house-chains, dynamic-chains, dynamic-plus, nested-chains
$ generate --shape 2x2 --er 1.2
gridmill: ratings are for 9x9, but these are 4x4 puzzles: ask for no rating and no technique (gridmill generate --help)
$ generate --shape 4x4 --grid-method bands
gridmill: the grid method bands is for 9x9 only (gridmill generate --help)
$ generate --shape 7x7
error: invalid value '7x7' for '--shape <RxC>': '7x7' is not a shape: give the rows and columns of a box, as in 3x3 or 2x3, for a side from 4 to 25
$ generate --no-isomorphs --shape 4x4
gridmill: --no-isomorphs: puzzles are compared by isomorphism for 4x4, 6x6, 8x8 and 9x9 only, but these are 16x16 with boxes of 4x4; --distinct refuses equal ones
$ generate -q --clues 17 --attempts 3 --seed 1
gridmill: found 0 of 1 puzzle, and then none in 3 attempts (the fewest clues reached were 23): there may be no more of that kind, or they are rare; ask for something else, or for more --attempts
$ generate -q --shape 4x4 --minimal --attempts 1 --clues 60 --seed 1
gridmill: found 0 of 1 puzzle, and then none in 1 attempt (the fewest clues reached were 88): there may be no more of that kind, or they are rare; ask for something else, or for more --attempts
"#;

#[test]
fn notes() {
    check(NOTES);
}

/// Notes and summaries of runs that do their work.
const NOTES: &str = r#"
> a.txt $LINE\n
> a.csv id,puzzle\n2,$LINE\n1,$LINE\n
> six.txt 1.2...\n..1...\n......\n......\n......\n......\n
$ select a.csv --clues 30
selected 2 of 2 records
$ select a.csv --sample 1 -o -
selected 1 of 2 records
$ sort a.csv --by id
sorted 2 records, wrote 2
$ book a.txt -o book.pdf
1 of 1 record is in the book, which has 2 pages
$ book a.txt -o levels.pdf --levels easy:5
Easy: 1 of 5 puzzles: there are no more of that level
1 of 1 record is in the book, which has 2 pages
"#;
