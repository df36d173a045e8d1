//! Puts finished chunks back into the order of their numbers.

use super::Permit;

/// A slot for every permit. The slot of a chunk is its number modulo that of the permits: every chunk
/// that is not yet written holds a permit, so that no two of them share a slot.
#[derive(Debug)]
pub(super) struct Reorder<V> {
    waiting: Vec<Option<Permit<V>>>,
    next: u64,
}

impl<V> Reorder<V> {
    pub(super) fn new(permits: usize) -> Reorder<V> {
        Reorder { waiting: (0..permits).map(|_| None).collect(), next: 0 }
    }

    pub(super) fn insert(&mut self, permit: Permit<V>) {
        let slot = self.slot(permit.seq);
        let before = self.waiting[slot].replace(permit);
        debug_assert!(before.is_none(), "two unwritten chunks in one slot");
    }

    /// Takes out the next chunk in order, if it has come.
    pub(super) fn pop(&mut self) -> Option<Permit<V>> {
        let slot = self.slot(self.next);
        let permit = self.waiting[slot].take()?;
        self.next += 1;
        Some(permit)
    }

    fn slot(&self, seq: u64) -> usize {
        (seq % self.waiting.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_in_any_order_leave_in_the_order_of_their_numbers() {
        let mut reorder = Reorder::new(4);
        let mut out = Vec::new();
        for seq in [2, 0, 1, 5, 3, 4, 6, 9, 8, 7] {
            reorder.insert(Permit::<()> { seq, ..Permit::default() });
            out.extend(std::iter::from_fn(|| reorder.pop()).map(|permit| permit.seq));
        }
        assert_eq!(out, (0..10).collect::<Vec<_>>());
    }
}
