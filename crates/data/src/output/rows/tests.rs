use std::path::Path;

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Job, Solve};
use proptest::prelude::*;

use super::*;
use crate::text::{Batch, FormatOptions};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A field as it stands in a row.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,4}",
        "\"[a-z;\n]{0,4}\"",
        "\"[a-z]{0,2}\"\"[a-z;]{0,2}\"",
        "[a-z]\"[a-z]",
        "[éß]{1,2}"
    ]
}

/// Returns the rows of a table: with all columns, and with those that are chosen. 100 records on 1,000 lines stand in front.
fn written(text: &str, chosen: &[usize], is_json: bool) -> [Vec<u8>; 2] {
    let layout = FormatOptions::default().layout(text.as_bytes(), false).unwrap().unwrap();
    let chunk = &text.as_bytes()[layout.body..];
    let mut batch = Batch::default();
    layout.format().read(chunk, &mut batch);
    let job = Solve::default();
    let answers = job.answer(&batch.puzzles).unwrap();
    let records = AnsweredRecords::<Puzzle>::of_chunk(chunk, &batch, &answers);
    let records = AnsweredRecords { file: Path::new("a;\"b\""), lines_before: 1000, number: 101, ..records };
    let whole = if is_json { Rows::json(&layout, &job.schema()) } else { Rows::csv(&layout, &job.schema()) };
    let choose = |_: &[String]| Ok::<_, ()>(Some(chosen.to_vec()));
    let some = Rows::chosen([&layout].into_iter(), &job.schema(), is_json, choose).unwrap().unwrap();
    [whole, some].map(|rows| {
        let mut out = Vec::new();
        Sink::<Puzzle>::header(&rows, &mut out);
        rows.write(&records, &mut out);
        out
    })
}

/// Returns the fields of rows that have semicolons between them.
fn table(text: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').has_headers(false).from_reader(text);
    let text = |row: csv::ByteRecord| {
        row.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>()
    };
    reader.byte_records().map(|row| text(row.unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checks that rows of chosen columns have the fields of whole rows, in the chosen order.
    #[test]
    fn chosen_fields_are_those_of_whole_rows(
        rows in prop::collection::vec((field(), any::<bool>(), field(), 0..4_usize), 0..6),
        mut chosen in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(),
        count in 1..8_usize,
    ) {
        let row = |(first, is_good, last, shape): &(String, bool, String, usize)| {
            let puzzle = if *is_good { LINE } else { "bad" };
            match shape {
                0 => format!("{first};{puzzle}\n"),
                1 => format!("{first};{puzzle};{last};{first};\n"),
                _ => format!("{first};{puzzle};{last}\n"),
            }
        };
        let text = format!("id;puzzle;\"no;te\"\nx;{LINE};y\n{}", rows.iter().map(row).collect::<String>());
        chosen.truncate(count);
        let [whole, some] = written(&text, &chosen, false);
        let expected: Vec<Vec<String>> = table(&whole)
            .into_iter()
            .map(|row| chosen.iter().map(|&column| row[column].clone()).collect())
            .collect();
        prop_assert_eq!(table(&some), expected);
        let [whole, some] = written(&text, &chosen, true);
        let keys = ["id", "puzzle", "no;te", "solution", "status", "guesses", "time_ns"];
        for (whole, some) in whole.split(|&byte| byte == b'\n').zip(some.split(|&byte| byte == b'\n')) {
            if whole.is_empty() {
                continue;
            }
            let whole: serde_json::Value = serde_json::from_slice(whole).unwrap();
            let entry = |&column: &usize| format!("{}:{}", serde_json::json!(keys[column]), whole[keys[column]]);
            let expected: Vec<String> = chosen.iter().map(entry).collect();
            prop_assert_eq!(String::from_utf8_lossy(some), format!("{{{}}}", expected.join(",")));
        }
    }
}

#[test]
fn the_place_of_a_record_counts_what_is_in_front_of_the_chunk() {
    let text = format!("id;puzzle\n1;{LINE}\n\n2;bad\n");
    let places = [6, 7, 8];
    let [_, csv] = written(&text, &places, false);
    let rows = ["file;record;line", "\"a;\"\"b\"\"\";101;1001", "\"a;\"\"b\"\"\";102;1003"];
    assert_eq!(String::from_utf8_lossy(&csv), rows.join("\n") + "\n");
    let [_, json] = written(&text, &places, true);
    let first = "{\"file\":\"a;\\\"b\\\"\",\"record\":101,\"line\":1001}\n";
    assert!(json.starts_with(first.as_bytes()), "{}", String::from_utf8_lossy(&json));
}
