//! The commands that meet faults. A command that you add here is tested with every row of the table.

use std::fs;
use std::io::Write;
use std::path::Path;

/// The parts of an output that differ from run to run, because they are times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    None,
    LastColumn,
    /// Times are in so many places that only the first line is compared.
    Anywhere,
}

/// A command that runs in a folder with the inputs of [`put_inputs`].
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static str,
    /// The files that it writes; empty for standard output.
    pub(crate) outputs: &'static [&'static str],
    pub(crate) times: Times,
    /// The file that is piped to its standard input.
    pub(crate) stdin: Option<&'static str>,
}

const PLAIN: Job = Job { name: "", arguments: "", outputs: &[], times: Times::None, stdin: None };

/// Commands whose rows pass through the pipeline to a file.
pub(crate) const PIPELINE: &[Job] = &[
    Job {
        name: "solve",
        arguments: "solve p.txt -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        ..PLAIN
    },
    Job {
        name: "solve, not mapped",
        arguments: "solve p.txt --no-mmap --chunk-bytes 100 -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        ..PLAIN
    },
    Job {
        name: "solve .gz",
        arguments: "solve p.txt.gz -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        ..PLAIN
    },
    Job {
        name: "count .zst",
        arguments: "count p.txt.zst -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        ..PLAIN
    },
    Job { name: "canon .xz", arguments: "canon p.txt.xz -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job {
        name: "solve, piped",
        arguments: "solve - -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        stdin: Some("p.txt"),
    },
    Job {
        name: "canon, piped .zip",
        arguments: "canon - -o o.csv",
        outputs: &["o.csv"],
        stdin: Some("p.zip"),
        ..PLAIN
    },
    Job {
        name: "count",
        arguments: "count p.txt -o o.csv",
        outputs: &["o.csv"],
        times: Times::LastColumn,
        ..PLAIN
    },
    Job { name: "enumerate", arguments: "enumerate p.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "candidates", arguments: "candidates p.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "rate", arguments: "rate p.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "explain", arguments: "explain p.txt -o o.txt", outputs: &["o.txt"], ..PLAIN },
    Job { name: "canon", arguments: "canon p.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "canon to .gz", arguments: "canon p.txt -o o.csv.gz", outputs: &["o.csv.gz"], ..PLAIN },
    Job { name: "canon to .zst", arguments: "canon p.txt -o o.csv.zst", outputs: &["o.csv.zst"], ..PLAIN },
    Job { name: "canon to .xz", arguments: "canon p.txt -o o.csv.xz", outputs: &["o.csv.xz"], ..PLAIN },
    Job { name: "canon to stdout", arguments: "canon p.txt", ..PLAIN },
    Job { name: "verify", arguments: "verify p.txt --all -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "verify to stdout", arguments: "verify p.txt --all", ..PLAIN },
    Job { name: "check", arguments: "check s.csv --all -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "convert", arguments: "convert s.csv -o o.jsonl", outputs: &["o.jsonl"], ..PLAIN },
    Job { name: "generate", arguments: "generate --count 3 --seed 5 -o o.txt", outputs: &["o.txt"], ..PLAIN },
    Job { name: "minimize", arguments: "minimize p.txt -o o.txt", outputs: &["o.txt"], ..PLAIN },
    Job { name: "neighbors", arguments: "neighbors one.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job {
        name: "unavoidable",
        arguments: "unavoidable p.txt --cells 6 -o o.csv",
        outputs: &["o.csv"],
        ..PLAIN
    },
    Job { name: "backdoors", arguments: "backdoors p.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job { name: "shuffle", arguments: "shuffle p.txt --seed 5 -o o.txt", outputs: &["o.txt"], ..PLAIN },
    Job { name: "select", arguments: "select p.txt --sample 3 -o o.txt", outputs: &["o.txt"], ..PLAIN },
    Job { name: "book", arguments: "book p.txt -o o.pdf", outputs: &["o.pdf"], ..PLAIN },
    Job { name: "matrix", arguments: "matrix one.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job {
        name: "stats",
        arguments: "stats p.txt --html o.html",
        outputs: &["o.html"],
        times: Times::Anywhere,
        ..PLAIN
    },
];

/// Commands that sort in temporary files, or save a pipe to one.
pub(crate) const SORTING: &[Job] = &[
    Job {
        name: "dedupe",
        arguments: "dedupe many.txt --memory 64K --tmp spills -o o.txt --list-duplicates l.csv",
        outputs: &["o.txt", "l.csv"],
        ..PLAIN
    },
    Job {
        name: "dedupe, piped",
        arguments: "dedupe - --memory 64K --tmp spills -o o.txt",
        outputs: &["o.txt"],
        stdin: Some("many.txt"),
        ..PLAIN
    },
    Job {
        name: "overlap",
        arguments: "overlap many.txt many.txt --memory 64K --tmp spills -o o.csv",
        outputs: &["o.csv"],
        ..PLAIN
    },
    Job {
        name: "split",
        arguments: "split many.txt --ratio 8:2 --tmp spills -o o.txt -o l.txt",
        outputs: &["o.txt", "l.txt"],
        ..PLAIN
    },
    Job {
        name: "split, stratified",
        arguments: "split many.txt --ratio 8:2 --stratify clues --memory 64K --tmp spills -o o.txt -o l.txt",
        outputs: &["o.txt", "l.txt"],
        ..PLAIN
    },
    Job {
        name: "sort",
        arguments: "sort many.txt --by clues --memory 64K --tmp spills -o o.txt",
        outputs: &["o.txt"],
        ..PLAIN
    },
];

/// Commands with a large output, for which they reserve space on disk.
pub(crate) const LARGE: &[Job] = &[
    Job { name: "convert, large", arguments: "convert large.txt -o o.csv", outputs: &["o.csv"], ..PLAIN },
    Job {
        name: "convert to .gz, large",
        arguments: "convert large.txt -o o.csv.gz",
        outputs: &["o.csv.gz"],
        ..PLAIN
    },
];

/// The job with this name.
pub(crate) fn job(name: &str) -> &'static Job {
    let jobs = PIPELINE.iter().chain(SORTING).chain(LARGE);
    jobs.into_iter().find(|job| job.name == name).unwrap_or_else(|| panic!("there is no job '{name}'"))
}

const EASY: &str = include_str!("../../datasets/easy.txt");

const SOLVED: &str = "\
puzzle,solution
53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79,534678912672195348198342567859761423426853791713924856961537284287419635345286179
";

/// Writes the inputs that a job uses. `spills` is the folder for temporary files.
pub(crate) fn put_inputs(job: &Job, folder: &Path) {
    fs::create_dir(folder.join("spills")).unwrap();
    let few: String = EASY.split_inclusive('\n').take(4).collect();
    let many = || EASY.split_inclusive('\n').take(1_000).collect::<String>();
    let inputs: &[(&str, &dyn Fn() -> Vec<u8>)] = &[
        ("p.txt", &|| few.clone().into_bytes()),
        ("one.txt", &|| few.as_bytes()[..82].to_vec()),
        ("p.txt.gz", &|| packed(".gz", &few)),
        ("p.txt.zst", &|| packed(".zst", &few)),
        ("p.txt.xz", &|| packed(".xz", &few)),
        ("p.zip", &|| packed(".zip", &few)),
        ("s.csv", &|| SOLVED.as_bytes().to_vec()),
        ("many.txt", &|| many().repeat(2).into_bytes()),
        ("large.txt", &|| EASY.repeat(10).into_bytes()),
    ];
    let named: Vec<&str> = job.arguments.split(' ').chain(job.stdin).collect();
    for (name, content) in inputs.iter().filter(|(name, _)| named.contains(name)) {
        fs::write(folder.join(name), content()).unwrap();
    }
}

fn packed(ending: &str, text: &str) -> Vec<u8> {
    match ending {
        ".gz" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        }
        ".zst" => {
            let options = rusty_zstd::CompressOptions { level: 1, checksum: true };
            rusty_zstd::compress_with(text.as_bytes(), options).unwrap()
        }
        ".xz" => {
            let options = lzma_rust2::XzOptions::with_preset(0);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        }
        _ => {
            let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            archive.start_file("p.txt", zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
            archive.finish().unwrap().into_inner()
        }
    }
}
