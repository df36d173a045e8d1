//! Finds each `unsafe` in Rust text, with the item around it and the reason that the code gives for it.

#![allow(unreachable_pub)]

/// A place in the code where the compiler trusts the programmer.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    pub kind: Kind,
    /// The function with its type, or the type of an `impl`.
    pub item: String,
    /// The text of the comment before it that begins with SAFETY, or of the doc section with that name; empty
    /// if there is none.
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Block,
    Function,
    /// An `impl`, a trait, or a block of foreign functions.
    Item,
    Attribute,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Block => "block",
            Kind::Function => "function",
            Kind::Item => "declaration",
            Kind::Attribute => "attribute",
        }
    }

    /// The kind of a place, from the code after `unsafe`; `None` for the type of a function pointer.
    fn from_code_after(after: &str) -> Option<Kind> {
        let after = after.trim_start();
        if after.starts_with('{') {
            return Some(Kind::Block);
        }
        if after.starts_with([')', '(', ',']) {
            return Some(Kind::Attribute);
        }
        // The name of the ABI is a string, which has been replaced by blanks.
        let after = after.strip_prefix("extern").unwrap_or(after).trim_start();
        match after.strip_prefix("fn") {
            Some(rest) => (!rest.trim_start().starts_with('(')).then_some(Kind::Function),
            None => Some(Kind::Item),
        }
    }
}

/// Finds all places of a file.
pub fn places(text: &str) -> Vec<Place> {
    if !text.contains("unsafe") {
        return Vec::new();
    }
    let code = code_of(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Place> = Vec::new();
    for at in words(&code, "unsafe") {
        let row = code[..at].matches('\n').count();
        let Some(kind) = Kind::from_code_after(&code[at + "unsafe".len()..]) else { continue };
        let item = item_at(&code, at);
        let reason = reason_at(&lines, row);
        let reason = reason.unwrap_or_else(|| of_the_impl(&found, kind, &item));
        found.push(Place { line: row + 1, kind, item, reason });
    }
    let general = lines.iter().position(|line| line.trim_start().starts_with(GENERAL));
    let general = general.map(|row| paragraph(&lines, row, GENERAL)).unwrap_or_default();
    for place in &mut found {
        if let Some(more) = place.reason.strip_prefix("see above") {
            place.reason = format!("{}{more}", general.trim_end_matches('.'));
        }
    }
    found
}

/// The beginning of a reason for several blocks, which refer to it with "see above".
const GENERAL: &str = "// SAFETY of every block here:";

/// The reason of the `impl` around a function. It holds for the function too, because that keeps the promises
/// of the trait.
fn of_the_impl(found: &[Place], kind: Kind, item: &str) -> String {
    let of_item = |place: &&Place| place.kind == Kind::Item && item.starts_with(&format!("{}::", place.item));
    let given = found.iter().rfind(of_item).filter(|_| kind == Kind::Function);
    given.map(|place| place.reason.clone()).unwrap_or_default()
}

/// The reason before a line. Attributes and the beginning of the statement may come between.
fn reason_at(lines: &[&str], row: usize) -> Option<String> {
    let mut first = row;
    loop {
        first = first.checked_sub(1)?;
        let line = lines[first].trim();
        let is_comment = line.starts_with("//");
        if !is_comment && (line.is_empty() || line.ends_with([';', '{', '}', ',']) && !line.starts_with('#'))
        {
            return None;
        }
        for begin in ["// SAFETY:", "/// # Safety"] {
            if line.starts_with(begin) {
                return Some(paragraph(lines, first, begin));
            }
        }
    }
}

/// The words of a comment that begins in a line, without its first mark.
fn paragraph(lines: &[&str], row: usize, begin: &str) -> String {
    let first = lines[row].trim().strip_prefix(begin).unwrap_or_default();
    let more = lines[row + 1..].iter().map(|line| line.trim()).take_while(|line| line.starts_with("//"));
    let words: Vec<&str> = std::iter::once(first)
        .chain(more.map(|line| line.trim_start_matches('/')))
        .flat_map(str::split_whitespace)
        .collect();
    words.join(" ")
}

/// The name of the item around a place. This is the innermost function with the type of its `impl`, or the
/// macro if that names the function. If the place itself begins an item, it is that item.
fn item_at(code: &str, at: usize) -> String {
    // The headers of the open blocks, from the outermost one, and the header that is being read at the place.
    let (mut open, mut header) = (Vec::new(), String::new());
    // A semicolon within brackets ends nothing, e.g. in `[u8; 32]`.
    let mut brackets = 0;
    for character in code[..at].chars() {
        brackets += i32::from(character == '[') - i32::from(character == ']');
        match character {
            '{' => open.push(std::mem::take(&mut header)),
            '}' => {
                open.pop();
                header.clear();
            }
            ';' if brackets == 0 => header.clear(),
            other => header.push(other),
        }
    }
    let end = code[at..].find(['{', ';']).map_or(code.len(), |end| at + end);
    open.push(format!("{header}{}", &code[at..end]));
    let of_type = open.iter().rev().find_map(|header| implemented(header));
    let named = |word| open.iter().rev().find_map(|header| name_after(header, word));
    let of_macro = |header: &String| Some(format!("{}!", header.split_once("macro_rules! ")?.1.trim()));
    let function = named("fn").or_else(|| named("static")).or_else(|| open.iter().find_map(of_macro));
    match (of_type, function) {
        (Some(of_type), Some(function)) => format!("{of_type}::{function}"),
        (of_type, function) => of_type.or(function).unwrap_or_else(|| "extern".to_owned()),
    }
}

/// The name after a word in a header, e.g. after `fn`.
fn name_after(header: &str, word: &str) -> Option<String> {
    let at = words(header, word).find(|at| header[at + word.len()..].starts_with(' '))?;
    let name: String =
        header[at + word.len()..].trim_start().chars().take_while(|&c| is_of_word(c)).collect();
    (!name.is_empty()).then_some(name)
}

/// The type that is implemented by a header, if it is that of an `impl`.
fn implemented(header: &str) -> Option<String> {
    let at = words(header, "impl").next().filter(|_| words(header, "fn").next().is_none())?;
    let rest = header[at + "impl".len()..].replace("->", "");
    let of_type = rest.rsplit_once(" for ").map_or_else(|| without_generics(&rest), |(_, of_type)| of_type);
    Some(of_type.split(" where ").next()?.split('<').next()?.trim().to_owned())
}

/// The text without the generics at its beginning.
fn without_generics(text: &str) -> &str {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        depth += match character {
            '<' => 1,
            '>' => -1,
            _ if depth == 0 && !character.is_whitespace() => return &text[at..],
            _ => 0,
        };
    }
    text
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The positions of a whole word in a text.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        ![before, after].into_iter().flatten().any(is_of_word)
    })
}

/// The text with blanks for each byte of comments, strings and characters. Line ends stay, so that line
/// numbers do too.
pub fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_inside_word = code.chars().next_back().is_some_and(is_of_word);
        let len = blank_len(rest, is_inside_word);
        let taken = len.max(first.len_utf8());
        let (piece, after) = rest.split_at(taken);
        if len == 0 {
            code.push_str(piece);
        } else {
            code.extend(piece.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        }
        rest = after;
    }
    code
}

/// The length in bytes of the comment, string or character at the beginning of a text; 0 if it begins with
/// code.
fn blank_len(text: &str, is_inside_word: bool) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment_len(text);
    }
    if text.starts_with('"') {
        return string_len(text);
    }
    if text.starts_with('\'') {
        return character_len(text);
    }
    let raw = ["r", "br", "cr"].into_iter().find_map(|prefix| text.strip_prefix(prefix));
    raw.filter(|_| !is_inside_word).map_or(0, |after| raw_string_len(text, after))
}

/// The length of a block comment. It may contain other block comments.
fn block_comment_len(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character; 0 for a lifetime, because that begins with the same quote.
fn character_len(text: &str) -> usize {
    if let Some(escaped) = text.strip_prefix("'\\") {
        let first = escaped.chars().next().map_or(0, char::len_utf8);
        return escaped[first..].find('\'').map_or(text.len(), |end| 2 + first + end + 1);
    }
    let mut characters = text.char_indices().skip(2);
    characters.next().filter(|&(_, end)| end == '\'').map_or(0, |(at, _)| at + 1)
}

/// The length of `text`, if the text after its prefix is a raw string; otherwise 0.
fn raw_string_len(text: &str, after: &str) -> usize {
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !after[hashes..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let begin = text.len() - after.len() + hashes + 1;
    text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, Kind, String, String)> {
        places(text).into_iter().map(|place| (place.line, place.kind, place.item, place.reason)).collect()
    }

    #[test]
    fn the_word_unsafe_in_comments_and_strings_is_ignored() {
        let text = r####"
//! unsafe { }
/// An unsafe fn.
/* unsafe /* unsafe { } */ unsafe impl */
fn f<'a>(a: &'a str) -> char {
    let _ = ("unsafe { \" unsafe", b"unsafe", r"unsafe \", r#"unsafe " unsafe"#, br##"unsafe"##, c"unsafe");
    let (quote, tick, unsafely, not_unsafe) = ('"', '\'', 1, 2);
    '\u{1F600}' // unsafe
}
"####;
        assert_eq!(found(text), []);
        assert_eq!(code_of(text).len(), text.len());
    }

    #[test]
    fn code_after_strings_and_lifetimes_is_found() {
        let text = "fn f<'a>(x: &'a u8) { g('\"', '\\'', \"\\\\\", r\"\\\"); unsafe { h() } }\nmacro_rules! m { () => { unsafe { 1 } } }";
        let items: Vec<(usize, String)> =
            places(text).into_iter().map(|place| (place.line, place.item)).collect();
        assert_eq!(items, [(1, "f".to_owned()), (2, "m!".to_owned())]);
    }

    #[test]
    fn each_kind_has_its_item_and_its_reason() {
        let text = "\
impl<T: Fn() -> u8> Thing<T> {
    /// Reads.
    ///
    /// # Safety
    ///
    /// The place is
    /// valid.
    unsafe fn read(&self, _: [u8; 2]) -> u8 {
        // Another comment.
        // SAFETY: the caller
        // promises it.
        let value =
            unsafe { *self.0 };
        value
    }
}

// SAFETY: all is passed on.
#[allow(unsafe_code)]
unsafe impl Alloc for Thing<u8> {
    unsafe fn alloc(&self) {
        helper();
        unsafe { helper() }
    }
}

// SAFETY: it needs no runtime.
#[ctor(unsafe)]
fn look() {}

// SAFETY: the section is one of functions.
#[unsafe(link_section = \".init_array\")]
static BEGIN: extern \"C\" fn() = look;

// SAFETY: they are declared as in C.
unsafe extern \"C\" {
    fn puts();
}

// SAFETY: there is no other such name.
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn call() {
    type Call = unsafe extern \"C\" fn(u8);
}
";
        let expected = [
            (8, Kind::Function, "Thing::read", "The place is valid."),
            (13, Kind::Block, "Thing::read", "the caller promises it."),
            (20, Kind::Item, "Thing", "all is passed on."),
            (21, Kind::Function, "Thing::alloc", "all is passed on."),
            (23, Kind::Block, "Thing::alloc", ""),
            (28, Kind::Attribute, "look", "it needs no runtime."),
            (32, Kind::Attribute, "BEGIN", "the section is one of functions."),
            (36, Kind::Item, "extern", "they are declared as in C."),
            (41, Kind::Attribute, "call", "there is no other such name."),
            (42, Kind::Function, "call", "there is no other such name."),
        ];
        let expected =
            expected.map(|(line, kind, item, reason)| (line, kind, item.to_owned(), reason.to_owned()));
        assert_eq!(found(text), expected);
    }

    #[test]
    fn the_reason_of_another_statement_does_not_count() {
        let text = "fn f() {\n    // SAFETY: for g.\n    unsafe { g() };\n    unsafe { h() };\n}\n";
        let reasons: Vec<String> = places(text).into_iter().map(|place| place.reason).collect();
        assert_eq!(reasons, ["for g.", ""]);
    }

    #[test]
    fn a_general_reason_replaces_references_to_it() {
        let block = "fn f() {\n    // SAFETY: see above; and more.\n    unsafe { g() }\n}\n";
        let text = format!("// SAFETY of every block here: the token\n// proves it.\n{block}");
        assert_eq!(places(&text)[0].reason, "the token proves it; and more.");
        assert_eq!(places(block)[0].reason, "; and more.");
    }
}
