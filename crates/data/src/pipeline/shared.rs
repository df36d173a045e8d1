//! Other state that the workers of a run share, besides the source: how much input comes before each chunk,
//! the pieces of chunks that were given back, and the free permits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Chunk, PIPE_WAIT, Permit, lock};
use crate::record::{Checksum, InputAmount};
use crate::text::Cut;

/// Tells each worker how much input comes before its chunk, as soon as all earlier chunks have been read.
///
/// A worker first reads its chunk and then asks. So the first chunk without numbers never waits, and the
/// others wait only until the earlier ones have been read.
#[derive(Debug)]
pub(super) struct Numbering {
    /// The next chunk to be numbered, and how much input comes before it; `None` after a chunk was lost.
    front: Mutex<Option<(u64, InputAmount)>>,
    moved: Condvar,
}

impl Numbering {
    /// Starts at the first record, which follows `before`.
    pub(super) fn new(before: InputAmount) -> Numbering {
        Numbering { front: Mutex::new(Some((0, before))), moved: Condvar::new() }
    }

    /// Returns how much input comes before a chunk of size `size`; `None` if an earlier chunk was lost.
    pub(super) fn number(&self, seq: u64, size: &InputAmount) -> Option<InputAmount> {
        let is_early = |front: &mut Option<(u64, InputAmount)>| front.is_some_and(|(next, _)| next != seq);
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

/// Pieces of chunks that took long. Any worker can take them; the first one in the input is taken first,
/// because the writer needs it first.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    workers: usize,
    state: Mutex<PieceState<'a>>,
    changed: Condvar,
    /// The number of workers that have nothing to do.
    idle: AtomicUsize,
}

#[derive(Debug, Default)]
struct PieceState<'a> {
    /// The pieces by their place in the input, each with the amount of input before it.
    waiting: BTreeMap<u64, (Chunk<'a>, InputAmount)>,
    /// The number of workers that have a chunk, and may give back a part of it.
    busy: usize,
}

impl<'a> Pieces<'a> {
    /// Makes an empty list for `workers` workers.
    pub(super) fn new(workers: usize) -> Pieces<'a> {
        Pieces { workers, state: Mutex::default(), changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    /// Takes the first piece for a worker, which then counts as busy. `None` if the run was stopped.
    pub(super) fn take(&self, stop: &AtomicBool) -> Option<(Chunk<'a>, InputAmount)> {
        let mut state = lock(&self.state);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let (_, piece) = state.waiting.pop_first()?;
        state.busy += 1;
        Some(piece)
    }

    /// Records whether a worker has claimed a chunk.
    pub(super) fn begin(&self, is_busy: bool) {
        lock(&self.state).busy += usize::from(is_busy);
    }

    /// Records that a worker has finished its chunk.
    pub(super) fn end(&self) {
        lock(&self.state).busy -= 1;
        if self.idle.load(Ordering::Relaxed) > 0 {
            self.changed.notify_all();
        }
    }

    /// Returns whether all pieces have been taken.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.state).waiting.is_empty()
    }

    /// Waits for a piece, and meanwhile runs other tasks of the thread pool, like [`next_permit`](super::next_permit).
    /// Returns false if there will be no more pieces.
    pub(super) fn wait(&self, stop: &AtomicBool) -> bool {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let mut state = lock(&self.state);
        while state.waiting.is_empty() && state.busy > 0 && !stop.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(state, PIPE_WAIT / 10);
            drop(waited);
            while self.is_empty() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
            state = lock(&self.state);
        }
        self.idle.fetch_sub(1, Ordering::Relaxed);
        !state.waiting.is_empty() && !stop.load(Ordering::Relaxed)
    }

    /// Gives back the rest of a chunk whose first `done` bytes took `time`. It is cut into pieces of about
    /// [`PIECE_TIME`], at least one for each worker. `before` is the input before the rest, and `read`
    /// returns the size of a piece.
    pub(super) fn give_back(
        &self,
        chunk: &Chunk<'a>,
        done: usize,
        time: Duration,
        mut before: InputAmount,
        cut: &dyn Cut,
        mut read: impl FnMut(&Chunk<'a>) -> InputAmount,
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
            let piece = Chunk { text, too_long: false, skipped: Checksum::default(), ..*chunk };
            let size = read(&piece);
            pieces.push((before.bytes, (piece, before)));
            before += size;
            at = end;
        }
        lock(&self.state).waiting.extend(pieces);
        self.changed.notify_all();
    }
}

/// How long a piece should take.
const PIECE_TIME: Duration = Duration::from_millis(100);

/// The length of the complete records in the first `bytes` bytes of a text, but at least one record.
fn first_piece(cut: &dyn Cut, text: &[u8], mut bytes: usize) -> usize {
    while bytes < text.len() {
        match cut.complete_len(&text[..bytes]) {
            0 => bytes *= 2,
            len => return len,
        }
    }
    text.len()
}

/// Measures how long a worker has been working on its chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer<'a> {
    pub(super) begun: Instant,
    pub(super) patience: Duration,
    /// The number of workers that have nothing to do.
    idle: &'a AtomicUsize,
}

impl<'a> Timer<'a> {
    /// Starts the clock. A worker may work on its chunk for `patience`, or a tenth of that while other
    /// workers have nothing to do.
    pub(super) fn new(patience: Duration, pieces: &'a Pieces<'_>) -> Timer<'a> {
        Timer { begun: Instant::now(), patience, idle: &pieces.idle }
    }

    /// Returns whether it is time to give back the rest of the chunk.
    pub(super) fn is_over(&self) -> bool {
        let is_awaited = self.idle.load(Ordering::Relaxed) > 0;
        self.begun.elapsed() >= if is_awaited { self.patience / 10 } else { self.patience }
    }
}

/// The free permits. The one that came back last is taken first, because its buffers are still in the
/// cache. If only a few chunks are ahead of the writer, the buffers of the other permits are never touched,
/// and so take no memory.
#[derive(Debug)]
pub(super) struct Permits<V> {
    free: Mutex<FreePermits<V>>,
    changed: Condvar,
}

#[derive(Debug)]
struct FreePermits<V> {
    permits: Vec<Permit<V>>,
    /// The number of workers that wait for a permit.
    waiting: usize,
    is_closed: bool,
}

impl<V> Permits<V> {
    /// Makes `count` permits.
    pub(super) fn new(count: usize) -> Permits<V>
    where
        V: Default,
    {
        let permits = (0..count).map(|_| Permit::default()).collect();
        Permits {
            free: Mutex::new(FreePermits { permits, waiting: 0, is_closed: false }),
            changed: Condvar::new(),
        }
    }

    /// Takes a permit, if one comes back within `patience`. `Break` means that the run is over.
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

    /// Returns whether all permits are in use.
    pub(super) fn are_taken(&self) -> bool {
        let free = lock(&self.free);
        free.permits.is_empty() && !free.is_closed
    }

    /// Gives back a permit.
    pub(super) fn give(&self, permit: Permit<V>) {
        let mut free = lock(&self.free);
        free.permits.push(permit);
        let is_awaited = free.waiting > 0;
        drop(free);
        // Wake a worker only if one waits, because waking is a system call.
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// Ends the run: no more permits are given out.
    pub(super) fn close(&self) {
        lock(&self.free).is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn records(records: u64) -> InputAmount {
        InputAmount { records, ..InputAmount::default() }
    }

    #[test]
    fn chunks_are_numbered_in_order_even_if_later_ones_ask_first() {
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
    fn no_worker_waits_for_a_lost_chunk() {
        let numbering = Numbering::new(InputAmount::default());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| numbering.number(1, &records(1)));
            numbering.abandon();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert_eq!(numbering.number(0, &records(1)), None);
    }

    const SOON: Duration = Duration::from_millis(1);
    // Longer than any test, so that a thread that is not woken hangs.
    const LATE: Duration = Duration::from_secs(24 * 60 * 60);

    /// Waits for a permit like a worker: after waking, another worker may have been faster. `None` after
    /// closing.
    fn take(permits: &Permits<()>) -> Option<Permit<()>> {
        while let ControlFlow::Continue(permit) = permits.take(LATE) {
            if permit.is_some() {
                return permit;
            }
        }
        None
    }

    /// Takes a permit that must be free.
    fn take_free(permits: &Permits<()>) -> Permit<()> {
        permits.take(SOON).continue_value().flatten().unwrap()
    }

    /// Returns as soon as that many threads wait.
    fn wait_for(permits: &Permits<()>, waiting: usize) {
        while lock(&permits.free).waiting < waiting {
            thread::yield_now();
        }
    }

    /// A permit that is recognised by the capacity of its input buffer.
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
    fn a_waiting_worker_gets_the_next_permit() {
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
    fn no_worker_waits_after_closing() {
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
