//! What a process cost beside its time: processor time and memory, where the system tells.

#[cfg(target_os = "linux")]
use std::fs;

/// What the run of a program cost beside its time, for one pass over the puzzles. Nothing is known of it on other systems than
/// Linux, and of memory where a run is so short that nothing looked at it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProgramUsage {
    /// The seconds that processors worked for it, in user mode and in the system, its start and the processes that it waited
    /// for included. The system counts hundredths of a second.
    pub processor_seconds: Option<f64>,
    /// The most bytes of memory that its process had at a time, without those that it started.
    pub peak_memory: Option<u64>,
}

impl ProgramUsage {
    /// Looks at the memory of a process that runs. The system keeps the peak, so the last look at it counts.
    pub(super) fn look_at_memory(&mut self, process: u32) {
        let seen = peak_memory(process);
        self.peak_memory = seen.or(self.peak_memory);
    }

    /// Reads the processor time of a process that has ended, and whose exit code was not asked for: the system forgets it then.
    pub(super) fn read_times(&mut self, process: u32) {
        self.processor_seconds = processor_seconds(process);
    }

    /// Returns the usage of one of so many passes.
    pub(super) fn of_pass(self, passes: usize) -> ProgramUsage {
        let of_pass = |seconds| seconds / passes as f64;
        ProgramUsage { processor_seconds: self.processor_seconds.map(of_pass), ..self }
    }
}

/// The units of a second in which Linux shows times to programs.
#[cfg(target_os = "linux")]
const TICKS: f64 = 100.0;

#[cfg(target_os = "linux")]
fn processor_seconds(process: u32) -> Option<f64> {
    seconds_in(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> Option<u64> {
    peak_in(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn processor_seconds(_: u32) -> Option<f64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn peak_memory(_: u32) -> Option<u64> {
    None
}

/// Returns the processor time in a line of `/proc/ID/stat`: the 14th to the 17th field, of the process and of those that it
/// waited for. The second field is a name in parentheses, which may hold blanks and parentheses.
#[cfg(target_os = "linux")]
fn seconds_in(stat: &str) -> Option<f64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    let times: Vec<f64> =
        behind_name.split_whitespace().skip(11).take(4).map_while(|ticks| ticks.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum::<f64>() / TICKS)
}

/// Returns the peak in `/proc/ID/status`, e.g. `VmHWM: 1234 kB`.
#[cfg(target_os = "linux")]
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn times_stand_behind_a_name_of_any_kind() {
        let fields = "S 1 2 3 4 5 6 7 8 9 10 250 50 100 25 20 0";
        for name in ["sleep", "a b", "a) S 1 (b"] {
            assert_eq!(seconds_in(&format!("77 ({name}) {fields}")), Some(4.25));
        }
        assert_eq!(seconds_in("77 (sleep) S 1 2"), None);
        assert_eq!(seconds_in(""), None);
    }

    #[test]
    fn a_peak_is_in_bytes() {
        assert_eq!(peak_in("Name:\tsh\nVmPeak:\t  9000 kB\nVmHWM:\t    1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak_in("Name:\tsh\nState:\tZ (zombie)\n"), None);
        assert!(peak_memory(std::process::id()).unwrap() > 100_000);
    }
}
