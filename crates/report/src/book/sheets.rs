//! Writes books as SVG and as HTML.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::font::Font;
use super::layout::Plan;
use super::{Anchor, Page};
use crate::plot::{END, MIDDLE, START, Svg, escape};

/// The colours of lines and texts, and of less important texts.
const BLACK: &str = "#000";
const GREY: &str = "#666";

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
            style += &format!(" fill=\"{GREY}\"");
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
