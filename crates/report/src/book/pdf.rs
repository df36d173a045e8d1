//! Writes books as PDF.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Settings, Str, TextStr};

use super::font::Font;
use super::layout::{BookPart, Plan};
use super::{Anchor, Page, Text};

/// The names of the two fonts in the pages.
const FONTS: [Name<'static>; 2] = [Name(b"F0"), Name(b"F1")];

/// The grey of less important texts.
const GREY: f32 = 0.4;

/// Says that glyphs are numbered as in the font file.
const GLYPHS: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Writes a book. Returns false if `stop` became true meanwhile.
pub(super) fn write(plan: &Plan<'_>, out: &mut dyn Write, stop: &AtomicBool) -> io::Result<bool> {
    let mut pdf = Pdf::with_settings(Settings { pretty: false });
    let mut next = Ref::new(1);
    let [catalog, tree, info] = [next.bump(), next.bump(), next.bump()];
    let fonts = Font::all().map(|font| put_font(font, &mut next, &mut pdf));
    let mut pages = Vec::new();
    for index in 0..plan.pages() {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let content = content_of(&plan.page(index), plan.height());
        pages.push(put_page(&content, plan.book.paper.size(), (tree, fonts), &mut next, &mut pdf));
    }
    let outline = put_outline(plan, &pages, &mut next, &mut pdf);
    pdf.pages(tree).count(pages.len() as i32).kids(pages);
    pdf.document_info(info).title(TextStr(plan.title())).creator(TextStr("gridmill"));
    let mut catalog = pdf.catalog(catalog);
    catalog.pages(tree).outlines(outline);
    catalog.viewer_preferences().display_doc_title(true);
    catalog.finish();
    out.write_all(&pdf.finish())?;
    Ok(true)
}

/// Adds a page with this content.
fn put_page(
    content: &[u8],
    (width, height): (f64, f64),
    (tree, fonts): (Ref, [Ref; 2]),
    next: &mut Ref,
    pdf: &mut Pdf,
) -> Ref {
    let [id, stream] = [next.bump(), next.bump()];
    let mut page = pdf.page(id);
    page.parent(tree).contents(stream).media_box(Rect::new(0.0, 0.0, width as f32, height as f32));
    page.resources().fonts().pairs(FONTS.into_iter().zip(fonts));
    page.finish();
    pdf.stream(stream, &deflated(content)).filter(Filter::FlateDecode);
    id
}

/// Writes the lines and texts of a page as PDF operators. PDF measures from the lower left corner, so y is
/// subtracted from the height.
fn content_of(page: &Page, height: f64) -> Vec<u8> {
    let mut content = Content::with_settings(Settings { pretty: false });
    let mut width = f64::NAN;
    for line in &page.lines {
        if line.width != width {
            width = line.width;
            content.set_line_width(rounded(width));
        }
        content.move_to(rounded(line.from.0), rounded(height - line.from.1));
        content.line_to(rounded(line.to.0), rounded(height - line.to.1));
        content.stroke();
    }
    content.begin_text();
    let (mut font, mut is_grey) = ((f64::NAN, false), false);
    for text in &page.texts {
        let look = text.font;
        if (look.size, look.is_bold) != font {
            font = (look.size, look.is_bold);
            content.set_font(FONTS[usize::from(look.is_bold)], rounded(look.size));
        }
        if look.is_grey != is_grey {
            is_grey = look.is_grey;
            content.set_fill_gray(if is_grey { GREY } else { 0.0 });
        }
        let start = (rounded(start_of(text)), rounded(height - text.at.1));
        content.set_text_matrix([1.0, 0.0, 0.0, 1.0, start.0, start.1]);
        let glyphs: Vec<u8> =
            Font::with_weight(look.is_bold).glyphs_of(&text.text).flat_map(u16::to_be_bytes).collect();
        content.show(Str(&glyphs));
    }
    content.end_text();
    content.finish().into_vec()
}

/// Finds where a text begins.
fn start_of(text: &Text) -> f64 {
    let width = Font::with_weight(text.font.is_bold).width(&text.text, text.font.size);
    match text.anchor {
        Anchor::Start => text.at.0,
        Anchor::Middle => text.at.0 - width / 2.0,
        Anchor::End => text.at.0 - width,
    }
}

/// Rounds to a hundredth of a point, because more digits are invisible.
fn rounded(length: f64) -> f32 {
    ((length * 100.0).round() / 100.0) as f32
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

/// Embeds a font with its file. It also adds the character of each glyph, so that readers can search and
/// copy text.
fn put_font(font: &Font, next: &mut Ref, pdf: &mut Pdf) -> Ref {
    let [id, descendant, descriptor, file, characters] = [(); 5].map(|()| next.bump());
    let name = Name(font.name.as_bytes());
    pdf.type0_font(id)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(characters);
    let mut cid = pdf.cid_font(descendant);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(GLYPHS).font_descriptor(descriptor);
    cid.cid_to_gid_map_predefined(Name(b"Identity"));
    cid.widths().consecutive(0, font.widths().map(rounded));
    cid.finish();
    let [left, bottom, right, top, ascent, descent] = font.extents().map(rounded);
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::SYMBOLIC)
        .bbox(Rect::new(left, bottom, right, top))
        .italic_angle(0.0)
        .ascent(ascent)
        .descent(descent)
        .cap_height(rounded(1000.0 * super::font::CAP_HEIGHT))
        .stem_v(80.0)
        .font_file2(file);
    let data = deflated(font.file);
    let mut stream = pdf.stream(file, &data);
    stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), font.file.len() as i32);
    stream.finish();
    let mut map = UnicodeCmap::new(Name(b"Characters"), GLYPHS);
    font.glyphs().iter().for_each(|&(character, glyph)| map.pair(glyph, character));
    pdf.cmap(characters, &deflated(&map.finish())).filter(Filter::FlateDecode);
    id
}

/// Adds bookmarks for the parts of the book.
fn put_outline(plan: &Plan<'_>, pages: &[Ref], next: &mut Ref, pdf: &mut Pdf) -> Ref {
    let (outline, parts) = (next.bump(), plan.parts());
    let items: Vec<Ref> = parts.iter().map(|_| next.bump()).collect();
    for (index, (&id, BookPart { name, page, .. })) in items.iter().zip(&parts).enumerate() {
        let mut item = pdf.outline_item(id);
        item.title(TextStr(if name.is_empty() { plan.title() } else { name })).parent(outline);
        item.dest().page(pages[*page]).fit();
        if let Some(before) = index.checked_sub(1) {
            item.prev(items[before]);
        }
        if let Some(next) = items.get(index + 1) {
            item.next(*next);
        }
    }
    let mut root = pdf.outline(outline);
    if let (Some(first), Some(last)) = (items.first(), items.last()) {
        root.first(*first).last(*last).count(items.len() as i32);
    }
    root.finish();
    outline
}
