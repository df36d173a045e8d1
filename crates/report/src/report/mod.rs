//! A report on a collection: one HTML file that needs no server, no network and no script.

use gridmill_data::output::duration;
use indicatif::HumanCount;

use super::figures::{Counts, Figures, Spread, pictures};
use crate::plot::escape;
use crate::put;

/// The style sheet of a report.
const STYLE: &str = include_str!("report.css");

/// The content of a report on a collection.
#[derive(Debug)]
pub struct Report<'a> {
    /// The figures.
    pub figures: &'a Figures,
    /// The counts that the figures come from; the pictures need them.
    pub counts: &'a Counts,
    /// Whether isomorphic puzzles count as duplicates.
    pub is_isomorphic: bool,
}

impl Report<'_> {
    /// Writes the report as an HTML document.
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
        self.put_tables(&mut html);
        html.push_str("</div>\n");
        self.put_notes(&mut html);
        let version = env!("CARGO_PKG_VERSION");
        put(&mut html, format_args!("</main>\n<footer>gridmill {version}</footer>\n</body>\n</html>\n"));
        html
    }

    /// Appends the number of records, and the files.
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

    /// Appends tables of all figures.
    fn put_tables(&self, html: &mut String) {
        let figures = self.figures;
        let (records, puzzles) = (figures.records, figures.clues.values().sum());
        let total = [("all", &records), ("duplicates", &figures.duplicates)];
        put_counts("Collection", ["Records", "Number"], total, records, html);
        put_counts("Status", ["Status", "Records"], &figures.statuses, records, html);
        put_counts("Symmetry", ["Symmetry", "Puzzles"], &figures.symmetries, puzzles, html);
        if let Some((guesses, times)) = figures.guesses.as_ref().zip(figures.time_ns.as_ref()) {
            put_searches(guesses, times, html);
        }
        put_counts("Clues", ["Clues", "Puzzles"], &figures.clues, puzzles, html);
        let Some(found) = &figures.ratings else { return };
        let spread =
            found.quantiles.iter().flat_map(|all| ["least", MEDIAN, P90, P99, "most"].iter().zip(all));
        let rows = spread.map(|(name, rating)| vec![(*name).to_owned(), format!("{rating:.1}")]).collect();
        put_table("Spread of ratings", &["Puzzles", "Rating"], rows, html);
        let (ratings, all) = found.ratings();
        put_counts("Ratings", ["Rating", "Puzzles"], ratings, all, html);
        let hardest = found.hardest.iter().map(|(technique, count)| (technique, count));
        put_counts("Hardest technique", ["Technique", "Puzzles"], hardest, all, html);
    }

    /// Appends notes about what the figures mean.
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

/// Appends a table of counts with their shares. Rows with a count of 0 are left out.
fn put_counts<'a, N: ToString>(
    caption: &str,
    [names, number]: [&str; 2],
    counts: impl IntoIterator<Item = (N, &'a u64)>,
    all: u64,
    html: &mut String,
) {
    let row = |(name, &count): (N, &u64)| {
        let share = 100.0 * count as f64 / all.max(1) as f64;
        vec![name.to_string(), HumanCount(count).to_string(), format!("{share:.2} %")]
    };
    let rows = counts.into_iter().filter(|(_, count)| **count > 0).map(row).collect();
    put_table(caption, &[names, number, "Share"], rows, html);
}

const MEDIAN: &str = "median";
const P90: &str = "90 % up to";
const P99: &str = "99 % up to";

/// Appends the distribution of guesses and times.
fn put_searches(guesses: &Spread, times: &Spread, html: &mut String) {
    let row = |name: &str, guesses: u64, nanos: u64| {
        vec![name.to_owned(), HumanCount(guesses).to_string(), duration(nanos)]
    };
    let rows = vec![
        vec!["mean".to_owned(), format!("{:.3}", guesses.mean), duration(times.mean.round() as u64)],
        row(MEDIAN, guesses.p50, times.p50),
        row(P90, guesses.p90, times.p90),
        row(P99, guesses.p99, times.p99),
        row("most", guesses.max, times.max),
    ];
    put_table("Guesses and time per puzzle", &["Puzzles", "Guesses", "Time"], rows, html);
}

/// Appends a table. The first column has the names of the rows. Without rows, nothing is appended.
fn put_table(caption: &str, columns: &[&str], rows: Vec<Vec<String>>, html: &mut String) {
    if rows.is_empty() {
        return;
    }
    let heads: String = columns.iter().map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    put(
        html,
        format_args!("<table>\n<caption>{caption}</caption>\n<thead>\n<tr>{heads}</tr>\n</thead>\n<tbody>\n"),
    );
    for row in rows {
        put(html, format_args!("<tr><th scope=\"row\">{}</th>", escape(&row[0])));
        row[1..].iter().for_each(|cell| put(html, format_args!("<td>{}</td>", escape(cell))));
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
}
