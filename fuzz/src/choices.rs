//! Choices between options, made by the first bytes of an input.

/// The rest of an input.
#[derive(Clone, Copy, Debug)]
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    /// Begins at the start of an input.
    pub fn of(data: &'a [u8]) -> Choices<'a> {
        Choices(data)
    }

    /// Takes a byte, or 0 after the end. The character `0` counts as 0, `1` as 1 and so on, so that you can
    /// write inputs by hand.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first.wrapping_sub(b'0')
    }

    /// Takes a number below `count`, which is at most 256.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// Takes one of several values.
    pub fn among<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// Takes the rest.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}
