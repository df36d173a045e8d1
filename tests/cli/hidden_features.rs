//! Features of the processor that `GRIDMILL_CPU` hides. The variable is set for child processes only, so that
//! its value in the environment of the tests doesn't matter.

use crate::program::{Ran, gridmill, run, untimed};
use gridmill_core::simd::Backend;

const HARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/hard.txt");

/// Runs `gridmill solve` on hard puzzles, with this backend as the best allowed one.
fn solve(best: &str, arguments: &[&str]) -> Ran {
    run(gridmill().env("GRIDMILL_CPU", best).arg("solve").arg(HARD).args(arguments))
}

/// The backends that the processor supports if no feature is hidden.
fn available_backends() -> Vec<Backend> {
    let runs = |backend: &Backend| solve("", &["--backend", backend.name()]).code == Some(0);
    Backend::ALL.into_iter().filter(runs).collect()
}

#[test]
fn rows_are_the_same_with_hidden_features_and_the_summary_names_the_backend() {
    let available = available_backends();
    let expected = untimed(&solve("", &[]).out);
    assert_eq!(expected.lines().count(), 1001);
    for (place, best) in Backend::ALL.into_iter().enumerate() {
        let ran = solve(best.name(), &[]);
        assert_eq!(ran.code, Some(0), "{best}: {}", ran.err);
        assert!(untimed(&ran.out) == expected, "{best}");
        let chosen = Backend::ALL[place..].iter().find(|backend| available.contains(backend)).unwrap();
        let rest = if *chosen == Backend::Avx512 { ", " } else { " (the processor lacks " };
        assert!(ran.err.contains(&format!("lockstep on {chosen}{rest}")), "{best}: {}", ran.err);
    }
}

#[test]
fn a_hidden_backend_is_refused_like_one_that_the_processor_lacks() {
    for (place, best) in Backend::ALL.into_iter().enumerate() {
        for hidden in &Backend::ALL[..place] {
            let ran = solve(best.name(), &["--backend", hidden.name()]);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{hidden} where {best} is the best");
            let start = format!("gridmill: --backend {hidden}: this processor lacks ");
            assert!(ran.err.starts_with(&start), "{}", ran.err);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn hidden_features_are_reported_as_lacking() {
    let refused = solve("portable", &["--backend", "avx2"]).err;
    let expected = "gridmill: --backend avx2: this processor lacks avx2, bmi1, bmi2, lzcnt, popcnt; choose portable, the best that it can run\n";
    assert_eq!(refused, expected);
    let mut bench = gridmill();
    bench.env("GRIDMILL_CPU", "portable").args(["bench", HARD, "--rounds", "1", "--engine", "lockstep"]);
    let head = "best backend portable (the processor lacks avx2, bmi1, bmi2, lzcnt, popcnt), 1 thread";
    let out = run(&mut bench).out;
    assert!(out.contains(head), "{out}");
}

#[test]
fn an_unknown_backend_name_in_the_variable_is_an_error() {
    for value in ["sse2", "AVX2", " avx2", "auto"] {
        let ran = solve(value, &[]);
        let expected =
            format!("gridmill: GRIDMILL_CPU is '{value}': choose avx512, avx512-base, avx2 or portable\n");
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", expected));
    }
    assert_eq!(run(gridmill().env("GRIDMILL_CPU", "sse2").arg("--version")).code, Some(0));
}
