//! Outputs: when a file gets its name, and which outputs are refused.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;

/// The directory of one test.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// The names in the directory, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Opens a file as an output, and writes some text to it.
fn written(path: &Path, text: &str) -> Destination {
    let mut output = Destination::create(Some(path)).unwrap();
    output.write_all(text.as_bytes()).unwrap();
    output.flush().unwrap();
    output
}

fn assert_not_made(made: Result<Destination, Error>, why: io::ErrorKind) {
    match made.unwrap_err().kind() {
        ErrorKind::Create { error, .. } => assert_eq!(error.kind(), why),
        other => panic!("{other}"),
    }
}

fn assert_is_input(made: Result<Destination, Error>) {
    let error = made.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::SameFile { .. }), "{error}");
}

#[test]
fn a_file_gets_its_name_when_it_is_complete() {
    let scratch = Scratch::new();
    let path = scratch.path("o.csv");
    let output = written(&path, "rows\n");
    assert!(!path.exists());
    let [temporary] = &scratch.names()[..] else { panic!("{:?}", scratch.names()) };
    assert!(temporary.starts_with("o.csv.") && temporary.ends_with(".gridmill-tmp"), "{temporary}");
    output.commit().unwrap();
    assert_eq!(
        (scratch.names(), fs::read_to_string(path).unwrap()),
        (vec!["o.csv".to_owned()], "rows\n".to_owned())
    );
}

#[test]
fn an_output_that_is_dropped_leaves_everything_as_it_was() {
    let scratch = Scratch::new();
    drop(written(&scratch.path("new.csv"), "rows\n"));
    assert!(scratch.names().is_empty());
    let old = scratch.file("old.csv", "old\n");
    drop(written(&old, "rows\n"));
    assert_eq!(
        (scratch.names(), fs::read_to_string(old).unwrap()),
        (vec!["old.csv".to_owned()], "old\n".to_owned())
    );
}

#[test]
fn an_incomplete_file_is_kept_under_a_name_that_says_so() {
    let scratch = Scratch::new();
    let path = scratch.file("o.csv", "old\n");
    let kept = written(&path, "rows\n").keep_partial().unwrap().unwrap();
    assert_eq!(kept.file_name().unwrap(), "o.csv.partial");
    assert_eq!(fs::read_to_string(kept).unwrap(), "rows\n");
    assert_eq!(fs::read_to_string(path).unwrap(), "old\n");
    assert_eq!(scratch.names(), ["o.csv", "o.csv.partial"]);
}

#[test]
fn standard_output_has_no_partial_file() {
    assert_eq!(Destination::create(None).unwrap().keep_partial().unwrap(), None);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for bits in [0o600, 0o640, 0o755] {
        let path = scratch.file("old.csv", "old\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        written(&path, "rows\n").commit().unwrap();
        assert_eq!((mode(&path), fs::read_to_string(&path).unwrap()), (bits, "rows\n".to_owned()));
    }
    let (new, plain) = (scratch.path("new.csv"), scratch.file("plain", ""));
    written(&new, "rows\n").commit().unwrap();
    assert_eq!(mode(&new), mode(&plain));
}

#[cfg(unix)]
#[test]
fn a_link_is_kept_and_its_target_is_written() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("d")).unwrap();
    for target in ["old.csv", "missing.csv"] {
        let (link, second) = (scratch.path("link"), scratch.path("d/second"));
        // Relative to the directory of the link.
        std::os::unix::fs::symlink("d/second", &link).unwrap();
        std::os::unix::fs::symlink(format!("../{target}"), &second).unwrap();
        scratch.file("old.csv", "old\n");
        written(&link, "rows\n").commit().unwrap();
        assert!(link.is_symlink() && second.is_symlink());
        assert_eq!(fs::read_to_string(scratch.path(target)).unwrap(), "rows\n");
        [link, second].iter().for_each(|link| fs::remove_file(link).unwrap());
    }
}

#[test]
fn places_where_no_file_can_be_written_are_refused() {
    let scratch = Scratch::new();
    let made = |path: &Path| Destination::create(Some(path));
    assert_not_made(made(scratch.0.path()), io::ErrorKind::IsADirectory);
    assert_not_made(made(&scratch.path("new/")), io::ErrorKind::NotADirectory);
    assert_not_made(made(&scratch.path("missing/o.csv")), io::ErrorKind::NotFound);
    for name in ["o.zip", "o.csv.bz2", "o.7Z"] {
        assert_not_made(made(&scratch.path(name)), io::ErrorKind::Unsupported);
    }
    let locked = scratch.file("locked.csv", "old\n");
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    assert_not_made(made(&locked), io::ErrorKind::PermissionDenied);
    assert_eq!(scratch.names(), ["locked.csv"]);
    assert_eq!(fs::read_to_string(locked).unwrap(), "old\n");
}

#[test]
fn an_input_is_refused_as_output_under_any_name() {
    let scratch = Scratch::new();
    let input = scratch.file("in.txt", "puzzles\n");
    let other = scratch.file("other.txt", "puzzles\n");
    let mut names = vec![input.clone(), scratch.path("./in.txt"), scratch.path("hard")];
    fs::hard_link(&input, scratch.path("hard")).unwrap();
    if cfg!(unix) {
        #[cfg(unix)]
        std::os::unix::fs::symlink("in.txt", scratch.path("soft")).unwrap();
        names.push(scratch.path("soft"));
    }
    for name in &names {
        assert_is_input(Destination::create_apart_from(Some(name), &[Some(&other), Some(&input)]));
    }
    // A copy is a different file, and a missing file can't be the same.
    for name in [&other, &scratch.path("new.csv")] {
        Destination::create_apart_from(Some(name), &[Some(&input), Some(&scratch.path("missing"))]).unwrap();
    }
    assert_eq!(fs::read_to_string(input).unwrap(), "puzzles\n");
}

#[test]
fn two_outputs_are_the_same_if_they_end_under_one_name() {
    let scratch = Scratch::new();
    let made = |name: &str| Destination::create(Some(&scratch.path(name))).unwrap();
    fs::create_dir(scratch.path("d")).unwrap();
    assert!(made("o.csv").is_same(&made("./o.csv")) && made("o.csv").is_same(&made("d/../o.csv")));
    assert!(!made("o.csv").is_same(&made("p.csv")) && !made("o.csv").is_same(&made("d/o.csv")));
    let stdout = || Destination::create(None).unwrap();
    assert!(stdout().is_same(&stdout()) && !stdout().is_same(&made("o.csv")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("o.csv", scratch.path("link")).unwrap();
        assert!(made("link").is_same(&made("o.csv")));
    }
}

/// Reads a file, decompressing it with the libraries themselves.
fn unpacked(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        Some("ZST") => rusty_zstd::decompress(&bytes).unwrap().as_slice().read_to_string(&mut text).unwrap(),
        Some("xz") => lzma_rust2::XzReader::new(&bytes[..], true).read_to_string(&mut text).unwrap(),
        _ => bytes.as_slice().read_to_string(&mut text).unwrap(),
    };
    text
}

#[test]
fn an_output_is_compressed_by_its_name_even_if_incomplete() {
    let scratch = Scratch::new();
    let rows = "a row,and its fields\n".repeat(1_000);
    for name in ["o.csv.gz", "o.csv.ZST", "o.csv.xz", "o.csv"] {
        let path = scratch.path(name);
        written(&path, &rows).commit().unwrap();
        assert!(unpacked(&path) == rows, "{name}");
        let is_small = fs::metadata(&path).unwrap().len() < rows.len() as u64 / 5;
        assert_eq!(is_small, name != "o.csv");
        let partial = written(&path, &rows).keep_partial().unwrap().unwrap();
        let renamed = scratch.path(&format!("p.{name}"));
        fs::rename(partial, &renamed).unwrap();
        assert!(unpacked(&renamed) == rows, "{name}.partial");
    }
}

#[test]
fn related_outputs_get_their_names_together() {
    let scratch = Scratch::new();
    let names = ["a.csv", "b.csv.gz", "c.csv"].map(|name| scratch.path(name));
    let all: Vec<Destination> = names.iter().map(|name| written(name, "rows\n")).collect();
    assert!(names.iter().all(|name| !name.exists()));
    Destination::commit_all(all).unwrap();
    assert!(names.iter().all(|name| unpacked(name) == "rows\n"));
    assert_eq!(scratch.names().len(), 3);
}

/// A pipe, and a link through which its writing end can be opened.
#[cfg(unix)]
fn pipe(link: &Path) -> (io::PipeReader, io::PipeWriter) {
    use std::os::fd::AsRawFd;

    let (reader, writer) = io::pipe().unwrap();
    std::os::unix::fs::symlink(format!("/dev/fd/{}", writer.as_raw_fd()), link).unwrap();
    (reader, writer)
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_directly() {
    let scratch = Scratch::new();
    let link = scratch.path("pipe");
    let (mut reader, writer) = pipe(&link);
    let output = written(&link, "rows\n");
    drop(writer);
    assert_eq!(scratch.names(), ["pipe"]);
    let mut came = [0; 5];
    reader.read_exact(&mut came).unwrap();
    assert_eq!(&came, b"rows\n");
    assert_eq!(output.keep_partial().unwrap(), None);
    assert_eq!(reader.read(&mut came).unwrap(), 0);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_an_error_that_names_it() {
    let scratch = Scratch::new();
    let link = scratch.path("pipe");
    let (reader, _writer) = pipe(&link);
    let mut output = Destination::create(Some(&link)).unwrap();
    drop(reader);
    let error = output.write_all(b"rows\n").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(error.to_string().starts_with(&link.display().to_string()), "{error}");
}

/// The compressed output can't be finished, because the reading end of its pipe is closed.
#[cfg(unix)]
#[test]
fn no_output_gets_its_name_if_one_of_them_cannot_be_finished() {
    for failing in 0..3 {
        let scratch = Scratch::new();
        let link = scratch.path("pipe.gz");
        let (reader, _writer) = pipe(&link);
        let outputs = ["a.csv", "b.csv"].map(|name| written(&scratch.path(name), "rows\n"));
        let mut all = Vec::from(outputs);
        // The encoder holds the data until the end, so the error comes only then.
        all.insert(failing, written(&link, "rows\n"));
        drop(reader);
        let error = Destination::commit_all(all).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
        assert_eq!(scratch.names(), ["pipe.gz"]);
    }
}
