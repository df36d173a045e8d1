//! `scripts/slurm-array` without Slurm: a script replaces `sbatch`, and runs the tasks one by one.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::program::{Scratch, gridmill, run};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";
/// Rating this puzzle takes a hundred times as long.
const HARD: &str = "..4..5..8...4.79.5..53..........8..39...7.....16..........5.7...2....8...63....14\n";

/// A replacement for `sbatch` that can do only what is used here. It saves a copy of the script, and
/// runs the tasks of an array in another order. When the task `KILLED` has written some rows, it is killed
/// with all its processes.
const SBATCH: &str = r#"#!/bin/bash
set -m
while [[ $1 == --* ]]; do
  [[ $1 != --array=* ]] || list=${1#--array=}
  shift
done
echo "$list" >> arrays.txt
cp "$1" copy
shift
export SLURM_CPUS_PER_TASK=1
tasks=$(for range in ${list//,/ }; do seq "${range%-*}" "${range#*-}"; done)
for task in $(awk '{print $1 * 7 % 11, $1}' <<< "$tasks" | sort -n | cut -d ' ' -f 2); do
  SLURM_ARRAY_TASK_ID=$task bash ./copy "$@" < /dev/null &
  if [[ $task == "$KILLED" ]]; then
    until (($(wc -l < "out/part-$task-of-5.csv.partial") > 3)) 2> /dev/null; do
      kill -0 $! || exit 1
    done
    kill -KILL -- -$!
  fi
  wait $!
done
true
"#;

/// Runs the script with these arguments in a directory.
fn slurm_array(scratch: &Scratch, killed: &str, arguments: &[&str]) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_gridmill")).parent().unwrap();
    let path = format!("{}:{}:{}", scratch.path("").display(), programs.display(), env!("PATH"));
    Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm-array"))
        .args(arguments)
        .current_dir(scratch.path(""))
        .envs([("PATH", path.as_str()), ("KILLED", killed)])
        .env_remove("SLURM_ARRAY_TASK_ID")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A directory with `sbatch`, and a file of 5 parts. The third part takes some time.
fn prepared() -> Scratch {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new();
    let sbatch = scratch.file("sbatch", SBATCH);
    std::fs::set_permissions(sbatch, std::fs::Permissions::from_mode(0o755)).unwrap();
    let part = EASY.repeat(200);
    scratch.file("big.txt", [part.as_str(), &part, &HARD.repeat(200), &part, &part].concat());
    scratch
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn resubmitting_an_array_after_a_killed_task_completes_the_output() {
    let scratch = prepared();
    let line = ["big.txt", "out", "5", "rate", "--chunk-bytes", "82"];
    let arrays = || std::fs::read_to_string(scratch.path("arrays.txt")).unwrap();
    let whole = run(gridmill().args(["rate", "-q"]).arg(scratch.path("big.txt")));

    let first = slurm_array(&scratch, "3", &line);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let names = |ending: &str| {
        let part = |number| scratch.path(&format!("out/part-{number}-of-5.csv{ending}")).exists();
        (1..=5).map(part).collect::<Vec<_>>()
    };
    assert_eq!(names(""), [true, true, false, true, true], "{}", text(&first.stderr));
    assert_eq!(names(".partial"), [false, false, true, false, false]);
    let incomplete = slurm_array(&scratch, "", &["--join", "out", "5"]);
    assert_eq!((incomplete.status.code(), text(&incomplete.stdout)), (Some(2), ""));
    assert_eq!(text(&incomplete.stderr), "slurm-array: out: these parts of 5 are missing: 3\n");

    assert!(slurm_array(&scratch, "", &line).status.success());
    assert_eq!(arrays(), "1-5\n3\n");
    let joined = slurm_array(&scratch, "", &["--join", "out", "5"]);
    assert!(text(&joined.stdout) == whole.out, "{}", text(&joined.stderr));

    let done = slurm_array(&scratch, "", &line);
    assert!(done.status.success() && text(&done.stderr).contains("all 5 parts are there"));
    assert_eq!(arrays(), "1-5\n3\n");
}

#[test]
fn a_different_job_for_the_same_folder_is_refused_with_the_difference() {
    let scratch = prepared();
    assert!(slurm_array(&scratch, "", &["big.txt", "out", "5"]).status.success());
    let whole = slurm_array(&scratch, "", &["--join", "out", "5"]).stdout;
    scratch.file("small.txt", EASY);
    let refused = |line: &[&str], there: &str, now: &str| {
        let ran = slurm_array(&scratch, "", line);
        let message = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with("slurm-array: out has the parts of a different job: use a different OUT-DIR"),
            "{message}"
        );
        assert!(message.contains(&format!("\n  there  {there}")), "{message}");
        assert!(message.contains(&format!("\n  now    {now}")), "{message}");
    };
    refused(&["big.txt", "out", "5", "rate"], "command: 'solve'\n", "command: 'rate'\n");
    refused(
        &["big.txt", "out", "5", "solve", "--first"],
        "command: 'solve'\n",
        "command: 'solve' '--first'\n",
    );
    refused(&["big.txt", "out", "4"], "parts: 5\n", "parts: 4\n");
    let path = |name| scratch.path(name).display().to_string();
    refused(
        &["small.txt", "out", "5"],
        &format!("file: {}, 82000 bytes", path("big.txt")),
        &format!("file: {}, 82 bytes", path("small.txt")),
    );
    scratch.file("big.txt", HARD.repeat(1000));
    refused(&["big.txt", "out", "5"], &format!("file: {}, 82000 bytes", path("big.txt")), "file: ");
    assert_eq!(slurm_array(&scratch, "", &["--join", "out", "5"]).stdout, whole);
    std::fs::remove_file(scratch.path("out/_job.txt")).unwrap();
    let unknown = slurm_array(&scratch, "", &["big.txt", "out", "5"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
}

#[test]
fn errors_that_every_task_would_have_are_reported_before_submission() {
    let scratch = prepared();
    let packed = scratch.path("big.txt.gz");
    run(gridmill().arg("convert").arg(scratch.path("big.txt")).args(["-q", "-o"]).arg(&packed));
    for (line, message) in [
        (&["big.txt.gz", "out", "5"][..], "but this one is compressed: unpack it first"),
        (&["big.txt", "out", "5", "rate", "--up-to", "easy"], "invalid value 'easy' for '--up-to"),
        (&["big.txt", "out", "5", "dedupe"], "unexpected argument '--shard'"),
    ] {
        let ran = slurm_array(&scratch, "", line);
        assert_eq!(ran.status.code(), Some(2));
        assert!(text(&ran.stderr).contains(message), "{}", text(&ran.stderr));
        assert!(!scratch.path("arrays.txt").exists());
    }
    // The refused calls have not created the folder, so that this call can use it.
    assert!(slurm_array(&scratch, "", &["big.txt", "out", "5", "canon"]).status.success());
}

#[test]
fn part_names_sort_and_missing_parts_are_submitted_as_ranges() {
    let scratch = prepared();
    assert!(slurm_array(&scratch, "", &["big.txt", "out", "12"]).status.success());
    for number in ["01", "05", "06", "07", "12"] {
        std::fs::remove_file(scratch.path(&format!("out/part-{number}-of-12.csv"))).unwrap();
    }
    let again = slurm_array(&scratch, "", &["big.txt", "out", "12"]);
    assert_eq!(text(&again.stderr), "slurm-array: parts 1,5-7,12 of 12\n");
}

#[test]
fn a_malformed_record_fails_no_task_but_a_missing_file_does() {
    let scratch = prepared();
    scratch.file("bad.txt", format!("{EASY}12\n"));
    assert!(slurm_array(&scratch, "", &["bad.txt", "out", "1", "canon"]).status.success());
    let joined = slurm_array(&scratch, "", &["--join", "out", "1"]);
    assert_eq!(text(&joined.stdout).lines().count(), 3);
    for (arguments, message) in [
        (&["none.txt", "out", "1"][..], "none.txt: there is no such file"),
        (&["big.txt", "out", "0"], "usage: "),
        (&["big.txt"], "usage: "),
    ] {
        let ran = slurm_array(&scratch, "", arguments);
        assert_eq!(ran.status.code(), Some(2));
        assert!(text(&ran.stderr).contains(message), "{}", text(&ran.stderr));
    }
    let task = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm-array"))
        .args(["none.txt", "out", "2"])
        .current_dir(scratch.path(""))
        .envs([("SLURM_ARRAY_TASK_ID", "1"), ("GRIDMILL", env!("CARGO_BIN_EXE_gridmill"))])
        .output()
        .unwrap();
    assert_eq!(task.status.code(), Some(2));
}

#[test]
fn joining_parts_of_json_lines_drops_no_row() {
    let scratch = prepared();
    scratch.file("small.txt", EASY.repeat(6));
    // The first part of this file has no record.
    scratch.file("comments.txt", format!("{}{}", "# a comment\n".repeat(60), EASY.repeat(6)));
    for (file, folder) in [("small.txt", "out"), ("comments.txt", "other")] {
        let line = [file, folder, "3", "solve", "--to", "jsonl"];
        assert!(slurm_array(&scratch, "", &line).status.success());
        let joined = slurm_array(&scratch, "", &["--join", folder, "3"]);
        let rows = text(&joined.stdout).lines().filter(|line| line.starts_with("{\"puzzle\":"));
        assert_eq!(rows.count(), 6, "{file}");
    }
}

#[test]
fn help_prints_the_head_of_the_script() {
    let help = slurm_array(&prepared(), "", &["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("Set GRIDMILL to the program"), "{help:?}");
}
