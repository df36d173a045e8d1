//! A report on a collection: one HTML file that needs no server, no network and no script.

use indicatif::HumanCount;

use super::figures::{Counts, Figures, Table, pictures};
use crate::plot::escape;
use crate::put;

/// The look of a report.
const STYLE: &str = include_str!("report.css");

/// The content of a report on a collection.
#[derive(Debug)]
pub struct Report<'a> {
    /// The figures.
    pub figures: &'a Figures,
    /// The counts that the figures are of, for pictures.
    pub counts: &'a Counts,
    /// Whether puzzles in disguise are duplicates too.
    pub is_isomorphic: bool,
}

impl Report<'_> {
    /// Returns the report as an HTML document.
    pub fn to_html(&self) -> String {
        let title = escape(&self.figures.title());
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        self.put_files(&mut html);
        self.put_pictures(&mut html);
        html.push_str("<h2>Tables</h2>\n<div class=\"tables\">\n");
        self.figures.tables().iter().for_each(|table| put_table(table, &mut html));
        html.push_str("</div>\n");
        self.put_notes(&mut html);
        let version = env!("CARGO_PKG_VERSION");
        put(&mut html, format_args!("</main>\n<footer>gridmill {version}</footer>\n</body>\n</html>\n"));
        html
    }

    /// Appends how many records there are, and the files.
    fn put_files(&self, html: &mut String) {
        let figures = self.figures;
        let records = if figures.records == 1 { "record" } else { "records" };
        let duplicates = match figures.duplicates {
            0 => "no duplicates".to_owned(),
            1 => "1 duplicate".to_owned(),
            several => format!("{} duplicates", HumanCount(several)),
        };
        let number = HumanCount(figures.records);
        put(html, format_args!("<p class=\"lead\">{number} {records}, {duplicates}</p>\n"));
        if figures.files.len() > 1 {
            html.push_str("<ul class=\"files\">\n");
            for file in &figures.files {
                put(html, format_args!("<li>{}</li>\n", escape(shown_name(file))));
            }
            html.push_str("</ul>\n");
        }
    }

    fn put_pictures(&self, html: &mut String) {
        let pictures = pictures(self.counts, None);
        if pictures.is_empty() {
            return;
        }
        html.push_str("<h2>Pictures</h2>\n<div class=\"pictures\">\n");
        for picture in pictures {
            put(html, format_args!("<figure>\n{}</figure>\n", picture.svg));
        }
        html.push_str("</div>\n");
    }

    /// Appends what the figures mean.
    fn put_notes(&self, html: &mut String) {
        let duplicates = match self.is_isomorphic {
            true => {
                "Duplicates are records that hold the same puzzle as an earlier one, perhaps in disguise."
            }
            false => "Duplicates are records with the same cells as an earlier one.",
        };
        let ratings = self.figures.ratings.as_ref().map(|ratings| {
            format!(
                "Ratings are those of <code>gridmill rate</code>, on the scale {}, of puzzles with exactly one solution; \
                 unsolved are those that no technique of the scale solves.",
                ratings.scale
            )
        });
        put(
            html,
            format_args!(
                "<h2>Notes</h2>\n<p>{duplicates} Symmetries are those of the places of clues; a puzzle may have several. \
                 Guesses and times are those of the <code>lockstep</code> engine, over puzzles that obey the rules; of \
                 <code>bitmask</code> for sizes above 16x16 and files of several sizes. {}</p>\n",
                ratings.unwrap_or_default()
            ),
        );
    }
}

impl Figures {
    fn title(&self) -> String {
        match &self.files[..] {
            [file] => format!("Statistics of {}", shown_name(file)),
            files => format!("Statistics of {} files", files.len()),
        }
    }
}

fn shown_name(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

fn put_table(table: &Table, html: &mut String) {
    let caption = escape(table.caption);
    put(html, format_args!("<table>\n<caption>{caption}</caption>\n<thead>\n<tr>"));
    for column in &table.columns {
        put(html, format_args!("<th scope=\"col\">{}</th>", escape(column)));
    }
    html.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            match index {
                0 => put(html, format_args!("<th scope=\"row\">{cell}</th>")),
                _ => put(html, format_args!("<td>{cell}</td>")),
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
}
