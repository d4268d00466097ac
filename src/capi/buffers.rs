//! What the caller handed in: is each buffer there, aligned, not absurdly long, and apart from the others?
//!
//! Invariant: when [`call`] runs the body, every buffer that has bytes is non-NULL, aligned, and at most `isize::MAX`
//! bytes long, and one that is written overlaps no other. What is left to trust is that the bytes exist.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use super::status::{AETHER_SCRATCH_ALIGN, ErrorRecord, Status};
use crate::error::{Error, Kind, NONE};
use crate::scratch::Word;

/// A call has a dozen of them on its stack: positions and alignments take a byte each.
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    /// The position in the signature; the first argument is 0.
    argument: u8,
    /// The position of its count.
    count_argument: u8,
    /// Its position in the struct that is the argument, the first is 0; [`NO_MEMBER`] for an argument itself.
    member: u8,
    align: u8,
    address: usize,
    count: usize,
    min_count: usize,
    max_count: usize,
    /// What will be used of it.
    bytes: usize,
    /// The address behind these bytes; 0 where there are none.
    end: usize,
    written: bool,
}

/// It stands for itself.
const NO_MEMBER: u8 = u8::MAX;

impl Buffer {
    #[inline]
    pub fn input<T>(argument: u8, pointer: *const T, count: usize) -> Buffer {
        let bytes = count.saturating_mul(size_of::<T>());
        Buffer {
            argument,
            // Every array of the header is followed by its count; the outputs share those of the inputs.
            count_argument: argument + 1,
            member: NO_MEMBER,
            address: pointer as usize,
            align: align_of::<T>() as u8,
            count,
            min_count: 0,
            max_count: isize::MAX as usize / size_of::<T>(),
            bytes,
            end: end(pointer as usize, bytes),
            written: false,
        }
    }

    pub fn output<T>(argument: u8, pointer: *mut T, count: usize) -> Buffer {
        Buffer { written: true, ..Buffer::input(argument, pointer, count) }
    }

    /// An output that the caller need not want.
    pub fn optional<T>(argument: u8, pointer: *mut T) -> Buffer {
        Buffer::output(argument, pointer, usize::from(!pointer.is_null()))
    }

    /// `need` bytes of the `given` are used.
    pub fn scratch(argument: u8, pointer: *mut c_void, given: usize, need: usize) -> Buffer {
        let bytes = need.min(given);
        Buffer {
            align: AETHER_SCRATCH_ALIGN as u8,
            min_count: need,
            max_count: usize::MAX,
            bytes,
            end: end(pointer as usize, bytes),
            ..Buffer::output(argument, pointer.cast::<u8>(), given)
        }
    }

    /// A count without a buffer of its own.
    pub fn count(argument: u8, count: usize) -> Buffer {
        Buffer { count_argument: argument, count, ..Buffer::input(argument, core::ptr::dangling::<u8>(), 0) }
    }

    /// Where there is none.
    pub fn none() -> Buffer {
        Buffer::count(0, 0)
    }

    /// Makes it the member at `position` of the struct that is its argument; its count is the next member.
    pub fn member(self, position: u8) -> Buffer {
        Buffer { count_argument: self.argument, member: position, ..self }
    }

    pub fn at_most(self, max_count: usize) -> Buffer {
        Buffer { max_count: max_count.min(self.max_count), ..self }
    }

    /// Is it there, aligned, and of enough bytes?
    pub fn accept(&self) -> Result<(), Error> {
        if self.count > 0 && self.address == 0 {
            let bytes = self.bytes.max(self.min_count);
            return Err(self.error(Kind::Null, 0, bytes));
        }
        if self.count > 0 && !self.is_aligned() {
            let align = usize::from(self.align);
            return Err(self.error(Kind::Misaligned, self.address % align, align));
        }
        // No slice may be longer than isize::MAX bytes, so nobody can hand in so much scratch.
        if self.count < self.min_count || self.min_count > isize::MAX as usize {
            return Err(self.error(Kind::ScratchTooSmall, self.count, self.min_count));
        }
        Ok(())
    }

    /// What is wrong with it alone.
    fn error(&self, kind: Kind, got: usize, limit: usize) -> Error {
        let member = if self.member == NO_MEMBER { NONE } else { usize::from(self.member) };
        Error::new(kind, usize::from(self.argument), got, limit).against(member)
    }

    fn is_aligned(&self) -> bool {
        self.address & (usize::from(self.align) - 1) == 0
    }

    fn overlaps(&self, other: &Buffer) -> bool {
        (self.written || other.written) && self.meets(other)
    }

    /// Do they share a byte?
    fn meets(&self, other: &Buffer) -> bool {
        self.address < other.end && other.address < self.end
    }
}

/// A buffer of no bytes ends below every address.
#[inline]
fn end(address: usize, bytes: usize) -> usize {
    if address > 0 && bytes > 0 { address.saturating_add(bytes) } else { 0 }
}

/// The count of an array that need not be there.
pub(super) fn given<T>(pointer: *const T, count: usize) -> usize {
    if pointer.is_null() { 0 } else { count }
}

/// Checks the buffers, then runs the body, then fills in the record; it is left alone only where it cannot be written:
/// misaligned, or overlapping a buffer.
pub(super) unsafe fn call<const N: usize>(
    error: *mut ErrorRecord,
    buffers: [Buffer; N],
    body: impl FnOnce() -> Result<(), Error>,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { conclude(error, check(error, &buffers), body) }
}

/// As [`call`], where the body needs the stack: the many buffers are off it when that runs.
pub(super) unsafe fn call_apart<const N: usize>(
    error: *mut ErrorRecord,
    buffers: impl FnOnce() -> [Buffer; N],
    body: impl FnOnce() -> Result<(), Error>,
) -> Status {
    #[inline(never)]
    fn apart<const N: usize>(error: *mut ErrorRecord, buffers: impl FnOnce() -> [Buffer; N]) -> Checked {
        check(error, &buffers())
    }
    // SAFETY: the caller's contract.
    unsafe { conclude(error, apart(error, buffers), body) }
}

/// What is wrong with the buffers, and whether the record may be written.
struct Checked {
    result: Result<(), Error>,
    may_be_written: bool,
}

fn check(error: *mut ErrorRecord, buffers: &[Buffer]) -> Checked {
    let record = Buffer::optional(0, error);
    match are_plainly_good(buffers, &record) {
        true => Checked { result: Ok(()), may_be_written: true },
        false => inspect(buffers, &record),
    }
}

/// The usual case, told in few instructions: true only where [`inspect`] finds nothing.
fn are_plainly_good(buffers: &[Buffer], record: &Buffer) -> bool {
    record.is_aligned()
        && buffers.iter().enumerate().all(|(i, buffer)| {
            buffer.count <= buffer.max_count
                && buffer.accept().is_ok()
                && !buffer.meets(record)
                && !buffers[..i].iter().any(|other| buffer.meets(other))
        })
}

#[cold]
fn inspect(buffers: &[Buffer], record: &Buffer) -> Checked {
    let fault = if !record.is_aligned() {
        Some(Kind::Misaligned)
    } else if buffers.iter().any(|buffer| buffer.count <= buffer.max_count && buffer.overlaps(record)) {
        Some(Kind::Overlap)
    } else {
        None
    };
    let result = check_counts(buffers).and_then(|()| match fault {
        Some(kind) => Err(Error::new(kind, NONE, 0, 0)),
        None => check_places(buffers),
    });
    Checked { result, may_be_written: fault.is_none() }
}

unsafe fn conclude(error: *mut ErrorRecord, checked: Checked, body: impl FnOnce() -> Result<(), Error>) -> Status {
    let outcome = ErrorRecord::from(checked.result.and_then(|()| body()));
    if !error.is_null() && checked.may_be_written {
        // SAFETY: the caller's record, aligned, and apart from every other buffer.
        unsafe { error.write(outcome) }
    }
    outcome.status
}

fn check_counts(buffers: &[Buffer]) -> Result<(), Error> {
    match buffers.iter().find(|buffer| buffer.count > buffer.max_count) {
        Some(buffer) => {
            // The count of a member is the next member.
            let counts = Buffer { argument: buffer.count_argument, member: buffer.member.saturating_add(1), ..*buffer };
            Err(counts.error(Kind::TooMany, buffer.count, buffer.max_count))
        }
        None => Ok(()),
    }
}

fn check_places(buffers: &[Buffer]) -> Result<(), Error> {
    buffers.iter().try_for_each(Buffer::accept)?;
    for (i, first) in buffers.iter().enumerate() {
        if let Some(second) = buffers.iter().skip(i + 1).find(|second| first.overlaps(second)) {
            let error = Error::new(Kind::Overlap, usize::from(first.argument), 0, 0);
            return Err(error.against(usize::from(second.argument)));
        }
    }
    Ok(())
}

/// A caller's struct that begins with its own size, as it is known here: that of an older header is shorter, and the
/// rest counts as 0; that of a newer one is longer, and must not have anything set that is unknown here.
///
/// Every bit pattern of T is valid, zeros too.
pub(super) unsafe fn versioned<T: Copy>(record: *const T, smallest: usize) -> Result<T, Error> {
    /// Above this it is no size but a forgotten initialisation.
    const LARGEST: usize = 4096;
    Buffer::input(0, record, 1).accept()?;
    let known = size_of::<T>();
    // SAFETY: not NULL and aligned; the caller says that it begins with its size.
    let struct_size = unsafe { record.cast::<usize>().read() };
    let refusal = Err(Error::new(Kind::StructSize, 0, struct_size, known));
    if !(smallest..=LARGEST).contains(&struct_size) || !struct_size.is_multiple_of(size_of::<usize>()) {
        return refusal;
    }
    // SAFETY: the caller says that it has as many bytes.
    let bytes = unsafe { core::slice::from_raw_parts(record.cast::<u8>(), struct_size) };
    if bytes.iter().skip(known).any(|&byte| byte != 0) {
        return refusal;
    }
    let mut copy = MaybeUninit::<T>::zeroed();
    // SAFETY: at most as many bytes as each side has; zeros and whatever the caller set are valid.
    unsafe {
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), copy.as_mut_ptr().cast(), struct_size.min(known));
        Ok(copy.assume_init())
    }
}

/// The items of an accepted input.
pub(super) unsafe fn items<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: accepted, and the caller says that it holds `count` items.
        _ => unsafe { core::slice::from_raw_parts(pointer, count) },
    }
}

/// The items of an accepted buffer that the caller wrote and the call changes.
pub(super) unsafe fn changing<'a, T>(pointer: *mut T, count: usize) -> &'a mut [T] {
    match count {
        0 => &mut [],
        // SAFETY: accepted, and the caller says that it holds `count` items.
        _ => unsafe { core::slice::from_raw_parts_mut(pointer, count) },
    }
}

/// The slots of an accepted output, not yet initialised.
pub(super) unsafe fn slots<'a, T>(pointer: *mut T, count: usize) -> &'a mut [MaybeUninit<T>] {
    match count {
        0 => &mut [],
        // SAFETY: accepted, and the caller says that it has room for `count` items.
        _ => unsafe { core::slice::from_raw_parts_mut(pointer.cast(), count) },
    }
}

/// The `need` bytes of an accepted scratch.
pub(super) unsafe fn words<'a>(pointer: *mut c_void, need: usize) -> &'a mut [Word] {
    // SAFETY: as for any output.
    unsafe { slots(pointer.cast::<u64>(), need / size_of::<u64>()) }
}

/// Copies an answer to an accepted output.
pub(super) unsafe fn deliver<T: Copy>(answer: &[T], output: *mut T) {
    if !answer.is_empty() {
        // SAFETY: accepted, with room for as many; the answer lies in the scratch, which is apart from it.
        unsafe { core::ptr::copy_nonoverlapping(answer.as_ptr(), output, answer.len()) }
    }
}

/// Writes an answer that the caller need not want.
pub(super) unsafe fn deliver_if_wanted<T>(answer: T, output: *mut T) {
    if !output.is_null() {
        // SAFETY: accepted.
        unsafe { output.write(answer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Buffers around address 8, where a record may lie, and around its end; nobody looks at what is in them.
    fn buffers() -> Vec<Buffer> {
        let mut buffers = Vec::new();
        let behind = 8 + size_of::<ErrorRecord>();
        for address in [0, 1, 7, 8, 9, behind - 1, behind] {
            for count in [0, 1, 2, 60] {
                let pointer = core::ptr::without_provenance_mut::<u8>(address);
                buffers.extend([Buffer::input(0, pointer, count), Buffer::output(0, pointer, count).at_most(2)]);
                buffers.push(Buffer::scratch(0, pointer.cast(), count, 2));
            }
        }
        buffers
    }

    #[test]
    fn scratch_that_no_slice_can_be_is_never_enough() {
        // Where words of 64 bits may begin, on every target.
        let begin = core::ptr::without_provenance_mut(8);
        let accept = |need: usize| Buffer::scratch(1, begin, usize::MAX, need).accept();
        let most = isize::MAX as usize;
        assert_eq!(accept(most), Ok(()));
        assert_eq!(accept(most + 1), Err(Error::new(Kind::ScratchTooSmall, 1, usize::MAX, most + 1)));
    }

    #[test]
    fn buffers_are_plainly_good_if_nothing_is_wrong_and_no_two_inputs_share_bytes() {
        let mut good = 0;
        for record in
            [0, 4, 8].map(|address| Buffer::optional(0, core::ptr::without_provenance_mut::<ErrorRecord>(address)))
        {
            let mut look = |buffers: &[Buffer], share: bool| {
                let Checked { result, may_be_written } = inspect(buffers, &record);
                let is_good = are_plainly_good(buffers, &record);
                assert_eq!(is_good, result.is_ok() && may_be_written && !share);
                good += usize::from(is_good);
            };
            for one in buffers() {
                look(&[one], false);
                buffers().iter().for_each(|&other| look(&[one, other], one.meets(&other)));
            }
        }
        assert!(good > 1_000, "{good}");
    }
}
