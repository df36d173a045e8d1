//! `gridmill matrix`, as a user runs it.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, run};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn matrix(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("matrix").arg(path).args(arguments))
}

/// Counts the exact covers of rows by sets of columns. It always branches on a column with the fewest rows.
fn covers(columns: usize, rows: &[Vec<usize>]) -> u64 {
    fn search(open: &mut Vec<bool>, rows: &[Vec<usize>]) -> u64 {
        let mut sizes = vec![0; open.len()];
        rows.iter().flatten().for_each(|&column| sizes[column] += 1);
        let Some(least) = (0..open.len()).filter(|&column| open[column]).min_by_key(|&column| sizes[column])
        else {
            return 1;
        };
        let mut sum = 0;
        for row in rows.iter().filter(|row| row.contains(&least)) {
            let apart = |other: &&Vec<usize>| other.iter().all(|column| !row.contains(column));
            let left: Vec<Vec<usize>> = rows.iter().filter(apart).cloned().collect();
            row.iter().for_each(|&column| open[column] = false);
            sum += search(open, &left);
            row.iter().for_each(|&column| open[column] = true);
        }
        sum
    }
    search(&mut vec![true; columns], rows)
}

/// Counts the solutions of a matrix in Knuth's form.
fn covers_of_dlx(text: &str) -> u64 {
    let mut lines = text.lines();
    let items: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let place = |name: &str| items.iter().position(|item| *item == name).unwrap();
    let rows: Vec<Vec<usize>> = lines.map(|line| line.split(' ').map(place).collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 4));
    covers(items.len(), &rows)
}

fn covers_of_dense(text: &str) -> u64 {
    let ones = |line: &str| line.bytes().enumerate().filter(|&(_, b)| b == b'1').map(|(at, _)| at).collect();
    let rows: Vec<Vec<usize>> = text.lines().map(ones).collect();
    covers(text.lines().next().unwrap().len(), &rows)
}

/// Counts the assignments that satisfy clauses in DIMACS form. It tries one variable after another.
fn models_of_cnf(text: &str) -> u64 {
    fn search(clauses: &[Vec<i64>], values: &mut Vec<bool>, variables: usize) -> u64 {
        let holds =
            |&literal: &i64| values.get(literal.unsigned_abs() as usize - 1).map(|&is| is == (literal > 0));
        if clauses.iter().any(|clause| clause.iter().all(|literal| holds(literal) == Some(false))) {
            return 0;
        }
        if values.len() == variables {
            return 1;
        }
        let mut sum = 0;
        for value in [false, true] {
            values.push(value);
            sum += search(clauses, values, variables);
            values.pop();
        }
        sum
    }
    let mut lines = text.lines().skip_while(|line| line.starts_with('c'));
    let head: Vec<usize> = lines.next().unwrap().split(' ').filter_map(|word| word.parse().ok()).collect();
    let clauses: Vec<Vec<i64>> = lines
        .map(|line| {
            line.strip_suffix('0').unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
        })
        .collect();
    assert_eq!(clauses.len(), head[1]);
    search(&clauses, &mut Vec::new(), head[0])
}

#[test]
fn clauses_have_as_many_models_as_the_puzzle_has_solutions() {
    let scratch = Scratch::new();
    for puzzle in
        ["................", "12..............", "1.....2...3....4", "11..............", "1234341221434.2."]
    {
        let file = scratch.file("p.txt", puzzle);
        let counted = run(gridmill().arg("count").arg(&file).arg("-q")).rows()[0][1].parse::<u64>().unwrap();
        let cnf = matrix(&file, &["--to", "cnf"]);
        assert_eq!((cnf.code, models_of_cnf(&cnf.out)), (Some(0), counted), "{puzzle}");
    }
    let one = matrix(&scratch.file("p.txt", "1234341221434.2."), &["--to", "cnf", "--reduced"]);
    let lines: Vec<&str> = one.out.lines().collect();
    assert_eq!(lines[..3], ["c 1: r4c2 = 3", "c 2: r4c4 = 1", "p cnf 2 8"]);
    assert!(lines[3..].iter().all(|line| ["1 0", "2 0"].contains(line)), "{}", one.out);
}

#[test]
fn a_matrix_has_as_many_covers_as_the_puzzle_has_solutions() {
    let scratch = Scratch::new();
    let several =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/multiple.txt")).unwrap();
    let puzzles = [
        "................".to_owned(),
        "12..............".to_owned(),
        "1.....2...3....4".to_owned(),
        "11..............".to_owned(),
        "12345645612323156456423131264564531.".to_owned(),
        "123456......231564..................".to_owned(),
        LINE.to_owned(),
        several.lines().find(|line| !line.starts_with('#')).unwrap().to_owned(),
    ];
    for puzzle in puzzles {
        let file = scratch.file("p.txt", &puzzle);
        let counted = run(gridmill().arg("count").arg(&file).arg("-q")).rows()[0][1].parse::<u64>().unwrap();
        let dlx = matrix(&file, &["--to", "dlx"]);
        assert_eq!(dlx.code, Some(0));
        assert_eq!(covers_of_dlx(&dlx.out), counted, "{puzzle}");
        if puzzle.starts_with("11") {
            continue;
        }
        let reduced = matrix(&file, &["--to", "dlx", "--reduced"]);
        assert_eq!(covers_of_dlx(&reduced.out), counted, "{puzzle}");
        let dense = matrix(&file, &["--to", "dense"]);
        assert_eq!(covers_of_dense(&dense.out), counted, "{puzzle}");
    }
}

#[test]
fn csv_has_columns_by_number_and_by_name() {
    let scratch = Scratch::new();
    let ran = matrix(&scratch.file("p.txt", LINE), &[]);
    let mut lines = ran.out.lines();
    assert_eq!(lines.next(), Some("row,cell,digit,column1,column2,column3,column4,name1,name2,name3,name4"));
    assert_eq!(lines.next(), Some("1,r1c1,5,1,86,167,248,R1C1,R1#5,C1#5,B1#5"));
    assert_eq!(lines.next(), Some("2,r1c2,3,2,84,174,246,R1C2,R1#3,C2#3,B1#3"));
    assert_eq!(lines.next(), Some("3,r1c3,1,3,82,181,244,R1C3,R1#1,C3#1,B1#1"));
}

#[test]
fn one_record_of_several_is_chosen_by_number() {
    let scratch = Scratch::new();
    let file = scratch.file("two.txt", format!("{LINE}\n12{}\n5\n", ".".repeat(79)));
    let refused = matrix(&file, &[]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
    assert!(refused.err.contains("two.txt: it has several records: choose one with --record"));
    let second = matrix(&file, &["--record", "2", "--to", "dense"]);
    assert_eq!((second.code, second.out.lines().next().unwrap().len()), (Some(0), 324));
    let bad = matrix(&file, &["--record", "3"]);
    assert_eq!(bad.code, Some(2));
    assert!(bad.err.contains("two.txt:3:2: record 3: malformed"), "{}", bad.err);
    let none = matrix(&file, &["--record", "4"]);
    assert!(none.err.contains("two.txt: it has no record 4"), "{}", none.err);
    let empty = matrix(&scratch.file("empty.txt", ""), &[]);
    assert_eq!(empty.code, Some(2));
    assert!(empty.err.contains("it has no puzzles"), "{}", empty.err);
}

#[test]
fn clues_that_contradict_each_other_cannot_be_reduced() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "11..............");
    let ran = matrix(&file, &["--reduced"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("row 1 holds two 1s"), "{}", ran.err);
}

#[test]
fn a_matrix_of_25x25_is_written() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", ".".repeat(625));
    let ran = matrix(&file, &["--alphabet", "A-Y"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 1 + 25 * 625);
    assert!(ran.out.ends_with("15625,r25c25,25,625,1250,1875,2500,R25C25,R25#25,C25#25,B25#25\n"));
}

#[test]
fn a_puzzle_can_be_given_instead_of_a_file() {
    let scratch = Scratch::new();
    let file = scratch.file("four.txt", "1.....3..4.....2\n");
    let typed = matrix(Path::new("1.....3..4.....2"), &[]);
    assert_eq!((typed.code, typed.err.as_str()), (Some(0), ""));
    assert_eq!(typed.out, matrix(&file, &[]).out);
}
