//! Writes books as PDF, as SVG and as HTML.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Settings, Str, TextStr};

use super::font::{CAP_HEIGHT, Font};
use super::layout::{BookPart, Plan};
use super::{Anchor, Page, Text};
use crate::plot::{END, MIDDLE, START, Svg, escape};

/// The names of the two fonts in the pages.
const FONTS: [Name<'static>; 2] = [Name(b"F0"), Name(b"F1")];

/// The grey of less important texts.
const PDF_GREY: f32 = 0.4;

/// Says that glyphs are numbered as in the font file.
const GLYPHS: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Writes a book. Returns false if `stop` became true meanwhile.
pub(super) fn write_pdf(plan: &Plan<'_>, out: &mut dyn Write, stop: &AtomicBool) -> io::Result<bool> {
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
            content.set_fill_gray(if is_grey { PDF_GREY } else { 0.0 });
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
        .cap_height(rounded(1000.0 * CAP_HEIGHT))
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

/// The colours of lines and texts, and of less important texts.
const BLACK: &str = "#000";
const SVG_GREY: &str = "#666";

/// The space between two pages in a picture.
const GAP: f64 = 14.0;

/// Writes a book as one picture with all pages below each other. Returns false if `stop` became true
/// meanwhile.
pub(super) fn write_svg(plan: &Plan<'_>, out: &mut dyn Write, stop: &AtomicBool) -> io::Result<bool> {
    let (width, height) = plan.book.paper.size();
    let pages = plan.pages();
    let all = pages as f64 * (height + GAP) - GAP;
    let mut svg = Svg::in_points(width, (all * 100.0).round() / 100.0, plan.title());
    svg.style(&format!("{}svg{{fill:{BLACK};font-family:Book,sans-serif}}", faces()));
    for index in 0..pages {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let top = index as f64 * (height + GAP);
        if index > 0 {
            svg.rect("#ccc", [0.0, top - GAP, width, GAP]);
        }
        let place = format!("transform=\"translate(0 {top:.2})\"");
        svg.group(&place, &(index + 1).to_string(), |svg| draw(&plan.page(index), svg));
        out.write_all(svg.take().as_bytes())?;
    }
    out.write_all(svg.finish().as_bytes())?;
    Ok(true)
}

/// Writes a book as an HTML page, which prints each page of the book on its own sheet. Returns false if
/// `stop` became true meanwhile.
pub(super) fn write_html(plan: &Plan<'_>, out: &mut dyn Write, stop: &AtomicBool) -> io::Result<bool> {
    let size @ (width, height) = plan.book.paper.size();
    let (title, faces) = (escape(plan.title()), faces());
    write!(
        out,
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; font-src data:\"/>\n\
         <title>{title}</title>\n<style>\n{faces}@page {{ size: {width}pt {height}pt; margin: 0 }}\n\
         body {{ margin: 0; --ink: {BLACK}; font-family: Book, sans-serif }}\n\
         svg {{ display: block; width: {width}pt; height: {height}pt; background: #fff }}\n\
         @media screen {{\n  body {{ background: #ccc }}\n  svg {{ margin: {GAP}pt auto }}\n}}\n\
         @media print {{\n  svg + svg {{ break-before: page }}\n}}\n</style>\n</head>\n<body>\n"
    )?;
    for index in 0..plan.pages() {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let mut svg = Svg::embedded(size, "img", &format!("{} {}", plan.title(), index + 1));
        draw(&plan.page(index), &mut svg);
        out.write_all(svg.finish().as_bytes())?;
    }
    out.write_all(b"</body>\n</html>\n")?;
    Ok(true)
}

/// Draws a page.
fn draw(page: &Page, svg: &mut Svg) {
    for line in &page.lines {
        svg.line(BLACK, (line.width * 100.0).round() / 100.0, line.from, line.to);
    }
    for text in &page.texts {
        let anchor = match text.anchor {
            Anchor::Start => START,
            Anchor::Middle => MIDDLE,
            Anchor::End => END,
        };
        let mut style = format!("font-size=\"{:.2}\"", text.font.size);
        if text.font.is_bold {
            style += " font-weight=\"bold\"";
        }
        if text.font.is_grey {
            style += &format!(" fill=\"{SVG_GREY}\"");
        }
        svg.text(text.at, anchor, &style, &text.text);
    }
}

/// Writes the fonts as rules of CSS that contain the font files, so that the result needs no other file.
fn faces() -> String {
    let face = |(font, weight): (&Font, &str)| {
        let file = base64(font.file);
        format!("@font-face{{font-family:Book;font-weight:{weight};src:url(data:font/ttf;base64,{file})}}\n")
    };
    Font::all().into_iter().zip(["normal", "bold"]).map(face).collect()
}

/// Encodes bytes in base64: 6 bits per character, padded with `=`.
fn base64(bytes: &[u8]) -> String {
    const CHARACTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let character = CHARACTERS[(bits >> (18 - 6 * at)) as usize % 64];
            text.push(if at > three.len() { '=' } else { character.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_base64() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
