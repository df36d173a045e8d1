//! Options that commands share: parsers of values; the engine, which depends on the user's choice and the
//! shape of the puzzles; and ratings, i.e. scales, ranges and conditions.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgGroup, Args, Command};
use gridmill_core::grid::Shape;
use gridmill_core::jobs::Explain;
use gridmill_core::logic::{Rating, RatingCriteria, Scale, Technique, TechniqueSet, Ties, Until};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Budget, Engine, EngineKind};
use gridmill_data::bench::Program;
use gridmill_data::error::Error;
use gridmill_data::pipeline::THREAD_LIMIT;
use gridmill_data::text::Layout;

use super::command_error::{available, check_size, refuse, size};

/// A parser of numbers from 1 to a limit.
pub(crate) fn up_to(limit: usize) -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(1..=limit as u64)
}

/// A parser of a choice between values, each with its name and its help text, which may be empty.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    known: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let described = |(name, help, _)| match help {
        "" => PossibleValue::new(name),
        help => PossibleValue::new(name).help(help),
    };
    let names = PossibleValuesParser::new(known.clone().map(described));
    let named = move |name: String| known.iter().find(|(known, ..)| *known == name).cloned();
    names.map(move |name| named(name).expect("no other name is parsed").2)
}

/// A chosen value, or `None` for a name such as `auto`. This is a type alias, because clap treats a plain
/// `Option` as an argument that may be left out.
pub(crate) type Choice<T> = Option<T>;

/// The limits of the search for each puzzle, for every command that searches.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Give up on a puzzle after this many guesses; its status is budget, and the run continues
    /// with the next puzzle
    #[arg(long, value_name = "N")]
    budget_guesses: Option<u64>,

    /// Give up on a puzzle after this many seconds; its status is budget, and the run continues
    /// with the next puzzle
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget_time: Option<Duration>,
}

impl BudgetArgs {
    /// The budget of each puzzle.
    pub(crate) fn per_puzzle(self) -> Budget {
        Budget { guesses: self.budget_guesses, time: self.budget_time }
    }
}

/// Parses a time in seconds, e.g. `10` or `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    parsed.ok_or_else(|| "give seconds, as in 10 or 0.5".to_owned())
}

/// Parses where an explanation ends: a rating, which has a point (e.g. `4.2`), or the number of a round (e.g.
/// `12`).
pub(crate) fn until(text: &str) -> Result<Until, String> {
    if text.contains('.') {
        return text.parse::<Rating>().map(Until::Rating).map_err(|error| error.to_string());
    }
    let round = text.parse().ok().filter(|&round| round > 0).map(Until::Round);
    round.ok_or_else(|| {
        "give a rating with a point, such as 4.2, or the number of a round, such as 12".to_owned()
    })
}

/// Parses the name of a program and its command: NAME='COMMAND {}'. Quotes keep words together as in a shell.
pub(crate) fn program(text: &str) -> Result<Program, String> {
    let Some((name, command)) = text.split_once('=').filter(|(name, _)| is_name(name)) else {
        return Err("give a name without blanks, and the command: NAME='COMMAND {}'".to_owned());
    };
    let Some(words) = shlex::split(command) else {
        return Err("a quote in the command is not closed, or a backslash is its last character".to_owned());
    };
    let mut words = words.into_iter();
    let command = words.next().ok_or("there is no command after the name: NAME='COMMAND {}'")?;
    Ok(Program::new(name, command, words))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Parses the separator of CSV fields: `tab`, or a character that is neither a cell of a puzzle nor needs
/// quotes in CSV, e.g. `;`.
pub(crate) fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" | b"\t" => Ok(b'\t'),
        &[byte @ (b',' | b';' | b'|' | b':' | b'!' | b'/' | b'&' | b'~' | b'^')] => Ok(byte),
        _ => Err("give one of , ; | : ! / & ~ ^ or tab".to_owned()),
    }
}

/// A range of numbers; `most` is `None` if it has no upper end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    least: u64,
    most: Option<u64>,
}

impl Span {
    /// The range. If it has no upper end, `most` is used.
    pub(crate) fn up_to(self, most: u64) -> RangeInclusive<u64> {
        self.least..=self.most.unwrap_or(most)
    }
}

/// Parses a number or a range: `24`, `24..28`, `24..` or `..28`.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u64>().map(Some);
    let least = if least.is_empty() { Ok(Some(0)) } else { number(least) };
    let most = if most.is_empty() && text.contains("..") { Ok(None) } else { number(most) };
    match (least, most) {
        (Ok(Some(least)), Ok(most)) if most.is_none_or(|most| least <= most) => Ok(Span { least, most }),
        _ => Err("give a number, or two with the smaller one first: 24, 24..28, 24.. or ..28".to_owned()),
    }
}

/// The relative sizes of parts. This is a type alias, because clap treats a plain `Vec` as an argument that
/// is given several times.
pub(crate) type Ratio = Vec<u64>;

/// Parses two or more numbers above 0 with colons between them, e.g. `90:10`.
pub(crate) fn ratio(text: &str) -> Result<Ratio, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number > 0).map(u64::from);
    let numbers: Option<Ratio> = text.split(':').map(number).collect();
    let ratio = numbers.filter(|numbers| numbers.len() > 1);
    ratio.ok_or_else(|| "give a whole number above 0 for each part: 90:10, or 8:1:1".to_owned())
}

/// The path of a file, or `None` for `-`, which means standard input or output.
pub(crate) fn file_name(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

fn engine_parser() -> impl TypedValueParser<Value = Choice<EngineKind>> {
    one_of([
        ("auto", "The fastest", None),
        (
            "lockstep",
            "A puzzle in each lane of a vector: for batches, up to 16x16",
            Some(EngineKind::Lockstep),
        ),
        ("bitmask", "Masks of bits, the most constrained cell first", Some(EngineKind::Bitmask)),
        ("dancing-links", "Algorithm X on the exact-cover matrix", Some(EngineKind::DancingLinks)),
        ("singles", "Naked singles, then a guess in the first blank", Some(EngineKind::Singles)),
        ("backtracking", "Cell by cell in reading order: simple, and slow", Some(EngineKind::Backtracking)),
    ])
}

pub(crate) fn backend_parser() -> impl TypedValueParser<Value = Choice<Backend>> {
    one_of([
        ("auto", "The best that this processor has", None),
        ("avx512", "AVX-512 with VBMI2, BITALG and VPOPCNTDQ, 32 puzzles at once", Some(Backend::Avx512)),
        ("avx512-base", "AVX-512 with F, BW and VL, 32 puzzles at once", Some(Backend::Avx512Base)),
        ("avx2", "AVX2, 16 puzzles at once", Some(Backend::Avx2)),
        ("portable", "Any processor, 8 puzzles at once", Some(Backend::Portable)),
    ])
}

/// The options that choose the engine.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EngineArgs {
    /// Engine that searches for solutions
    #[arg(long, value_parser = engine_parser(), default_value = "auto")]
    engine: Choice<EngineKind>,

    /// The vector unit for the lockstep engine
    #[arg(long, value_parser = backend_parser(), default_value = "auto")]
    backend: Choice<Backend>,
}

/// The choice of `auto` comes from measurements: see `scripts/measure engines`, and the figures in
/// `docs/measuring.md`.
impl EngineArgs {
    /// The engine for puzzles of one shape; `None` for mixed shapes.
    pub(crate) fn choose(self, shape: Option<Shape>) -> Result<Engine, Error> {
        let engine = self.best()?;
        let is_served = shape.is_some_and(|shape| EngineKind::Lockstep.serves(shape));
        match engine {
            Engine::Lockstep(_) if is_served => Ok(engine),
            Engine::Lockstep(_) if self.is_named() => refuse(format!(
                "the lockstep engine is for puzzles of one size up to 16x16, but these are {}: leave --engine and --backend out, or choose bitmask, dancing-links, singles or backtracking",
                size(shape)
            )),
            Engine::Lockstep(_) => Ok(Engine::Other(EngineKind::Bitmask)),
            Engine::Other(_) => Ok(engine),
        }
    }

    /// The engine for the puzzles of a file.
    pub(crate) fn choose_for(self, layout: &Layout) -> Result<Engine, Error> {
        match self.best()? {
            _ if !layout.is_pencilmarks() => self.choose(layout.shape),
            Engine::Other(EngineKind::Bitmask) => Ok(Engine::Other(EngineKind::Bitmask)),
            engine if self.is_named() => {
                let engine = engine.name();
                refuse(format!(
                    "the engine {engine} does not solve pencilmarks: leave --engine and --backend out, or choose bitmask"
                ))
            }
            _ => Ok(Engine::Other(EngineKind::Bitmask)),
        }
    }

    /// The engines for lists of solutions of puzzles of one shape, or of mixed shapes for `None`. The first
    /// one, if any, lists the first solutions of many puzzles at once. The second one lists the rest, one
    /// puzzle at a time.
    ///
    /// There are two, because the lockstep engine lists 2 to 4 times as fast as `bitmask` if a batch fills its lanes, but takes 5
    /// times as long for a single puzzle, whose list its lanes can't share. `bitmask` is faster than
    /// `dancing-links` in both cases, by 1.05 to 3 times.
    pub(crate) fn choose_for_lists(self, shape: Option<Shape>) -> Result<(Option<Engine>, Engine), Error> {
        let engine = self.choose(shape)?;
        let batch = matches!(engine, Engine::Lockstep(_)).then_some(engine);
        let single = if self.is_named() { engine } else { Engine::Other(EngineKind::Bitmask) };
        Ok((batch, single))
    }

    /// Whether the user chose the engine or its backend.
    pub(crate) fn is_named(self) -> bool {
        self.engine.is_some() || self.backend.is_some()
    }

    fn best(self) -> Result<Engine, Error> {
        match (self.engine, self.backend) {
            (None | Some(EngineKind::Lockstep), backend) => {
                available(backend.unwrap_or_else(Backend::best)).map(Engine::Lockstep)
            }
            (Some(_), Some(backend)) => refuse(format!(
                "--backend {backend}: only the lockstep engine has backends; leave it out, or choose --engine lockstep"
            )),
            (Some(engine), None) => Ok(Engine::Other(engine)),
        }
    }
}

/// Parses a number of threads. An empty environment variable counts as not set, because scripts often leave
/// it empty.
#[derive(Clone)]
pub(crate) struct ThreadsParser;

impl TypedValueParser for ThreadsParser {
    type Value = usize;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<usize, clap::Error> {
        up_to(THREAD_LIMIT).parse_ref(command, arg, value).map(|threads| threads as usize)
    }

    fn parse_ref_(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<usize, clap::Error> {
        if source == ValueSource::EnvVariable && value.is_empty() {
            return Ok(cores());
        }
        self.parse_ref(command, arg, value)
    }
}

/// The default number of threads.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// A parser of scales.
pub(crate) fn scale_parser() -> impl TypedValueParser<Value = Scale> {
    one_of([
        ("se", "Sudoku Explainer 1.2.1", Scale::Se),
        (
            "sukaku",
            "SukakuExplainer in its default settings, as published ratings have it: also strong links and larger wings",
            Scale::Sukaku,
        ),
        (
            "sukaku-2020",
            "SukakuExplainer since January 2020: also four strong links, UVWXYZ-wings and TUVWXYZ-wings",
            Scale::Sukaku2020,
        ),
    ])
}

fn ties_parser() -> impl TypedValueParser<Value = Ties> {
    one_of([
        ("minlex", "That of the minlex form: isomorphs have one rating", Ties::Minlex),
        (
            "reading",
            "The reading order of the grid as it is written, as in SukakuExplainer: for comparison with published ratings",
            Ties::Reading,
        ),
    ])
}

/// The scale of ratings, and the order that decides ties.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Scale of the ratings: which program's techniques and ratings are used
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), default_value = "sukaku")]
    pub(crate) scale: Scale,

    /// Order of cells that decides, from 7.5 up, when several chains lead to one deduction
    #[arg(long, value_name = "ORDER", value_parser = ties_parser(), default_value = "minlex")]
    pub(crate) ties: Ties,
}

impl ScaleArgs {
    /// The job that explains puzzles, up to a round or a rating.
    pub(crate) fn explain(self, until: Option<Until>) -> Explain {
        Explain { scale: self.scale, ties: self.ties, until }
    }

    /// The name of the scale with its version, as it is written next to ratings.
    pub(crate) fn version(self) -> &'static str {
        self.scale.version_with(self.ties)
    }
}

/// Conditions on the ratings of puzzles.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("rated").multiple(true)))]
pub(crate) struct RatingConditions {
    /// How hard the puzzles are for people: a rating, or a range such as 3.0..4.2, 4.5.. or ..2.6.
    /// See gridmill rate
    #[arg(long, value_name = "R|MIN..MAX", value_parser = rating_span, group = "rated")]
    er: Option<RangeInclusive<Rating>>,

    /// Technique that finds something on the way, e.g. x-wing, or any of several, separated by
    /// commas; may be given several times
    #[arg(long = "technique", value_name = "NAME", value_parser = techniques, group = "rated")]
    techniques: Vec<TechniqueSet>,

    /// Scale of the ratings: which program's techniques and ratings are used [default: sukaku]
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), requires = "rated")]
    scale: Option<Scale>,
}

impl RatingConditions {
    /// The scale on which the puzzles are rated.
    pub(crate) fn scale(&self) -> Scale {
        self.scale.unwrap_or(Scale::Sukaku)
    }

    /// The conditions on ratings; `None` if there are none.
    pub(crate) fn criteria(&self) -> Option<RatingCriteria> {
        RatingCriteria::new(self.scale(), self.er.clone(), self.techniques.clone())
    }
}

/// Parses a rating or a range: `4.2`, `3.0..4.2`, `4.2..` or `..4.2`.
pub(crate) fn rating_span(text: &str) -> Result<RangeInclusive<Rating>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let is_range = text.contains("..");
    let rating = |text: &str| text.parse::<Rating>().map_err(|error| format!("{error}"));
    let end = |text: &str, open| if is_range && text.is_empty() { Ok(open) } else { rating(text) };
    let (least, most) = (end(least, Rating::LEAST)?, end(most, Rating::BEYOND)?);
    if least > most {
        return Err(format!("there is no rating from {least} to {most}: give the smaller one first"));
    }
    Ok(least..=most)
}

/// Parses names of techniques with commas between them.
pub(crate) fn techniques(text: &str) -> Result<TechniqueSet, String> {
    let mut found = TechniqueSet::EMPTY;
    for name in text.split(',') {
        found.insert(name.trim().parse::<Technique>().map_err(|error| format!("{error}"))?);
    }
    Ok(found)
}

/// Refuses puzzles that can't be rated, e.g. 16x16.
pub(crate) fn check_ratable(layout: &Layout) -> Result<(), Error> {
    check_size(layout, |shape| shape == Shape::CLASSIC, "ratings are for puzzles of one size, 9x9")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ratings_are_read() {
        let tenths = |least, most| Rating::tenths(least)..=Rating::tenths(most);
        assert_eq!(rating_span("4.2"), Ok(tenths(42, 42)));
        assert_eq!(rating_span("3..4.2"), Ok(tenths(30, 42)));
        assert_eq!(rating_span("3.0.."), Ok(tenths(30, 130)));
        assert_eq!(rating_span("..4"), Ok(tenths(10, 40)));
        assert_eq!(rating_span(".."), Ok(tenths(10, 130)));
        assert!(rating_span("4.2..3").unwrap_err().contains("no rating from 4.2 to 3.0"));
        for wrong in ["", "4.25", "0..3", "3..21", "3...4", "hard"] {
            assert!(rating_span(wrong).unwrap_err().contains("is not a rating"), "{wrong}");
        }
    }

    #[test]
    fn techniques_are_read() {
        let both = techniques("x-wing, swordfish").unwrap();
        assert_eq!(both.iter().collect::<Vec<_>>(), [Technique::XWing, Technique::Swordfish]);
        assert!(techniques("x-wing,").unwrap_err().contains("the techniques are last-cell, "));
    }
}
