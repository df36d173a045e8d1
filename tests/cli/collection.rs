//! `gridmill dedupe` and `overlap`, on collections with planted duplicates.

use std::io::Write;
use std::path::Path;

use crate::common;
use crate::program::{Ran, Scratch, gridmill, rows, run};
use gridmill_core::grid::{Isomorphism, Puzzle, Shape};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const A_SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// Another puzzle with the solution of A: it has all its clues except the first, and two others.
const A_SISTER: &str = ".34.78...6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const B: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

fn disguised(line: &str, seed: u64) -> String {
    let isomorphism = Isomorphism::random(Shape::CLASSIC, &mut common::rng(seed));
    isomorphism.apply_classic(&line.parse::<Puzzle>().unwrap()).to_string()
}

fn command(name: &str, files: &[&Path], arguments: &[&str]) -> Ran {
    run(gridmill().arg(name).args(files).args(arguments))
}

/// The hand-made collection: A three times, with other blanks and with a remark, and B with an isomorph.
fn planted() -> String {
    let (zeros, other) = (A.replace('.', "0"), disguised(B, 5));
    assert_ne!(other, B);
    format!("# by hand\r\n{A}\r\n\n{B}\n{zeros} the same\nbad\n{other}\n# more\n{A}\nbad\n{A_SISTER}")
}

#[test]
fn duplicates_are_found_by_their_cells() {
    let scratch = Scratch::new();
    let (file, groups) = (scratch.file("p.txt", planted()), scratch.path("g.csv"));
    let ran = command("dedupe", &[&file], &["--list-duplicates", groups.to_str().unwrap()]);
    let other = disguised(B, 5);
    assert_eq!(ran.out, format!("# by hand\r\n{A}\r\n\n{B}\nbad\n{other}\n# more\nbad\n{A_SISTER}"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("p.txt:6:1: record 4: malformed"), "{}", ran.err);
    assert!(ran.err.contains("duplicates  2\n malformed  2, kept\n      kept  6\n"), "{}", ran.err);
    let name = file.to_str().unwrap();
    let expected = [[name, "3", "5", name, "1", "2"], [name, "6", "9", name, "1", "2"]];
    assert_eq!(rows(&std::fs::read(&groups).unwrap()), expected);
}

#[test]
fn isomorphic_duplicates_are_found() {
    let scratch = Scratch::new();
    let first = scratch.file("p.txt", planted());
    // A conflict has no canonical form, so it equals only itself.
    let conflict = A.replacen("53", "55", 1);
    let second = scratch.file("q.txt", format!("{conflict}\n{}\n{conflict}\n{A_SOLVED}", disguised(A, 9)));
    let ran = command("dedupe", &[&first, &second], &["--isomorphic", "-q"]);
    let expected = format!("# by hand\r\n{A}\r\n\n{B}\nbad\n# more\nbad\n{A_SISTER}\n{conflict}\n{A_SOLVED}");
    assert_eq!(ran.out, expected);
    assert_eq!((ran.code, &*ran.err), (Some(1), ""));
}

#[test]
fn a_file_without_duplicates_is_copied_unchanged() {
    let scratch = Scratch::new();
    for text in [format!("{A}\n{B}"), format!("{A}\r\n\r\n{B}\r\n"), String::new(), format!("\u{feff}{A}\n")]
    {
        let file = scratch.file("p.txt", &text);
        let ran = command("dedupe", &[&file], &[]);
        assert_eq!((ran.code, ran.out), (Some(0), text));
    }
}

#[test]
fn overlong_lines_are_copied_whole() {
    let scratch = Scratch::new();
    let long = "x".repeat(300_000);
    let head = format!("{A}\n# {long}\n{B}\n{long}\n");
    for end in ["\n", "", &format!("\n# {long}{long}"), &format!("\r\n{A} {long}\n")] {
        let text = format!("{head}{A}\n{A_SISTER}{end}");
        let (file, without_a) =
            (scratch.file("p.txt", &text), text.replacen(&format!("{long}\n{A}\n"), &format!("{long}\n"), 1));
        for more in [&["-t1"][..], &["-t2", "--no-mmap"], &["--chunk-bytes", "700"]] {
            let ran = command("dedupe", &[&file], more);
            assert!(ran.out == without_a, "{more:?}: {} bytes of {}", ran.out.len(), without_a.len());
            assert!(ran.err.contains("p.txt:4:1: record 3: malformed"), "{}", ran.err);
            let selected =
                command("select", &[&file], &[more, &["--status", "malformed", "-q"]].concat()).out;
            let bad: Vec<&str> =
                text.lines().filter(|line| line.len() > 81 && !line.starts_with('#')).collect();
            assert!(selected.lines().eq(bad), "{more:?}: {} bytes", selected.len());
        }
        let piped = run(gridmill().args(["dedupe", "-"]).write_stdin(text));
        assert!(piped.out == without_a, "{} bytes", piped.out.len());
    }
}

#[test]
fn csv_keeps_its_columns() {
    let scratch = Scratch::new();
    let first = scratch.file("p.csv", format!("id,puzzle,note\n1,{A},\"a, b\nc\"\n2,{B},x\n3,{A},y"));
    let second = scratch.file("q.csv", format!("id,puzzle,note\n4,\"{A}\",z\n5,{A_SISTER},\n6,short\n"));
    let out = scratch.path("o.csv");
    let groups = scratch.path("g.csv");
    let ran = command(
        "dedupe",
        &[&first, &second],
        &["-o", out.to_str().unwrap(), "--list-duplicates", groups.to_str().unwrap(), "-q"],
    );
    assert_eq!((ran.code, &*ran.out), (Some(1), ""));
    let expected = format!("id,puzzle,note\n1,{A},\"a, b\nc\"\n2,{B},x\n5,{A_SISTER},\n6,short\n");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), expected);
    let listed = rows(&std::fs::read(&groups).unwrap());
    let places: Vec<_> = listed.iter().map(|row| [&row[1], &row[2], &row[4], &row[5]]).collect();
    assert_eq!(places, [["3", "5", "1", "2"], ["1", "2", "1", "2"]]);
    assert_eq!(scratch.names(), ["g.csv", "o.csv", "p.csv", "q.csv"]);
}

#[test]
fn multi_line_grids_stay_multi_line() {
    let scratch = Scratch::new();
    let grid = |line: &str| {
        line.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect::<String>()
    };
    let text = format!("Grid 01\n{}Grid 02\n{}Grid 03\n{}", grid(A), grid(B), grid(&A.replace('.', "0")));
    let file = scratch.file("p.txt", text);
    let ran = command("dedupe", &[&file], &["-q"]);
    assert_eq!(ran.out, format!("Grid 01\n{}Grid 02\n{}Grid 03\n", grid(A), grid(B)));
    assert_eq!(ran.code, Some(1));
}

/// The text of many puzzles, and their number. Each puzzle is there three times: as it is, with
/// other blanks, and as an isomorph.
fn many() -> (String, usize) {
    let puzzles = common::easy_puzzles(700, 3);
    let mut lines: Vec<String> = puzzles.iter().map(ToString::to_string).collect();
    lines.extend(puzzles.iter().map(|puzzle| puzzle.to_string().replace('.', "0")));
    lines.extend((0..).zip(&puzzles).map(|(seed, puzzle)| disguised(&puzzle.to_string(), seed)));
    (lines.join("\n") + "\n", puzzles.len())
}

/// The arguments that compare with a file as another collection.
fn against(file: &Path) -> [&str; 2] {
    ["--against", file.to_str().unwrap()]
}

#[test]
fn puzzles_of_another_collection_are_removed() {
    let scratch = Scratch::new();
    let disguise = disguised(B, 2);
    let train = scratch
        .file("train.csv", format!("id,puzzle\n1,{A}\n2,{disguise}\n3,{A_SISTER}\n4,{A_SISTER}\n5,{A}\n"));
    // The other collection has another format. Its own duplicates and unreadable records must not count.
    let (test, list) =
        (scratch.file("test.txt", format!("# test\n{B}\n{B}\n{A} x\n")), scratch.path("l.csv"));
    let dedupe = |arguments: &[&str]| {
        let listed = ["--list-duplicates", list.to_str().unwrap()];
        let ran = command("dedupe", &[&train], &[&against(&test)[..], &listed, arguments].concat());
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let rows = rows(&std::fs::read(&list).unwrap());
        let places: Vec<String> = rows
            .iter()
            .map(|row| {
                let names =
                    [&row[0], &row[3]].map(|name| Path::new(name).file_stem().unwrap().to_str().unwrap());
                assert_eq!(
                    [row[2].parse::<u64>(), row[5].parse()],
                    [&row[1], &row[4]].map(|n| Ok(n.parse::<u64>().unwrap() + 1))
                );
                format!("{} {} {} {}", names[0], row[1], names[1], row[4])
            })
            .collect();
        (ran.out.replace("id,puzzle\n", ""), places, ran.err)
    };
    let (out, places, summary) = dedupe(&[]);
    assert_eq!(out, format!("2,{disguise}\n3,{A_SISTER}\n"));
    assert_eq!(places, ["train 1 test 3", "train 4 train 3", "train 5 test 3"]);
    assert_eq!(summary, "   records  5\nduplicates  1\n in others  2\n      kept  2\n");
    let (out, places, _) = dedupe(&["--isomorphic"]);
    assert_eq!(out, format!("3,{A_SISTER}\n"));
    assert_eq!(places, ["train 1 test 3", "train 2 test 1", "train 4 train 3", "train 5 test 3"]);
    let (out, places, _) = dedupe(&["--same-solution"]);
    assert_eq!(out, format!("2,{disguise}\n"));
    assert_eq!(places, ["train 1 test 3", "train 3 test 3", "train 4 test 3", "train 5 test 3"]);
    let (out, places, summary) = dedupe(&["--same-solution", "--isomorphic"]);
    assert_eq!((&*out, places.len()), ("", 5));
    assert_eq!(summary, "   records  5\nduplicates  0\n in others  5\n      kept  0\n");
}

#[test]
fn several_files_are_compared_with_several_other_collections() {
    let scratch = Scratch::new();
    let [first, second] =
        [("a.txt", A), ("b.txt", B)].map(|(name, line)| scratch.file(name, format!("{line}\n")));
    let files =
        [("c.txt", format!("{A_SISTER}\n{A}\n")), ("d.txt", format!("{B}\n{A_SISTER}\n{A_SOLVED}\n"))];
    let files = files.map(|(name, text)| scratch.file(name, text));
    let files = [&*files[0], &*files[1]];
    let both = [against(&first), against(&second)].concat();
    let ran = command("dedupe", &files, &both);
    assert_eq!((ran.code, ran.out), (Some(1), format!("{A_SISTER}\n{A_SOLVED}\n")));
    assert!(ran.err.contains("records  5\nduplicates  1\n in others  2\n"), "{}", ran.err);
    let piped = ["--against", "-", "--against", second.to_str().unwrap()];
    let piped = run(gridmill().arg("dedupe").args(files).args(piped).write_stdin(format!("{A}\n")));
    assert_eq!((piped.out, piped.err), (format!("{A_SISTER}\n{A_SOLVED}\n"), ran.err));
    // No overlap is a success, even if the other collection has duplicates of its own.
    let double = scratch.file("e.txt", format!("{B}\n{B}\n"));
    let ran = command("dedupe", &[&first], &[&against(&double)[..], &["-q"]].concat());
    assert_eq!((ran.code, ran.out, &*ran.err), (Some(0), format!("{A}\n"), ""));
    // The exit code is 1, because a record that can't be compared could be a leak.
    let bad = scratch.file("f.txt", format!("{B}\nbad\n"));
    let ran = command("dedupe", &[&first], &against(&bad));
    assert_eq!((ran.code, ran.out), (Some(1), format!("{A}\n")));
    assert!(ran.err.contains("f.txt:2:1: record 2: malformed"), "{}", ran.err);
    assert!(ran.err.contains("  left out  1 of the others: malformed\n"), "{}", ran.err);
    let empty = scratch.file("g.txt", format!("{}\n{A}\n", ".".repeat(81)));
    let ran = command("dedupe", &[&empty], &[&against(&first)[..], &["--same-solution"]].concat());
    assert_eq!((ran.code, ran.out), (Some(1), format!("{}\n", ".".repeat(81))));
    assert!(ran.err.contains("  improper  1, without exactly one solution, kept\n"), "{}", ran.err);
}

#[test]
fn rows_are_the_same_for_any_memory_limit_and_number_of_threads() {
    let scratch = Scratch::new();
    let (text, count) = many();
    let file = scratch.file("p.txt", &text);
    let folder = scratch.path("tmp");
    std::fs::create_dir(&folder).unwrap();
    for (arguments, kept) in [(&["-q"][..], 2 * count), (&["-q", "--isomorphic"], count)] {
        let dedupe = |more: &[&str]| {
            let groups = scratch.path("g.csv");
            let mut all = [arguments, more].concat();
            all.extend(["--list-duplicates", groups.to_str().unwrap(), "--tmp", folder.to_str().unwrap()]);
            let ran = command("dedupe", &[&file], &all);
            assert_eq!((ran.code, &*ran.err), (Some(1), ""));
            (ran.out, std::fs::read_to_string(groups).unwrap())
        };
        let (out, groups) = dedupe(&["--threads", "1"]);
        let expected: Vec<&str> = match kept == count {
            true => text.lines().take(count).collect(),
            false => text.lines().take(count).chain(text.lines().skip(2 * count)).collect(),
        };
        assert_eq!(out.lines().collect::<Vec<_>>(), expected);
        assert_eq!(groups.lines().count(), 1 + 3 * count - kept);
        for more in [
            &["--memory", "64K", "--threads", "1"][..],
            &["--memory", "64K", "--threads", "3", "--chunk-bytes", "1000"],
            &["--memory", "1G", "--threads", "2", "--no-mmap"],
        ] {
            assert_eq!(dedupe(more), (out.clone(), groups.clone()), "{more:?}");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        }
    }
}

#[test]
fn overlap_lists_the_records_in_both_files() {
    let scratch = Scratch::new();
    let (test, train) = (disguised(A, 1), disguised(B, 2));
    let file = scratch.file("test.csv", format!("id,puzzle\n1,{A}\n2,{test}\n3,{B}\n4,{A_SISTER}\n5,{A}\n"));
    let other = scratch.file("train.txt", format!("# train\n{train}\n{}\n{A}\n", A.replace('.', "*")));
    let overlap = |arguments: &[&str]| {
        let ran = command("overlap", &[&file, &other], arguments);
        assert!(ran.out.starts_with("record,line,puzzle,other_record,other_line\n"));
        let rows = ran.rows();
        for row in &rows {
            assert_eq!(row[2], [A, &test, B, A_SISTER, A][row[0].parse::<usize>().unwrap() - 1]);
            assert_eq!(row[1].parse::<u64>().unwrap(), row[0].parse::<u64>().unwrap() + 1);
            assert_eq!(row[4].parse::<u64>().unwrap(), row[3].parse::<u64>().unwrap() + 1);
        }
        let found: Vec<_> = rows.iter().map(|row| format!("{} {}", row[0], row[3])).collect();
        (ran.code, found.join(", "))
    };
    let found = |pairs: &str| (Some(1), pairs.to_owned());
    assert_eq!(overlap(&[]), found("1 2, 5 2"));
    assert_eq!(overlap(&["--isomorphic"]), found("1 2, 2 2, 3 1, 5 2"));
    assert_eq!(overlap(&["--same-solution"]), found("1 2, 4 2, 5 2"));
    assert_eq!(overlap(&["--same-solution", "--isomorphic"]), found("1 2, 2 2, 3 1, 4 2, 5 2"));
}

#[test]
fn no_overlap_is_a_success() {
    let scratch = Scratch::new();
    let (one, other) =
        (scratch.file("a.txt", format!("{A}\n{A}\n")), scratch.file("b.txt", format!("{B}\n")));
    let ran = command("overlap", &[&one, &other], &["-q"]);
    assert_eq!(
        (ran.code, &*ran.out, &*ran.err),
        (Some(0), "record,line,puzzle,other_record,other_line\n", "")
    );
    // The exit code is 1, because records that can't be compared could overlap.
    let many = scratch.file("c.txt", format!("{}\n", ".".repeat(81)));
    let ran = command("overlap", &[&many, &other], &["--same-solution"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("left out  1 and 0"), "{}", ran.err);
}

#[test]
fn pipes_and_compressed_files_are_read() {
    let scratch = Scratch::new();
    let plain = scratch.file("p.txt", planted());
    let wanted = command("dedupe", &[&plain], &["--isomorphic", "-q"]).out;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(planted().as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let folder = scratch.path("tmp");
    std::fs::create_dir(&folder).unwrap();
    let arguments = ["--isomorphic", "-q", "--memory", "64K", "--tmp", folder.to_str().unwrap()];
    for content in [planted().as_bytes(), &packed] {
        assert_eq!(command("dedupe", &[&scratch.file("q", content)], &arguments).out, wanted);
        let piped = run(gridmill().args(["dedupe", "-"]).args(arguments).write_stdin(content));
        assert_eq!((piped.code, &*piped.out, &*piped.err), (Some(1), &*wanted, ""));
        let piped = run(gridmill().args(["overlap", "-"]).arg(&plain).args(arguments).write_stdin(content));
        assert_eq!(piped.rows().len(), 6, "{}", piped.out);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_are_kept_only_if_all_are_complete() {
    let scratch = Scratch::new();
    // A compressed list is written at its end, when the disk has no space left.
    let (file, out) = (scratch.file("p.txt", planted()), scratch.path("o.txt"));
    std::os::unix::fs::symlink("/dev/full", scratch.path("g.gz")).unwrap();
    let (out, groups) = (out.to_str().unwrap(), scratch.path("g.gz"));
    let ran = command("dedupe", &[&file], &["-q", "-o", out, "--list-duplicates", groups.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("g.gz: No space left"), "{}", ran.err);
    assert_eq!(scratch.names(), ["g.gz", "p.txt"]);
}

#[test]
fn inputs_that_cannot_be_compared_are_refused() {
    let scratch = Scratch::new();
    let (lines, table) =
        (scratch.file("a.txt", format!("{A}\n")), scratch.file("b.csv", format!("puzzle,x\n{A},1\n")));
    let other = scratch.file("c.csv", format!("puzzle,y\n{A},1\n"));
    let (small, large) =
        (scratch.file("d.txt", "1234341221434321\n"), scratch.file("e.txt", ".".repeat(144)));
    let refused = |name: &str, files: &[&Path], arguments: &[&str], part: &str| {
        let ran = command(name, files, arguments);
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{files:?} {arguments:?}");
        assert!(ran.err.contains(part) && ran.err.lines().count() == 1, "{}", ran.err);
    };
    refused("dedupe", &[&lines, &table], &[], "b.csv: differs from ");
    refused("dedupe", &[&table, &other], &[], " in the header; ");
    refused("dedupe", &[Path::new("-"), Path::new("-")], &[], "give - once");
    refused("overlap", &[Path::new("-"), Path::new("-")], &[], "give - once");
    refused("dedupe", &[&lines, Path::new("missing.txt")], &[], "missing.txt: can't be opened");
    refused("dedupe", &[&small, &lines], &[], "a.txt: differs from ");
    refused("dedupe", &[&lines], &["--against", "missing.txt"], "missing.txt: can't be opened");
    refused("dedupe", &[Path::new("-")], &["--against", "-"], "give - once");
    let same = [&against(&table)[..], &["-o", table.to_str().unwrap()]].concat();
    refused("dedupe", &[&lines], &same, "b.csv: is also an input");
    refused("dedupe", &[&lines, &table], &against(&other), "b.csv: differs from ");
    refused("dedupe", &[&lines], &["--against", &".".repeat(729)], "differs from ");
    let size = "canonical forms are for puzzles of one size up to 9x9, but these are ";
    refused("dedupe", &[&large], &["--isomorphic", "--alphabet", "A-L"], &format!("e.txt: {size}12x12"));
    refused(
        "overlap",
        &[&small, &small],
        &["--isomorphic", "--mixed"],
        &format!("d.txt: {size}of mixed sizes"),
    );
    refused("dedupe", &[&lines], &["--tmp", "/no/such/folder"], "/no/such/folder: temporary files");
    refused("dedupe", &[&lines], &["-o", lines.to_str().unwrap()], "a.txt: is also an input");
    refused("overlap", &[&lines, &table], &["-o", table.to_str().unwrap()], "b.csv: is also an input");
    let out = scratch.path("o.txt");
    let both = ["-o", out.to_str().unwrap(), "--list-duplicates", out.to_str().unwrap()];
    refused("dedupe", &[&lines], &both, "two outputs would both be written to");
    let ran = command("dedupe", &[&lines], &["--memory", "lots"]);
    assert!(ran.code == Some(2) && ran.err.contains("256M"), "{}", ran.err);
    assert_eq!(scratch.names(), ["a.txt", "b.csv", "c.csv", "d.txt", "e.txt"]);
}

/// A file with boxes of 3x2 has conflicts if it is read as 2x3, and the summary must report them.
#[test]
fn isomorphic_dedupe_reports_conflicts_of_a_wrong_shape() {
    let scratch = Scratch::new();
    let generated = run(gridmill().args(["generate", "--shape", "3x2", "-n", "20", "-q"])).out;
    let file = scratch.file("high.txt", &generated);
    let ran =
        |arguments: &[&str]| run(gridmill().args(["dedupe", "--isomorphic"]).args(arguments).arg(&file));
    let wrong = ran(&[]);
    assert_eq!((wrong.code, wrong.out == generated), (Some(1), true), "{}", wrong.err);
    assert!(wrong.err.contains(" conflict  ") && wrong.err.contains("is --shape right?"), "{}", wrong.err);
    let right = ran(&["--shape", "3x2"]);
    assert!(right.code == Some(0) && !right.err.contains("conflict"), "{}", right.err);
}
