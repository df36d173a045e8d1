//! Pictures of counts, with a bar for each value of a field.

use gridmill_core::logic::Rating;
use gridmill_data::output::exact_duration;
use indicatif::HumanCount;
use serde::Serialize;

use super::{Bucket, Counts, LogCounts};
use crate::plot::{Bar, BarPlot, Total, short_count};

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
    /// The title.
    pub(crate) title: &'static str,
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
pub fn pictures(all: &Counts, shown: Option<&Counts>) -> Vec<Picture> {
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
        Picture { field, title, svg }
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

fn clues(all: &Counts, shown: &Counts) -> Vec<Bar> {
    let counts =
        [all, shown].map(|counts| counts.clues().map(|(clues, count)| (clues.into(), count)).collect());
    linear(counts, (&CLUE_WIDTHS, MOST_CLUES), |least, most| {
        (counted("clue", least, most), [least, most].map(|clues| clues.to_string()))
    })
}

fn ratings(all: &Counts, shown: &Counts) -> Vec<Bar> {
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

    /// Finds the bars of an element, which must be well-formed.
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

    fn count(records: &[RecordFigures]) -> Counts {
        let mut counts = Counts::default();
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
    fn a_filter_moves_no_bar() {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let records: Vec<RecordFigures> = (0..500).map(|_| random(&mut rng)).collect();
        let all = count(&records);
        let keys = |shown: &Counts| -> Vec<String> {
            let found = pictures(&all, Some(shown));
            let bars = found.iter().flat_map(|picture| bars(&picture.svg));
            bars.map(|bar| format!("{} {} {} {}", bar.field, bar.least, bar.most, bar.value)).collect()
        };
        assert_eq!(keys(&Counts::default()), keys(&all));
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
        assert!(pictures(&Counts::default(), None).is_empty());
    }

    #[test]
    fn every_number_of_clues_of_a_9x9_puzzle_has_its_bar() {
        let of = |clues: &[u16]| {
            let of = |clues: &u16| RecordFigures { clues: Some(*clues), ..RecordFigures::default() };
            let records: Vec<RecordFigures> = clues.iter().map(of).collect();
            let bars = bars(&pictures(&count(&records), None)[0].svg);
            bars.into_iter().map(|bar| (bar.least, bar.most)).collect::<Vec<_>>()
        };
        let bar = |least: &str, most: &str| (least.to_owned(), most.to_owned());
        assert_eq!(of(&[0, 80, 81]), [bar("0", "0"), bar("80", "80"), bar("81", "81")]);
        assert_eq!(of(&[17, 18, 625]), [bar("10", "19"), bar("620", "629")]);
    }
}
