//! The buffers of one call, and what the header promises about them whatever the call is.
//!
//! Each buffer is an allocation of its own: an address sanitizer sees every byte beside it, and without one (not
//! `cfg(fuzzing)`) guard bytes on both sides see writes. Before the call every output and the scratch are garbage.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_char;

use aether::capi::{self, ErrorRecord};

use crate::bytes::Bytes;

const GUARD: usize = if cfg!(fuzzing) { 0 } else { 64 };
const GARBAGE: u8 = 0xa5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    /// An input that may be NULL and then means something else.
    Nullable,
    Output,
    Optional,
    Scratch,
}

/// A buffer of the stage, in the order in which they were put there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place(usize);

struct Buffer {
    role: Role,
    align: usize,
    bytes: usize,
    block: *mut u8,
    layout: Layout,
    /// What the call is given.
    at: *mut u8,
    content: Vec<u8>,
}

impl Buffer {
    fn new(role: Role, align: usize, bytes: usize, content: Vec<u8>) -> Buffer {
        let layout = Layout::from_size_align((bytes + 2 * GUARD).max(1), 8).expect("a layout");
        // SAFETY: the layout is not empty; the block is that long.
        unsafe {
            let block = alloc(layout);
            block.write_bytes(GARBAGE, bytes + 2 * GUARD);
            block.add(GUARD).copy_from_nonoverlapping(content.as_ptr(), content.len());
            Buffer { role, align, bytes, block, layout, at: block.add(GUARD), content }
        }
    }

    fn payload(&self) -> &[u8] {
        // SAFETY: within the block, initialised when it was made.
        unsafe { std::slice::from_raw_parts(self.block.add(GUARD), self.bytes) }
    }

    fn is_input(&self) -> bool {
        matches!(self.role, Role::Input | Role::Nullable)
    }

    fn is_untouched(&self) -> bool {
        let garbage = std::iter::repeat_n(&GARBAGE, self.bytes - self.content.len());
        self.payload().iter().eq(self.content.iter().chain(garbage))
    }

    fn guards_hold(&self) -> bool {
        // SAFETY: the block has a guard at both ends.
        let guard = |at| unsafe { std::slice::from_raw_parts(self.block.add(at), GUARD) };
        guard(0).iter().chain(guard(GUARD + self.bytes)).all(|&byte| byte == GARBAGE)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.block, self.layout) }
    }
}

#[derive(Default)]
pub struct Stage {
    buffers: Vec<Buffer>,
    scratch_size: usize,
    /// Something else than the buffers may be refused first.
    is_odd: bool,
}

/// A call that was made.
pub struct Done {
    stage: Stage,
    pub status: i32,
    /// None where the call was given none.
    pub record: Option<ErrorRecord>,
    /// A buffer was NULL, misaligned, too short or on another.
    pub is_spoilt: bool,
}

/// What a call is given.
pub struct Arguments<'a> {
    stage: &'a Stage,
    pub scratch_size: usize,
    pub error: *mut ErrorRecord,
}

impl Arguments<'_> {
    pub fn at<T>(&self, place: Place) -> *mut T {
        self.stage.buffers[place.0].at.cast()
    }
}

impl Stage {
    fn put(&mut self, role: Role, align: usize, bytes: usize, content: Vec<u8>) -> Place {
        self.buffers.push(Buffer::new(role, align, bytes, content));
        Place(self.buffers.len() - 1)
    }

    pub fn input<T: Copy>(&mut self, items: &[T]) -> Place {
        self.put_items(Role::Input, items)
    }

    pub fn nullable<T: Copy>(&mut self, items: &[T]) -> Place {
        self.put_items(Role::Nullable, items)
    }

    fn put_items<T: Copy>(&mut self, role: Role, items: &[T]) -> Place {
        // SAFETY: the types of the ABI have no padding.
        let bytes = unsafe { std::slice::from_raw_parts(items.as_ptr().cast::<u8>(), size_of_val(items)) };
        self.put(role, align_of::<T>(), bytes.len(), bytes.to_vec())
    }

    pub fn output<T>(&mut self, count: usize) -> Place {
        self.put(Role::Output, align_of::<T>(), count * size_of::<T>(), Vec::new())
    }

    pub fn optional<T>(&mut self) -> Place {
        self.optional_items::<T>(1)
    }

    pub fn optional_items<T>(&mut self, count: usize) -> Place {
        self.put(Role::Optional, align_of::<T>(), count * size_of::<T>(), Vec::new())
    }

    /// Items that the call reads and writes.
    pub fn changing<T: Copy>(&mut self, items: &[T]) -> Place {
        self.put_items(Role::Output, items)
    }

    /// Items that the call reads and writes, if there are any.
    pub fn changing_or_null<T: Copy>(&mut self, items: Option<&[T]>) -> Place {
        let place = self.put_items(Role::Optional, items.unwrap_or(&[]));
        if items.is_none() {
            self.leave_out(place);
        }
        place
    }

    /// The call gets NULL for a buffer that may be.
    pub fn leave_out(&mut self, place: Place) {
        self.buffers[place.0].at = std::ptr::null_mut();
    }

    pub fn scratch(&mut self, need: usize, bytes: &mut Bytes) -> Place {
        let given = match bytes.below(16) {
            0 => bytes.below(need.max(1)),
            1 => need + bytes.below(100),
            2 => need.saturating_sub(1),
            _ => need,
        };
        self.scratch_size = given;
        let place = self.put(Role::Scratch, 8, given, Vec::new());
        self.buffers[place.0].align = 8;
        place
    }

    /// The call gets something odd beside its buffers, so that it is open what it refuses first.
    pub fn expect_nothing(&mut self) {
        self.is_odd = true;
    }

    /// Perhaps makes one buffer NULL, misaligned, or the same as another. Tells whether the call must be refused.
    fn spoil(&mut self, bytes: &mut Bytes) -> bool {
        if bytes.below(8) != 1 {
            return false;
        }
        let i = bytes.below(self.buffers.len());
        let j = bytes.below(self.buffers.len());
        let (buffer, kind) = (&self.buffers[i], bytes.below(3));
        match kind {
            0 => {
                self.buffers[i].at = std::ptr::null_mut();
                let buffer = &self.buffers[i];
                !matches!(buffer.role, Role::Optional | Role::Nullable) && buffer.bytes > 0
            }
            1 if buffer.align > 1 && buffer.bytes > 0 && !buffer.at.is_null() => {
                self.buffers[i].at = buffer.at.wrapping_add(1 + bytes.below(buffer.align - 1));
                true
            }
            // What is odd may be a short struct, which says nothing of the other buffer.
            2 if !self.is_odd && i != j && !buffer.is_input() && buffer.bytes.min(self.buffers[j].bytes) > 0 => {
                // The call uses of a scratch what it needs, which may be nothing.
                let is_used = |buffer: &Buffer| buffer.role != Role::Scratch && !buffer.at.is_null();
                if is_used(buffer) && is_used(&self.buffers[j]) {
                    self.buffers[i].at = self.buffers[j].at;
                    return true;
                }
                false
            }
            _ => false,
        }
    }

    /// Makes the call and looks at every byte. `need` is the scratch that its query asks for.
    pub fn play(
        mut self,
        need: usize,
        bytes: &mut Bytes,
        writes_on_error: impl Fn(Place, i32) -> bool,
        call: impl Fn(&Arguments) -> i32,
    ) -> Done {
        let has_scratch = self.buffers.iter().any(|buffer| buffer.role == Role::Scratch);
        let is_short = has_scratch && self.scratch_size < need;
        let is_spoilt = self.spoil(bytes) || is_short;
        let mut record = ErrorRecord { status: -1, reserved: -1, index: 1, other: 1, got: 1, limit: 1 };
        let has_record = !bytes.one_in(16);
        let error = if has_record { &raw mut record } else { std::ptr::null_mut() };
        let status = call(&Arguments { stage: &self, scratch_size: self.scratch_size, error });

        if has_record {
            assert_eq!((record.status, record.reserved), (status, 0), "the record has what was returned");
            sentence(&record);
        }
        if self.is_odd {
            // Whatever the call says, the bytes below are looked at.
        } else if is_spoilt {
            assert!((1..=5).contains(&status), "a bad buffer is refused, not {status}");
        } else {
            assert!(!(1..=4).contains(&status), "good buffers are not refused: {status}");
        }
        for (i, buffer) in self.buffers.iter().enumerate() {
            assert!(buffer.guards_hold(), "buffer {i}: a byte beside it was written");
            let may_be_written = match buffer.role {
                Role::Input | Role::Nullable => false,
                Role::Scratch => !(1..=5).contains(&status),
                Role::Output | Role::Optional => status == capi::AETHER_OK || writes_on_error(Place(i), status),
            };
            assert!(may_be_written || buffer.is_untouched(), "buffer {i} was written, status {status}");
        }
        Done { stage: self, status, record: has_record.then_some(record), is_spoilt }
    }
}

/// The message of any record is a text of at most 255 bytes, cut to the buffer.
pub fn sentence(record: &ErrorRecord) {
    let mut text = [GARBAGE; 300];
    // SAFETY: the buffer has as many bytes as it says.
    let length = unsafe { capi::aether_error_message(record, text.as_mut_ptr().cast::<c_char>(), 256) };
    assert!(length <= 255 && text[length] == 0 && text[length + 1..].iter().all(|&byte| byte == GARBAGE));
    assert!(text[..length].iter().all(|byte| (b' '..=b'~').contains(byte)));
}

impl Done {
    pub fn is_ok(&self) -> bool {
        self.status == capi::AETHER_OK
    }

    pub fn is_null(&self, place: Place) -> bool {
        self.stage.buffers[place.0].at.is_null()
    }

    /// The items of an output; none where it was NULL.
    pub fn read<T: Copy>(&self, place: Place) -> Vec<T> {
        let buffer = &self.stage.buffers[place.0];
        let count = if buffer.at.is_null() { 0 } else { buffer.bytes / size_of::<T>() };
        // SAFETY: aligned for every type of the ABI, and written by the call.
        unsafe { std::slice::from_raw_parts(buffer.payload().as_ptr().cast::<T>(), count) }.to_vec()
    }
}
