//! The committed corpus of the fuzz targets. Each input passes all checks of its target here, so that a
//! regression is found without libFuzzer.

use std::path::{Path, PathBuf};

#[path = "../../fuzz/src/lib.rs"]
mod fuzz;

/// The input files of a target, sorted by name.
fn inputs(target: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Checks every input of a target, and lists the ones that fail.
fn replay(target: &str) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{target} has no corpus");
    let fails = |input: &&PathBuf| {
        let data = std::fs::read(input).unwrap();
        std::panic::catch_unwind(|| fuzz::check(target, &data)).is_err()
    };
    let failed: Vec<&PathBuf> = inputs.iter().filter(fails).collect();
    assert!(failed.is_empty(), "{target}: these inputs fail: {failed:#?}");
}

/// Generates a test for each target.
macro_rules! targets {
    ($($target:ident)*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        #[test]
        fn every_target_is_tested() {
            let names: Vec<&str> = fuzz::TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($target)),*]);
        }
    };
}

targets! { alphabets chunks codecs detection engines minlex readers requests }
