//! Reading a flatbuffer that nobody vouches for: tables, vectors, strings and numbers, each read within the bytes.
//!
//! A table begins with the way back to its vtable, which has the place of each field or 0; fields are known by their
//! numbers. Places are relative and point forward, so no reading can run in a circle. Source: the binary format's own
//! description, https://flatbuffers.dev/internals.

/// None wherever a place is outside the bytes.
#[derive(Clone, Copy)]
pub struct Table<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Table<'b> {
    pub fn root(bytes: &'b [u8]) -> Option<Table<'b>> {
        Some(Table { bytes, at: number::<4>(bytes, 0)? as usize })
    }

    /// Where a field lies; the outer None is a damaged file, the inner one a field that is not there.
    fn place(&self, field: usize) -> Option<Option<usize>> {
        let back = number::<4>(self.bytes, self.at)? as u32 as i32;
        let vtable = usize::try_from(self.at as i64 - i64::from(back)).ok()?;
        let length = number::<2>(self.bytes, vtable)? as usize;
        let entry = 4 + 2 * field;
        if entry + 2 > length {
            return Some(None);
        }
        let place = number::<2>(self.bytes, vtable.checked_add(entry)?)? as usize;
        Some((place != 0).then_some(self.at + place))
    }

    /// A field of so many bytes; 0 where it is not there.
    pub fn number<const BYTES: usize>(&self, field: usize) -> Option<u64> {
        match self.place(field)? {
            Some(place) => number::<BYTES>(self.bytes, place),
            None => Some(0),
        }
    }

    /// The bytes of a vector of elements of so many bytes; none where it is not there.
    pub fn vector(&self, field: usize, element: usize) -> Option<Option<&'b [u8]>> {
        let Some(place) = self.place(field)? else { return Some(None) };
        let start = place.checked_add(number::<4>(self.bytes, place)? as usize)?;
        let count = number::<4>(self.bytes, start)? as usize;
        let start = start.checked_add(4)?;
        Some(Some(self.bytes.get(start..start.checked_add(count.checked_mul(element)?)?)?))
    }

    /// A vector of numbers of 32 bits; empty where it is not there.
    pub fn integers(&self, field: usize) -> Option<Vec<i32>> {
        let bytes = self.vector(field, 4)?.unwrap_or_default();
        Some(bytes.chunks_exact(4).map(|word| number::<4>(word, 0).unwrap_or(0) as u32 as i32).collect())
    }

    /// The text of a field, as far as it is text; empty where it is not there.
    pub fn text(&self, field: usize) -> Option<String> {
        Some(String::from_utf8_lossy(self.vector(field, 1)?.unwrap_or_default()).into_owned())
    }

    /// A vector of tables; empty where it is not there.
    pub fn tables(&self, field: usize) -> Option<Vec<Table<'b>>> {
        let Some(words) = self.vector(field, 4)? else { return Some(Vec::new()) };
        // Each place counts from where it stands.
        let start = words.as_ptr() as usize - self.bytes.as_ptr() as usize;
        let table = |(k, word): (usize, &[u8])| {
            let at = (start + 4 * k).checked_add(number::<4>(word, 0)? as usize)?;
            Some(Table { bytes: self.bytes, at })
        };
        words.chunks_exact(4).enumerate().map(table).collect()
    }
}

/// A little-endian number of so many bytes.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(BYTES)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}
