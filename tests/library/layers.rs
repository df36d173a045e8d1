//! Rooms depend downwards only, in the order that `src/lib.rs` gives.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The list of rooms in `src/lib.rs`, from the ground up.
fn order() -> Vec<String> {
    let lib = fs::read_to_string(source().join("lib.rs")).unwrap();
    let room = |line: &str| Some(line.strip_prefix("//! - [`")?.split_once("`]")?.0.to_owned());
    lib.lines().filter_map(room).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The modules that lead to a file: `text/grid/tests.rs` is in `text`, `grid`, `tests`.
fn module(file: &Path) -> Vec<String> {
    let inside = file.strip_prefix(source()).unwrap().with_extension("");
    let mut module: Vec<String> =
        inside.iter().map(|part| part.to_str().unwrap().to_owned()).filter(|part| part != "mod").collect();
    if module == ["lib"] || module == ["main"] {
        module.clear();
    }
    module
}

/// The first names of a path behind `crate::`, one or a group of them: `{a, b::{c, d}}` begins with a and b.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                names.push(name(&group[start..at]));
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Where a path begins with this word: it is neither part of a longer name nor in the middle of a path.
fn starts<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let begins = |at: &usize| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
    };
    text.match_indices(word).map(|(at, _)| at).filter(begins)
}

/// The rooms that a text names by `crate::`.
fn named_rooms(text: &str) -> BTreeSet<String> {
    starts(text, "crate::").flat_map(|at| first_names(&text[at + "crate::".len()..])).collect()
}

/// The paths of `super`s that lead out of a room, of a file that stands in it with so many modules, the room itself
/// included. A module within the file, which ends with a brace that is not indented, is one more.
fn escapes(text: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut inner = 0;
    for line in text.lines() {
        if line.ends_with('{') && line.trim_start_matches("pub(crate) ").starts_with("mod ") {
            inner = 1;
        }
        if line == "}" {
            inner = 0;
        }
        for at in starts(line, "super::") {
            let path: String = line[at..].chars().take_while(|&c| c != ';' && c != ' ').collect();
            if path.matches("super::").count() >= depth + inner {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_room_has_its_place_in_the_order() {
    let rooms = fs::read_dir(source()).unwrap().map(|entry| entry.unwrap().path().with_extension(""));
    let mut rooms: Vec<String> =
        rooms.map(|room| room.file_name().unwrap().to_str().unwrap().into()).collect();
    rooms.retain(|room| room != "lib" && room != "main" && room != "README");
    rooms.sort();
    let mut order = order();
    order.sort();
    assert_eq!(order, rooms);
}

#[test]
fn rooms_depend_on_those_below_only() {
    let order = order();
    let place = |room: &str| order.iter().position(|known| known == room);
    let mut upward = Vec::new();
    for file in files(&source()) {
        let (text, module) = (fs::read_to_string(&file).unwrap(), module(&file));
        let Some(room) = module.first() else { continue };
        for other in named_rooms(&text) {
            if place(&other).is_none() || place(&other) > place(room) {
                upward.push(format!("{}: crate::{other}", file.display()));
            }
        }
        upward.extend(escapes(&text, module.len()).iter().map(|path| format!("{}: {path}", file.display())));
    }
    assert!(upward.is_empty(), "a room depends on one above it:\n{}", upward.join("\n"));
}

#[test]
fn paths_are_found_in_every_form() {
    let rooms = |text: &str| named_rooms(text).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(rooms("use crate::text::{Batch, Fault};\nlet x = crate::grid::CELLS;"), "grid text");
    assert_eq!(rooms("use crate::{\n    cli,\n    grid::{Cell, Grid},\n    text as t,\n};"), "cli grid text");
    assert_eq!(
        rooms("//! See [`crate::solver`]; pub(crate) fn, $crate::output, other_crate::text."),
        "solver"
    );
    assert_eq!(escapes("use super::a;\nuse super::super::b;", 2), ["super::super::b"]);
    assert_eq!(escapes("use super::a;", 1), ["super::a"]);
    let inner = "mod tests {\n    use super::*;\n    use super::super::a;\n}\nuse super::b;";
    assert_eq!(escapes(inner, 1), ["super::super::a", "super::b"]);
    assert_eq!(escapes(inner, 2), Vec::<String>::new());
}
