//! Writes the arrays of a program as one writes the program: operations one after the other, regions as closures.
#![allow(dead_code)] // Each test uses a part.

use aether::flow::{
    Alias, Alloc, Dealloc, Flow, Mode, NO_OP, OP_EXCLUSIVE, OP_LOOP, OP_OPAQUE, OP_PARALLEL, Op, Program, USE_ESCAPES,
    Use, flow_scratch_size,
};
use rand::Rng;
use rand::rngs::StdRng;

/// A value.
pub type Value = u32;

pub struct Code {
    pub ops: Vec<Op>,
    pub value_ops: Vec<u32>,
    pub allocs: Vec<Alloc>,
    pub deallocs: Vec<Dealloc>,
    pub uses: Vec<Use>,
    pub aliases: Vec<Alias>,
    pub foreign: Vec<u32>,
    pub space: u32,
    pub min_alignment: usize,
    /// Where the next operation goes.
    parent: u32,
    region: u32,
    block: u32,
    blocks: u32,
}

impl Code {
    pub fn new() -> Code {
        Code {
            ops: vec![],
            value_ops: vec![],
            allocs: vec![],
            deallocs: vec![],
            uses: vec![],
            aliases: vec![],
            foreign: vec![],
            space: 0,
            min_alignment: 0,
            parent: NO_OP,
            region: 0,
            block: 0,
            blocks: 1,
        }
    }

    pub fn program(&self) -> Program<'_> {
        Program {
            ops: &self.ops,
            value_ops: &self.value_ops,
            allocs: &self.allocs,
            deallocs: &self.deallocs,
            uses: &self.uses,
            aliases: &self.aliases,
            foreign: &self.foreign,
            plan_block: 0,
            space: self.space,
            min_alignment: self.min_alignment,
        }
    }

    pub fn flow<'a>(&'a self, mode: Mode, words: &'a mut Vec<u64>) -> Flow<'a> {
        self.try_flow(mode, words).expect("a valid program")
    }

    pub fn try_flow<'a>(&'a self, mode: Mode, words: &'a mut Vec<u64>) -> Result<Flow<'a>, aether::Error> {
        let program = self.program();
        let need = flow_scratch_size(program.counts());
        words.clear();
        words.reserve(need / 8);
        Flow::new(&program, mode, &mut words.spare_capacity_mut()[..need / 8])
    }

    pub fn op_with(&mut self, flags: u32) -> u32 {
        self.ops.push(Op { parent: self.parent, region: self.region, block: self.block, flags });
        self.ops.len() as u32 - 1
    }

    pub fn op(&mut self) -> u32 {
        self.op_with(0)
    }

    pub fn value_of(&mut self, op: u32) -> Value {
        self.value_ops.push(op);
        self.value_ops.len() as u32 - 1
    }

    /// A buffer that comes from outside.
    pub fn argument(&mut self) -> Value {
        self.value_of(NO_OP)
    }

    pub fn alloc(&mut self, size: usize) -> Value {
        self.alloc_aligned(size, 0)
    }

    pub fn alloc_aligned(&mut self, size: usize, alignment: usize) -> Value {
        let op = self.op();
        let value = self.value_of(op);
        self.allocs.push(Alloc { size, alignment, op, value, space: 0, flags: 0 });
        value
    }

    pub fn free(&mut self, value: Value) -> u32 {
        let op = self.op();
        self.deallocs.push(Dealloc { op, value });
        op
    }

    pub fn read(&mut self, value: Value) -> u32 {
        let op = self.op();
        self.used(op, value);
        op
    }

    pub fn escape(&mut self, value: Value) -> u32 {
        let op = self.op();
        self.uses.push(Use { op, value, flags: USE_ESCAPES });
        op
    }

    pub fn used(&mut self, op: u32, value: Value) {
        self.uses.push(Use { op, value, flags: 0 });
    }

    pub fn alias(&mut self, from: Value, to: Value) {
        self.guarded_alias(from, to, NO_OP, 0);
    }

    pub fn guarded_alias(&mut self, from: Value, to: Value, guard_op: u32, guard_region: u32) {
        self.aliases.push(Alias { from, to, guard_op, guard_region });
    }

    /// An operation whose result is one of its operands.
    pub fn select(&mut self, values: &[Value]) -> Value {
        let op = self.op();
        let result = self.value_of(op);
        for &value in values {
            self.used(op, value);
            self.alias(value, result);
        }
        result
    }

    /// What `body` writes is in a region of `op`.
    pub fn region<T>(&mut self, op: u32, region: u32, body: impl FnOnce(&mut Code) -> T) -> T {
        let around = self.enter(op, region);
        let result = body(self);
        self.leave(around);
        result
    }

    /// The operations from here on are in a region of `op`, until `leave` gets what this returns.
    pub fn enter(&mut self, op: u32, region: u32) -> [u32; 3] {
        let around = [self.parent, self.region, self.block];
        [self.parent, self.region, self.block] = [op, region, self.blocks];
        self.blocks += 1;
        around
    }

    pub fn leave(&mut self, around: [u32; 3]) {
        [self.parent, self.region, self.block] = around;
    }

    /// The operations from here on are in another block of the same region.
    pub fn next_block(&mut self) {
        self.block = self.blocks;
        self.blocks += 1;
    }

    /// A terminator that passes values on.
    pub fn yields(&mut self, from: &[Value], to: &[Value], guard: Option<(u32, u32)>) {
        let op = self.op();
        for (&from, &to) in from.iter().zip(to) {
            let (guard_op, region) = guard.unwrap_or((NO_OP, 0));
            self.guarded_alias(from, to, guard_op, region);
        }
        from.iter().for_each(|&value| self.used(op, value));
    }

    /// An `if` with as many results as each branch yields.
    pub fn branch<const N: usize>(
        &mut self,
        then: impl FnOnce(&mut Code) -> [Value; N],
        otherwise: impl FnOnce(&mut Code) -> [Value; N],
    ) -> [Value; N] {
        let op = self.op_with(OP_EXCLUSIVE);
        let results = [(); N].map(|()| self.value_of(op));
        self.region(op, 0, |code| {
            let values = then(code);
            code.yields(&values, &results, Some((op, 0)));
        });
        self.region(op, 1, |code| {
            let values = otherwise(code);
            code.yields(&values, &results, Some((op, 1)));
        });
        results
    }

    /// An `if` without results and without an else.
    pub fn when(&mut self, then: impl FnOnce(&mut Code)) -> u32 {
        let op = self.op_with(OP_EXCLUSIVE);
        self.region(op, 0, |code| {
            then(code);
            code.op();
        });
        op
    }

    /// A loop that carries values: `body` gets those of this iteration and gives those of the next.
    pub fn repeat<const N: usize>(
        &mut self,
        flags: u32,
        inits: [Value; N],
        body: impl FnOnce(&mut Code, [Value; N]) -> [Value; N],
    ) -> [Value; N] {
        let op = self.op_with(flags);
        let arguments = [(); N].map(|()| self.value_of(op));
        let results = [(); N].map(|()| self.value_of(op));
        for k in 0..N {
            self.used(op, inits[k]);
            self.alias(inits[k], arguments[k]);
            self.alias(inits[k], results[k]);
        }
        self.region(op, 0, |code| {
            let values = body(code, arguments);
            code.yields(&values, &arguments, None);
            for k in 0..N {
                code.alias(values[k], results[k]);
            }
        });
        results
    }

    pub fn each(&mut self, body: impl FnOnce(&mut Code)) {
        self.repeat(OP_LOOP, [], |code, []| {
            body(code);
            []
        });
    }
}

/// Mostly a valid program, of operations anywhere and values that flow anywhere.
pub fn anything(random: &mut StdRng, wild: bool) -> Code {
    let mut code = Code::new();
    let mut open: Vec<(u32, u32, u32)> = vec![];
    for i in 0..random.random_range(1..12u32) {
        // Into the operation before, or after any of those around it.
        open.truncate(random.random_range(0..=open.len()));
        let parent = open.last().map_or(NO_OP, |around| around.0);
        let (region, block) = match open.last_mut() {
            Some((_, region, block)) => {
                *region += u32::from(random.random_bool(0.3));
                *block = *region + random.random_range(0..3) / 2;
                (*region, 1 + 100 * parent + *block)
            }
            None => (0, 0),
        };
        let flags = [0, 0, OP_EXCLUSIVE, OP_EXCLUSIVE, OP_LOOP, OP_PARALLEL, OP_OPAQUE][random.random_range(0..7)];
        code.ops.push(Op { parent, region, block, flags });
        open.push((i, 0, 0));
    }
    let (ops, values) = (code.ops.len() as u32, random.random_range(1..8u32));
    code.value_ops =
        (0..values).map(|_| if random.random_bool(0.2) { NO_OP } else { random.random_range(0..ops) }).collect();
    for value in 0..values {
        if random.random_bool(0.5) {
            let (op, size) = (random.random_range(0..ops), random.random_range(0..3));
            code.value_ops[value as usize] = op;
            code.allocs.push(Alloc { size, alignment: 0, op, value, space: 0, flags: 0 });
        }
    }
    let extra = u32::from(wild);
    for _ in 0..random.random_range(0..8) {
        let (op, value) = (random.random_range(0..ops + extra), random.random_range(0..values + extra));
        match random.random_range(0..4) {
            0 => code.deallocs.push(Dealloc { op, value }),
            1 => code.uses.push(Use { op, value, flags: u32::from(random.random_bool(0.1)) }),
            _ => {
                let (guard_op, guard_region) = (random.random_range(0..ops + extra), random.random_range(0..3));
                code.aliases.push(Alias { from: random.random_range(0..values), to: value, guard_op, guard_region });
            }
        }
    }
    if random.random_bool(0.2) {
        code.foreign.push(random.random_range(0..values));
    }
    if wild {
        let op = random.random_range(0..code.ops.len());
        code.ops[op].parent = random.random_range(0..ops + 1);
    }
    code
}
