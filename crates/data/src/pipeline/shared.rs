//! What the workers of a run share beside the source: how much input is in front of each chunk, the pieces of chunks that
//! were given back, and the permits that are free.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Chunk, PATIENCE, Permit, lock};
use crate::record::{Span, Totals};
use crate::text::Cut;

/// Tells each worker how much input is in front of its chunk, once all earlier chunks have been read.
///
/// A worker first reads its chunk and then asks. So the lowest chunk without numbers never waits, and the
/// others wait no longer than it takes to read those in front of them.
#[derive(Debug)]
pub(super) struct Numbering {
    /// The next chunk to be numbered, and how much input is in front of it; `None` once a chunk is lost.
    front: Mutex<Option<(u64, Totals)>>,
    moved: Condvar,
}

impl Numbering {
    /// Starts at the first record, with `before` in front of it.
    pub(super) fn new(before: Totals) -> Numbering {
        Numbering { front: Mutex::new(Some((0, before))), moved: Condvar::new() }
    }

    /// Returns how much input is in front of a chunk of size `size`; `None` if an earlier chunk is lost.
    pub(super) fn number(&self, seq: u64, size: &Totals) -> Option<Totals> {
        let is_early = |front: &mut Option<(u64, Totals)>| front.is_some_and(|(next, _)| next != seq);
        let waited = self.moved.wait_while(lock(&self.front), is_early);
        let mut front = waited.unwrap_or_else(PoisonError::into_inner);
        let (next, in_front) = front.as_mut()?;
        let before = *in_front;
        *in_front += *size;
        *next += 1;
        self.moved.notify_all();
        Some(before)
    }

    /// Ends all waiting, because a worker and its chunk are lost.
    pub(super) fn abandon(&self) {
        *lock(&self.front) = None;
        self.moved.notify_all();
    }
}

/// Pieces of chunks that took long: each worker may take them, the first of the input first.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    workers: usize,
    state: Mutex<PieceState<'a>>,
    changed: Condvar,
    /// Workers that have nothing to do.
    idle: AtomicUsize,
}

#[derive(Debug, Default)]
struct PieceState<'a> {
    /// By their places in the input, with the input in front of them.
    waiting: BTreeMap<u64, (Chunk<'a>, Totals)>,
    /// Workers that have a chunk, and may give back a part of it.
    busy: usize,
}

impl<'a> Pieces<'a> {
    /// Returns a list without pieces, for so many workers.
    pub(super) fn new(workers: usize) -> Pieces<'a> {
        Pieces { workers, state: Mutex::default(), changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    /// Takes the first piece for a worker, which is busy then. `None` once the run is stopped.
    pub(super) fn take(&self, stop: &AtomicBool) -> Option<(Chunk<'a>, Totals)> {
        let mut state = lock(&self.state);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let (_, piece) = state.waiting.pop_first()?;
        state.busy += 1;
        Some(piece)
    }

    /// Notes whether a worker has got a chunk.
    pub(super) fn begin(&self, is_busy: bool) {
        lock(&self.state).busy += usize::from(is_busy);
    }

    /// Notes that a worker is done with its chunk.
    pub(super) fn end(&self) {
        lock(&self.state).busy -= 1;
        if self.idle.load(Ordering::Relaxed) > 0 {
            self.changed.notify_all();
        }
    }

    /// Returns whether all pieces were taken.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.state).waiting.is_empty()
    }

    /// Waits for a piece, and runs other tasks of the thread pool meanwhile, as [`next`](super::next) does. Returns false if
    /// none will come.
    pub(super) fn wait(&self, stop: &AtomicBool) -> bool {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let mut state = lock(&self.state);
        while state.waiting.is_empty() && state.busy > 0 && !stop.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(state, PATIENCE / 10);
            drop(waited);
            while self.is_empty() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
            state = lock(&self.state);
        }
        self.idle.fetch_sub(1, Ordering::Relaxed);
        !state.waiting.is_empty() && !stop.load(Ordering::Relaxed)
    }

    /// Gives back what is behind the first `done` bytes of a chunk, which took so much time, as pieces of
    /// [`PIECE_TIME`], at least one for each worker. `before` is the input in front of it, and `read` returns the size of a piece.
    pub(super) fn give_back(
        &self,
        chunk: &Chunk<'a>,
        done: usize,
        time: Duration,
        mut before: Totals,
        cut: &dyn Cut,
        mut read: impl FnMut(&Chunk<'a>) -> Totals,
    ) {
        let bytes = (done as f64 * PIECE_TIME.as_secs_f64() / time.as_secs_f64()) as usize;
        let bytes = bytes.min((chunk.text.len() - done) / self.workers);
        let mut pieces = Vec::new();
        let mut at = done;
        while at < chunk.text.len() {
            let end = at + first_piece(cut, &chunk.text[at..], bytes.max(1));
            let text = match &chunk.text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[at..end]),
                Cow::Owned(text) => Cow::Owned(text[at..end].to_vec()),
            };
            let piece = Chunk { text, too_long: false, skipped: Span::default(), ..*chunk };
            let size = read(&piece);
            pieces.push((before.bytes, (piece, before)));
            before += size;
            at = end;
        }
        lock(&self.state).waiting.extend(pieces);
        self.changed.notify_all();
    }
}

/// The time that a piece should take.
const PIECE_TIME: Duration = Duration::from_millis(100);

/// Returns the length of the whole records in the first `bytes` bytes of a text of whole records, at least one.
fn first_piece(cut: &dyn Cut, text: &[u8], mut bytes: usize) -> usize {
    while bytes < text.len() {
        match cut.whole(&text[..bytes]) {
            0 => bytes *= 2,
            len => return len,
        }
    }
    text.len()
}

/// Tells a worker how long it has been at its chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer<'a> {
    pub(super) begun: Instant,
    pub(super) patience: Duration,
    /// Workers that have nothing to do.
    idle: &'a AtomicUsize,
}

impl<'a> Timer<'a> {
    /// Begins. A worker may be at its chunk for `patience`, and a tenth of it while others have nothing to do.
    pub(super) fn new(patience: Duration, pieces: &'a Pieces<'_>) -> Timer<'a> {
        Timer { begun: Instant::now(), patience, idle: &pieces.idle }
    }

    /// Returns whether it is time to give the rest of the chunk back.
    pub(super) fn is_over(&self) -> bool {
        let is_awaited = self.idle.load(Ordering::Relaxed) > 0;
        self.begun.elapsed() >= if is_awaited { self.patience / 10 } else { self.patience }
    }
}

/// Permits that nobody holds. The one that came back last goes out first, since its buffers are still in the cache:
/// where few chunks are ahead of the writer, the buffers of the other permits are never touched.
#[derive(Debug)]
pub(super) struct Permits<V> {
    free: Mutex<Free<V>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Free<V> {
    permits: Vec<Permit<V>>,
    /// Workers that wait for one.
    waiting: usize,
    is_closed: bool,
}

impl<V> Permits<V> {
    /// Makes so many.
    pub(super) fn new(count: usize) -> Permits<V>
    where
        V: Default,
    {
        let permits = (0..count).map(|_| Permit::default()).collect();
        Permits { free: Mutex::new(Free { permits, waiting: 0, is_closed: false }), changed: Condvar::new() }
    }

    /// Takes a permit, if one comes back within `patience`. `Break` says that no more will be given out.
    pub(super) fn take(&self, patience: Duration) -> ControlFlow<(), Option<Permit<V>>> {
        let mut free = lock(&self.free);
        if free.permits.is_empty() && !free.is_closed {
            free.waiting += 1;
            let waited = self.changed.wait_timeout(free, patience);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
            free.waiting -= 1;
        }
        if free.is_closed { ControlFlow::Break(()) } else { ControlFlow::Continue(free.permits.pop()) }
    }

    /// Returns whether all are held.
    pub(super) fn are_taken(&self) -> bool {
        let free = lock(&self.free);
        free.permits.is_empty() && !free.is_closed
    }

    /// Takes a permit back.
    pub(super) fn give(&self, permit: Permit<V>) {
        let mut free = lock(&self.free);
        free.permits.push(permit);
        let is_awaited = free.waiting > 0;
        drop(free);
        // To wake is a system call, whether anyone waits or not.
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// Gives out no more.
    pub(super) fn close(&self) {
        lock(&self.free).is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn records(records: u64) -> Totals {
        Totals { records, ..Totals::default() }
    }

    #[test]
    fn chunks_are_numbered_in_order_whoever_asks_first() {
        let numbering = Numbering::new(records(100));
        let before = thread::scope(|scope| {
            let numbering = &numbering;
            let ask = |seq| scope.spawn(move || numbering.number(seq, &records(seq + 1)));
            let asked = [3, 1, 2, 0].map(ask);
            asked.map(|asked| asked.join().unwrap().unwrap().records)
        });
        assert_eq!(before, [106, 101, 103, 100]);
    }

    #[test]
    fn nobody_waits_for_a_chunk_that_is_lost() {
        let numbering = Numbering::new(Totals::default());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| numbering.number(1, &records(1)));
            numbering.abandon();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert_eq!(numbering.number(0, &records(1)), None);
    }

    const SOON: Duration = Duration::from_millis(1);
    // Longer than any test: who is not woken hangs.
    const LATE: Duration = Duration::from_secs(24 * 60 * 60);

    /// Waits for a permit as workers do: one that is woken may find that another one was faster. `None` once they are closed.
    fn take(permits: &Permits<()>) -> Option<Permit<()>> {
        while let ControlFlow::Continue(permit) = permits.take(LATE) {
            if permit.is_some() {
                return permit;
            }
        }
        None
    }

    /// Takes the permit that must be there.
    fn take_free(permits: &Permits<()>) -> Permit<()> {
        permits.take(SOON).continue_value().flatten().unwrap()
    }

    /// Returns when so many wait.
    fn wait_for(permits: &Permits<()>, waiting: usize) {
        while lock(&permits.free).waiting < waiting {
            thread::yield_now();
        }
    }

    /// A permit that is known by its capacity for input.
    fn numbered(number: usize) -> Permit<()> {
        Permit { input: vec![0; number], ..Permit::default() }
    }

    #[test]
    fn the_permit_that_came_back_last_goes_out_first() {
        let permits = Permits::new(2);
        let (_, _) = (take_free(&permits), take_free(&permits));
        assert!(permits.are_taken());
        assert!(matches!(permits.take(SOON), ControlFlow::Continue(None)));
        permits.give(numbered(1));
        permits.give(numbered(2));
        assert_eq!([2, 1], [(); 2].map(|()| take_free(&permits).input.len()));
    }

    #[test]
    fn who_waits_gets_the_next_permit() {
        let permits = Permits::new(0);
        thread::scope(|scope| {
            let waiting = [(); 2].map(|()| scope.spawn(|| take(&permits).unwrap().input.len()));
            wait_for(&permits, 2);
            permits.give(numbered(1));
            permits.give(numbered(2));
            assert_eq!(waiting.map(|taken| taken.join().unwrap()).iter().sum::<usize>(), 3);
        });
    }

    #[test]
    fn nobody_waits_once_they_are_closed() {
        let permits = Permits::new(1);
        take_free(&permits);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| take(&permits));
            wait_for(&permits, 1);
            permits.close();
            assert!(waiting.join().unwrap().is_none());
        });
        permits.give(numbered(1));
        assert!(permits.take(LATE).is_break());
        assert!(!permits.are_taken());
    }
}
