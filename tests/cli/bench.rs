//! `gridmill bench`, as a user runs it.

use crate::common;
use crate::program::{Ran, Scratch, gridmill, rows, run, texts_of};
use gridmill_core::solver::{Lockstep, Outcome, SolutionLimit, Solver};

const CLASSICS: &str = "datasets/classics.txt";
const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const FOUR: &str = "1.....3..4.....2";
const SEVEN: &str = "7...............";

fn bench(arguments: &[&str]) -> Ran {
    run(gridmill().arg("bench").args(arguments))
}

#[test]
fn json_has_the_guesses_and_rates_of_each_engine() {
    let options = [CLASSICS, "--no-permute", "--rounds", "2", "--to", "json", "--engine", "lockstep,bitmask"];
    let ran = bench(&options);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let lines: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<_> =
        lines.as_array().unwrap().iter().map(|line| line["engine"].as_str().unwrap()).collect();
    assert_eq!(names, ["lockstep", "bitmask"]);
    let puzzles = common::classics();
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    Lockstep::new().solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut outcomes);
    let guesses = outcomes.iter().map(|outcome| outcome.guesses).sum::<u64>();
    let per_puzzle = lines[0]["guesses_per_puzzle"].as_f64().unwrap();
    assert_eq!((per_puzzle * 41.0).round(), guesses as f64);
    assert!(lines.as_array().unwrap().iter().all(|line| line["puzzles_per_second"].as_f64().unwrap() > 0.0));
    assert!(lines.as_array().unwrap().iter().all(|line| line["rounds"] == 2));
}

/// Equal seeds give equal isomorphs, and so equal guesses; another seed gives different ones.
#[test]
fn the_seed_determines_the_isomorphs() {
    let guesses = |seed: &str| {
        let ran = bench(&[CLASSICS, "--rounds", "1", "--to", "csv", "--seed", seed]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        rows(ran.out.as_bytes()).into_iter().map(|row| row[7].clone()).collect::<Vec<_>>()
    };
    assert_eq!(guesses("1"), guesses("1"));
    assert_ne!(guesses("1"), guesses("2"));
}

#[test]
fn tables_are_aligned_and_name_threads_and_file() {
    let table = bench(&[CLASSICS, "--rounds", "1", "--threads", "2"]);
    assert_eq!(table.code, Some(0), "{}", table.err);
    assert!(table.out.contains("2 threads") && table.out.contains("classics.txt"), "{}", table.out);
    let markdown = bench(&[CLASSICS, "--rounds", "1", "--to", "md"]);
    let widths: Vec<usize> = markdown.out.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths.len(), 4, "{}", markdown.out);
    assert!(widths.iter().all(|width| *width == widths[0]), "{}", markdown.out);
}

/// The engine is measured once for each backend. Earlier versions had names that include a backend, e.g.
/// `lockstep-portable`. These names must still be accepted.
#[test]
fn lockstep_is_measured_on_each_named_backend() {
    let engines = |options: &[&str]| {
        let ran = bench(&[&[CLASSICS, "--rounds", "1", "--to", "csv"], options].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.rows().into_iter().map(|row| row[2].clone()).collect::<Vec<_>>()
    };
    assert_eq!(engines(&["--backend", "portable"]), ["lockstep-portable", "bitmask"]);
    assert_eq!(
        engines(&["--engine", "singles,lockstep", "--backend", "portable,auto"]),
        ["singles", "lockstep-portable", "lockstep"]
    );
    assert_eq!(engines(&["--engine", "lockstep-portable"]), ["lockstep-portable"]);
}

/// The engines for any shape are measured on every shape, whether it follows from the length of the puzzles
/// or is given with `--shape`.
#[test]
fn puzzles_of_any_shape_are_measured() {
    let scratch = Scratch::new();
    let sixteen: String =
        (0..256).map(|cell| if cell < 16 { char::from(b'A' + cell as u8) } else { '.' }).collect();
    let tall = scratch.file("tall.txt", "123456..............................\n");
    for (file, options, engines) in [
        (
            scratch.file("4.txt", format!("# small\n{FOUR} remark\r\n{FOUR}\n")),
            vec![],
            vec!["lockstep", "bitmask"],
        ),
        (
            tall.clone(),
            vec!["--shape", "3x2", "--engine", "backtracking,singles"],
            vec!["backtracking", "singles"],
        ),
        (scratch.file("16.txt", &sixteen), vec!["--alphabet", "A-P", "--first"], vec!["lockstep", "bitmask"]),
        (
            scratch.file("mixed.txt", format!("{FOUR}\n{}\n", ".".repeat(36))),
            vec!["--mixed"],
            vec!["lockstep", "bitmask"],
        ),
        (scratch.file("9.txt", ".".repeat(81)), vec!["--shape", "3x3"], vec!["lockstep", "bitmask"]),
    ] {
        let mut arguments = vec![file.to_str().unwrap(), "--rounds", "1", "--to", "csv"];
        arguments.extend(options);
        arguments.push("--quiet");
        let ran = bench(&arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let rows = ran.rows();
        assert_eq!(rows.iter().map(|row| row[2].as_str()).collect::<Vec<_>>(), engines);
        assert!(rows.iter().all(|row| row[3].parse::<f64>().unwrap() > 0.0));
    }
}

#[test]
fn format_options_apply_to_measured_files() {
    let scratch = Scratch::new();
    let rows = scratch.file("rows.csv", format!("7;{PUZZLE};{}\n", PUZZLE.replace('.', "1")));
    let ran =
        bench(&[rows.to_str().unwrap(), "--no-header", "--format", "csv", "--rounds", "1", "--to", "csv"]);
    assert_eq!((ran.code, ran.rows().len()), (Some(0), 2), "{}", ran.err);
    let sizes = bench(&["datasets/4x4.txt", CLASSICS, "--alphabet", "1-9", "--rounds", "1", "--to", "csv"]);
    assert_eq!((sizes.code, sizes.rows().len()), (Some(0), 4), "{}", sizes.err);
}

#[test]
fn rounds_are_repeated_until_the_requested_time_is_over() {
    let rounds = |options: &[&str]| {
        let begun = std::time::Instant::now();
        let ran = bench(&[&[CLASSICS, "--engine", "bitmask", "--to", "csv"], options].concat());
        (ran.rows()[0][8].parse::<u64>().unwrap(), begun.elapsed().as_secs_f64())
    };
    let (at_once, took) = rounds(&["--time", "0"]);
    assert_eq!(at_once, 3);
    // This is ten times the time that three rounds take on this machine, so that more rounds fit into it.
    let time = 10.0 * took;
    let (many, seconds) = rounds(&["--time", &time.to_string()]);
    assert!(many > 3 && seconds >= time, "{many} rounds in {seconds} s");
    assert_eq!(rounds(&[]).0, 5);
}

/// The columns and keys that `--to` writes keep their names and their order, so that programs can rely on
/// them. New ones come last.
#[test]
fn exports_keep_their_columns() {
    let csv = bench(&[CLASSICS, "--rounds", "1", "--to", "csv"]).out;
    let header = "file,puzzles,engine,puzzles_per_second,spread,microseconds_per_puzzle,share_without_guess,guesses_per_puzzle,rounds";
    assert!(csv.starts_with(&format!("{header},round_seconds,p50_ns,")), "{csv}");
    let json = bench(&[CLASSICS, "--rounds", "1", "--to", "json"]).out;
    let line = &serde_json::from_str::<serde_json::Value>(&json).unwrap()[0];
    assert!(header.split(',').all(|name| !line[name].is_null()), "{json}");
    let markdown = bench(&[CLASSICS, "--rounds", "1", "--to", "md"]).out;
    let columns: Vec<_> = markdown.lines().next().unwrap().split('|').map(str::trim).collect();
    let names =
        ["file", "puzzles", "engine", "puzzles/s", "spread", "µs a puzzle", "no guess", "guesses a puzzle"];
    assert_eq!(columns[1..9], names);
}

/// The rate must be that of the median round.
#[test]
fn exports_have_the_seconds_of_each_round() {
    let options = [CLASSICS, "--engine", "bitmask", "--rounds", "3", "--to"];
    let row = bench(&[&options[..], &["csv"]].concat()).rows().remove(0);
    let mut seconds: Vec<f64> = row[9].split(' ').map(|text| text.parse().unwrap()).collect();
    assert_eq!(seconds.len(), 3);
    seconds.sort_by(f64::total_cmp);
    assert_eq!(row[3].parse::<f64>().unwrap(), 41.0 / seconds[1]);
    let json = bench(&[&options[..], &["json"]].concat()).out;
    let line = &serde_json::from_str::<serde_json::Value>(&json).unwrap()[0];
    assert_eq!(line["round_seconds"].as_array().unwrap().len(), 3);
    assert_eq!((&line["threads"], &line["seed"]), (&1.into(), &1.into()));
}

#[test]
fn percentiles_are_sorted_and_exported() {
    let options = [CLASSICS, "--engine", "bitmask", "--rounds", "1"];
    assert_eq!(bench(&[&options[..], &["--to", "csv"]].concat()).rows()[0][10..14], ["", "", "", ""]);
    let options = [&options[..], &["--percentiles", "--to"]].concat();
    let row = bench(&[&options[..], &["csv"]].concat()).rows().remove(0);
    let times: Vec<u64> = row[10..14].iter().map(|text| text.parse().unwrap()).collect();
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
    let markdown = bench(&[&options[..], &["md"]].concat()).out;
    let header: Vec<_> = markdown.lines().next().unwrap().split('|').map(str::trim).collect();
    assert_eq!(header[9..13], ["p50 µs", "p90 µs", "p99 µs", "max µs"]);
}

#[test]
fn rates_are_compared_with_a_saved_baseline() {
    let scratch = Scratch::new();
    let (four, saved) = (scratch.file("four.txt", FOUR), scratch.path("before.json"));
    let (four, saved) = (four.to_str().unwrap(), saved.to_str().unwrap());
    let ran = bench(&[CLASSICS, "--rounds", "1", "--engine", "bitmask", "--save", saved]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let lines: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
    let before = lines[0]["puzzles_per_second"].as_f64().unwrap();
    let options = ["--rounds", "1", "--engine", "bitmask,singles", "--to", "csv", "--compare", saved];
    let ran = bench(&[&[CLASSICS, four], &options[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let missing: Vec<_> =
        ran.err.lines().map(|line| line.split_once("has no measurement of ").unwrap().1).collect();
    assert_eq!(missing, ["singles on classics.txt", "four.txt"]);
    let rows = ran.rows();
    let [rate, baseline, ratio] = [3, 14, 15].map(|column| rows[0][column].parse::<f64>().unwrap());
    assert!((baseline, ratio) == (before, rate / before), "{rows:?}");
    // Other engines and other files have no baseline.
    assert!(rows[1..].iter().all(|row| row[14..16] == ["", ""]), "{rows:?}");
    let table = bench(&[CLASSICS, "--rounds", "1", "--threads", "2", "--compare", saved]);
    assert!(table.err.contains("threads was 1, and is 2 now"), "{}", table.err);
    let header = table.out.lines().nth(3).unwrap_or_default().to_owned();
    assert!(header.split_whitespace().rev().take(2).eq(["ratio", "baseline"]), "{header}");
}

#[test]
fn baselines_and_plots_can_be_compressed() {
    let scratch = Scratch::new();
    let (four, saved) = (scratch.file("four.txt", FOUR), scratch.path("before.json.gz"));
    let (four, saved) = (four.to_str().unwrap(), saved.to_str().unwrap());
    let plot = scratch.path("p.svg.gz");
    let options = [four, "--rounds", "1", "--engine", "bitmask"];
    let ran = bench(&[&options[..], &["--save", saved, "--plot", plot.to_str().unwrap()]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for packed in [std::fs::read(saved).unwrap(), std::fs::read(plot).unwrap()] {
        assert_eq!(packed[..2], [0x1f, 0x8b]);
    }
    let ran = bench(&[&options[..], &["--compare", saved, "--to", "csv"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.rows()[0][15].parse::<f64>().unwrap() > 0.0);
}

#[test]
fn baselines_of_other_puzzles_are_refused() {
    let scratch = Scratch::new();
    let (four, saved) = (scratch.file("four.txt", FOUR), scratch.path("before.json"));
    let (four, saved) = (four.to_str().unwrap(), saved.to_str().unwrap());
    assert_eq!(bench(&[four, "--rounds", "1", "--save", saved]).code, Some(0));
    scratch.file("four.txt", FOUR.replace('3', "4"));
    let other = bench(&[four, "--rounds", "1", "--compare", saved]);
    assert_eq!((other.code, other.out.as_str()), (Some(2), ""));
    assert!(other.err.contains("was measured on different puzzles"), "{}", other.err);
    for arguments in
        [vec![CLASSICS], vec![CLASSICS, "--engine", "singles"], vec![four, "--engine", "singles"]]
    {
        scratch.file("four.txt", FOUR);
        let ran = bench(&[&arguments[..], &["--compare", saved]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(
            ran.err.contains("there is nothing to compare") && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
    }
    let none = bench(&[four, "--rounds", "1", "--compare", four]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("it has no measurements that bench --save wrote"), "{}", none.err);
}

#[test]
fn puzzles_without_exactly_one_solution_are_reported() {
    let scratch = Scratch::new();
    let (none, several, proper) = ("11..............", "1...............", "12343412214343..");
    let cases = [
        (vec![none, several, proper, several], "1 of 4 puzzles has no solution, 2 several", 1, 2),
        (vec![none, none, proper], "2 of 3 puzzles have no solution", 2, 0),
        (vec![several], "1 of 1 puzzle has several solutions", 0, 1),
        (vec![proper], "", 0, 0),
    ];
    for (puzzles, message, without, with) in cases {
        let file = scratch.file("4x4.txt", puzzles.join("\n"));
        let options = [file.to_str().unwrap(), "--rounds", "1", "--to", "json"];
        let ran = bench(&options);
        let expected =
            if message.is_empty() { String::new() } else { format!("gridmill: 4x4.txt: {message}\n") };
        assert_eq!((ran.code, ran.err), (Some(0), expected));
        let lines: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        for line in lines.as_array().unwrap() {
            assert_eq!((&line["without_solution"], &line["with_several"]), (&without.into(), &with.into()));
        }
        assert_eq!(bench(&[&options[..], &["--quiet"]].concat()).err, "");
        let first = bench(&[&options[..], &["--first", "--quiet"]].concat());
        let lines: serde_json::Value = serde_json::from_str(&first.out).unwrap();
        assert_eq!((&lines[0]["without_solution"], &lines[0]["with_several"]), (&without.into(), &().into()));
    }
}

#[test]
fn quiet_prints_only_the_table() {
    let ran = bench(&[CLASSICS, "--rounds", "1", "--engine", "bitmask", "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("file ") && ran.out.lines().count() == 2, "{}", ran.out);
}

#[test]
fn details_show_engines_and_matrices() {
    let ran = bench(&[CLASSICS, "--rounds", "1", "--detail", "--engine", "lockstep-portable,dancing-links"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let words = |start: &str| -> Vec<String> {
        let line = ran.out.lines().rfind(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start}: {}", ran.out)).split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(words("empty grid, boxes of 3x3")[5..], ["324", "729", "2,916", "26,244"]);
    let figures = |name: &str| -> Vec<usize> {
        words(name)[2..].iter().map(|number| number.replace(',', "").parse().unwrap()).collect()
    };
    let [least, mean, most] = ["puzzles, least", "puzzles, mean", "puzzles, most"].map(figures);
    assert!((0..4).all(|i| least[i] <= mean[i] && mean[i] <= most[i]), "{}", ran.out);
    assert!(least[1] > 50 && most[1] < 729 && most[2] == 4 * most[1], "{}", ran.out);
    assert_eq!(words("lockstep-portable")[1], "portable");
    assert_eq!(words("dancing-links")[1..3], ["-", "1"]);
}

/// The order must match the guesses that `solve` reports for the same engine.
#[test]
fn the_hardest_records_have_the_most_guesses() {
    for (engine, options) in [("bitmask", &[][..]), ("lockstep", &["--to", "csv"])] {
        let ran = bench(
            &[
                &[CLASSICS, "--no-permute", "--rounds", "1", "--hardest", "3", "--engine", engine][..],
                options,
            ]
            .concat(),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let shown = if options.is_empty() { &ran.out } else { &ran.err };
        let (_, shown) = shown.split_once("classics.txt, 41 puzzles: the hardest\n\n").unwrap();
        let shown: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(shown[0], ["engine", "record", "guesses", "µs", "puzzle"]);
        let solved =
            run(gridmill().args(["solve", CLASSICS, "--engine", engine, "-q", "--rows", "csv"])).rows();
        let mut expected: Vec<(u64, usize)> =
            solved.iter().enumerate().map(|(record, row)| (row[3].parse().unwrap(), record)).collect();
        expected.sort_by_key(|&(guesses, record)| (std::cmp::Reverse(guesses), record));
        let expected = expected.into_iter().take(3).map(|(guesses, record)| {
            let puzzle = solved[record][0].clone();
            vec![engine.to_owned(), (record + 1).to_string(), guesses.to_string(), puzzle]
        });
        let shown = shown[1..].iter().map(|row| {
            assert!(row[3].parse::<f64>().unwrap() > 0.0);
            vec![row[0].to_owned(), row[1].to_owned(), row[2].replace(',', ""), row[4].to_owned()]
        });
        assert!(shown.eq(expected), "{engine}: {}", ran.out);
    }
}

/// The buckets of each engine count every puzzle once, and their lines fit a terminal. With `--to csv`,
/// standard output has only the table.
#[test]
fn histograms_show_every_engine() {
    let ran = bench(&[CLASSICS, "--rounds", "2", "--histogram", "--to", "csv"]);
    assert_eq!((ran.code, ran.rows().len()), (Some(0), 2), "{}", ran.err);
    let engines: Vec<&str> = ran.err.split("\n\n").skip(1).collect();
    assert_eq!(engines.len(), 2, "{}", ran.err);
    for (engine, name) in engines.iter().zip(["lockstep", "bitmask"]) {
        let (title, rows) = engine.split_once('\n').unwrap();
        assert!(title.starts_with(name), "{title}");
        assert!(
            ["p50", "p90", "p99", "max"].iter().all(|figure| title.contains(&format!("  {figure} "))),
            "{title}"
        );
        let counts = rows.lines().map(|row| {
            let (_, bar) = row.split_once('│').unwrap();
            assert!(row.chars().count() <= 80, "{row}");
            let words: Vec<&str> = bar.split_whitespace().collect();
            let count: u64 = words[words.len() - 3].parse().unwrap();
            assert_eq!(count > 0, bar.starts_with(|first: char| ('▀'..='▏').contains(&first)), "{row}");
            count
        });
        assert_eq!(counts.sum::<u64>(), 41);
    }
}

#[test]
fn plots_show_every_engine() {
    let scratch = Scratch::new();
    let odd = scratch.file("a<b>&.txt", format!("{FOUR}\n"));
    let plot = scratch.path("times.svg");
    let options = ["--rounds", "1", "--engine", "bitmask,dancing-links", "--plot", plot.to_str().unwrap()];
    let ran = bench(&[&[CLASSICS, odd.to_str().unwrap()], &options[..]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("a<b>&.txt"), "{}", ran.out);
    let svg = std::fs::read_to_string(&plot).unwrap();
    let texts = texts_of(&svg);
    for text in ["Time per puzzle, by engine", "classics.txt, 41 puzzles", "a<b>&.txt, 1 puzzle", "100 %"] {
        assert!(texts.iter().any(|known| known == text), "{text}: {texts:?}");
    }
    for (text, times) in [("bitmask", 2), ("dancing-links", 2), ("time per puzzle (logarithmic scale)", 2)] {
        assert_eq!(texts.iter().filter(|known| *known == text).count(), times, "{text}: {texts:?}");
    }
    assert_eq!(svg.matches("stroke-width=\"2\"").count(), 4, "a curve for each engine and file");
    assert_eq!(scratch.names(), ["a<b>&.txt", "times.svg"]);
}

/// A plot that can't be written is refused before anything is measured, and never overwrites the puzzles.
#[test]
fn plots_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new();
    let puzzles = scratch.file("four.svg", FOUR);
    let (name, nowhere) = (puzzles.to_str().unwrap(), scratch.path("no/where.svg"));
    let picture = scratch.path("p.png");
    for (plot, message) in [
        (name, "is also an input"),
        (nowhere.to_str().unwrap(), "can't be written"),
        (picture.to_str().unwrap(), "p.png: --plot draws SVG: give a name that ends in .svg"),
    ] {
        let ran = bench(&[name, "--plot", plot]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    assert_eq!(scratch.names(), ["four.svg"]);
    assert_eq!(std::fs::read_to_string(puzzles).unwrap(), FOUR);
}

#[test]
fn puzzles_from_a_pipe_are_measured() {
    let ran = run(gridmill().args(["bench", "-", "--rounds", "1", "--to", "csv"]).write_stdin(FOUR));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(ran.rows()[0][0], "<stdin>");
}

#[test]
fn invalid_options_and_unreadable_files_are_refused() {
    let scratch = Scratch::new();
    let puzzle = ".".repeat(81);
    let bad = scratch.file("bad.txt", format!("{puzzle}\n\n.n{puzzle}\n"));
    let wide = scratch.file("wide.txt", format!("{FOUR}\n{SEVEN}\n"));
    let four = scratch.file("four.txt", FOUR);
    let empty = scratch.file("empty.txt", "");
    let mixed = scratch.file("mixed.txt", format!("{FOUR}\n{}\n", ".".repeat(36)));
    let marks = scratch.file("marks.txt", "123456789".repeat(81));
    let five = scratch.file("five.txt", ".".repeat(625));
    for (arguments, message) in [
        (vec![CLASSICS, "--engine", "quick"], "no engine 'quick'"),
        (vec![CLASSICS, "--engine", "auto"], "lockstep, bitmask, dancing-links, singles, backtracking"),
        (vec![CLASSICS, "--engine", "singles,singles"], "--engine names singles more than once"),
        (vec![CLASSICS, "--backend", "portable,portable"], "--backend names portable more than once"),
        (
            vec![CLASSICS, "--engine", "lockstep-portable,lockstep", "--backend", "portable"],
            "--engine names lockstep-portable more than once",
        ),
        (
            vec![CLASSICS, "--engine", "singles", "--backend", "portable"],
            "only the lockstep engine has backends",
        ),
        (vec!["missing.txt"], "missing.txt: can't be opened"),
        (vec![bad.to_str().unwrap()], "bad.txt:3:2: record 2: 'n' is neither"),
        (vec![empty.to_str().unwrap()], "empty.txt: it has no puzzles"),
        (vec![wide.to_str().unwrap()], "wide.txt:2:1: record 2: '7' is neither"),
        (
            vec![five.to_str().unwrap(), "--alphabet", "A-Y", "--engine", "bitmask,lockstep"],
            "'lockstep' does not solve puzzles of 25x25",
        ),
        (vec![CLASSICS, four.to_str().unwrap(), "--shape", "4x4"], "classics.txt:3:82: record 1: 81 cells"),
        (
            vec![mixed.to_str().unwrap()],
            "mixed.txt:2:37: record 2: 36 cells, but the puzzles of this file are 4x4 (16 cells); --mixed accepts both",
        ),
        (
            vec![CLASSICS, "--alphabet", "A-P"],
            "--alphabet A-P is for 16x16 puzzles, but these are 9x9: leave it out",
        ),
        (vec![marks.to_str().unwrap()], "marks.txt: this command is for puzzles with clues"),
        (vec![marks.to_str().unwrap(), "--mixed"], "--mixed is for puzzles with clues"),
        (vec![CLASSICS, "--format", "csv"], "classics.txt: "),
        (vec![CLASSICS, "--rounds", "2", "--time", "1"], "cannot be used with"),
        (vec![CLASSICS, "--time=-1"], "give seconds"),
        (vec![CLASSICS, "--rounds", "0"], "is not in 1..="),
    ] {
        let ran = bench(&arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
    }
}
