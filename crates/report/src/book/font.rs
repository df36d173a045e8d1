//! The font of books: [Open Sans](fonts/README.md), regular and bold, with the letters of languages in
//! Latin script.

use std::sync::LazyLock;

/// The height of capital letters and digits, for a font size of 1.
pub(super) const CAP_HEIGHT: f64 = 1462.0 / 2048.0;

/// A TrueType font, whose file is embedded in the program.
#[derive(Debug)]
pub(super) struct Font {
    /// Its PostScript name. The prefix of six letters says that this is a subset of the named font.
    pub(super) name: &'static str,
    /// The file.
    pub(super) file: &'static [u8],
    /// The font size in units of the file: its lengths are divided by this.
    units: f64,
    /// The box that every glyph fits into (left, bottom, right, top), and the heights above and below the
    /// baseline.
    extents: [i16; 6],
    /// The glyph of each character, sorted by character for binary search.
    glyphs: Vec<(char, u16)>,
    /// The width of each glyph.
    widths: Vec<u16>,
}

static REGULAR: LazyLock<Font> =
    LazyLock::new(|| Font::new("GRIDMI+OpenSans", include_bytes!("fonts/OpenSans-Regular.ttf")));
static BOLD: LazyLock<Font> =
    LazyLock::new(|| Font::new("GRIDMI+OpenSans-Bold", include_bytes!("fonts/OpenSans-Bold.ttf")));

/// Finds the first character of a text that the font of books does not have.
#[must_use]
pub fn missing_letter(text: &str) -> Option<char> {
    text.chars().find(|&character| Font::with_weight(false).find(character).is_none())
}

impl Font {
    /// The bold or the regular font.
    pub(super) fn with_weight(is_bold: bool) -> &'static Font {
        if is_bold { &BOLD } else { &REGULAR }
    }

    /// Both fonts, regular and bold.
    pub(super) fn all() -> [&'static Font; 2] {
        [false, true].map(Font::with_weight)
    }

    /// Reads the tables that are needed from a file.
    fn new(name: &'static str, file: &'static [u8]) -> Font {
        let [metrics, all, head] = [b"hmtx", b"hhea", b"head"].map(|name| table(file, name));
        let count = number(all, 34);
        let glyphs = u32::from(number(table(file, b"maxp"), 4));
        // Glyphs after the last width all have that width.
        let width = |glyph: u32| number(metrics, 4 * glyph.min(u32::from(count) - 1) as usize);
        Font {
            name,
            file,
            units: number(head, 18).into(),
            extents: [(head, 36), (head, 38), (head, 40), (head, 42), (all, 4), (all, 6)]
                .map(|(table, at)| number(table, at).cast_signed()),
            glyphs: characters(table(file, b"cmap")),
            widths: (0..glyphs).map(width).collect(),
        }
    }

    /// All characters with their glyphs.
    pub(super) fn glyphs(&self) -> &[(char, u16)] {
        &self.glyphs
    }

    /// The width of each glyph, for a font size of 1,000.
    pub(super) fn widths(&self) -> impl Iterator<Item = f64> {
        self.widths.iter().map(|width| f64::from(*width) * 1000.0 / self.units)
    }

    /// The box that every glyph fits into (left, bottom, right, top), and the heights above and below the
    /// baseline, for a font size of 1,000.
    pub(super) fn extents(&self) -> [f64; 6] {
        self.extents.map(|length| f64::from(length) * 1000.0 / self.units)
    }

    fn find(&self, character: char) -> Option<u16> {
        let place = self.glyphs.binary_search_by_key(&character, |(known, _)| *known).ok()?;
        Some(self.glyphs[place].1)
    }

    /// The glyphs of a text. A missing character becomes glyph 0, which is a box.
    pub(super) fn glyphs_of(&self, text: &str) -> impl Iterator<Item = u16> {
        text.chars().map(|character| self.find(character).unwrap_or(0))
    }

    /// The width of a text in a font size.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let units: u32 = self.glyphs_of(text).map(|glyph| u32::from(self.widths[usize::from(glyph)])).sum();
        f64::from(units) * size / self.units
    }
}

/// Reads 16 bits at an offset.
fn number(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Finds a table of a file by its name of four letters.
fn table(file: &'static [u8], name: &[u8; 4]) -> &'static [u8] {
    let mut entries = file[12..].chunks(16).take(number(file, 4).into());
    let entry = entries.find(|entry| entry.starts_with(name)).expect("the file has all tables");
    let [start, len] = [8, 12]
        .map(|at| u32::from_be_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]) as usize);
    &file[start..start + len]
}

/// Reads the glyph of each character. The file has a single table of characters, in format 4: ranges of
/// characters, each with either a distance from character to glyph, or the place of a list of glyphs.
fn characters(cmap: &[u8]) -> Vec<(char, u16)> {
    let table = &cmap[u32::from_be_bytes([cmap[8], cmap[9], cmap[10], cmap[11]]) as usize..];
    assert_eq!((number(cmap, 2), number(table, 0)), (1, 4), "the font has another table of characters");
    let ranges = usize::from(number(table, 6)) / 2;
    let field = |nth: usize, range: usize| 14 + 2 * (nth * ranges + range);
    let mut found = Vec::new();
    for range in 0..ranges {
        // The `+ 2` skips two padding bytes after the ends of the ranges.
        let (last, first) = (number(table, field(0, range)), number(table, field(1, range) + 2));
        let (distance, list) = (number(table, field(2, range) + 2), field(3, range) + 2);
        for code in first..=last {
            let glyph = match usize::from(number(table, list)) {
                0 => code.wrapping_add(distance),
                offset => match number(table, list + offset + 2 * usize::from(code - first)) {
                    0 => 0,
                    glyph => glyph.wrapping_add(distance),
                },
            };
            found.extend(char::from_u32(code.into()).filter(|_| glyph != 0).map(|known| (known, glyph)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_latin_script_have_glyphs() {
        let names =
            "Sudoku für Anfänger – Łamigłówki „Ołówek” – Dürüm’ün bulmacası: Ñandú, Œuvre, Ștefan, ŐŰ, €";
        assert_eq!(missing_letter(names), None);
        let ascii: String = (' '..='~').collect();
        assert_eq!(missing_letter(&ascii), None);
        assert_eq!((missing_letter("a\u{6570}"), missing_letter("\n")), (Some('\u{6570}'), Some('\n')));
    }

    #[test]
    fn both_fonts_have_the_same_letters_and_digits_of_one_width() {
        let [regular, bold] = Font::all();
        let characters =
            |font: &Font| font.glyphs().iter().map(|(character, _)| *character).collect::<Vec<_>>();
        assert_eq!(characters(regular), characters(bold));
        assert!(characters(regular).is_sorted() && characters(regular).len() > 300);
        for font in Font::all() {
            assert!(('0'..='9').all(|digit| font.width(&digit.to_string(), 1.0) == font.width("5", 1.0)));
            assert!(font.width("W", 1.0) > font.width("i", 1.0) && font.width("ab", 2.0) > 2.0);
            let distinct: std::collections::BTreeSet<_> = font.glyphs_of("0123456789AZ").collect();
            assert_eq!(distinct.len(), 12);
            assert_eq!(f64::from(number(table(font.file, b"OS/2"), 88)) / font.units, CAP_HEIGHT);
        }
    }
}
