//! Costs of a process other than its time: processor time and memory, where the system reports them.

#[cfg(target_os = "linux")]
use std::fs;

/// Costs of a run of a program other than its time, for one pass over the puzzles. They are known only on
/// Linux. The memory is also unknown if the run ends before the first look at it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProgramUsage {
    /// Processor time in seconds, in user mode and in the system, including the start of the process and
    /// the child processes that it waited for. The system counts hundredths of a second.
    pub processor_seconds: Option<f64>,
    /// The peak memory of the process in bytes, without its child processes.
    pub peak_memory: Option<u64>,
}

impl ProgramUsage {
    /// Reads the peak memory of a running process. The system keeps the peak, so the last reading counts.
    #[cfg(unix)]
    pub(super) fn read_memory(&mut self, process: u32) {
        let seen = peak_memory(process);
        self.peak_memory = seen.or(self.peak_memory);
    }

    /// Reads the processor time of a process that has ended. Call it before you ask for the exit code,
    /// because then the system forgets the process.
    #[cfg(unix)]
    pub(super) fn read_times(&mut self, process: u32) {
        self.processor_seconds = processor_seconds(process);
    }

    /// Divides the processor time by the number of passes; the rest stays as it is.
    pub(super) fn per_pass(self, passes: usize) -> ProgramUsage {
        let per_pass = |seconds| seconds / passes as f64;
        ProgramUsage { processor_seconds: self.processor_seconds.map(per_pass), ..self }
    }
}

/// How many ticks Linux counts per second in `/proc`.
#[cfg(target_os = "linux")]
const TICKS: f64 = 100.0;

#[cfg(target_os = "linux")]
fn processor_seconds(process: u32) -> Option<f64> {
    parse_seconds(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> Option<u64> {
    parse_peak(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn processor_seconds(_: u32) -> Option<f64> {
    None
}

#[cfg(all(unix, not(target_os = "linux")))]
fn peak_memory(_: u32) -> Option<u64> {
    None
}

/// Parses the processor time in a line of `/proc/ID/stat`: fields 14 to 17, which are the times of the
/// process and of the children that it waited for. The search starts after the last `)`, because field 2 is
/// a name in parentheses that may contain blanks and parentheses.
#[cfg(target_os = "linux")]
fn parse_seconds(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let times: Vec<f64> =
        after_name.split_whitespace().skip(11).take(4).map_while(|ticks| ticks.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum::<f64>() / TICKS)
}

/// Parses the peak memory in `/proc/ID/status`, e.g. `VmHWM: 1234 kB`.
#[cfg(target_os = "linux")]
fn parse_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn times_follow_a_name_of_any_kind() {
        let fields = "S 1 2 3 4 5 6 7 8 9 10 250 50 100 25 20 0";
        for name in ["sleep", "a b", "a) S 1 (b"] {
            assert_eq!(parse_seconds(&format!("77 ({name}) {fields}")), Some(4.25));
        }
        assert_eq!(parse_seconds("77 (sleep) S 1 2"), None);
        assert_eq!(parse_seconds(""), None);
    }

    #[test]
    fn a_peak_is_in_bytes() {
        assert_eq!(parse_peak("Name:\tsh\nVmPeak:\t  9000 kB\nVmHWM:\t    1234 kB\n"), Some(1234 * 1024));
        assert_eq!(parse_peak("Name:\tsh\nState:\tZ (zombie)\n"), None);
        assert!(peak_memory(std::process::id()).unwrap() > 100_000);
    }
}
