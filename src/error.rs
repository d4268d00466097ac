//! What went wrong, where, and by how much.
//!
//! One flat record serves Rust and C: a kind, the offending item, the item it clashes with, the number that was found
//! and the number that was allowed. Its sentence is a template a kind, expanded without `core::fmt`, which would bring
//! some ten kilobytes into the C artifact.

use core::fmt;

/// The value of [`Error::index`] and [`Error::other`] where there is no such item.
pub const NONE: usize = usize::MAX;

/// What kind of error; its number is the status that C sees, and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    /// A required pointer is NULL.
    Null = 1,
    /// A buffer's address is not a multiple of its alignment.
    Misaligned = 2,
    /// Two buffers overlap, and at least one of them is written.
    Overlap = 3,
    /// The scratch is smaller than the size query says.
    ScratchTooSmall = 4,
    /// A count is above what the library can index.
    TooMany = 5,
    /// A tensor's first use is after its last.
    Lifetime = 6,
    /// A tensor's end in the arena is beyond `usize::MAX`.
    ArenaOverflow = 7,
    /// The bytes alive at one node are beyond `usize::MAX`.
    PeakOverflow = 8,
    /// The least common multiple of the alignments is beyond `usize::MAX`.
    AlignmentOverflow = 9,
    /// An offset is not a multiple of its tensor's alignment.
    OffsetMisaligned = 10,
    /// Two tensors alive at one node share a byte.
    Clash = 11,
    /// An edge names a node that does not exist.
    EdgeNode = 12,
    /// An edge does not rise in the topological numbering.
    NotTopological = 13,
    /// An incidence names a node that does not exist.
    IncidenceNode = 14,
    /// Both ends of an incidence are static.
    StaticIncidence = 15,
    /// An array that has an entry for each tensor or node has another number of entries.
    Count = 16,
    /// A gap names a tensor that does not exist.
    GapTensor = 17,
    /// A gap is reversed, or lies outside the lifetime of its tensor.
    GapOutside = 18,
    /// A gap's window is reversed, or ends above its tensor.
    GapWindow = 19,
    /// Two gaps of one tensor share a node.
    GapOverlap = 20,
    /// A compatible pair names a tensor that does not exist, or one tensor twice.
    CompatiblePair = 21,
    /// An apart pair names a tensor that does not exist, or one tensor twice.
    ApartPair = 22,
    /// Two tensors are a compatible pair and an apart pair.
    PairContradiction = 23,
    /// A reserved range begins after its end.
    ReservedReversed = 24,
    /// A fixed offset is not a multiple of its tensor's alignment.
    FixedMisaligned = 25,
    /// A fixed tensor ends above the capacity.
    FixedCapacity = 26,
    /// Two fixed tensors share bytes that they must not share.
    FixedClash = 27,
    /// A fixed tensor, or one of a plan that is checked, holds a reserved byte.
    ReservedClash = 28,
    /// A plan that is checked moves a fixed tensor.
    NotFixed = 29,
    /// In a plan that is checked, two tensors of an apart pair share bytes.
    ApartClash = 30,
    /// A mask of planners has a bit that is no planner's.
    Planners = 31,
    /// The size that a struct tells of itself is none, or it has something set that is not known here.
    StructSize = 32,
    /// The edges have a cycle.
    Cycle = 33,
    /// An edge's flag is none of those that exist.
    EdgeFlag = 34,
    /// A node's parent is none that a merge left there.
    Parent = 35,
    /// A sleeping node appears where it is not taken as static.
    Asleep = 36,
    /// The offsets of constraints fall, or end above the number of members.
    Offsets = 37,
    /// A label names none of those that are counted.
    Label = 38,
    /// The stride between worlds is smaller than what a world has.
    Stride = 39,
    /// A mask of flags has a bit that is no flag's.
    Flags = 40,
    /// An operation's parent does not come before it.
    FlowParent = 41,
    /// The operations are not in pre-order.
    FlowOrder = 42,
    /// The operations of the plan block are not neighbours.
    FlowPlanBlock = 43,
    /// An item of a program names an operation that does not exist.
    FlowOp = 44,
    /// An item of a program names a value that does not exist.
    FlowValue = 45,
    /// An item of a program has an unknown flag.
    FlowFlags = 46,
    /// Two allocations make the same value.
    FlowAlloc = 47,
    /// An allocation's alignment cannot be combined with the least one.
    FlowAlignment = 48,
    /// Two deallocs free the same allocation on one path.
    FlowDoubleFree = 49,
    /// A mode is none of those that exist.
    FlowMode = 50,
    /// An arena's address is not a multiple of the alignment that the plan needs.
    ArenaMisaligned = 51,
    /// An arena has fewer bytes than its plan needs.
    ArenaShort = 52,
}

impl Kind {
    const ALL: [Kind; 52] = [
        Kind::Null,
        Kind::Misaligned,
        Kind::Overlap,
        Kind::ScratchTooSmall,
        Kind::TooMany,
        Kind::Lifetime,
        Kind::ArenaOverflow,
        Kind::PeakOverflow,
        Kind::AlignmentOverflow,
        Kind::OffsetMisaligned,
        Kind::Clash,
        Kind::EdgeNode,
        Kind::NotTopological,
        Kind::IncidenceNode,
        Kind::StaticIncidence,
        Kind::Count,
        Kind::GapTensor,
        Kind::GapOutside,
        Kind::GapWindow,
        Kind::GapOverlap,
        Kind::CompatiblePair,
        Kind::ApartPair,
        Kind::PairContradiction,
        Kind::ReservedReversed,
        Kind::FixedMisaligned,
        Kind::FixedCapacity,
        Kind::FixedClash,
        Kind::ReservedClash,
        Kind::NotFixed,
        Kind::ApartClash,
        Kind::Planners,
        Kind::StructSize,
        Kind::Cycle,
        Kind::EdgeFlag,
        Kind::Parent,
        Kind::Asleep,
        Kind::Offsets,
        Kind::Label,
        Kind::Stride,
        Kind::Flags,
        Kind::FlowParent,
        Kind::FlowOrder,
        Kind::FlowPlanBlock,
        Kind::FlowOp,
        Kind::FlowValue,
        Kind::FlowFlags,
        Kind::FlowAlloc,
        Kind::FlowAlignment,
        Kind::FlowDoubleFree,
        Kind::FlowMode,
        Kind::ArenaMisaligned,
        Kind::ArenaShort,
    ];

    pub(crate) fn from_status(status: i32) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| kind as i32 == status)
    }

    /// A few words without numbers, ended by a NUL for C.
    pub(crate) fn summary(self) -> &'static core::ffi::CStr {
        match self {
            Kind::Null => c"a required pointer is NULL",
            Kind::Misaligned => c"a buffer is misaligned",
            Kind::Overlap => c"two buffers overlap",
            Kind::ScratchTooSmall => c"the scratch is too small",
            Kind::TooMany => c"a count is too large",
            Kind::Lifetime => c"a tensor's first use is after its last",
            Kind::ArenaOverflow => c"a tensor's end in the arena does not fit size_t",
            Kind::PeakOverflow => c"the bytes alive at one node do not fit size_t",
            Kind::AlignmentOverflow => c"the common multiple of the alignments does not fit size_t",
            Kind::OffsetMisaligned => c"an offset is not a multiple of its tensor's alignment",
            Kind::Clash => c"two tensors alive at one node share a byte",
            Kind::EdgeNode => c"an edge names a node that does not exist",
            Kind::NotTopological => c"an edge does not rise in the topological numbering",
            Kind::IncidenceNode => c"an incidence names a node that does not exist",
            Kind::StaticIncidence => c"both ends of an incidence are static",
            Kind::Count => c"an array has not one entry a tensor or node",
            Kind::GapTensor => c"a gap names a tensor that does not exist",
            Kind::GapOutside => c"a gap is reversed or outside the lifetime of its tensor",
            Kind::GapWindow => c"a gap's window is reversed or ends above its tensor",
            Kind::GapOverlap => c"two gaps of one tensor share a node",
            Kind::CompatiblePair => c"a compatible pair does not name two different tensors",
            Kind::ApartPair => c"an apart pair does not name two different tensors",
            Kind::PairContradiction => c"two tensors are called both compatible and apart",
            Kind::ReservedReversed => c"a reserved range begins after its end",
            Kind::FixedMisaligned => c"a fixed offset is not a multiple of its tensor's alignment",
            Kind::FixedCapacity => c"a fixed tensor ends above the capacity",
            Kind::FixedClash => c"two fixed tensors share bytes that they must not share",
            Kind::ReservedClash => c"a tensor holds a reserved byte",
            Kind::NotFixed => c"the plan moves a fixed tensor",
            Kind::ApartClash => c"two tensors that are to be kept apart share a byte",
            Kind::Planners => c"a mask has an unknown planner",
            Kind::StructSize => c"a struct's size is none, or something unknown is set in it",
            Kind::Cycle => c"the edges have a cycle",
            Kind::EdgeFlag => c"an edge's flag is none of those that exist",
            Kind::Parent => c"a node's parent is none that a merge left there",
            Kind::Asleep => c"a sleeping node appears in an incidence",
            Kind::Offsets => c"the offsets of constraints fall or pass the end",
            Kind::Label => c"an item has a label that does not exist",
            Kind::Stride => c"a stride is smaller than what a world has",
            Kind::Flags => c"a mask has an unknown flag",
            Kind::FlowParent => c"an operation's parent does not come before it",
            Kind::FlowOrder => c"the operations are not in pre-order",
            Kind::FlowPlanBlock => c"the operations of the plan block are not neighbours",
            Kind::FlowOp => c"an item of a program names an operation that does not exist",
            Kind::FlowValue => c"an item of a program names a value that does not exist",
            Kind::FlowFlags => c"an item of a program has an unknown flag",
            Kind::FlowAlloc => c"two allocations make the same value",
            Kind::FlowAlignment => c"an alignment and the least one have no common multiple that fits size_t",
            Kind::FlowDoubleFree => c"two deallocs free the same allocation on one path",
            Kind::FlowMode => c"a mode is none of those that exist",
            Kind::ArenaMisaligned => c"an arena's address is not a multiple of what its plan needs",
            Kind::ArenaShort => c"an arena has fewer bytes than its plan needs",
        }
    }
}

/// Why a call was refused. What the numbers mean for each kind is told by its sentence, which [`Display`] prints.
///
/// [`Display`]: fmt::Display
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What went wrong.
    pub kind: Kind,
    /// The first offending item, counted from 0: a tensor, a gap, a pair, a reserved range, an edge, an incidence, or
    /// an argument of the C call.
    pub index: usize,
    /// The item it clashes with, or [`NONE`].
    pub other: usize,
    /// The number that was found.
    pub got: usize,
    /// The number that was allowed or needed.
    pub limit: usize,
}

impl Error {
    pub(crate) const fn new(kind: Kind, index: usize, got: usize, limit: usize) -> Error {
        Error { kind, index, other: NONE, got, limit }
    }

    pub(crate) const fn against(self, other: usize) -> Error {
        Error { other, ..self }
    }

    fn template(&self) -> &'static str {
        match self.kind {
            Kind::Null if self.other == NONE => {
                "argument {index} (the first is 0) is NULL, but its count or size is not 0"
            }
            Kind::Null => "member {other} (the first is 0) of the struct is NULL, but its count is not 0",
            Kind::Misaligned if self.other == NONE => {
                "argument {index} (the first is 0) is misaligned: its address is {got} modulo {limit}"
            }
            Kind::Misaligned => {
                "member {other} (the first is 0) of the struct is misaligned: its address is {got} modulo {limit}"
            }
            Kind::Overlap => "arguments {index} and {other} (the first is 0) overlap, and one of them is written",
            Kind::ScratchTooSmall => "the scratch has {got} bytes, and {limit} are needed",
            Kind::TooMany if self.index == NONE => "the count {got} is above the limit {limit}",
            Kind::TooMany if self.other == NONE => {
                "argument {index} (the first is 0): the count {got} is above the limit {limit}"
            }
            Kind::TooMany => {
                "member {other} (the first is 0) of the struct: the count {got} is above the limit {limit}"
            }
            Kind::Lifetime => "tensor {index}: its first use {got} is after its last use {limit}",
            Kind::ArenaOverflow if self.other == NONE => {
                "tensor {index}: its end does not fit size_t: it has {got} bytes, and {limit} are left above its offset"
            }
            Kind::ArenaOverflow => {
                "tensor {index}: its end does not fit size_t: it has {got} bytes, \
                 and {limit} are left above its offset, which is on tensor {other}"
            }
            Kind::PeakOverflow => {
                "tensor {index}: the bytes alive with it do not fit size_t: it has {got}, and {limit} are left"
            }
            Kind::AlignmentOverflow => {
                "tensor {index}: the least common multiple of its alignment {got} and {limit}, \
                 that of the tensors before it, does not fit size_t"
            }
            Kind::OffsetMisaligned => "tensor {index}: its offset {got} is not a multiple of its alignment {limit}",
            Kind::Clash => "tensors {index} and {other} share byte {got}, and both are alive at node {limit}",
            Kind::EdgeNode => "edge {index}: there is no node {got}, the node count is {limit}",
            Kind::NotTopological => "edge {index}: from {got} to {limit} does not rise in the topological numbering",
            Kind::IncidenceNode if self.index == NONE => "there is no node {signed}, the node count is {limit}",
            Kind::IncidenceNode if self.other == NONE => {
                "incidence {index}: there is no node {signed}, the node count is {limit}"
            }
            Kind::IncidenceNode => {
                "incidence {index} of world {other}: there is no node {signed}, the node count is {limit}"
            }
            Kind::StaticIncidence if self.other == NONE => "incidence {index}: both of its ends are static",
            Kind::StaticIncidence => "incidence {index} of world {other}: both of its ends are static",
            Kind::Count => "an array has {got} entries, and {limit} are needed",
            Kind::GapTensor => "gap {index}: there is no tensor {got}, the tensor count is {limit}",
            Kind::GapOutside if self.other == NONE => {
                "gap {index}: its first node {got} is after its last node {limit}"
            }
            Kind::GapOutside if self.got < self.limit => {
                "gap {index}: its first node {got} is before the first use of tensor {other}, {limit}"
            }
            Kind::GapOutside => "gap {index}: its last node {got} is after the last use of tensor {other}, {limit}",
            Kind::GapWindow if self.other == NONE => {
                "gap {index}: its window begins at byte {got}, after its end {limit}"
            }
            Kind::GapWindow => "gap {index}: its window ends at byte {got}, above the size of tensor {other}, {limit}",
            Kind::GapOverlap => {
                "gap {index}: its first node is {got}, and gap {other} of the same tensor lasts to node {limit}"
            }
            Kind::CompatiblePair if self.got < self.limit => "compatible pair {index}: both of it are tensor {got}",
            Kind::CompatiblePair => "compatible pair {index}: there is no tensor {got}, the tensor count is {limit}",
            Kind::ApartPair if self.got < self.limit => "apart pair {index}: both of it are tensor {got}",
            Kind::ApartPair => "apart pair {index}: there is no tensor {got}, the tensor count is {limit}",
            Kind::PairContradiction => {
                "tensors {got} and {limit} are compatible pair {index}, and apart pair {other} as well"
            }
            Kind::ReservedReversed => "reserved range {index}: its begin {got} is after its end {limit}",
            Kind::FixedMisaligned => {
                "tensor {index}: its fixed offset {got} is not a multiple of its alignment {limit}"
            }
            Kind::FixedCapacity => {
                "tensor {index}: it ends at byte {got} by its fixed offset, above the capacity {limit}"
            }
            Kind::FixedClash => "tensors {index} and {other} overlap in bytes {got}..{limit} by their fixed offsets",
            Kind::ReservedClash => "tensor {index} overlaps reserved range {other} in bytes {got}..{limit}",
            Kind::NotFixed => "tensor {index}: its offset is {got}, and its fixed offset is {limit}",
            Kind::ApartClash => "tensors {index} and {other} overlap in bytes {got}..{limit}, and are to be kept apart",
            Kind::Planners => "the mask of planners is {got}, and all planners together are {limit}",
            Kind::StructSize => {
                "struct_size is {got}: it must be that of the caller's header, here {limit}, and what is not known here 0"
            }
            Kind::Cycle => "the edges have a cycle of {got} nodes, whose smallest is node {index}",
            Kind::EdgeFlag => "edge {index}: there is no flag {got}, the largest is {limit}",
            Kind::Parent => "node {index}: its parent {signed} is none that a merge left there",
            Kind::Asleep if self.other == NONE => "incidence {index}: its node {got} is asleep",
            Kind::Asleep => "incidence {index} of world {other}: its node {got} is asleep",
            Kind::Offsets if self.other == NONE => {
                "constraint {index}: its members end at {got}, and there are {limit} members"
            }
            Kind::Offsets => "constraint {index}: its offset {got} is above offset {other}, {limit}",
            Kind::Label => "item {index}: there is no label {signed}, the label count is {limit}",
            Kind::Stride if self.index == NONE => "the stride is {got}, and each world has {limit} nodes",
            Kind::Stride => "world {index} has {got} incidences, and the stride is {limit}",
            Kind::Flags => "the mask of flags is {got}, and all flags together are {limit}",
            Kind::FlowParent => "operation {index}: its parent {got} does not come before it",
            Kind::FlowOrder if self.other == NONE => {
                "operation {index}: its parent {got} is closed, an operation outside of it came since"
            }
            Kind::FlowOrder => {
                "operation {index}: its region {got} comes after region {limit}, \
                 that of operation {other}, in one parent"
            }
            Kind::FlowPlanBlock => {
                "operation {index} is in the plan block {got}, as operation {other} is, but not in a row with it"
            }
            Kind::FlowOp => {
                "member {other} (the first is 0) of the program: item {index}: \
                 there is no operation {got}, the count is {limit}"
            }
            Kind::FlowValue => {
                "member {other} (the first is 0) of the program: item {index}: \
                 there is no value {got}, the count is {limit}"
            }
            Kind::FlowFlags => {
                "member {other} (the first is 0) of the program: item {index}: \
                 the flags are {got}, and all known ones are {limit}"
            }
            Kind::FlowAlloc => "allocations {index} and {other} both make value {got}",
            Kind::FlowAlignment => {
                "allocation {index}: the least common multiple of its alignment {got} and the least one, {limit}, \
                 does not fit size_t"
            }
            Kind::FlowDoubleFree => "deallocs {index} and {other} free allocation {got} on one path",
            Kind::FlowMode => "there is no mode {signed}, the largest is {limit}",
            Kind::ArenaMisaligned => "the arena's address is {got} modulo {limit}, the alignment that its plan needs",
            Kind::ArenaShort => "the arena has {got} bytes, and its plan needs {limit}",
        }
    }

    /// Hands the sentence to `write` piece by piece, each piece plain ASCII.
    pub(crate) fn sentence<E>(&self, mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut is_field = false;
        for piece in self.template().as_bytes().split(|byte| matches!(byte, b'{' | b'}')) {
            if is_field {
                let value = match piece {
                    b"index" => self.index,
                    b"other" => self.other,
                    b"limit" => self.limit,
                    _ => self.got,
                };
                let negative = piece == b"signed" && value > isize::MAX as usize;
                if negative {
                    write(b"-")?;
                }
                decimal(if negative { value.wrapping_neg() } else { value }, &mut write)?;
            } else {
                write(piece)?;
            }
            is_field = !is_field;
        }
        Ok(())
    }
}

fn decimal<E>(mut value: usize, mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut digits = [0; 20];
    let mut start = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
        start -= 1;
        if value == 0 {
            break;
        }
    }
    write(digits.get(start..).unwrap_or_default())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence(|piece| f.write_str(core::str::from_utf8(piece).unwrap_or_default()))
    }
}

impl core::error::Error for Error {}
