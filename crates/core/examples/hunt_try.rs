//! x
use gridmill_core::Puzzle;
use gridmill_core::hunt::{Exchange, NeighborFinder};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{NEVER, Solvable};
use std::ops::ControlFlow;
use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let (file, n, remove, add): (String, usize, usize, usize) = (
        args.next().unwrap(),
        args.next().unwrap().parse().unwrap(),
        args.next().unwrap().parse().unwrap(),
        args.next().unwrap().parse().unwrap(),
    );
    let text = std::fs::read_to_string(file).unwrap();
    let puzzles: Vec<Puzzle> =
        text.lines().filter(|l| l.len() >= 81).take(n).map(|l| l[..81].parse().unwrap()).collect();
    let batch: usize = args.next().map_or(32, |x| x.parse().unwrap());
    let mut finder = NeighborFinder::new(Exchange { remove, add, ..Exchange::default() });
    let mut minlex = Minlex::new();
    let mut all = std::collections::BTreeSet::new();
    let begun = Instant::now();
    let mut count = 0;
    for puzzles in puzzles.chunks(batch) {
        let clues: Vec<_> = puzzles.iter().map(Solvable::clues).collect();
        finder.find(&clues, &NEVER, &mut |_, found| {
            count += 1;
            let form =
                minlex.canonical(&Puzzle::from_cells(found.cells.try_into().unwrap()).unwrap()).unwrap();
            all.insert(form.form.to_string());
            ControlFlow::Continue(())
        });
    }
    eprintln!("{} found, {} forms, {:?}", count, all.len(), begun.elapsed());
    for f in all {
        println!("{f}");
    }
}
