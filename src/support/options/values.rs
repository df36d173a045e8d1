//! Values of options, read from text.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};

use gridmill_core::logic::{Rating, Until};
use gridmill_data::bench::Program;

/// Returns a parser of numbers from 1 up to a limit.
pub(crate) fn up_to(limit: usize) -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(1..=limit as u64)
}

/// Returns a parser of one of some values, each with its name and what help says about it, if anything.
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

/// One of some values, or `None` for a name such as `auto`. Under a name of its own, because clap takes an `Option` for an
/// argument that may be left out.
pub(crate) type Choice<T> = Option<T>;

/// Reads a time in seconds, with or without decimals.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    parsed.ok_or_else(|| "give seconds, as in 10 or 0.5".to_owned())
}

/// Reads where an explanation ends: a rating, which has a point, or the number of a round.
pub(crate) fn until(text: &str) -> Result<Until, String> {
    if text.contains('.') {
        return text.parse::<Rating>().map(Until::Rating).map_err(|error| error.to_string());
    }
    let round = text.parse().ok().filter(|&round| round > 0).map(Until::Round);
    round.ok_or_else(|| {
        "give a rating with a point, such as 4.2, or the number of a round, such as 12".to_owned()
    })
}

/// Reads the name of a program and its command, in which quotes keep words together as in a shell.
pub(crate) fn program(text: &str) -> Result<Program, String> {
    let Some((name, command)) = text.split_once('=').filter(|(name, _)| is_name(name)) else {
        return Err("give a name without blanks, and the command: NAME='COMMAND {}'".to_owned());
    };
    let Some(words) = shlex::split(command) else {
        return Err("a quote or a backslash in the command has no end".to_owned());
    };
    let mut words = words.into_iter();
    let command = words.next().ok_or("there is no command behind the name: NAME='COMMAND {}'")?;
    Ok(Program::new(name, command, words))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Reads the character between two CSV fields: one that stands for no cell and needs no quotes, or `tab`.
pub(crate) fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" | b"\t" => Ok(b'\t'),
        &[byte @ (b',' | b';' | b'|' | b':' | b'!' | b'/' | b'&' | b'~' | b'^')] => Ok(byte),
        _ => Err("give one of , ; | : ! / & ~ ^ or tab".to_owned()),
    }
}

/// Numbers from one to another; `None` for no upper end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    least: u64,
    most: Option<u64>,
}

impl Span {
    /// Returns the range; `most` is its upper end if it has none.
    pub(crate) fn up_to(self, most: u64) -> RangeInclusive<u64> {
        self.least..=self.most.unwrap_or(most)
    }
}

/// Reads a number, or a range: `24`, `24..28`, `24..` or `..28`.
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

/// The sizes of parts in proportion to each other. Under a name of its own, because clap takes a `Vec` for an argument that
/// is given several times.
pub(crate) type Ratio = Vec<u64>;

/// Reads two numbers or more, above 0, with colons between them: `90:10`.
pub(crate) fn ratio(text: &str) -> Result<Ratio, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number > 0).map(u64::from);
    let numbers: Option<Ratio> = text.split(':').map(number).collect();
    let ratio = numbers.filter(|numbers| numbers.len() > 1);
    ratio.ok_or_else(|| "give a whole number above 0 for each part: 90:10, or 8:1:1".to_owned())
}

/// Returns the path of a file, or `None` for `-`, which stands for standard input and output.
pub(crate) fn file_name(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}
