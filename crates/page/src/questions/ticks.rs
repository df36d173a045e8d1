//! Work that is watched from time to time.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The first tick comes behind this part of a period: whoever waits for news should have some soon.
const SOON: u32 = 5;

/// Runs some work in a thread of its own, and calls `tick` behind each period until it is done. Fails where the system gives
/// no thread.
pub(super) fn with_ticks<T: Send>(
    period: Duration,
    work: impl FnOnce() -> T + Send,
    mut tick: impl FnMut(),
) -> io::Result<T> {
    thread::scope(|scope| {
        let (end, ended) = channel();
        let working = thread::Builder::new().spawn_scoped(scope, move || {
            let done = work();
            // The receiver stays until then.
            let _ = end.send(());
            done
        })?;
        let mut wait = period / SOON;
        // Work that panics closes the channel.
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            tick();
            wait = period;
        }
        Ok(working.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_watched_until_it_is_done() {
        let (mut ticks, begun) = (0, std::time::Instant::now());
        let (tick, ticked) = channel();
        // The work waits to be seen, for far longer than that takes.
        let work =
            move || (0..5).map(|_| ticked.recv_timeout(Duration::from_secs(300)).unwrap()).sum::<u32>();
        let count = || {
            ticks += 1;
            // Once the work is done, the last tick has no receiver.
            let _ = tick.send(ticks);
        };
        assert_eq!(with_ticks(Duration::from_millis(5), work, count).unwrap(), 1 + 2 + 3 + 4 + 5);
        // Between two ticks there is a period at least.
        let most = begun.elapsed().as_millis() / 5 + 1;
        assert!(u128::from(ticks) <= most, "{ticks} of {most}");
    }

    #[test]
    fn a_panic_of_the_work_goes_on() {
        let work = || panic!("on purpose");
        assert!(std::panic::catch_unwind(|| with_ticks(Duration::from_secs(60), work, || {})).is_err());
    }
}
