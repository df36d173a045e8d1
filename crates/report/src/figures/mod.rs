//! The content of a collection, counted by fields: as lines for a terminal, as JSON, as pictures, and as a report.

mod clusters;
mod measured;
mod report;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Symmetry;
use gridmill_core::hunt::BackdoorFinder;
use gridmill_core::jobs::Status;
use gridmill_core::logic::{PuzzleRating, Rating, RatingEnd, Scale, Technique};
use gridmill_data::collection::SpaceError;
use gridmill_data::record::Tally;
use hdrhistogram::Histogram;
use indicatif::HumanCount;
use serde::{Serialize, Serializer};

use crate::histogram::{all_edges, bar, edges};
use clusters::ClusterFigures;
pub use clusters::Clusters;
use measured::SolutionFigures;
pub use measured::{Extras, FigureMapper, MeasuredRecord};
pub use report::{Picture, Report, pictures};

/// Counts all records of a collection: its fields, guesses, times and ratings. [`Figures`] is the result.
pub struct CollectionCounts {
    counts: FieldCounts,
    guesses: Histogram<u64>,
    times: Histogram<u64>,
    /// The scale of ratings, if ratings are wanted.
    scale: Option<Scale>,
    /// The number of puzzles by their hardest technique.
    hardest: [u64; Technique::ALL.len()],
    /// The number of puzzles that no technique solves.
    unsolved: u64,
    /// The number of puzzles by the size of their smallest backdoors, if these are wanted; the last is for larger ones.
    backdoors: Option<[u64; BackdoorFinder::MAX_SIZE + 2]>,
    /// The number of bands and stacks of each class, if these are wanted.
    bands: Option<BTreeMap<u16, u64>>,
}

/// The figures of a collection, as `stats` prints them. The fields have the same names in JSON.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub(crate) files: Vec<String>,
    pub(crate) records: u64,
    /// Records that equal an earlier one.
    pub(crate) duplicates: u64,
    pub(crate) statuses: BTreeMap<&'static str, u64>,
    pub(crate) clues: BTreeMap<u16, u64>,
    pub(crate) symmetries: BTreeMap<&'static str, u64>,
    pub(crate) guesses: Option<Spread>,
    pub(crate) time_ns: Option<Spread>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratings: Option<RatingFigures>,
    /// The number of puzzles by the size of their smallest backdoors, if these are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    backdoors: Option<BTreeMap<String, u64>>,
    /// The number of bands and stacks of each class, if these are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    bands: Option<BTreeMap<u16, u64>>,
    /// The clusters of neighbors, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbors: Option<ClusterFigures>,
}

/// The figures of ratings.
#[derive(Debug, Serialize)]
pub(crate) struct RatingFigures {
    pub(crate) scale: &'static str,
    /// The number of puzzles with each rating.
    #[serde(serialize_with = "by_name")]
    er: Vec<(Rating, u64)>,
    /// The number of puzzles by their hardest technique.
    #[serde(serialize_with = "by_name")]
    pub(crate) hardest: Vec<(Technique, u64)>,
    unsolved: u64,
    /// The least rating, the median, those that 90 % and 99 % do not exceed, and the highest.
    #[serde(serialize_with = "as_spread")]
    pub(crate) quantiles: Option<[f64; 5]>,
}

fn by_name<S: Serializer>(counts: &[(impl fmt::Display, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().map(|(name, count)| (name.to_string(), count)))
}

fn as_spread<S: Serializer>(quantiles: &Option<[f64; 5]>, serializer: S) -> Result<S::Ok, S::Error> {
    let names = ["min", "p50", "p90", "p99", "max"];
    match quantiles {
        Some(quantiles) => serializer.collect_map(names.iter().zip(quantiles)),
        None => serializer.serialize_none(),
    }
}

/// The distribution of some numbers, to three figures.
#[derive(Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) p50: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
}

impl Spread {
    fn from_histogram(histogram: &Histogram<u64>) -> Option<Spread> {
        let (mean, max) = (histogram.mean(), histogram.max());
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|share| histogram.value_at_quantile(share).min(max));
        (!histogram.is_empty()).then_some(Spread { mean, p50, p90, p99, max })
    }
}

impl CollectionCounts {
    /// Makes empty counts, which include some figures only if they are wanted.
    pub fn new(extras: Extras) -> CollectionCounts {
        let histogram = || Histogram::new(3).expect("three figures can be kept");
        CollectionCounts {
            counts: FieldCounts::default(),
            guesses: histogram(),
            times: histogram(),
            scale: extras.scale,
            hardest: [0; Technique::ALL.len()],
            unsolved: 0,
            backdoors: extras.backdoors.then_some([0; BackdoorFinder::MAX_SIZE + 2]),
            bands: extras.bands.then(BTreeMap::new),
        }
    }

    /// Counts a record, with its rating if it has one.
    pub fn add(&mut self, record: &RecordFigures, rating: Option<&PuzzleRating>) {
        self.counts.add(record);
        for (histogram, number) in [(&mut self.guesses, record.guesses), (&mut self.times, record.nanos)] {
            number.map_or(Ok(()), |number| histogram.record(number)).expect("the histogram grows");
        }
        match rating {
            Some(PuzzleRating { end: RatingEnd::Solved, hardest, .. }) => {
                hardest.iter().for_each(|&technique| self.hardest[technique as usize] += 1);
            }
            Some(_) => self.unsolved += 1,
            None => {}
        }
    }

    /// Counts the figures of a record that come from its solution.
    fn add_solution(&mut self, solution: &SolutionFigures) {
        if let (Some(backdoors), Some(size)) = (&mut self.backdoors, solution.backdoor) {
            backdoors[size] += 1;
        }
        if let (Some(bands), Some(classes)) = (&mut self.bands, solution.bands) {
            classes.into_iter().for_each(|class| *bands.entry(class).or_default() += 1);
        }
    }

    /// The counts by field.
    pub fn by_field(&self) -> &FieldCounts {
        &self.counts
    }

    /// Computes the figures of a collection of these files.
    pub fn figures(&self, files: Vec<String>, duplicates: u64) -> Figures {
        let counts = &self.counts;
        let never = ["solved", "budget"];
        Figures {
            files,
            records: counts.records(),
            duplicates,
            statuses: counts.statuses().filter(|(name, _)| !never.contains(name)).collect(),
            clues: counts.clues().collect(),
            symmetries: counts.symmetries().collect(),
            guesses: Spread::from_histogram(&self.guesses),
            time_ns: Spread::from_histogram(&self.times),
            ratings: self.scale.map(|scale| self.rating_figures(scale)),
            backdoors: self.backdoors.map(|counts| {
                let names =
                    (0..=BackdoorFinder::MAX_SIZE).map(|size| size.to_string()).chain(["more".to_owned()]);
                names.zip(counts).filter(|(_, count)| *count > 0).collect()
            }),
            bands: self.bands.clone(),
            neighbors: None,
        }
    }

    fn rating_figures(&self, scale: Scale) -> RatingFigures {
        let ratings = &self.counts.ratings;
        let quantiles = ratings.quantiles([0.0, 0.5, 0.9, 0.99, 1.0]).map(|all| all.map(Rating::number));
        let hardest = Technique::ALL.iter().copied().zip(self.hardest);
        RatingFigures {
            scale: scale.version(),
            er: ratings.all().collect(),
            hardest: hardest.filter(|(_, count)| *count > 0).collect(),
            unsolved: self.unsolved,
            quantiles,
        }
    }
}

impl Figures {
    /// Adds the clusters of neighbors. They are incomplete if `stop` becomes true.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written or read.
    pub fn with_clusters(self, clusters: Clusters, stop: &AtomicBool) -> Result<Figures, SpaceError> {
        Ok(Figures { neighbors: Some(clusters.figures(stop)?), ..self })
    }

    /// Writes the figures as a JSON object on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("figures are numbers and names")
    }
}

/// A table for a terminal.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, puzzles) = (self.records, self.clues.values().sum());
        writeln!(f, "records             {:>13}", HumanCount(records).to_string())?;
        row(f, "duplicates", "", self.duplicates, records)?;
        rows(f, "status", &self.statuses, records)?;
        rows(f, "symmetry", &self.symmetries, puzzles)?;
        rows(f, "clues", &self.clues, puzzles)?;
        for (name, spread, places) in [("guesses", &self.guesses, 3), ("time in ns", &self.time_ns, 0)] {
            if let Some(Spread { mean, p50, p90, p99, max }) = spread {
                writeln!(f, "{name:<20}mean {mean:.places$}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}")?;
            }
        }
        self.ratings.as_ref().map_or(Ok(()), |ratings| write!(f, "{ratings}"))?;
        if let Some(backdoors) = &self.backdoors {
            rows(f, "backdoor", backdoors, backdoors.values().sum())?;
        }
        if let Some(bands) = &self.bands {
            writeln!(f, "classes of bands    {:>13} of 416", bands.len())?;
        }
        self.neighbors.as_ref().map_or(Ok(()), |neighbors| write!(f, "{neighbors}"))
    }
}

/// Rows for a terminal: ratings from the lowest up, then techniques in the order of the scale.
impl fmt::Display for RatingFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ratings, all) = self.ratings();
        rows(f, "rating", ratings, all)?;
        for (technique, count) in &self.hardest {
            let share = 100.0 * *count as f64 / all.max(1) as f64;
            writeln!(f, "hardest {:>25}  {share:>6.2} %  {technique}", HumanCount(*count).to_string())?;
        }
        if let Some([min, p50, p90, p99, max]) = self.quantiles {
            writeln!(
                f,
                "ratings             min {min:.1}  p50 {p50:.1}  p90 {p90:.1}  p99 {p99:.1}  max {max:.1}"
            )?;
        }
        writeln!(f, "scale               {}", self.scale)
    }
}

/// Writes a row for each value that occurs in a field.
fn rows<'a>(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    counts: impl IntoIterator<Item = (impl ToString, &'a u64)>,
    all: u64,
) -> fmt::Result {
    let mut counted = counts.into_iter().filter(|(_, count)| **count > 0);
    counted.try_for_each(|(name, count)| row(f, what, &name.to_string(), *count, all))
}

fn row(f: &mut fmt::Formatter<'_>, what: &str, name: &str, count: u64, all: u64) -> fmt::Result {
    let share = 100.0 * count as f64 / all.max(1) as f64;
    let label = format!("{what} {name}");
    writeln!(f, "{:<18}  {:>13}  {share:>6.2} %", label.trim_end(), HumanCount(count).to_string())
}

impl RatingFigures {
    /// Lists the ratings with their counts, and the unsolved puzzles; also returns the number of all
    /// puzzles.
    pub(crate) fn ratings(&self) -> (impl Iterator<Item = (String, &u64)>, u64) {
        let unsolved = ("unsolved".to_owned(), &self.unsolved);
        let ratings = self.er.iter().map(|(rating, count)| (rating.to_string(), count)).chain([unsolved]);
        (ratings.clone(), ratings.map(|(_, count)| count).sum())
    }
}

/// The known figures of a record. Unknown figures are not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordFigures {
    /// The status.
    pub status: Option<Status>,
    /// The number of clues.
    pub clues: Option<u16>,
    /// The symmetries of the clues' places: one bit each from the lowest up, in the order of
    /// [`Symmetry::ALL`].
    pub symmetries: Option<u8>,
    /// The number of guesses in the search.
    pub guesses: Option<u64>,
    /// The time of the search, in nanoseconds.
    pub nanos: Option<u64>,
    /// The rating, if techniques solve the puzzle.
    pub er: Option<Rating>,
}

/// How many records have each value of each field. Memory is bounded for any number of records.
#[derive(Debug, Default)]
pub struct FieldCounts {
    records: u64,
    statuses: [u64; Status::ALL.len()],
    /// The number of puzzles with each number of clues.
    clues: Vec<u64>,
    symmetries: [u64; Symmetry::ALL.len()],
    /// The number of puzzles without any of these symmetries.
    asymmetric: u64,
    pub(super) guesses: LogCounts,
    pub(super) times: LogCounts,
    pub(super) ratings: RatingCounts,
}

impl FieldCounts {
    /// Counts a record.
    pub fn add(&mut self, record: &RecordFigures) {
        self.records += 1;
        if let Some(status) = record.status {
            self.statuses[status as usize] += 1;
        }
        if let Some(clues) = record.clues.map(usize::from) {
            self.clues.resize(self.clues.len().max(clues + 1), 0);
            self.clues[clues] += 1;
        }
        if let Some(symmetries) = record.symmetries {
            for (bit, count) in self.symmetries.iter_mut().enumerate() {
                *count += u64::from(symmetries >> bit & 1);
            }
            self.asymmetric += u64::from(symmetries == 0);
        }
        if let Some(guesses) = record.guesses {
            self.guesses.add(guesses);
        }
        if let Some(nanos) = record.nanos {
            self.times.add(nanos);
        }
        if let Some(er) = record.er {
            self.ratings.add(er);
        }
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The number of records with a status.
    pub fn status(&self, status: Status) -> u64 {
        self.statuses[status as usize]
    }

    /// Counts records by status, in the order of [`Status::ALL`].
    pub(super) fn statuses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Status::ALL.into_iter().map(|status| (status.name(), self.status(status)))
    }

    /// Counts puzzles by symmetry; the last entry is for those without any. A puzzle may have several.
    pub(super) fn symmetries(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = Symmetry::ALL.map(Symmetry::name);
        names.into_iter().zip(self.symmetries).chain([("none", self.asymmetric)])
    }

    /// Iterates over the numbers of clues that occur, with their counts.
    pub(super) fn clues(&self) -> impl Iterator<Item = (u16, u64)> {
        (0..).zip(&self.clues).filter(|(_, count)| **count > 0).map(|(clues, count)| (clues, *count))
    }
}

/// Counts numbers in the buckets of a logarithmic scale. 0 has its own bucket. The others are fine: their edges are
/// those of all pictures together (`STEPS`), so that a bucket of any picture is a sum of fine ones.
#[derive(Clone, Debug)]
pub(crate) struct LogCounts(Vec<u64>);

/// The numbers from `least` to `most` (inclusive), and how many of them were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) count: u64,
}

impl Default for LogCounts {
    fn default() -> LogCounts {
        LogCounts(vec![0; all_edges().len() + 1])
    }
}

impl LogCounts {
    /// Counts a number.
    pub(super) fn add(&mut self, number: u64) {
        self.0[all_edges().partition_point(|edge| *edge <= number)] += 1;
    }

    /// Makes buckets for all numbers that were counted: one for 0 if it was counted, and up to
    /// `most_buckets` adjacent others.
    pub(super) fn buckets(&self, most_buckets: usize) -> Vec<Bucket> {
        let zero = Some(Bucket { least: 0, most: 0, count: self.0[0] }).filter(|zero| zero.count > 0);
        let counted = |index: &usize| self.0[*index] > 0;
        let first = (1..self.0.len()).find(counted);
        let last = (1..self.0.len()).rfind(counted);
        let mut edges = first.zip(last).map_or_else(Vec::new, |(first, last)| {
            edges(all_edges()[first - 1], all_edges()[last - 1], most_buckets)
        });
        if edges.last().zip(last).is_some_and(|(edge, last)| *edge <= all_edges()[last - 1]) {
            // The scale ends before the greatest numbers, so add a last edge.
            edges.push(u64::MAX);
        }
        let buckets = edges.windows(2).map(|pair| {
            // A bucket ends just before the next edge. The last one includes the greatest number, because
            // no bucket follows.
            let (least, most) = (pair[0], if pair[1] == u64::MAX { u64::MAX } else { pair[1] - 1 });
            Bucket { least, most, count: self.within(least, most) }
        });
        zero.into_iter().chain(buckets).collect()
    }

    /// Counts the numbers from `least` to `most`. Both must be bounds from [`LogCounts::buckets`] (of any
    /// counts), because only then the sum is exact.
    pub(super) fn within(&self, least: u64, most: u64) -> u64 {
        let index = |number: u64| all_edges().partition_point(|edge| *edge <= number);
        self.0[index(least)..=index(most)].iter().sum()
    }
}

/// The maximal number of rows in the histogram.
const MOST_ROWS: usize = 20;

/// How many tenths a row of the histogram may cover. The smallest width that needs at most [`MOST_ROWS`]
/// rows is used.
const WIDTHS: [usize; 4] = [1, 2, 5, 10];

/// The length of the longest bar in characters.
const BAR: usize = 30;

/// Counts of puzzles by their rating in tenths.
#[derive(Debug)]
pub struct RatingCounts([u64; Rating::BEYOND.in_tenths() as usize + 1]);

impl Default for RatingCounts {
    fn default() -> RatingCounts {
        RatingCounts([0; Rating::BEYOND.in_tenths() as usize + 1])
    }
}

impl RatingCounts {
    /// Takes the counts from a run that rates puzzles.
    pub fn from_tally(tally: &Tally) -> RatingCounts {
        let mut counts = RatingCounts::default();
        for (rating, puzzles) in tally.ratings() {
            counts.0[usize::from(rating.in_tenths())] = puzzles;
        }
        counts
    }

    /// Counts a puzzle.
    pub(crate) fn add(&mut self, rating: Rating) {
        self.0[usize::from(rating.min(Rating::BEYOND).in_tenths())] += 1;
    }

    /// Iterates over the ratings that occur, with their counts.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Rating, u64)> {
        let counts = (0..).zip(self.0).filter(|(_, count)| *count > 0);
        counts.map(|(tenths, count)| (Rating::tenths(tenths), count))
    }

    /// For each share (0 to 1), finds the least rating that this share of the puzzles does not exceed;
    /// `None` without puzzles.
    pub(crate) fn quantiles<const N: usize>(&self, shares: [f64; N]) -> Option<[Rating; N]> {
        let counts: Vec<(Rating, u64)> = self.all().collect();
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let (highest, _) = *counts.last()?;
        Some(shares.map(|share| {
            let mut left = (share * all as f64).ceil().max(1.0) as u64;
            let found = counts.iter().find(|(_, count)| {
                let is_within = *count >= left;
                left = left.saturating_sub(*count);
                is_within
            });
            found.map_or(highest, |(rating, _)| *rating)
        }))
    }

    /// Writes the lines of a summary: quantiles, and a histogram.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let Some([min, p50, p90, p99, max]) = self.quantiles([0.0, 0.5, 0.9, 0.99, 1.0]) else {
            return Vec::new();
        };
        let mut lines = vec![("ratings", format!("min {min}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}"))];
        lines.extend(histogram(&self.0).into_iter().map(|row| ("", row)));
        lines
    }
}

/// Writes a row for each rating that occurs. If there are many, a row covers several neighbouring ratings.
fn histogram(counts: &[u64]) -> Vec<String> {
    let rows = |width: &usize| {
        let sums = counts.chunks(*width).map(|counts| counts.iter().sum::<u64>());
        sums.enumerate().filter(|(_, sum)| *sum > 0).collect::<Vec<_>>()
    };
    let fits = |width: &&usize| rows(width).len() <= MOST_ROWS;
    let width = *WIDTHS.iter().find(fits).unwrap_or(&WIDTHS[WIDTHS.len() - 1]);
    let (rows, all) = (rows(&width), counts.iter().sum::<u64>());
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let row = |(index, count): (usize, u64)| {
        let first = Rating::tenths((index * width) as u16);
        let label = if width == 1 {
            first.to_string()
        } else {
            format!("{first} to {}", first.plus(width as u16 - 1))
        };
        let share = 100.0 * count as f64 / all as f64;
        let (bar, count) = (bar(count, most, BAR), HumanCount(count).to_string());
        format!("{label:<10} │{bar:<BAR$} {count:>13}  {share:>6.2} %")
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_keep_their_precision() {
        let mut counts = CollectionCounts::new(Extras::default());
        for nanos in [0, 100, 5_000_000_000] {
            let known =
                RecordFigures { guesses: Some(70_000), nanos: Some(nanos), ..RecordFigures::default() };
            counts.add(&known, None);
        }
        let figures = counts.figures(Vec::new(), 0);
        let (guesses, times) = (figures.guesses.unwrap(), figures.time_ns.unwrap());
        assert!((69_900..=70_100).contains(&guesses.max), "{guesses:?}");
        assert!((4_990_000_000..=5_010_000_000).contains(&times.max) && times.p50 == 100, "{times:?}");
    }
}

#[cfg(test)]
mod counts_tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn buckets_hold_exactly_the_numbers_within_their_bounds() {
        const SEED: u64 = 4;
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        for most_buckets in [1, 3, 7, 24, 100] {
            for bits in [0, 3, 9, 40, 64] {
                let mut number =
                    || rng.random::<u64>().checked_shr(64 - rng.random_range(0..=bits)).unwrap_or(0);
                let numbers: Vec<u64> = (0..300).map(|_| number()).collect();
                let mut counts = LogCounts::default();
                numbers.iter().for_each(|number| counts.add(*number));
                let buckets = counts.buckets(most_buckets);
                for bucket in &buckets {
                    let is_within = |number: &&u64| (bucket.least..=bucket.most).contains(*number);
                    let naive = numbers.iter().filter(is_within).count() as u64;
                    assert_eq!(bucket.count, naive, "seed {SEED}: {bucket:?}");
                }
                let sum: u64 = buckets.iter().map(|bucket| bucket.count).sum();
                assert_eq!(sum, 300, "seed {SEED}: {buckets:?}");
                assert!(buckets.len() <= 1 + most_buckets.max(20), "seed {SEED}: {buckets:?}");
            }
        }
    }

    #[test]
    fn the_greatest_number_has_a_bucket() {
        let mut counts = LogCounts::default();
        [0, u64::MAX - 1, u64::MAX].into_iter().for_each(|number| counts.add(number));
        let buckets = counts.buckets(24);
        assert_eq!(buckets[0], Bucket { least: 0, most: 0, count: 1 });
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 3, "{buckets:?}");
        assert_eq!(buckets.last().unwrap().most, u64::MAX, "{buckets:?}");
    }

    #[test]
    fn there_are_no_buckets_without_numbers() {
        assert_eq!(LogCounts::default().buckets(24), []);
    }
}

#[cfg(test)]
mod rating_counts_tests {
    use super::*;

    #[test]
    fn few_ratings_have_a_row_each_and_many_share_rows() {
        let mut counts = RatingCounts::default();
        for tenths in [12, 12, 12, 15] {
            counts.add(Rating::tenths(tenths));
        }
        let lines = counts.lines();
        assert_eq!(lines[0], ("ratings", "min 1.2  p50 1.2  p90 1.5  p99 1.5  max 1.5".to_owned()));
        assert!(
            lines[1].1.starts_with("1.2        │███") && lines[1].1.ends_with(" 3   75.00 %"),
            "{lines:?}"
        );
        assert!(lines.len() == 3 && lines[2].1.starts_with("1.5        │"), "{lines:?}");
        (10..120).for_each(|tenths| counts.add(Rating::tenths(tenths)));
        let lines = counts.lines();
        assert!(lines.len() == 12 && lines[1].1.starts_with("1.0 to 1.9 │"), "{lines:?}");
        assert!(lines.iter().all(|(_, text)| text.chars().count() <= 68), "{lines:?}");
    }

    #[test]
    fn there_are_no_lines_without_ratings() {
        assert!(RatingCounts::default().lines().is_empty());
    }
}
