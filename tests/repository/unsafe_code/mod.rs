//! The fence around `unsafe`: the places where it is allowed, and the reasons why each use is sound.
//! `docs/unsafe.md` lists them.

pub(crate) mod scan;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use scan::{Place, code_of, places};

/// The files or folders that may contain `unsafe`, and the purpose.
const FENCE: [(&str, &str); 8] = [
    (
        "crates/core/src/simd/avx2.rs",
        "The backend AVX2, the entry to code compiled for it, and the choice of a cell with it.",
    ),
    (
        "crates/core/src/simd/avx512.rs",
        "The backends AVX-512, the entry to code compiled for them, copies of lanes and the choice of a cell with them.",
    ),
    ("crates/core/src/simd/check.rs", "The check of solutions with AVX2 and AVX-512."),
    ("crates/data/src/pipeline/input/system.rs", "Maps a file."),
    ("crates/data/tests/allocation.rs", "Counts allocations, in a test."),
    ("python/src/import.rs", "Takes columns of Arrow out of capsules."),
    ("src/main.rs", "Runs before the runtime of Rust, which hides that a standard stream is closed."),
    ("tests/shim/", "Stands between the program and the system, in tests."),
];

const DOCUMENT: &str = "docs/unsafe.md";

const HEAD: &str = "\
# Unsafe code

Every `unsafe` in the Rust files of this repository, with the reason that stands beside it in the code. A test makes this
list, and fails where a file outside of it has `unsafe`, where a reason is missing, or where this document is out of date;
`GRIDMILL_WRITE=1 cargo test --test repository unsafe_code` writes it anew.
";

/// The Rust files of a folder, in order, without folders that tools make, e.g. `target`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Every Rust file of the repository: its path from the root, and its text.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = |path: &Path| {
        let parts = path.strip_prefix(root).unwrap().iter();
        parts.map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/")
    };
    let read = |path: PathBuf| (name(&path), fs::read_to_string(&path).unwrap());
    rust_files(root).into_iter().map(read).collect()
}

/// The purpose of `unsafe` in a file; `None` if it isn't allowed there.
fn purpose(file: &str) -> Option<&'static str> {
    let is_it = |named: &str| file == named || named.ends_with('/') && file.starts_with(named);
    FENCE.iter().find(|(named, _)| is_it(named)).map(|&(_, purpose)| purpose)
}

/// What is wrong with the reason for a place, if anything.
fn fault_of(place: &Place) -> Option<&'static str> {
    let reason = place.reason.to_lowercase();
    if reason.is_empty() {
        return Some("has no SAFETY comment");
    }
    let says_nothing = reason.contains("todo") || reason.contains("fixme") || reason.split(' ').count() < 4;
    says_nothing.then_some("has a SAFETY comment that gives no reason")
}

/// The faults of the `unsafe` code in a file.
fn faults(file: &str, text: &str) -> Vec<String> {
    let found = places(text);
    let mut faults = Vec::new();
    if purpose(file).is_none() && text.contains("unsafe") {
        let code = code_of(text);
        let outside = found.iter().map(|place| format!("{file}:{}: unsafe outside of the fence", place.line));
        faults.extend(outside);
        if ["allow(unsafe_code", "expect(unsafe_code"].iter().any(|allows| code.contains(allows)) {
            faults.push(format!("{file}: allows unsafe_code outside of the fence"));
        }
    }
    for place in found {
        faults.extend(fault_of(&place).map(|fault| format!("{file}:{}: {} {fault}", place.line, place.item)));
    }
    faults
}

/// The part of the document about a file: its reasons, each with the items that give it.
fn section(file: &str, found: &[Place]) -> String {
    let mut by_reason: Vec<(&str, BTreeMap<String, usize>)> = Vec::new();
    for place in found {
        let item = match place.kind {
            scan::Kind::Block => format!("`{}`", place.item),
            kind => format!("`{}` ({})", place.item, kind.name()),
        };
        let known = by_reason.iter().position(|(reason, _)| *reason == place.reason);
        let at = known.unwrap_or_else(|| {
            by_reason.push((&place.reason, BTreeMap::new()));
            by_reason.len() - 1
        });
        *by_reason[at].1.entry(item).or_default() += 1;
    }
    let mut text = format!("\n## {file}\n\n{}\n\n", purpose(file).unwrap_or("Outside of the fence."));
    for (reason, items) in by_reason {
        let times =
            |(item, times): (String, usize)| if times == 1 { item } else { format!("{item} x{times}") };
        let items: Vec<String> = items.into_iter().map(times).collect();
        writeln!(text, "- {}: {reason}", items.join(", ")).unwrap();
    }
    text
}

#[test]
fn unsafe_code_is_inside_the_fence_and_has_a_reason() {
    let faults: Vec<String> = sources().iter().flat_map(|(file, text)| faults(file, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_file_of_the_fence_has_unsafe() {
    let sources = sources();
    for (named, _) in FENCE.iter().filter(|(named, _)| !named.ends_with('/')) {
        let text = sources.iter().find(|(file, _)| file == named).map(|(_, text)| text);
        assert!(
            text.is_some_and(|text| !places(text).is_empty()),
            "{named} has no unsafe: remove it from the list"
        );
    }
}

#[test]
fn the_list_of_unsafe_is_up_to_date() {
    let listed = sources().into_iter().map(|(file, text)| (file, places(&text)));
    let listed = listed.filter(|(_, found)| !found.is_empty()).map(|(file, found)| section(&file, &found));
    let expected = HEAD.to_owned() + &listed.collect::<String>();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    if std::env::var_os("GRIDMILL_WRITE").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let advice = "GRIDMILL_WRITE=1 cargo test --test repository unsafe_code";
    assert!(
        fs::read_to_string(&path).is_ok_and(|text| text == expected),
        "{DOCUMENT} is out of date: {advice}"
    );
}

#[test]
fn unsafe_code_outside_the_fence_or_without_a_reason_is_reported() {
    let (inside, outside) = ("crates/core/src/simd/avx2.rs", "crates/core/src/grid/mod.rs");
    let block = |comment: &str| format!("fn f() {{\n    {comment}\n    unsafe {{ g() }}\n}}\n");
    let reason = "// SAFETY: the feature has been detected.";
    assert_eq!(faults(inside, &block(reason)), [""; 0]);
    assert_eq!(faults(outside, &block(reason)), [format!("{outside}:3: unsafe outside of the fence")]);
    assert_eq!(faults(inside, &block("// Fast.")), [format!("{inside}:3: f has no SAFETY comment")]);
    for nothing in ["// SAFETY: it is fine.", "// SAFETY: TODO think about this one", "// SAFETY: see above."]
    {
        let fault = format!("{inside}:3: f has a SAFETY comment that gives no reason");
        assert_eq!(faults(inside, &block(nothing)), [fault], "{nothing}");
    }
    let allows = format!("{outside}: allows unsafe_code outside of the fence");
    assert_eq!(faults(outside, "#![allow(unsafe_code)]\n"), [allows]);
    assert_eq!(faults("src/cli.rs", "#![forbid(unsafe_code)]\n"), [""; 0]);
}
