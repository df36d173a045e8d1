//! Pipes that close or pause, and Ctrl-C.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

use crate::common::wait_until;
use crate::process::{Running, wait_for_rows};
use crate::program::{Scratch, gridmill, rows, run, untimed};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

#[test]
fn rows_are_written_while_the_input_pauses() {
    let mut child = Running::start(&["solve", "-", "-q"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut row = String::new();
    for turn in 0..3 {
        writeln!(input, "{LINE}").unwrap();
        input.flush().unwrap();
        if turn == 0 {
            output.read_line(&mut row).unwrap();
            assert!(row.starts_with("puzzle,"));
        }
        row.clear();
        output.read_line(&mut row).unwrap();
        assert!(row.starts_with(LINE) && row.contains(",unique,"), "{row}");
    }
    drop(input);
    assert_eq!(child.end(), Some(0));
}

/// These 16 cells can't be a row of a 16x16 grid, because a digit occurs twice. So the 4x4 puzzle is solved
/// before more input arrives.
#[test]
fn rows_of_small_puzzles_are_written_while_the_input_pauses() {
    let mut child = Running::start(&["solve", "-", "-q"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"12..3.....2....4\n").unwrap();
    let mut rows = String::new();
    output.read_line(&mut rows).unwrap();
    output.read_line(&mut rows).unwrap();
    assert!(rows.contains("\n12..3.....2....4,"), "{rows}");
    drop(input);
    assert_eq!(child.end(), Some(0));
}

/// A record can have more rows than a pipe holds, so that the run waits for its reader.
#[test]
fn ctrl_c_ends_a_command_that_writes_many_rows_per_puzzle() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n").repeat(3_000));
    let mut child = Running::start(&["shuffle", "--copies", "2000", file.to_str().unwrap()]);
    let mut row = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut row).unwrap();
    child.interrupt();
    child.output();
    assert_eq!(child.end(), Some(130));
}

/// With so many orders, each puzzle takes long, and the whole file would take hours.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_command_that_takes_long_per_puzzle() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n").repeat(3_000));
    let mut child = Running::start(&["minimize", "--all-orders", "100000", file.to_str().unwrap()]);
    child.wait_until_it_handles_signals();
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
}

#[test]
fn rows_are_written_while_a_compressed_input_pauses() {
    let mut child = Running::start(&["solve", "-", "-q"]);
    let mut input = flate2::write::GzEncoder::new(child.stdin.take().unwrap(), flate2::Compression::fast());
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for turn in 0..3 {
        writeln!(input, "{LINE}").unwrap();
        input.flush().unwrap();
        let mut row = String::new();
        for _ in 0..1 + usize::from(turn == 0) {
            row.clear();
            output.read_line(&mut row).unwrap();
        }
        assert!(row.starts_with(LINE) && row.contains(",unique,"), "{row}");
    }
    drop(input.finish().unwrap());
    assert_eq!(child.end(), Some(0));
}

#[test]
fn an_interrupted_compressed_output_is_readable() {
    for name in ["o.csv.gz", "o.csv.zst"] {
        let scratch = Scratch::new();
        let out = scratch.path(name);
        let mut child = Running::start(&["solve", "-", "-o", out.to_str().unwrap(), "--chunk-bytes", "1000"]);
        let mut input = child.stdin.take().unwrap();
        // Times differ from row to row. Without them, the rows would compress so well that few bytes are
        // written before the end.
        input.write_all(format!("{LINE}\n").repeat(60_000).as_bytes()).unwrap();
        let length = |name: &String| std::fs::metadata(scratch.path(name)).map_or(0, |data| data.len());
        wait_until("rows are written", || scratch.names().iter().any(|name| length(name) > 1_000));
        child.interrupt();
        assert_eq!(child.end(), Some(130));
        assert_eq!(scratch.names(), [format!("{name}.partial")]);
        let message = child.errors();
        // Gridmill itself reads the file, because it refuses a compressed file that is cut short.
        let read = Command::new(env!("CARGO_BIN_EXE_gridmill"))
            .args(["solve", "-q", "--puzzle-column", "puzzle"])
            .arg(scratch.path(&format!("{name}.partial")))
            .output()
            .unwrap();
        assert_eq!(read.status.code(), Some(0), "{}", String::from_utf8_lossy(&read.stderr));
        let count = rows(&read.stdout).len();
        assert!(message.contains(&format!("interrupted after {count} whole records")), "{message}");
        drop(input);
    }
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n").repeat(200_000));
    let mut child = Running::start(&["solve", file.to_str().unwrap()]);
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("puzzle,"));
    assert_eq!(child.end(), Some(0));
    assert_eq!(child.errors(), "");
}

/// For every command, the exit code covers all records that were processed before the reader closed the pipe.
#[test]
fn bad_records_set_the_exit_code_even_if_the_pipe_is_closed() {
    let scratch = Scratch::new();
    let bad = scratch.file("bad.txt", format!("{}\n{LINE}\n", &LINE[1..]).repeat(3_000));
    let bad = bad.to_str().unwrap();
    for arguments in [
        &["solve", bad][..],
        &["solve", bad, "--quiet"],
        &["verify", bad],
        &["enumerate", bad],
        &["count", bad],
        &["select", bad],
        &["dedupe", bad],
        &["overlap", bad, bad],
        &["canon", bad],
        &["rate", bad],
    ] {
        let mut child = Running::start(arguments);
        // After the first line there is more output than a pipe holds.
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(child.end(), Some(1), "{arguments:?}");
        assert!(!child.errors().contains("failed"), "{arguments:?}");
    }
}

#[test]
fn ctrl_c_keeps_whole_rows() {
    let scratch = Scratch::new();
    let out = scratch.path("o.csv");
    let mut child = Running::start(&["solve", "-", "-o", out.to_str().unwrap(), "--chunk-bytes", "1000"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{LINE}\n").repeat(500).as_bytes()).unwrap();
    input.flush().unwrap();
    wait_for_rows(&scratch, "o.csv", 1);
    assert!(!out.exists());
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let message = child.errors();
    assert_eq!(scratch.names(), ["o.csv.partial"]);
    let rows = rows(&std::fs::read(scratch.path("o.csv.partial")).unwrap());
    let expected = format!("interrupted after {} whole records; the rows so far are in ", rows.len());
    assert!(message.contains(&expected), "{message}");
    assert!((1..=500).contains(&rows.len()));
    assert!(rows.iter().all(|row| row[0] == LINE && row[2] == "unique"));
    drop(input);
}

/// These signals leave no temporary file either.
#[test]
fn other_signals_end_a_run_like_ctrl_c() {
    for signal in ["QUIT", "TERM", "HUP"] {
        let scratch = Scratch::new();
        let out = scratch.path("o.csv");
        let mut child = Running::start(&["solve", "-", "-o", out.to_str().unwrap(), "--chunk-bytes", "1000"]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(format!("{LINE}\n").repeat(500).as_bytes()).unwrap();
        wait_for_rows(&scratch, "o.csv", 1);
        child.send(signal);
        assert_eq!(child.end(), Some(130), "{signal}");
        assert_eq!(scratch.names(), ["o.csv.partial"], "{signal}");
        drop(input);
    }
}

#[test]
fn a_write_beyond_the_file_size_limit_fails_and_leaves_no_file() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n").repeat(3_000));
    let command = "ulimit -f 100; exec \"$0\" solve p.txt -o o.csv";
    let ran = Command::new("sh")
        .args(["-c", command, env!("CARGO_BIN_EXE_gridmill")])
        .current_dir(file.parent().unwrap())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{message}");
    assert!(message.contains("o.csv: ") && message.contains("too large"), "{message}");
    assert_eq!(scratch.names(), ["p.txt"]);
}

/// Ctrl-C ends every command that waits for the writer of a named pipe.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_wait_for_the_writer_of_a_named_pipe() {
    let scratch = Scratch::new();
    let pipe = scratch.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let name = pipe.to_str().unwrap();
    for command in ["solve", "verify", "dedupe", "stats", "canon", "rate"] {
        let mut child = Running::start(&[command, name]);
        child.wait_until_it_handles_signals();
        child.wait_until_it_sleeps();
        child.interrupt();
        assert_eq!(child.end(), Some(130), "{command}");
    }
    // If a writer opens the pipe late, and pauses, all its lines are still read.
    let mut child = Running::start(&["solve", name, "-q"]);
    child.wait_until_it_handles_signals();
    child.wait_until_it_has_slept();
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut rows = String::new();
    for lines in [2, 1] {
        writeln!(writer, "{LINE}").unwrap();
        (0..lines).for_each(|_| assert_ne!(output.read_line(&mut rows).unwrap(), 0));
    }
    drop(writer);
    assert_eq!(child.end(), Some(0));
    output.read_to_string(&mut rows).unwrap();
    assert_eq!(rows.lines().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_no_partial_report() {
    let scratch = Scratch::new();
    let mut child = Running::start(&["stats", "-", "--html", scratch.path("r.html").to_str().unwrap()]);
    let input = child.stdin.take();
    wait_until("the report is started", || !scratch.names().is_empty());
    child.wait_until_it_handles_signals();
    child.wait_until_it_sleeps();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
    drop(input);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_run_that_has_received_no_input() {
    let scratch = Scratch::new();
    let out = scratch.path("o.csv");
    let mut child = Running::start(&["solve", "-", "-o", out.to_str().unwrap()]);
    let input = child.stdin.take();
    child.wait_until_it_handles_signals();
    child.wait_until_it_sleeps();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    assert!(!out.exists());
    drop(input);
}

/// The second interrupt ends the run at once, and leaves no temporary file. The first one waits for the end
/// of a batch.
#[cfg(target_os = "linux")]
#[test]
fn a_second_ctrl_c_ends_the_run_at_once() {
    let scratch = Scratch::new();
    // The puzzle has no solution, and takes thousands of guesses, so the batch takes minutes.
    let hard = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";
    let file = scratch.file("p.txt", format!("{hard}\n").repeat(100_000));
    let (file, out) = (file.to_str().unwrap(), scratch.path("o.csv"));
    let out = out.to_str().unwrap();
    let one_batch = ["--backend", "portable", "-t", "1", "--chunk-bytes", "8200000"];
    let mut child = Running::start(&[&["solve", file, "-o", out][..], &one_batch].concat());
    child.wait_until_it_handles_signals();
    child.wait_until_it_has_worked();
    // Signals are sent again and again, because two at the same time may count as one.
    wait_until("the second signal ends the run", || {
        child.interrupt();
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.end(), Some(130));
    assert_eq!(scratch.names(), ["p.txt"]);
    assert!(child.errors().contains("interrupted twice, so the run ends immediately"));
}

/// A puzzle that takes years must not delay the rows of earlier puzzles.
#[test]
fn rows_are_written_while_the_next_record_is_processed() {
    let scratch = Scratch::new();
    let several = format!("..{}", &LINE[2..]).replacen('6', ".", 2).replacen('7', ".", 2);
    let file = scratch.file("p.txt", format!("{several}\n{several}\n{LINE}\n"));
    let mut child = Running::start(&["minimize", "--orders", "1000000", "-q", file.to_str().unwrap()]);
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(rows.next().unwrap().starts_with("puzzle,"));
    for _ in 0..2 {
        assert!(rows.next().unwrap().contains(",multiple,"));
    }
    child.interrupt();
    assert_eq!(rows.next(), None);
    assert_eq!(child.end(), Some(130));
}

/// `timeout` signals the program, and then its group. The two signals count as one, so the rows are kept.
#[cfg(target_os = "linux")]
#[test]
fn two_signals_at_the_same_moment_count_as_one() {
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", format!("{LINE}\n").repeat(20)), scratch.path("o.csv"));
    let mut child = Running::start(&["solve", file.to_str().unwrap(), "-", "-o", out.to_str().unwrap()]);
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{LINE}").unwrap();
    wait_for_rows(&scratch, "o.csv", 20);
    // Both signals wait until the program is continued.
    for signal in ["STOP", "INT", "TERM", "CONT"] {
        child.send(signal);
    }
    assert_eq!(child.end(), Some(130));
    let message = child.errors();
    assert!(message.contains("interrupted after 2") && message.contains(" whole records"), "{message}");
    assert!(rows(&std::fs::read(scratch.path("o.csv.partial")).unwrap()).len() >= 20);
    drop(input);
}

/// A slow engine stops within a chunk, and writes the rows of its first records.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_within_a_chunk_keeps_its_first_rows() {
    let scratch = Scratch::new();
    let slow = "6..9..8...9.5..6.....1..2..4....1.....6...1.....3....2..1..4.....7..8.1...5..7..6";
    let quick = format!("{LINE}\n").repeat(20);
    let slow = scratch.file("slow.txt", (quick.clone() + slow + "\n").repeat(2_500));
    let (quick, out) = (scratch.file("quick.txt", quick), scratch.path("o.csv"));
    let mut child = Running::start(&[
        "solve",
        quick.to_str().unwrap(),
        slow.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--engine",
        "backtracking",
        "-t",
        "2",
        "--chunk-bytes",
        "8000000",
    ]);
    wait_for_rows(&scratch, "o.csv", 20);
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let rows = rows(&std::fs::read(scratch.path("o.csv.partial")).unwrap());
    // All rows of the first file are written, and some of the only chunk of the second one.
    assert!((36..50_000).contains(&rows.len()), "{}", rows.len());
    let message = child.errors();
    assert!(message.contains(&format!("after {} whole records", rows.len())), "{message}");
}

/// The first interrupt also ends a search that finds nothing for hours, and keeps the earlier rows.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_search() {
    let scratch = Scratch::new();
    // The last cell must be a 16, but its column already has one. The search notices this only after it has
    // filled all rows above.
    let mut endless = vec!["0"; 256];
    let last_row: Vec<String> = (1..=15).map(|number| number.to_string()).collect();
    last_row.iter().enumerate().for_each(|(column, number)| endless[240 + column] = number);
    endless[11 * 16 + 15] = "16";
    let solved = (0..256).map(|cell| (cell / 16 * 4 + cell / 64 + cell % 16) % 16 + 1);
    let solved = solved.map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let first = scratch.file("1.txt", format!("{solved}\n"));
    let file = scratch.file("2.txt", format!("{solved}\n{}\n{solved}\n", endless.join(" ")));
    for (command, option) in [("solve", "--first"), ("count", "--limit=1"), ("enumerate", "--limit=0")] {
        let out = scratch.path("o.csv");
        let files = [&first, &file, &out].map(|path| path.to_str().unwrap());
        let arguments = [command, files[0], files[1], option, "-o", files[2]];
        let mut child = Running::start(&[&arguments[..], &["--engine", "backtracking", "-t", "2"]].concat());
        wait_for_rows(&scratch, "o.csv.", 1);
        child.wait_until_it_has_worked();
        child.interrupt();
        assert_eq!(child.end(), Some(130), "{command}");
        let partial = scratch.path("o.csv.partial");
        assert_eq!(rows(&std::fs::read(&partial).unwrap()).len(), 2, "{command}: {}", child.errors());
        std::fs::remove_file(partial).unwrap();
    }
}

/// The first interrupt ends every kind of generation, and keeps the finished puzzles.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_generation_of_puzzles() {
    for (signal, arguments) in [
        ("INT", &["--shape", "5x5", "--minimal"][..]),
        ("TERM", &["--shape", "5x5", "-n", "1000"]),
        ("INT", &["--shape", "4x4", "--symmetry", "rotate180", "--minimal", "--guesses", "10000.."]),
        ("TERM", &["--clues", "17", "--attempts", "100000000"]),
        ("INT", &["--symmetry", "rotate90", "--minimal", "--clues", "40", "--attempts", "100000000"]),
    ] {
        let scratch = Scratch::new();
        let out = scratch.path("o.csv");
        let options = ["generate", "-t", "2", "-q", "-o", out.to_str().unwrap()];
        let mut child = Running::start(&[&options[..], arguments].concat());
        child.wait_until_it_handles_signals();
        child.wait_until_it_has_worked();
        child.send(signal);
        assert_eq!(child.end(), Some(130), "{arguments:?}");
        let message = child.errors();
        if message.contains("interrupted before a puzzle was made") {
            assert!(scratch.names().is_empty(), "{message}");
        } else {
            assert!(message.contains("interrupted after ") && message.contains(" puzzle"), "{message}");
            assert_eq!(scratch.names(), ["o.csv.partial"]);
        }
    }
}

/// The numbers of a 25x25 grid, in a line.
fn large(number: impl Fn(usize, usize) -> usize) -> String {
    let numbers: Vec<String> = (0..625).map(|cell| number(cell / 25, cell % 25).to_string()).collect();
    numbers.join(" ")
}

/// A single search, or testing the clues of a single puzzle, would take years. The earlier rows are kept.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_search_for_redundant_clues() {
    let scratch = Scratch::new();
    let conflict = large(|row, column| usize::from(row == 0 && column < 2));
    let solved = |row: usize, column: usize| (5 * row + row / 5 + column) % 25 + 1;
    // Fifteen cells of the first row share fourteen digits, which no rule of the engine notices.
    let unsolvable = large(|row, column| match (row, column) {
        (0, 20) => 1,
        (1.., ..15) if solved(row, column) > 15 => solved(row, column),
        _ => 0,
    });
    for (command, endless) in
        [("minimize", large(solved)), ("minimize", unsolvable.clone()), ("minimal", unsolvable)]
    {
        let first = scratch.file("1.txt", format!("{conflict}\n"));
        let file = scratch.file("2.txt", format!("{conflict}\n{endless}\n"));
        let (out, partial) = (scratch.path("o.csv"), scratch.path("o.csv.partial"));
        let [first, file, out] = [&first, &file, &out].map(|path| path.to_str().unwrap());
        let budget = ["--search-guesses", "1000000000000", "-t", "2"];
        let mut child = Running::start(&[&[command, first, file, "-o", out][..], &budget].concat());
        wait_for_rows(&scratch, "o.csv.", 1);
        child.wait_until_it_has_worked();
        child.interrupt();
        assert_eq!(child.end(), Some(130), "{command}");
        assert_eq!(rows(&std::fs::read(&partial).unwrap()).len(), 2, "{command}");
        let message = child.errors();
        assert!(message.contains("after 2 whole records") && message.contains("100.00 %"), "{message}");
        std::fs::remove_file(partial).unwrap();
    }
}

/// A count of pencilmarks can be endless too.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_count_of_pencilmarks() {
    let scratch = Scratch::new();
    let solved = (0..81).map(|cell| (cell / 9 * 3 + cell / 27 + cell % 9) % 9);
    let marks = |digit| (0..9).map(move |place| if place == digit { char::from(b'1' + place) } else { '.' });
    let solved = solved.flat_map(|digit| marks(digit as u8)).collect::<String>();
    let first = scratch.file("1.txt", format!("{solved}\n"));
    let file = scratch.file("2.txt", format!("{solved}\n{}\n{solved}\n", "123456789".repeat(81)));
    let out = scratch.path("o.csv");
    let [first, file, out] = [&first, &file, &out].map(|path| path.to_str().unwrap());
    let mut child = Running::start(&["count", first, file, "-o", out, "-t", "2"]);
    wait_for_rows(&scratch, "o.csv", 1);
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let rows = rows(&std::fs::read(scratch.path("o.csv.partial")).unwrap());
    let counts: Vec<&str> = rows.iter().map(|row| &*row[1]).collect();
    assert_eq!(counts, ["1", "1"], "{}", child.errors());
}

/// Solutions are written during the search, and an interrupt keeps them.
#[test]
fn ctrl_c_keeps_the_solutions_listed_so_far() {
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", ".".repeat(81)), scratch.path("o.csv"));
    let mut child = Running::start(&["enumerate", file.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    wait_for_rows(&scratch, "o.csv", 11);
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let written = std::fs::read_to_string(scratch.path("o.csv.partial")).unwrap();
    assert!(written.ends_with('\n'));
    let solutions = written.lines().count() - 1;
    assert!(solutions > 10);
    let message = child.errors();
    assert!(message.contains(&format!("interrupted after {solutions} solutions")), "{message}");
}

/// The first line is enough to know the size, because no other reading is possible.
#[test]
fn rows_of_other_sizes_are_written_while_the_input_pauses() {
    let six = ".".repeat(36);
    let sixteen = format!("G{}", "0".repeat(255));
    for (command, line) in [
        (&["solve", "-", "-q"][..], &six),
        (&["count", "-", "-q", "--limit", "2"], &six),
        (&["solve", "-", "-q", "--alphabet", "1-9A-G", "--first"], &sixteen),
        (&["solve", "-", "-q", "--format", "line"], &".".repeat(16)),
    ] {
        let mut child = Running::start(command);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for turn in 0..2 {
            writeln!(input, "{line}").unwrap();
            let mut row = String::new();
            if turn == 0 {
                output.read_line(&mut row).unwrap();
                row.clear();
            }
            output.read_line(&mut row).unwrap();
            assert!(row.starts_with(line.as_str()), "{command:?}: {row}");
        }
        drop(input);
        assert_eq!(child.end(), Some(0));
    }
}

/// The first interrupt also ends a run that waits for the other end of a named pipe.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_wait_for_either_end_of_a_named_pipe() {
    let scratch = Scratch::new();
    let (file, pipe) = (scratch.file("p.txt", format!("{LINE}\n")), scratch.path("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let program = env!("CARGO_BIN_EXE_gridmill");
    for arguments in [[pipe.to_str().unwrap(), "/dev/null"], [file.to_str().unwrap(), pipe.to_str().unwrap()]]
    {
        // `env` resets the signal, because a job that a shell starts in the background ignores Ctrl-C, and so
        // do all programs that it starts.
        let solve = ["--default-signal=INT", program, "solve", arguments[0], "-o", arguments[1]];
        let mut child = Running::spawn(Command::new("env").args(solve));
        child.wait_until_it_sleeps();
        child.interrupt();
        // Before the program handles signals, Ctrl-C kills it, so that it has no exit code.
        assert!(matches!(child.end(), Some(130) | None), "{arguments:?}");
    }
    let mut child = Running::start(&["solve", file.to_str().unwrap(), "-o", pipe.to_str().unwrap()]);
    let written = std::fs::read_to_string(&pipe).unwrap();
    assert_eq!(child.end(), Some(0));
    assert_eq!(rows(written.as_bytes()).len(), 1);
}

/// The format does not depend on the time at which the bytes of a pipe arrive.
#[cfg(target_os = "linux")]
#[test]
fn a_pause_before_the_first_record_does_not_change_the_rows() {
    let rows: String = LINE.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect();
    for (first, rest) in [
        ("# a comment\n", format!("id,puzzle\n1,{LINE}\n")),
        ("Grid 01\n", rows.clone()),
        (&rows[..40], rows[40..].to_owned()),
        ("id,cells\n", format!("1,{LINE}\n")),
    ] {
        let expected = run(gridmill().args(["solve", "-"]).write_stdin(format!("{first}{rest}")));
        let mut child = Running::start(&["solve", "-"]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(first.as_bytes()).unwrap();
        child.wait_until_it_handles_signals();
        child.wait_until_it_has_slept();
        input.write_all(rest.as_bytes()).unwrap();
        drop(input);
        assert_eq!(child.end(), expected.code, "{first:?}");
        assert_eq!(untimed(&child.output()), untimed(&expected.out), "{first:?}");
    }
}

/// All rows are written even if messages can't be, because standard error is closed.
#[test]
fn all_rows_are_written_if_standard_error_is_closed() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("bad\n{LINE}\n"));
    let mut child = Running::start(&["solve", file.to_str().unwrap()]);
    drop(child.stderr.take());
    assert_eq!(child.end(), Some(1));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(rows(out.as_bytes()).len(), 2);
}

/// A mapped file that is truncated while it is read is an error, and no file gets the name of the output.
#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let scratch = Scratch::new();
    // Each puzzle is a chunk, and all but the first ones are slow, so that most of the file is unread when it
    // is truncated.
    let slow = "6..9..8...9.5..6.....1..2..4....1.....6...1.....3....2..1..4.....7..8.1...5..7..6\n";
    let text = format!("{LINE}\n").repeat(20) + &slow.repeat(10_000);
    let (file, out) = (scratch.file("p.txt", &text), scratch.path("o.csv"));
    let [input, output] = [&file, &out].map(|path| path.to_str().unwrap());
    let options = ["--engine", "backtracking", "-t", "1", "--chunk-bytes", "82"];
    let mut child = Running::start(&[&["solve", input, "-o", output][..], &options].concat());
    wait_for_rows(&scratch, "o.csv", 20);
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(text.len() as u64 - 82).unwrap();
    let code = child.end();
    let message = child.errors();
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("became shorter"), "{message}");
    assert_eq!(scratch.names(), ["p.txt"]);
}

/// A puzzle with 17 clues. A cell-by-cell search needs seconds for it.
const HARD_FOR_BACKTRACKING: &str =
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9\n";

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_the_figures_of_finished_files() {
    let scratch = Scratch::new();
    let quick = scratch.file("quick.txt", "1.....3..4.....2\n");
    let slow = scratch.file("slow.txt", HARD_FOR_BACKTRACKING.repeat(30));
    let saved = scratch.path("saved.json");
    let files = [&quick, &slow, &saved].map(|path| path.to_str().unwrap().to_owned());
    let mut child = Running::start(&[
        "bench",
        &files[0],
        &files[1],
        "--engine",
        "backtracking",
        "--no-permute",
        "--rounds",
        "1",
        "--save",
        &files[2],
        "--to",
        "csv",
    ]);
    child.wait_until_it_handles_signals();
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let rows = rows(child.output().as_bytes());
    assert!(rows.len() == 1 && rows[0][0] == "quick.txt", "{rows:?}");
    assert!(child.errors().contains("interrupted after 1 of 2 files"));
    assert_eq!(scratch.names(), ["quick.txt", "saved.json.partial", "slow.txt"]);
}

/// The count takes minutes.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_count_of_full_grids() {
    let mut child = Running::start(&["count", "--grids", "--shape", "2x5"]);
    child.wait_until_it_handles_signals();
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let message = child.errors();
    assert!(message.starts_with("gridmill: interrupted after "), "{message}");
}

/// Hard puzzles take long to rate, so an interrupt must not wait for a whole chunk of them.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_ratings_within_a_chunk() {
    let scratch = Scratch::new();
    let hard = include_str!("../../datasets/hard.txt").repeat(90);
    let (quick, slow) = (format!("{LINE}\n").repeat(20), scratch.file("p.txt", &hard));
    let (quick, out) = (scratch.file("q.txt", quick), scratch.path("o.csv"));
    let [quick, slow, output] = [&quick, &slow, &out].map(|path| path.to_str().unwrap());
    // The second file is one chunk, which takes minutes.
    let options = ["-o", output, "-t1", "--chunk-bytes", "8000000"];
    let mut child = Running::start(&[&["rate", quick, slow][..], &options].concat());
    wait_for_rows(&scratch, "o.csv", 20);
    child.wait_until_it_has_worked();
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let message = child.errors();
    let rows = rows(&std::fs::read(scratch.path("o.csv.partial")).unwrap());
    assert!(message.contains(&format!("interrupted after {} whole records", rows.len())), "{message}");
    let lines = [LINE; 20].into_iter().chain(hard.lines());
    assert!(rows.len() >= 20 && lines.zip(&rows).all(|(line, row)| row[0] == line), "{rows:?}");
}

/// Nested chains in one puzzle take as long as a million easy puzzles, so an interrupt must not wait for
/// them.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_ratings_within_a_puzzle() {
    let scratch = Scratch::new();
    let hardest = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..\n";
    let (one, many) = (scratch.file("1.txt", hardest), scratch.file("p.txt", hardest.repeat(20)));
    let (file, out) = (many.to_str().unwrap(), scratch.path("o.csv"));
    let (out, pdf) = (out.to_str().unwrap(), scratch.path("o.pdf"));
    let pdf = pdf.to_str().unwrap();
    // The processor time is compared with that of a whole puzzle, so that the load of the machine doesn't
    // matter.
    let whole = Running::start(&["rate", one.to_str().unwrap(), "-t1"]).total_processor_time();
    for arguments in [
        &["rate", file, "-t1", "-o", out][..],
        &["rate", file, "-t1", "-o", out, "--ties", "reading"],
        &["explain", file, "-t1", "-o", out],
        &["stats", file, "-t1", "--rating"],
        &["book", file, "-t1", "-o", pdf, "--levels", "hard"],
        &["select", file, "-t1", "-o", out, "--er", "11.0.."],
    ] {
        let mut child = Running::start(arguments);
        child.wait_until_it_handles_signals();
        wait_until("half a puzzle is rated", || child.processor_time() >= whole / 2);
        let before = child.processor_time();
        child.interrupt();
        let used = child.total_processor_time() - before;
        assert!(used <= whole / 5, "{arguments:?}: {used} of {whole}");
        assert_eq!(child.end(), Some(130), "{arguments:?}");
    }
}
