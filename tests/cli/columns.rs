//! `--columns`: which columns are written, and in which order.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, rows, run};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Runs a command on a file with chosen columns.
fn on(command: &str, file: &Path, columns: &str, arguments: &[&str]) -> Ran {
    run(gridmill().args([command, "-q", "--columns", columns]).args(arguments).arg(file))
}

/// Runs a command on a file with all columns.
fn whole(command: &str, file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().args([command, "-q"]).args(arguments).arg(file))
}

fn assert_refused(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

/// Asserts that the output with these columns is the same as without `--columns`.
fn assert_whole(command: &str, file: &Path, columns: &str, arguments: &[&str]) {
    let (ran, expected) = (on(command, file, columns, arguments), whole(command, file, arguments));
    let name = format!("{command} {arguments:?} {}: {}", file.display(), ran.err);
    assert_eq!((untimed(&ran.out), ran.code), (untimed(&expected.out), expected.code), "{name}");
}

/// A text without the times at the ends of its lines.
fn untimed(text: &str) -> String {
    let time = |line: &str| match line.rsplit_once([',', ':', '\t']) {
        Some((row, end)) if end.trim_end_matches('}').parse::<u64>().is_ok() => row.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(|line| time(line) + "\n").collect()
}

fn table() -> String {
    format!(
        "id,puzzle,note\n1,{PUZZLE},\"a, \"\"b\"\"\"\n\n2,\"{PUZZLE}\",\"two\nlines\"\nx\n3,bad,y\n4,{},,more,and more\n",
        PUZZLE.replacen("53", "55", 1)
    )
}

#[test]
fn input_and_new_columns_are_in_the_requested_order() {
    let scratch = Scratch::new();
    let file = scratch.file("t.csv", table());
    let out = scratch.path("o.csv");
    let ran = on("solve", &file, "status,id,SOLUTION,note", &["-o", out.to_str().unwrap()]);
    assert_eq!((ran.code, &*ran.out), (Some(1), ""), "{}", ran.err);
    let expected = format!(
        "status,id,solution,note\n\
         unique,1,{SOLVED},\"a, \"\"b\"\"\"\n\
         unique,2,{SOLVED},\"two\nlines\"\n\
         malformed,x,,\n\
         malformed,3,,y\n\
         malformed,4,,\",more,and more\"\n"
    );
    assert_eq!(std::fs::read_to_string(out).unwrap(), expected);
    let ran =
        on("solve", &scratch.file("p.txt", format!("{PUZZLE}\nno\n")), "record,line,status,solution", &[]);
    assert_eq!(ran.out, format!("record,line,status,solution\n1,1,unique,{SOLVED}\n2,2,malformed,\n"));
}

#[test]
fn all_columns_in_the_default_order_give_the_default_output() {
    let scratch = Scratch::new();
    let lines = scratch
        .file("p.txt", format!("# by hand\n{PUZZLE} remark\n\nbad, \"bad\"\n{}\n", PUZZLE.replace('.', "0")));
    let grids: String =
        PUZZLE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
    let grids = scratch.file("g.txt", format!("{grids}\n{grids}"));
    let csv = scratch.file("t.csv", table());
    let tabs = scratch
        .file("t.tsv", format!("id\tpuzzle\ta,b\n\"1\t2\"\t{PUZZLE}\tx, y\n3\t{PUZZLE}\t\"\"\"\"\nshort\n"));
    let headless = scratch.file("h.csv", format!("1,{PUZZLE}\n2,{PUZZLE}\n"));
    let objects = format!(
        "{{\"id\":1,\"puzzle\":\"{PUZZLE}\",\"x\":[1,null,{{}}]}}\n{{\"id\":null,\"puzzle\":\"x\",\"x\":\"é\"}}\n"
    );
    let objects = scratch.file("o.jsonl", objects);
    for (file, input, reading) in [
        (&lines, "puzzle", &[][..]),
        (&grids, "puzzle", &[]),
        (&csv, "id,puzzle,note", &[]),
        (&tabs, "id,puzzle,\"a,b\"", &[]),
        (&headless, "1,2", &["--no-header"]),
        (&objects, "id,puzzle,x", &[]),
    ] {
        for form in ["csv", "jsonl"] {
            let arguments = [reading, &["--to", form]].concat();
            let input = if file == &objects && form == "csv" { "puzzle" } else { input };
            assert_whole("solve", file, &format!("{input},solution,status,guesses,time_ns"), &arguments);
        }
    }
    for (command, new) in [
        (&["count"][..], "solutions,status,guesses,time_ns"),
        (&["count", "--shared"], "solutions,shared,status,guesses,time_ns"),
        (&["rate", "--up-to", "2.0", "--times"], "er,ep,ed,hardest,steps,scale,up_to,status,time_ns"),
        (&["canon", "--transform", "--automorphisms"], "canonical,transform,automorphisms,status"),
        (&["minimal"], "status,redundant"),
        (&["backdoors"], "size,backdoor,status"),
        (&["unavoidable", "--totals", "--cells", "6"], "sets,sizes,least_clues,status"),
        (&["backdoors", "--all", "--up-to", "2.0"], "size,backdoor,sets,backdoors,status"),
    ] {
        assert_whole(command[0], &csv, &format!("id,puzzle,note,{new}"), &command[1..]);
        assert_whole(command[0], &objects, &format!("id,puzzle,x,{new}"), &command[1..]);
    }
    for command in ["verify", "check"] {
        let file =
            scratch.file("c.csv", format!("puzzle,solution\n{PUZZLE},{SOLVED}\nbad,{SOLVED}\n{PUZZLE},x\n"));
        let ran = on(command, &file, "file,record,line,puzzle,verdict,reason", &["--all"]);
        let expected = whole(command, &file, &["--all", "-o", "-"]);
        assert_eq!((ran.out, ran.code), (expected.out, expected.code), "{command}");
    }
}

#[test]
fn records_and_lines_are_numbered_as_in_messages() {
    let scratch = Scratch::new();
    let lines = scratch.file("a.txt", format!("# top\n\n{PUZZLE}\r\n\n# more\nbad\n{PUZZLE}"));
    let more = scratch.file("b, c.txt", format!("{PUZZLE}\n\n\n{PUZZLE}\n"));
    let grid: String =
        PUZZLE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
    let grids = scratch.file("g.txt", format!("Grid 1\n{grid}\nGrid 2\n{grid}"));
    let csv =
        scratch.file("t.csv", format!("# note\n\nid,puzzle\n\"\n\n1\",{PUZZLE}\n\n2,bad\n3,{PUZZLE}\n"));
    let objects = scratch
        .file("o.jsonl", format!("\n{{\"puzzle\":\"{PUZZLE}\"}}\n\n[]\n{{\"puzzle\":\"{PUZZLE}\"}}\n"));
    for (file, expected) in [
        (&lines, &["1,3", "2,6", "3,7"][..]),
        (&more, &["1,1", "2,4"]),
        (&grids, &["1,2", "2,13"]),
        (&csv, &["1,4", "2,8", "3,9"]),
        (&objects, &["1,2", "2,4", "3,5"]),
    ] {
        for command in ["solve", "count", "rate", "canon"] {
            for arguments in
                [&["--chunk-bytes", "1", "-t", "3"][..], &["--chunk-bytes", "100", "-t", "2", "--no-mmap"]]
            {
                let arguments = [&["--to", "csv"], arguments].concat();
                let ran = on(command, file, "record,line", &arguments);
                let expected = format!("record,line\n{}\n", expected.join("\n"));
                assert_eq!(ran.out, expected, "{command} {arguments:?} {}: {}", file.display(), ran.err);
            }
        }
        let piped = run(gridmill()
            .args(["solve", "-q", "--to", "csv", "--columns", "record,line,file"])
            .write_stdin(std::fs::read(file).unwrap()));
        let expected: String = expected.iter().map(|numbers| format!("{numbers},<stdin>\n")).collect();
        assert_eq!(piped.out, format!("record,line,file\n{expected}"), "{}", piped.err);
    }
    for (command, rows_as) in [("solve", "csv"), ("canon", "csv"), ("count", "jsonl")] {
        let names = "file,record,line,status";
        let arguments = [&["--to", rows_as, "--chunk-bytes", "90"][..], &[lines.to_str().unwrap()]].concat();
        let ran = on(command, &more, names, &arguments);
        let fields: Vec<[String; 3]> = match rows_as {
            "csv" => {
                ran.rows().into_iter().map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]).collect()
            }
            _ => ran
                .out
                .lines()
                .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                .map(|row| {
                    [
                        row["file"].as_str().unwrap().to_owned(),
                        row["record"].to_string(),
                        row["line"].to_string(),
                    ]
                })
                .collect(),
        };
        let place = |file: &Path, record: &str, line: &str| {
            [file.display().to_string(), record.to_owned(), line.to_owned()]
        };
        let expected = [
            place(&lines, "1", "3"),
            place(&lines, "2", "6"),
            place(&lines, "3", "7"),
            place(&more, "1", "1"),
            place(&more, "2", "4"),
        ];
        assert_eq!(fields, expected, "{command}: {}", ran.err);
    }
}

#[test]
fn input_columns_take_precedence_over_new_ones_of_the_same_name() {
    let scratch = Scratch::new();
    let file =
        scratch.file("t.csv", format!("Record,puzzle,solution,gridmill_line,line\na,{PUZZLE},mine,b,c\n"));
    let names = "record,gridmill_record,solution,gridmill_solution,line,gridmill_line,gridmill_line_2";
    let ran = on("solve", &file, names, &[]);
    let header = names.replacen("record", "Record", 1);
    assert_eq!(ran.out, format!("{header}\na,1,mine,{SOLVED},c,b,2\n"), "{}", ran.err);
    let json = on("solve", &file, "gridmill_record,record", &["--to", "jsonl"]);
    assert_eq!(json.out, "{\"gridmill_record\":1,\"Record\":\"a\"}\n", "{}", json.err);
    let objects = scratch.file("o.jsonl", format!("{{\"line\":\"x\",\"puzzle\":\"{PUZZLE}\"}}\n"));
    let ran = on("canon", &objects, "gridmill_line,line,status", &[]);
    assert_eq!(ran.out, "{\"gridmill_line\":1,\"line\":\"x\",\"status\":\"ok\"}\n", "{}", ran.err);
}

#[test]
fn columns_can_be_chosen_by_number() {
    let scratch = Scratch::new();
    let file = scratch.file("t.csv", format!("note,puzzle,note\na,{PUZZLE},b\n"));
    let ran = on("solve", &file, "3,5,1,8", &[]);
    let columns: Vec<_> = ran.out.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    assert_eq!(ran.out.lines().next(), Some("note,status,note,file"));
    assert_eq!(columns, ["note,status,note", "b,unique,a"], "{}", ran.err);
    let ran = on("solve", &file, "3,1", &["--to", "jsonl"]);
    assert_eq!(ran.out, "{\"note_2\":\"b\",\"note\":\"a\"}\n", "{}", ran.err);
    let ran = on("verify", &scratch.file("p.txt", "bad\n"), "2,5", &[]);
    assert_eq!((ran.code, &*ran.out), (Some(1), "record,verdict\n1,malformed\n"));
}

#[test]
fn missing_and_repeated_columns_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("t.csv", format!("id,puzzle,note,note\n1,{PUZZLE},a,b\n"));
    let lines = scratch.file("p.txt", format!("{PUZZLE}\n"));
    for command in ["solve", "count", "rate", "canon"] {
        assert_refused(
            &on(command, &file, "id,x", &[]),
            &[
                "no column 'x' for --columns; the columns are: id, puzzle, note, note, ",
                ", status",
                ", file, record, line",
            ],
        );
        assert_refused(&on(command, &file, "id,status,Id", &[]), &["--columns names id more than once"]);
        assert_refused(&on(command, &file, "id,1", &[]), &["--columns names id more than once"]);
        assert_refused(
            &on(command, &file, "note", &[]),
            &["note (column 3), note (column 4); choose one by its number"],
        );
        assert_refused(
            &on(command, &lines, "id", &[]),
            &["no column 'id' for --columns; the columns are: puzzle, "],
        );
        assert_refused(&on(command, &lines, "", &[]), &["give names of columns"]);
    }
    assert_refused(&on("solve", &lines, "solutions", &[]), &["'solutions'"]);
    assert_refused(&on("rate", &lines, "time_ns", &[]), &["'time_ns'"]);
    for command in ["verify", "check"] {
        assert_refused(
            &on(command, &file, "record,id", &[]),
            &["no column 'id' for --columns; the columns are: file, record, line, puzzle, verdict, reason"],
        );
        assert_refused(&on(command, &file, "record,2", &[]), &["--columns names record more than once"]);
    }
    let out = scratch.path("o.csv");
    assert_refused(&on("solve", &file, "x", &["-o", out.to_str().unwrap()]), &["'x'"]);
    assert_eq!(scratch.names(), ["p.txt", "t.csv"]);
}

#[test]
fn columns_are_refused_for_grid_output() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{PUZZLE}\n"));
    for command in ["solve", "count"] {
        assert_refused(
            &on(command, &file, "status", &["--to", "grid"]),
            &["grids have none", "leave --to grid or --columns out"],
        );
    }
    let counted = run(gridmill().args(["count", "--grids", "--shape", "2x2", "--columns", "status"]));
    assert_refused(&counted, &["--grids", "--columns"]);
}

#[test]
fn json_objects_have_the_chosen_keys() {
    let scratch = Scratch::new();
    let lines = [
        format!("{{\"id\": 1.50, \"puzzle\": \"{PUZZLE}\", \"tags\": [\"a\", {{\"b\": 1}}]}}"),
        format!("{{\"tags\": \"\\u00e9\\\"\", \"id\": 1, \"id\": 2, \"puzzle\": \"{PUZZLE}\"}}"),
        "{\"id\": \"x\"}".to_owned(),
        "[1, 2]".to_owned(),
    ];
    let file = scratch.file("o.jsonl", lines.join("\n"));
    let ran = on("solve", &file, "status,tags,puzzle,id,record", &[]);
    let puzzle = format!("\"puzzle\":\"{PUZZLE}\"");
    let expected = [
        format!("{{\"status\":\"unique\",\"tags\":[\"a\", {{\"b\": 1}}],{puzzle},\"id\":1.50,\"record\":1}}"),
        format!("{{\"status\":\"unique\",\"tags\":\"\\u00e9\\\"\",{puzzle},\"id\":2,\"record\":2}}"),
        "{\"status\":\"malformed\",\"tags\":null,\"puzzle\":null,\"id\":\"x\",\"record\":3}".to_owned(),
        "{\"status\":\"malformed\",\"tags\":null,\"puzzle\":\"[1, 2]\",\"id\":null,\"record\":4}".to_owned(),
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected, "{}", ran.err);
    let ran = on("solve", &file, "tags,id,puzzle", &["--to", "csv"]);
    assert!(ran.out.starts_with("tags,id,puzzle\n"), "{}", ran.out);
    let fields = [
        ["[\"a\", {\"b\": 1}]", "1.50", PUZZLE],
        ["é\"", "2", PUZZLE],
        ["", "x", "{\"id\": \"x\"}"],
        ["", "", "[1, 2]"],
    ];
    assert_eq!(rows(ran.out.as_bytes()), fields);
    // A key that only one file has is a column of all files.
    let other = scratch.file("p.jsonl", format!("{{\"puzzle\": \"{PUZZLE}\"}}\n"));
    let ran = on("solve", &other, "id,status", &[file.to_str().unwrap()]);
    assert_eq!(ran.out.lines().last(), Some("{\"id\":null,\"status\":\"unique\"}"), "{}", ran.err);
}

/// There are more keys than are searched for at once, and they are requested in reverse order.
#[test]
fn many_json_keys_can_be_chosen() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..40).map(|key| format!("\"k{key}\":{key}")).collect();
    let file = scratch.file("o.jsonl", format!("{{\"puzzle\":\"{PUZZLE}\",{}}}\n", keys.join(",")));
    let names: Vec<String> = (0..40).rev().map(|key| format!("k{key}")).collect();
    let ran = on("solve", &file, &names.join(","), &[]);
    let expected: Vec<String> = keys.iter().rev().cloned().collect();
    assert_eq!(ran.out, format!("{{{}}}\n", expected.join(",")), "{}", ran.err);
}

#[test]
fn fields_are_quoted_for_the_separator_of_the_rows() {
    let scratch = Scratch::new();
    for separator in [",", ";", "\t", "|"] {
        let fields = ["id".to_owned(), "puzzle".to_owned(), format!("\"a{separator}b\"")];
        let row = [format!("\"x{separator}y\"\"\""), PUZZLE.to_owned(), "z".to_owned()];
        let text = format!("{}\n{}\n", fields.join(separator), row.join(separator));
        let file = scratch.file(&format!("a{separator}b.csv"), text);
        let names = format!("\"a{separator}b\",line,id,file");
        let ran = on("solve", &file, &names, &[]);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator.as_bytes()[0])
            .has_headers(false)
            .from_reader(ran.out.as_bytes());
        let read: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        let place = format!("a{separator}b");
        assert_eq!(read[0], [&*place, "line", "id", "file"], "{}", ran.err);
        let file = file.display().to_string();
        assert_eq!(read[1], ["z", "2", &*format!("x{separator}y\""), &*file]);
        let json =
            on("canon", scratch.path(&format!("a{separator}b.csv")).as_path(), "id,file", &["--to", "jsonl"]);
        let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(
            (json["id"].as_str(), json["file"].as_str()),
            (Some(&*format!("x{separator}y\"")), Some(&*file))
        );
    }
}

/// A row whose only field is empty is written with quotes, because a blank line would not be a row.
#[test]
fn every_record_is_a_row_even_if_its_only_column_is_empty() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("bad\n{PUZZLE}\nbad\n"));
    let ran = on("solve", &file, "solution", &[]);
    assert_eq!(ran.out, format!("solution\n\"\"\n{SOLVED}\n\"\"\n"));
    assert_eq!(on("canon", &file, "canonical", &[]).rows().len(), 3);
    assert_eq!(on("verify", &file, "reason", &["--all"]).rows().len(), 3);
}

#[test]
fn listings_have_the_chosen_columns_in_files_and_on_stdout() {
    let scratch = Scratch::new();
    let table = format!("# top\npuzzle,solution\n{PUZZLE},{SOLVED}\n\"bad, bad\",x\n{PUZZLE},{PUZZLE}\n");
    let file = scratch.file("a, b.csv", table);
    let out = scratch.path("bad.csv");
    let ran = on("check", &file, "record,verdict,line", &["-o", out.to_str().unwrap()]);
    assert_eq!((ran.code, &*ran.out), (Some(1), ""), "{}", ran.err);
    let expected = "record,verdict,line\n2,malformed,4\n3,wrong,5\n";
    assert_eq!(std::fs::read_to_string(out).unwrap(), expected);
    for arguments in [&[][..], &["--chunk-bytes", "1", "-t", "3"], &["--no-mmap"]] {
        assert_eq!(on("check", &file, "record,verdict,line", arguments).out, expected);
    }
    let all = on("verify", &file, "puzzle,file,reason", &["--all"]);
    let expected = [[PUZZLE, file.to_str().unwrap(), ""], ["bad, bad", file.to_str().unwrap(), ""]];
    assert_eq!(all.rows()[0], expected[0]);
    assert_eq!(all.rows()[1][..2], ["\"bad, bad\",x", file.to_str().unwrap()], "{}", all.out);
}
