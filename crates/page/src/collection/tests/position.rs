//! Positions of records in views.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::helpers::{PUZZLE, Shown, file, open, value};

fn answer(shown: &Shown, question: Value) -> Value {
    let question = serde_json::from_value(question).unwrap();
    value(shown.collection.position(&question, &AtomicBool::new(false)).unwrap())
}

#[test]
fn a_record_is_where_the_rows_of_its_view_show_it() {
    let folder = TempDir::new().unwrap();
    let fewer = PUZZLE.replacen('5', ".", 1);
    let first = file(&folder, "a.txt", format!("{PUZZLE}\n{fewer}\nno puzzle\n"));
    let second = file(&folder, "b.txt", format!("{fewer}\n{PUZZLE}\n"));
    let shown = open(&[&first, &second]);
    shown.wait_until_solved();
    for by in ["row", "clues", "status"] {
        for filter in
            [json!({}), json!({ "clues": [30, 30] }), json!({ "file": 1 }), json!({ "clues": [1, 2] })]
        {
            for descending in [false, true] {
                let sort = json!({ "by": by, "descending": descending });
                let rows = shown.rows(filter.clone(), sort.clone());
                for row in 0..6 {
                    let shown_at =
                        rows["rows"].as_array().unwrap().iter().position(|shown| shown["row"] == row);
                    let answer = answer(&shown, json!({ "filter": filter, "sort": sort, "row": row }));
                    assert_eq!(
                        answer,
                        json!({ "position": shown_at, "total": rows["total"] }),
                        "{filter} {sort}"
                    );
                }
            }
        }
    }
    assert_eq!(answer(&shown, json!({ "row": u64::MAX }))["position"], Value::Null);
}
