//! What nodes reach among the columns of a group: a row of bits a node.

use super::columns::GROUP;

/// The words of a row for one group.
pub(super) const WORDS: usize = GROUP / 64;

/// The columns that a node reaches, each at its number modulo the bits.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Row<WORDS> {
    pub const EMPTY: Row<WORDS> = Row([0; WORDS]);

    /// Whether it holds all columns of a group, the last of which is given.
    pub fn is_full(&self, last: u32) -> bool {
        let missing = |all, (i, word): (usize, &u64)| all | (word ^ Self::full_word(i, last));
        self.0.iter().enumerate().fold(0, missing) == 0
    }

    /// Inserts them all.
    pub fn fill(&mut self, last: u32) {
        self.0.iter_mut().enumerate().for_each(|(i, word)| *word = Self::full_word(i, last));
    }

    fn full_word(i: usize, last: u32) -> u64 {
        match last as usize / 64 % WORDS {
            word if i < word => u64::MAX,
            word if i == word => u64::MAX >> (63 - last % 64),
            _ => 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    pub fn merge(&mut self, other: &Row<WORDS>) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    pub fn contains(&self, column: u32) -> bool {
        self.0[column as usize / 64 % WORDS] >> (column % 64) & 1 == 1
    }

    pub fn insert(&mut self, column: u32) {
        self.0[column as usize / 64 % WORDS] |= 1 << (column % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_empty_if_it_holds_no_column() {
        assert!(Row::<WORDS>::EMPTY.is_empty());
        for column in [0, 63, 64, 511] {
            let mut row = Row::<WORDS>::EMPTY;
            row.insert(column);
            assert!(!row.is_empty() && row.contains(column) && !row.contains(column ^ 64));
            // The same bit of another word.
            row.insert(column ^ 64);
            assert!(!row.is_empty() && row.contains(column ^ 64));
        }
    }

    #[test]
    fn a_full_row_holds_the_columns_up_to_the_last() {
        for last in [0, 62, 63, 64, 510, 511] {
            let (mut full, mut row) = (Row::<WORDS>::EMPTY, Row::<WORDS>::EMPTY);
            full.fill(last);
            for column in 0..512 {
                assert_eq!(full.contains(column), column <= last);
                assert_eq!(row.is_full(last), column == last + 1);
                row.insert(column);
            }
            assert_eq!(row.is_full(last), last == 511);
        }
    }

    #[test]
    fn a_number_beyond_the_row_is_taken_modulo_its_bits() {
        let mut row = Row::<WORDS>::EMPTY;
        row.insert(512 + 7);
        assert!(row.contains(7) && row.contains(1_024 + 7) && !row.contains(8));
    }
}
