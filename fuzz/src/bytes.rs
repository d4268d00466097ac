//! Numbers out of bytes: a byte chooses the kind of number, so that small ones and extreme ones are both frequent.

pub struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(rest: &'a [u8]) -> Bytes<'a> {
        Bytes { rest }
    }

    /// The next byte; 0 after the last.
    pub fn byte(&mut self) -> u8 {
        let (&first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        first
    }

    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below `limit`, which is positive.
    pub fn below(&mut self, limit: usize) -> usize {
        let wide = if limit > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (wide + usize::from(self.byte())) % limit
    }

    pub fn one_in(&mut self, times: u8) -> bool {
        self.byte() % times == 1
    }

    /// Mostly small, sometimes near a power of two or a limit, sometimes anything.
    pub fn number(&mut self) -> usize {
        let kind = self.byte();
        let near = usize::from(self.byte());
        match kind {
            0..=199 => near,
            200..=219 => near << 8 | usize::from(self.byte()),
            220..=229 => usize::MAX - near,
            230..=234 => isize::MAX as usize - near / 2 + near % 3,
            235..=239 => u32::MAX as usize - near / 2 + near % 3,
            240..=249 => 1usize << (near % usize::BITS as usize),
            _ => self.word() as usize,
        }
    }

    /// A list of up to `most` items.
    pub fn list<T>(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| item(self)).collect()
    }

    /// A seed of the rest.
    pub fn seed(&mut self) -> u64 {
        self.word()
    }
}
