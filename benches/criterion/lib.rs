//! Benchmarks only: `cargo bench -p gridmill-criterion`.
