//! Compressed files as input and output.

use std::io::{Cursor, Read, Write};

use crate::common::{as_lines, mixed_puzzles};
use crate::program::{Ran, Scratch, gridmill, rows, run, solve, untimed};
use lzma_rust2::{XzOptions, XzReader, XzWriter};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const CLASSICS: &str = include_str!("../../datasets/classics.txt");

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd_of(text: &[u8]) -> Vec<u8> {
    rusty_zstd::compress(text, 1).unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A text in every compressed format, by name.
fn containers(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (front, back) = text.split_at(text.len() / 3);
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    vec![
        ("gzip", gzip(text)),
        ("gzip of several members", [gzip(front), gzip(b""), gzip(back)].concat()),
        ("zstd", zstd_of(text)),
        ("zstd of several frames", [skipped, zstd_of(front), zstd_of(back)].concat()),
        ("xz", xz(text)),
        ("xz of several streams", [xz(front), xz(back)].concat()),
        (
            "zip",
            zip_of(&[("image.png", b"\x89PNG\r\n\x1a\n\0\0"), ("p/puzzles.txt", text), ("z.txt", b"other")]),
        ),
    ]
}

/// Files written by the original programs: by `zstd -19`, by `gzip`, and by `xz` with `-9` and with `-0 -C
/// sha256`.
const OF_PROGRAMS: [(&str, &[u8]); 3] = [
    ("classics.txt.gz", include_bytes!("packed/classics.txt.gz")),
    ("classics.txt.xz", include_bytes!("packed/classics.txt.xz")),
    ("classics.txt.zst", include_bytes!("packed/classics.txt.zst")),
];

#[test]
fn files_compressed_by_other_programs_are_read() {
    let scratch = Scratch::new();
    let plain = untimed(&solve(&scratch.file("p.txt", CLASSICS), &[]).out);
    for (name, bytes) in OF_PROGRAMS {
        let ran = solve(&scratch.file(name, bytes), &[]);
        assert!(untimed(&ran.out) == plain, "{name}: {}", ran.err);
    }
}

fn solve_pipe(bytes: &[u8], arguments: &[&str]) -> Ran {
    run(gridmill().args(["solve", "-"]).args(arguments).write_stdin(bytes))
}

#[test]
fn every_compressed_format_gives_the_same_rows_as_plain_text() {
    let scratch = Scratch::new();
    let text = as_lines(&mixed_puzzles(1_500, 5)) + "bad line\n";
    let plain = untimed(&solve(&scratch.file("p.txt", &text), &[]).out);
    for (name, packed) in containers(text.as_bytes()) {
        // The name doesn't show the format, so it must be found from the content.
        let file = scratch.file("p.txt", &packed);
        for arguments in
            [&["-t1"][..], &["-t3", "--no-mmap"], &["--chunk-bytes", "700", "--max-messages", "2000"]]
        {
            let ran = solve(&file, arguments);
            assert_eq!((ran.code, untimed(&ran.out) == plain), (Some(1), true), "{name}: {}", ran.err);
            let is_reported = arguments.contains(&"--max-messages");
            assert_eq!(ran.err.contains("p.txt:1501:"), is_reported, "{name}: {}", ran.err);
        }
        let ran = solve_pipe(&packed, &["-t2"]);
        assert_eq!((ran.code, untimed(&ran.out) == plain), (Some(1), true), "{name} piped: {}", ran.err);
        let redirected = run(gridmill().args(["solve", "-"]).pipe_stdin(&file).unwrap());
        assert!(untimed(&redirected.out) == plain, "{name} redirected: {}", redirected.err);
    }
}

#[test]
fn other_commands_read_compressed_files() {
    let scratch = Scratch::new();
    let file = scratch.file("p", gzip(b"................\n"));
    let counted = run(gridmill().arg("count").arg(&file));
    assert_eq!((counted.code, &counted.rows()[0][1][..]), (Some(0), "288"), "{}", counted.err);
    let listed = run(gridmill().arg("enumerate").arg(&file));
    assert_eq!(listed.rows().len(), 288, "{}", listed.err);
    let classics = scratch.file("classics", xz(CLASSICS.as_bytes()));
    let bench = run(gridmill().arg("bench").arg(&classics).args(["--engine", "bitmask", "--rounds", "1"]));
    assert!(bench.code == Some(0) && bench.out.contains(" 41 "), "{}{}", bench.out, bench.err);
}

#[test]
fn the_only_file_with_puzzles_in_an_archive_is_read() {
    let scratch = Scratch::new();
    let line = CLASSICS.lines().last().unwrap().as_bytes();
    let license = b"MIT License\n\nCopyright 2026\n";
    let several = scratch.file("s.zip", zip_of(&[("LICENSE", license), ("a.txt", line), ("z", b"# more\n")]));
    let ran = solve(&several, &[]);
    assert_eq!((ran.code, ran.rows().len()), (Some(0), 1));
    assert!(ran.err.contains("s.zip: reading a.txt, one of 3 files"), "{}", ran.err);
    assert_eq!(solve(&several, &["-q"]).err, "");
    let one = solve(&scratch.file("o.zip", zip_of(&[("a.txt", line)])), &[]);
    assert!(!one.err.contains("a.txt"), "{}", one.err);
}

#[test]
fn an_archive_with_several_puzzle_files_needs_a_choice() {
    let scratch = Scratch::new();
    let line = CLASSICS.lines().last().unwrap();
    let bad = format!("{line}\nbad\n");
    let archive = zip_of(&[("a.txt", line.as_bytes()), ("d/b.txt", bad.as_bytes()), ("c", b"text")]);
    let path = scratch.file("s.zip", &archive);
    let name = |member: &str| format!("{}:{member}", path.display());
    for command in ["verify", "solve", "dedupe"] {
        let ran = run(gridmill().args([command, "-q"]).arg(&path));
        assert_eq!((ran.code, &ran.out[..]), (Some(2), ""), "{command}");
        let expected = "the archive has several files of puzzles: a.txt, d/b.txt; choose one: ";
        assert!(ran.err.ends_with(&format!("{expected}{}\n", name("a.txt"))), "{command}: {}", ran.err);
        let chosen = run(gridmill().args([command, "-q", &name("a.txt")]));
        assert_eq!((chosen.code, &chosen.err[..]), (Some(0), ""), "{command}");
        let chosen = run(gridmill().args([command, &name("d/b.txt")]));
        assert_eq!(chosen.code, Some(1), "{command}: {}", chosen.err);
        assert!(!chosen.err.contains("reading"), "{command}: {}", chosen.err);
    }
    let piped = solve_pipe(&archive, &[]);
    assert!(piped.err.contains("pipe one in: unzip -p ARCHIVE a.txt | "), "{}", piped.err);
    let missing = run(gridmill().args(["solve", &name("x")]));
    assert!(missing.code == Some(2) && missing.err.contains("the archive has no file x"), "{}", missing.err);
    assert!(missing.err.contains("its files are: a.txt, d/b.txt, c"), "{}", missing.err);
}

#[test]
fn a_file_with_a_colon_in_its_name_takes_precedence_over_a_member() {
    let scratch = Scratch::new();
    let line = CLASSICS.lines().last().unwrap();
    scratch.file("s.zip", zip_of(&[("a.txt", line.as_bytes())]));
    let literal = scratch.file("s.zip:a.txt", format!("{line}\n{line}\n"));
    assert_eq!(solve(&literal, &[]).rows().len(), 2);
    // Only archives have members.
    let text = scratch.file("t.txt", line);
    let ran = run(gridmill().args(["solve", &format!("{}:a", text.display())]));
    assert!(ran.code == Some(2) && ran.err.contains("t.txt:a: can't be opened"), "{}", ran.err);
}

/// Asserts that an input is refused: exit code 2, its name in the message, and no output file.
fn assert_refused(scratch: &Scratch, bytes: &[u8], what: &str) {
    let file = scratch.file("in", bytes);
    let out = scratch.path("out.csv");
    let ran = solve(&file, &["-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{what}: {}", ran.err);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with(&format!("gridmill: {}: ", file.display())), "{what}: {last}");
    assert_eq!(scratch.names(), ["in"], "{what}");
    let piped = solve_pipe(bytes, &["-o", out.to_str().unwrap()]);
    assert_eq!((piped.code, piped.err.contains("<stdin>: ")), (Some(2), true), "{what}: {}", piped.err);
    assert_eq!(scratch.names(), ["in"], "{what}");
}

#[test]
fn truncated_and_damaged_files_are_refused() {
    let scratch = Scratch::new();
    let text = as_lines(&mixed_puzzles(2_000, 6));
    for (name, packed) in containers(text.as_bytes()) {
        for cut in [packed.len() - 1, packed.len() * 2 / 3, 12] {
            assert_refused(&scratch, &packed[..cut], &format!("{name} cut at {cut}"));
        }
        let mut damaged = packed.clone();
        let middle = packed.len() / 2;
        damaged[middle..middle + 8].fill(0x55);
        assert_refused(&scratch, &damaged, &format!("{name} damaged"));
    }
    assert_refused(&scratch, &zip_of(&[]), "an empty archive");
    assert_refused(&scratch, &[&gzip(b"text\n")[..], b"more"].concat(), "data after a member");
}

#[test]
fn errors_in_compressed_files_are_explained() {
    let scratch = Scratch::new();
    let packed = gzip(CLASSICS.as_bytes());
    let cut = solve(&scratch.file("c.gz", &packed[..packed.len() - 4]), &[]);
    assert!(cut.err.contains("c.gz: reading failed: the gzip data is cut short"), "{}", cut.err);
    let twice = solve(&scratch.file("t.gz", gzip(&packed)), &[]);
    assert!(twice.code == Some(2) && twice.err.contains("after unpacking"), "{}", twice.err);
    let cut = scratch.file("c.gz", &packed[..20]);
    for command in ["verify", "dedupe", "stats"] {
        let err = run(gridmill().arg(command).arg(&cut)).err;
        assert_eq!(err.matches("c.gz: ").count(), 1, "{err}");
    }
    let text = solve(&scratch.file("n.zip", zip_of(&[("i.png", b"\0\0")])), &[]);
    assert!(text.err.contains("n.zip: ") && text.err.contains("no text file"), "{}", text.err);
}

fn unpacked(path: &std::path::Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    match path.extension().unwrap().to_str().unwrap() {
        "gz" => flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text),
        "zst" => rusty_zstd::decompress(&bytes).unwrap().as_slice().read_to_end(&mut text),
        _ => XzReader::new(&bytes[..], true).read_to_end(&mut text),
    }
    .unwrap();
    text
}

#[test]
fn outputs_are_compressed_according_to_their_names() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", as_lines(&mixed_puzzles(3_000, 7)));
    let plain = solve(&file, &[]).out;
    for name in ["o.csv.gz", "o.csv.zst", "o.csv.xz"] {
        let out = scratch.path(name);
        let ran = solve(&file, &["-o", out.to_str().unwrap()]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_eq!(untimed(str::from_utf8(&unpacked(&out)).unwrap()), untimed(&plain), "{name}");
        // An output can be read as an input.
        let again = solve(&out, &["-q"]);
        assert_eq!(again.rows().len(), rows(plain.as_bytes()).len(), "{name}: {}", again.err);
    }
    for name in ["o.csv.zip", "o.csv.bz2"] {
        let ran = solve(&file, &["-o", scratch.path(name).to_str().unwrap()]);
        assert!(ran.code == Some(2) && ran.err.contains("are .gz, .zst and .xz"), "{}", ran.err);
    }
    assert_eq!(scratch.names(), ["o.csv.gz", "o.csv.xz", "o.csv.zst", "p.txt"]);
}
