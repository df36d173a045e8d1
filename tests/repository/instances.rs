//! Every job is compiled in `gridmill-data`, for all kinds of puzzles. Otherwise the program would compile
//! it, and it would be slow, because the program is compiled without optimisation.

use std::fs;

#[test]
fn every_job_and_every_sink_of_rows_is_among_the_instances() {
    let instances = fs::read_to_string("crates/data/src/instances.rs").unwrap();
    for (folder, before, call) in [
        ("crates/core/src/jobs", "impl Job for ", "worker::<"),
        ("crates/data/src/output", "Sink<P> for ", "sink::<"),
    ] {
        let mut found = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let code = fs::read_to_string(entry.unwrap().path()).unwrap();
            for (_, after) in code.match_indices(before).map(|(at, _)| code.split_at(at + before.len())) {
                let name: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
                assert!(instances.contains(&format!("{call}{name}")), "{name} is not in instances.rs");
                found += 1;
            }
        }
        assert!(found > 5, "{folder}");
    }
}
