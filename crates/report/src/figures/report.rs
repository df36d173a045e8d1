//! Figures in a browser: pictures of counts, with a bar for each value of a field; and a report on a
//! collection, one HTML file that needs no server, no network and no script.

use gridmill_core::logic::Rating;
use gridmill_data::output::{duration, exact_duration};
use indicatif::HumanCount;
use serde::Serialize;

use super::{Bucket, FieldCounts, Figures, LogCounts, Spread};
use crate::plot::{Bar, BarPlot, Total, escape, short_count};
use crate::put;

/// The maximal number of bars for numbers of clues. For 9x9 puzzles, each number has its own bar.
const MOST_CLUES: usize = 82;

/// The maximal number of bars for ratings.
const MOST_RATINGS: usize = 41;

/// The maximal number of bars on a logarithmic scale, not counting the bar for 0.
const MOST_LOG: usize = 24;

/// How many neighbouring numbers of clues a bar may cover.
const CLUE_WIDTHS: [u64; 5] = [1, 2, 5, 10, 20];

/// How many tenths of a rating a bar may cover.
const RATING_WIDTHS: [u64; 4] = [1, 2, 5, 10];

/// A picture of one field.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The name of the field in a filter.
    pub(crate) field: &'static str,
    /// The picture, as an SVG element for an HTML page.
    pub(crate) svg: String,
}

/// Draws a picture of each field that some record has. With `shown`, which must be a subset of `all`, the
/// bars of all records are pale, and the bars of the shown ones are in front of them in full colour and are
/// buttons. Without `shown`, all bars are in full colour, and there are no buttons.
///
/// A bar counts exactly the records within the bounds that it names, and all bars together count the
/// records whose value is known. Only symmetries may count a record several times. The bars depend on all
/// records and not on the shown ones, so that a filter moves no bar. A number that does not occur leaves a
/// gap.
pub fn pictures(all: &FieldCounts, shown: Option<&FieldCounts>) -> Vec<Picture> {
    let has_buttons = shown.is_some();
    let shown = shown.unwrap_or(all);
    let clues = clues(all, shown);
    // A puzzle may have several symmetries, so the sum of the bars is not the number of puzzles.
    let puzzles = sum(&clues);
    let symmetry = |name: &str| if name == "none" { "no symmetry".to_owned() } else { name.to_owned() };
    let guesses = |least, most| (counted("guess", least, most), short_count(least));
    let fields = [
        ("status", "Status", names(all.statuses(), shown.statuses(), str::to_owned), None),
        ("symmetry", "Symmetry", names(all.symmetries(), shown.symmetries(), symmetry), Some(puzzles)),
        ("clues", "Clues", clues, None),
        ("guesses", "Guesses", logarithmic(&all.guesses, &shown.guesses, guesses), None),
        ("time_ns", "Time per puzzle", logarithmic(&all.times, &shown.times, times_words), None),
        ("er", "Rating", ratings(all, shown), None),
    ];
    let known = fields.into_iter().filter(|(_, _, bars, _)| !bars.is_empty());
    let drawn = known.map(|(field, title, bars, total)| {
        let total = total.unwrap_or_else(|| sum(&bars));
        let svg = BarPlot { title, field, bars, total, has_buttons }.to_svg();
        Picture { field, svg }
    });
    drawn.collect()
}

fn sum(bars: &[Bar]) -> Total {
    let sum = |count: fn(&Bar) -> u64| bars.iter().map(count).sum();
    Total { all: sum(|bar| bar.total.all), shown: sum(|bar| bar.total.shown) }
}

/// Makes a bar for each name that occurs.
fn names(
    all: impl Iterator<Item = (&'static str, u64)>,
    shown: impl Iterator<Item = (&'static str, u64)>,
    words: fn(&str) -> String,
) -> Vec<Bar> {
    let totals = all.zip(shown).map(|((name, all), (_, shown))| (name, Total { all, shown }));
    let known = totals.filter(|(_, total)| total.all > 0);
    let bar =
        |(name, total)| Bar { bounds: None, name: words(name), label: name.to_owned(), label_rank: 0, total };
    known.map(bar).collect()
}

/// Makes a bar for each number from the least to the greatest. If there are more than `most_bars`, a bar
/// covers several neighbouring numbers. `words` describes the records of a bar, and writes its bounds.
fn linear(
    [all, shown]: [Vec<(u64, u64)>; 2],
    (widths, most_bars): (&[u64], usize),
    words: fn(u64, u64) -> (String, [String; 2]),
) -> Vec<Bar> {
    let (Some((least, _)), Some((most, _))) = (all.first(), all.last()) else { return Vec::new() };
    let count = |width: &u64| (most / width - least / width + 1) as usize;
    let width = widths.iter().find(|width| count(width) <= most_bars).unwrap_or(&widths[widths.len() - 1]);
    let mut totals = vec![Total { all: 0, shown: 0 }; count(width)];
    let index = |number: &u64| (number / width - least / width) as usize;
    all.iter().for_each(|(number, count)| totals[index(number)].all += count);
    shown.iter().for_each(|(number, count)| totals[index(number)].shown += count);
    let starts = (least / width..).map(|index| index * width);
    let bar = |(start, total)| {
        let (name, [first, last]) = words(start, start + width - 1);
        Bar { label: first.clone(), bounds: Some((first, last)), name, label_rank: linear_rank(start), total }
    };
    starts.zip(totals).map(bar).collect()
}

fn clues(all: &FieldCounts, shown: &FieldCounts) -> Vec<Bar> {
    let counts =
        [all, shown].map(|counts| counts.clues().map(|(clues, count)| (clues.into(), count)).collect());
    linear(counts, (&CLUE_WIDTHS, MOST_CLUES), |least, most| {
        (counted("clue", least, most), [least, most].map(|clues| clues.to_string()))
    })
}

fn ratings(all: &FieldCounts, shown: &FieldCounts) -> Vec<Bar> {
    let tenths = |(rating, count): (Rating, u64)| (rating.in_tenths().into(), count);
    let counts = [all, shown].map(|counts| counts.ratings.all().map(tenths).collect());
    linear(counts, (&RATING_WIDTHS, MOST_RATINGS), |least, most| {
        let [first, last] = [least, most].map(|tenths| Rating::tenths(tenths as u16).to_string());
        let name =
            if least == most { format!("rating {first}") } else { format!("ratings {first} to {last}") };
        (name, [first, last])
    })
}

/// Ranks labels: 0 for multiples of ten, and more for less round numbers.
fn linear_rank(number: u64) -> u8 {
    match number {
        _ if number.is_multiple_of(10) => 0,
        _ if number.is_multiple_of(5) => 1,
        _ if number.is_multiple_of(2) => 2,
        _ => 3,
    }
}

/// Makes a bar for 0, and bars on a logarithmic scale. `words` describes the records of a bar, and writes
/// its label at the axis.
fn logarithmic(all: &LogCounts, shown: &LogCounts, words: fn(u64, u64) -> (String, String)) -> Vec<Bar> {
    let bar = |bucket: Bucket| {
        let (name, label) = words(bucket.least, bucket.most);
        Bar {
            bounds: Some((bucket.least.to_string(), bucket.most.to_string())),
            name,
            label,
            label_rank: log_rank(bucket.least),
            total: Total { all: bucket.count, shown: shown.within(bucket.least, bucket.most) },
        }
    };
    all.buckets(MOST_LOG).into_iter().map(bar).collect()
}

/// Ranks labels: 0 for 0 and powers of ten, and more for less round numbers.
fn log_rank(number: u64) -> u8 {
    let power = 10_u64.pow(number.max(1).ilog10());
    match number / power {
        _ if !number.is_multiple_of(power) => 2,
        0 | 1 => 0,
        2 | 5 => 1,
        _ => 2,
    }
}

/// Writes a number of things, e.g. `1 clue`, `20 to 24 clues`.
fn counted(thing: &str, least: u64, most: u64) -> String {
    let ending = if thing.ends_with('s') { "es" } else { "s" };
    match (least, most) {
        (1, 1) => format!("1 {thing}"),
        _ if least == most => format!("{} {thing}{ending}", HumanCount(least)),
        _ => format!("{} to {} {thing}{ending}", HumanCount(least), HumanCount(most)),
    }
}

fn times_words(least: u64, most: u64) -> (String, String) {
    let label = exact_duration(least);
    let name = if least == most {
        label.clone()
    } else {
        format!("{label} to {}", exact_duration(most.saturating_add(1)))
    };
    (name, label)
}

/// The style sheet of a report.
const STYLE: &str = include_str!("report.css");

/// The content of a report on a collection.
#[derive(Debug)]
pub struct Report<'a> {
    /// The figures.
    pub figures: &'a Figures,
    /// The counts that the figures come from; the pictures need them.
    pub counts: &'a FieldCounts,
    /// Whether isomorphic puzzles count as duplicates.
    pub isomorphs_are_duplicates: bool,
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
        let duplicates = match self.isomorphs_are_duplicates {
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

#[cfg(test)]
mod tests {
    use gridmill_core::jobs::Status;
    use quick_xml::Reader;
    use quick_xml::events::Event;
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;
    use crate::RecordFigures;

    const SEED: u64 = 12;

    /// The attributes of a bar.
    #[derive(Debug, Default)]
    struct DrawnBar {
        field: String,
        least: String,
        most: String,
        value: String,
        label: String,
        is_button: bool,
    }

    /// Finds the bars of an SVG element, and checks that it is well-formed.
    fn bars(svg: &str) -> Vec<DrawnBar> {
        let mut reader = Reader::from_str(svg);
        let (mut found, mut depth) = (Vec::new(), 0);
        loop {
            let event = reader.read_event().unwrap();
            depth += i32::from(matches!(event, Event::Start(_))) - i32::from(matches!(event, Event::End(_)));
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    let mut drawn = DrawnBar::default();
                    for attribute in start.attributes() {
                        let attribute = attribute.unwrap();
                        let value = attribute.value.to_string();
                        match attribute.key.as_ref() {
                            "data-field" => drawn.field = value,
                            "data-least" => drawn.least = value,
                            "data-most" => drawn.most = value,
                            "data-value" => drawn.value = value,
                            "aria-label" => drawn.label = value,
                            "tabindex" => drawn.is_button = true,
                            "style" | "id" => panic!("not allowed: {svg}"),
                            _ => {}
                        }
                    }
                    if !drawn.field.is_empty() {
                        found.push(drawn);
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0, "{svg}");
        found
    }

    fn random(rng: &mut impl Rng) -> RecordFigures {
        let status = Status::ALL[rng.random_range(0..Status::ALL.len())];
        let is_readable = status != Status::Malformed;
        let is_searched = is_readable && rng.random_bool(0.8);
        let spread = |rng: &mut dyn Rng| rng.random::<u64>() >> rng.random_range(20..64);
        RecordFigures {
            status: Some(status),
            clues: is_readable.then(|| rng.random_range(17..60)),
            symmetries: is_readable.then(|| rng.random_range(0..16) & rng.random_range(0..16)),
            guesses: is_searched.then(|| spread(rng)),
            nanos: is_searched.then(|| spread(rng)),
            er: (is_searched && rng.random()).then(|| Rating::tenths(rng.random_range(10..120))),
        }
    }

    fn count(records: &[RecordFigures]) -> FieldCounts {
        let mut counts = FieldCounts::default();
        records.iter().for_each(|record| counts.add(record));
        counts
    }

    /// Returns whether a record passes the filter of a bar, as the page would decide.
    fn passes(bar: &DrawnBar, record: &RecordFigures) -> bool {
        let within = |number: Option<f64>| {
            let bounds = bar.least.parse::<f64>().unwrap()..=bar.most.parse().unwrap();
            number.is_some_and(|number| bounds.contains(&number))
        };
        match &bar.field[..] {
            "status" => record.status.is_some_and(|status| status.name() == bar.value),
            "symmetry" => record.symmetries.is_some_and(|bits| {
                let bit =
                    gridmill_core::grid::Symmetry::ALL.iter().position(|known| known.name() == bar.value);
                bit.map_or(bits == 0, |bit| bits >> bit & 1 == 1)
            }),
            "clues" => within(record.clues.map(f64::from)),
            "guesses" => within(record.guesses.map(|guesses| guesses as f64)),
            "time_ns" => within(record.nanos.map(|nanos| nanos as f64)),
            "er" => within(record.er.map(Rating::number)),
            other => panic!("{other}"),
        }
    }

    /// The two numbers in e.g. "24 clues: 1,234 of 5,678 records".
    fn counts_of(bar: &DrawnBar) -> [usize; 2] {
        let (_, counts) = bar.label.rsplit_once(": ").unwrap();
        let numbers = counts.trim_end_matches(" records").trim_end_matches(" record").split(" of ");
        let numbers: Vec<usize> = numbers.map(|number| number.replace(',', "").parse().unwrap()).collect();
        [numbers[0], numbers[1]]
    }

    #[test]
    fn a_bar_counts_the_records_within_its_bounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let records: Vec<RecordFigures> = (0..3000).map(|_| random(&mut rng)).collect();
        let shown = &records[..1234];
        let found = pictures(&count(&records), Some(&count(shown)));
        let fields: Vec<&str> = found.iter().map(|picture| picture.field).collect();
        assert_eq!(fields, ["status", "symmetry", "clues", "guesses", "time_ns", "er"]);
        for picture in found {
            let bars = bars(&picture.svg);
            for bar in &bars {
                let naive = [shown, &records]
                    .map(|records| records.iter().filter(|record| passes(bar, record)).count());
                assert_eq!(counts_of(bar), naive, "seed {SEED}: {bar:?}");
                assert!(bar.field == picture.field && bar.is_button, "{bar:?}");
            }
            let known = records.iter().filter(|record| bars.iter().any(|bar| passes(bar, record))).count();
            let sum: usize = bars.iter().map(|bar| counts_of(bar)[1]).sum();
            assert!(sum == known || picture.field == "symmetry" && sum > known, "{}", picture.field);
            assert!(bars.len() <= 45, "{}: {}", picture.field, bars.len());
        }
    }

    #[test]
    fn a_filter_does_not_change_which_bars_there_are() {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let records: Vec<RecordFigures> = (0..500).map(|_| random(&mut rng)).collect();
        let all = count(&records);
        let keys = |shown: &FieldCounts| -> Vec<String> {
            let found = pictures(&all, Some(shown));
            let bars = found.iter().flat_map(|picture| bars(&picture.svg));
            bars.map(|bar| format!("{} {} {} {}", bar.field, bar.least, bar.most, bar.value)).collect()
        };
        assert_eq!(keys(&FieldCounts::default()), keys(&all));
    }

    #[test]
    fn pictures_of_a_report_have_no_buttons() {
        let records = [RecordFigures { clues: Some(24), guesses: Some(0), ..RecordFigures::default() }; 2];
        let found = pictures(&count(&records), None);
        let labels: Vec<String> =
            found.iter().flat_map(|picture| bars(&picture.svg)).map(|bar| bar.label).collect();
        assert_eq!(labels, ["24 clues: 2 records", "0 guesses: 2 records"]);
        assert!(
            found.iter().all(|picture| !picture.svg.contains("button") && !picture.svg.contains("tabindex"))
        );
    }

    #[test]
    fn there_are_no_pictures_without_records() {
        assert!(pictures(&FieldCounts::default(), None).is_empty());
    }

    #[test]
    fn every_number_of_clues_of_a_9x9_puzzle_has_its_bar() {
        let ranges = |clues: &[u16]| {
            let record = |clues: &u16| RecordFigures { clues: Some(*clues), ..RecordFigures::default() };
            let records: Vec<RecordFigures> = clues.iter().map(record).collect();
            let bars = bars(&pictures(&count(&records), None)[0].svg);
            bars.into_iter().map(|bar| (bar.least, bar.most)).collect::<Vec<_>>()
        };
        let range = |least: &str, most: &str| (least.to_owned(), most.to_owned());
        assert_eq!(ranges(&[0, 80, 81]), [range("0", "0"), range("80", "80"), range("81", "81")]);
        assert_eq!(ranges(&[17, 18, 625]), [range("10", "19"), range("620", "629")]);
    }
}
