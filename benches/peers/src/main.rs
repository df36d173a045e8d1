//! stub
use gridmill::grid::*;
use gridmill::solver::*;
use std::time::Instant;
fn main() {
    for f in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&f).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let puzzles: Vec<Puzzle> = lines.iter().map(|l| l.parse().unwrap()).collect();
        let peers: Vec<sudoku::Sudoku> =
            lines.iter().map(|l| sudoku::Sudoku::from_str_line(l).unwrap()).collect();
        let mut engine = SolverKind::Bitmask.build();
        let mut out = vec![Outcome::NONE; puzzles.len()];
        engine.solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut out);
        let bad = puzzles
            .iter()
            .zip(&out)
            .filter(|(p, o)| o.solutions != 1 || !o.solution.unwrap().solves(p))
            .count();
        let guesses: u64 = out.iter().map(|o| o.guesses as u64).sum();
        let mut t = [vec![], vec![]];
        for _ in 0..5 {
            let s = Instant::now();
            engine.solve_batch(&puzzles, SolutionLimit::UNIQUENESS, &mut out);
            t[0].push(s.elapsed().as_secs_f64());
            let s = Instant::now();
            let n = peers.iter().filter(|p| p.solution().is_some()).count();
            t[1].push(s.elapsed().as_secs_f64());
            assert!(n == puzzles.len() || bad > 0);
        }
        for t in &mut t {
            t.sort_by(f64::total_cmp);
        }
        let n = puzzles.len() as f64;
        println!(
            "{f}: bad {bad} guesses {:.2} ours {:.0}/s crate {:.0}/s ratio {:.2}",
            guesses as f64 / n,
            n / t[0][2],
            n / t[1][2],
            t[1][2] / t[0][2]
        );
    }
}
