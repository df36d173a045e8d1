//! Merging several sorted sequences into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// A sorted sequence of items of `N` bytes.
pub(super) trait Items<const N: usize> {
    fn next(&mut self) -> io::Result<Option<[u8; N]>>;
}

/// The items of several sorted sequences, in order.
#[derive(Debug)]
pub(super) struct Merge<S, const N: usize> {
    sequences: Vec<S>,
    /// The next item of each sequence that has one, and the index of that sequence.
    heads: BinaryHeap<Reverse<([u8; N], usize)>>,
}

impl<S: Items<N>, const N: usize> Merge<S, N> {
    pub(super) fn new(mut sequences: Vec<S>) -> io::Result<Merge<S, N>> {
        let mut heads = BinaryHeap::with_capacity(sequences.len());
        for (index, sequence) in sequences.iter_mut().enumerate() {
            heads.extend(sequence.next()?.map(|item| Reverse((item, index))));
        }
        Ok(Merge { sequences, heads })
    }

    fn pop(&mut self) -> io::Result<Option<[u8; N]>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((item, index)) = *head;
        match self.sequences[index].next()? {
            Some(next) => head.0.0 = next,
            None => drop(std::collections::binary_heap::PeekMut::pop(head)),
        }
        Ok(Some(item))
    }
}

impl<S: Items<N>, const N: usize> Iterator for Merge<S, N> {
    type Item = io::Result<[u8; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pop().transpose()
    }
}
