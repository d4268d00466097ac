//! Buffer flow against all paths of random programs.
//!
//! The oracle knows nothing of lifetimes, guards or components: it runs a program with every choice that its
//! conditions, selects and loops leave, and notes for each buffer that a run makes when it is made, accessed and
//! freed. Two buffers that may share bytes must never be needed at the same time, and a dealloc must go exactly where
//! what it frees is a part of the arena.
//!
//! A random program may use a buffer after it was freed, or free it twice, on some path; what does is taken out.

#[path = "common/code.rs"]
mod code;

use aether::arena::Pair;
use aether::flow::{Decision, Mode, OP_EXCLUSIVE, OP_LOOP, OP_OPAQUE, OP_PARALLEL};
use code::{Code, Value};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;

type Name = usize;

#[derive(Clone, Debug)]
enum Kind {
    Alloc(Name),
    Free(Name),
    Read(Name),
    /// Keeps it where it can be read by `Peek`.
    Store(Name),
    Peek,
    Select(Name, [Name; 2]),
    If(Condition, Vec<Name>, [Body; 2]),
    Repeat(u32, Vec<Carried>, Body),
}

#[derive(Clone, Debug)]
struct Statement {
    id: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
struct Body {
    statements: Vec<Statement>,
    yields: Vec<Name>,
}

#[derive(Clone, Copy, Debug)]
struct Carried {
    init: Name,
    argument: Name,
    result: Name,
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    /// Decided anew each time.
    Free,
    /// Decided once a run; the branches the other way round.
    Fixed(usize, bool),
}

// ---- Random programs ----

struct Maker {
    random: StdRng,
    names: usize,
    statements: usize,
    /// Whether there are loops, conditions that are decided once, and ways to reach a buffer unseen.
    rich: bool,
    budget: usize,
}

impl Maker {
    fn name(&mut self) -> Name {
        self.names += 1;
        self.names - 1
    }

    fn any(&mut self, scope: &[Name]) -> Name {
        // Mostly what was made last.
        let back = self.random.random_range(0..scope.len()).min(self.random.random_range(0..scope.len()));
        scope[scope.len() - 1 - back]
    }

    fn body(&mut self, depth: usize, scope: &[Name], yields: usize) -> Body {
        let mut scope = scope.to_vec();
        let mut statements = Vec::new();
        for _ in 0..self.random.random_range(1..=if depth == 0 { 9 } else { 4 }) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let kind = self.statement(depth, &mut scope);
            self.statements += 1;
            statements.push(Statement { id: self.statements, kind });
        }
        Body { statements, yields: (0..yields).map(|_| self.any(&scope)).collect() }
    }

    fn statement(&mut self, depth: usize, scope: &mut Vec<Name>) -> Kind {
        let some = self.any(scope);
        match self.random.random_range(0..if depth < 3 { 20 } else { 14 }) {
            0..4 => {
                let made = self.name();
                scope.push(made);
                Kind::Alloc(made)
            }
            4..7 => Kind::Free(some),
            7..11 => Kind::Read(some),
            11 if self.rich && self.random.random_bool(0.2) => Kind::Store(some),
            11 if self.rich => Kind::Peek,
            11..14 => {
                let (other, made) = (self.any(scope), self.name());
                scope.push(made);
                Kind::Select(made, [some, other])
            }
            14..17 => self.branch(depth, scope),
            _ if !self.rich => self.branch(depth, scope),
            _ => {
                let flags = [OP_LOOP, OP_LOOP, OP_LOOP, OP_PARALLEL, OP_OPAQUE][self.random.random_range(0..5)];
                let count = self.random.random_range(0..3usize).saturating_sub(1);
                let carried: Vec<Carried> = (0..count)
                    .map(|_| Carried { init: self.any(scope), argument: self.name(), result: self.name() })
                    .collect();
                let inside: Vec<Name> =
                    scope.iter().copied().chain(carried.iter().map(|carried| carried.argument)).collect();
                let body = self.body(depth + 1, &inside, count);
                scope.extend(carried.iter().map(|carried| carried.result));
                Kind::Repeat(flags, carried, body)
            }
        }
    }

    fn branch(&mut self, depth: usize, scope: &mut Vec<Name>) -> Kind {
        let count = self.random.random_range(0..3usize).saturating_sub(1);
        let bodies = [(); 2].map(|()| self.body(depth + 1, scope, count));
        let results: Vec<Name> = (0..count).map(|_| self.name()).collect();
        scope.extend(&results);
        let condition = match self.rich && self.random.random_bool(0.5) {
            false => Condition::Free,
            true => Condition::Fixed(self.random.random_range(0..2), self.random.random_bool(0.5)),
        };
        Kind::If(condition, results, bodies)
    }
}

/// A program over one foreign buffer, name 0; all allocations of the outermost body are freed at its end, some twice.
fn program(seed: u64, rich: bool) -> Body {
    let mut maker = Maker { random: StdRng::seed_from_u64(seed), names: 1, statements: 0, rich, budget: 26 };
    let first = maker.name();
    let scope = if maker.random.random_bool(0.2) { &[0, first][..] } else { &[first] };
    let mut body = maker.body(0, scope, 0);
    let mut made = vec![first];
    names_made(&body, &mut made);
    body.statements.insert(0, Statement { id: 0, kind: Kind::Alloc(first) });
    for name in made {
        if maker.random.random_bool(0.8) {
            maker.statements += 1;
            body.statements.push(Statement { id: maker.statements, kind: Kind::Free(name) });
        }
    }
    body
}

/// What the statements of a body itself make.
fn names_made(body: &Body, made: &mut Vec<Name>) {
    for statement in &body.statements {
        match &statement.kind {
            Kind::Alloc(name) | Kind::Select(name, _) => made.push(*name),
            Kind::If(_, results, _) => made.extend(results),
            Kind::Repeat(_, carried, _) => made.extend(carried.iter().map(|carried| carried.result)),
            _ => {}
        }
    }
}

// ---- The arrays of a program ----

struct Writer {
    code: Code,
    values: Vec<Option<Value>>,
    /// The allocation that a name is, and the dealloc that a statement is.
    allocs: Vec<(Name, usize)>,
    deallocs: Vec<(usize, usize)>,
}

fn write(body: &Body, out: &BTreeSet<usize>) -> Writer {
    let mut code = Code::new();
    let argument = code.argument();
    let mut writer = Writer { code, values: vec![Some(argument)], allocs: vec![], deallocs: vec![] };
    writer.body(body, out);
    writer
}

impl Writer {
    fn value(&self, name: Name) -> Value {
        self.values[name].expect("a name of the scope")
    }

    fn set(&mut self, name: Name, value: Value) {
        self.values.resize(self.values.len().max(name + 1), None);
        self.values[name] = Some(value);
    }

    fn made(&mut self, name: Name, op: u32) -> Value {
        let value = self.code.value_of(op);
        self.set(name, value);
        value
    }

    fn body(&mut self, body: &Body, out: &BTreeSet<usize>) {
        for statement in body.statements.iter().filter(|statement| !out.contains(&statement.id)) {
            self.statement(statement, out);
        }
    }

    /// A body whose last operation passes its values on, to `to`.
    fn region(&mut self, op: u32, region: u32, body: &Body, out: &BTreeSet<usize>, to: &[&[Value]], guarded: bool) {
        let around = self.code.enter(op, region);
        self.body(body, out);
        let values: Vec<Value> = body.yields.iter().map(|&name| self.value(name)).collect();
        let guard = guarded.then_some((op, region));
        let (first, rest) = to.split_first().expect("where they go");
        self.code.yields(&values, first, guard);
        for to in rest {
            values.iter().zip(*to).for_each(|(&from, &to)| self.code.alias(from, to));
        }
        self.code.leave(around);
    }

    fn statement(&mut self, statement: &Statement, out: &BTreeSet<usize>) {
        match &statement.kind {
            Kind::Alloc(name) => {
                self.allocs.push((*name, self.code.allocs.len()));
                let value = self.code.alloc(1);
                self.set(*name, value);
            }
            Kind::Free(name) => {
                self.deallocs.push((statement.id, self.code.deallocs.len()));
                self.code.free(self.value(*name));
            }
            Kind::Read(name) => {
                self.code.read(self.value(*name));
            }
            Kind::Store(name) => {
                self.code.escape(self.value(*name));
            }
            Kind::Peek => {
                self.code.op();
            }
            Kind::Select(name, from) => {
                let from = from.map(|name| self.value(name));
                let value = self.code.select(&from);
                self.set(*name, value);
            }
            Kind::If(_, results, bodies) => {
                let op = self.code.op_with(OP_EXCLUSIVE);
                let results: Vec<Value> = results.iter().map(|&name| self.made(name, op)).collect();
                for (region, body) in (0..).zip(bodies) {
                    self.region(op, region, body, out, &[&results], true);
                }
            }
            Kind::Repeat(flags, carried, body) => {
                let op = self.code.op_with(*flags);
                let inits: Vec<Value> = carried.iter().map(|carried| self.value(carried.init)).collect();
                let arguments: Vec<Value> = carried.iter().map(|carried| self.made(carried.argument, op)).collect();
                let results: Vec<Value> = carried.iter().map(|carried| self.made(carried.result, op)).collect();
                for (k, &init) in inits.iter().enumerate() {
                    self.code.used(op, init);
                    self.code.alias(init, arguments[k]);
                    self.code.alias(init, results[k]);
                }
                self.region(op, 0, body, out, &[&arguments, &results], false);
            }
        }
    }
}

// ---- All runs of a program ----

/// What a run makes: a buffer, and the steps at which things happened to it.
#[derive(Clone, Debug)]
struct Buffer {
    /// None: the one from outside.
    name: Option<Name>,
    made: usize,
    accesses: Option<(usize, usize)>,
    /// The last step of which it was an operand, other than to be freed.
    mentioned: usize,
    freed: Option<usize>,
}

impl Buffer {
    /// From when to when its bytes are its own.
    fn needed(&self, mode: Mode) -> Option<(usize, usize)> {
        match mode {
            Mode::Tight => self.accesses,
            _ => {
                let last = self.accesses.map_or(self.made, |(_, last)| last);
                Some((self.made, self.freed.map_or(last, |freed| last.max(freed - 1))))
            }
        }
    }

    /// From when to when the analysis, to which every operand is a use, cannot do without it on this path.
    fn followed(&self, mode: Mode) -> (usize, usize) {
        let freed = self.freed.filter(|_| mode == Mode::Sound).map_or(0, |freed| freed - 1);
        (self.made, self.mentioned.max(freed))
    }
}

struct Run<'a> {
    out: &'a BTreeSet<usize>,
    /// The choices of this run, each with how many there were.
    choices: &'a mut Vec<(usize, usize)>,
    next_choice: usize,
    values: Vec<Option<usize>>,
    fixed: [Option<bool>; 2],
    stored: Option<usize>,
    buffers: Vec<Buffer>,
    step: usize,
    /// Which statement freed which buffer.
    frees: Vec<(usize, usize)>,
}

/// The statement that touched a buffer after it was freed.
struct Misuse(usize);

impl Run<'_> {
    fn choose(&mut self, count: usize) -> usize {
        if self.next_choice == self.choices.len() {
            self.choices.push((0, count));
        }
        self.next_choice += 1;
        self.choices[self.next_choice - 1].0
    }

    fn set(&mut self, name: Name, buffer: usize) {
        self.values.resize(self.values.len().max(name + 1), None);
        self.values[name] = Some(buffer);
    }

    fn get(&self, name: Name) -> usize {
        self.values[name].expect("a name of the scope")
    }

    fn access(&mut self, buffer: usize, statement: usize) -> Result<(), Misuse> {
        let step = self.step;
        let buffer = &mut self.buffers[buffer];
        if buffer.freed.is_some() {
            return Err(Misuse(statement));
        }
        buffer.mentioned = step;
        buffer.accesses = Some((buffer.accesses.map_or(step, |(first, _)| first), step));
        Ok(())
    }

    fn mention(&mut self, name: Name) -> usize {
        let buffer = self.get(name);
        self.buffers[buffer].mentioned = self.step;
        buffer
    }

    fn body(&mut self, body: &Body) -> Result<Vec<usize>, Misuse> {
        for statement in &body.statements {
            if self.out.contains(&statement.id) {
                continue;
            }
            self.step += 1;
            match &statement.kind {
                Kind::Alloc(name) => {
                    let made = self.step;
                    let made = Buffer { name: Some(*name), made, accesses: None, mentioned: made, freed: None };
                    self.buffers.push(made);
                    self.set(*name, self.buffers.len() - 1);
                }
                Kind::Free(name) => {
                    let buffer = self.get(*name);
                    if self.buffers[buffer].freed.replace(self.step).is_some() {
                        return Err(Misuse(statement.id));
                    }
                    self.frees.push((statement.id, buffer));
                }
                Kind::Read(name) => self.access(self.get(*name), statement.id)?,
                Kind::Store(name) => self.stored = Some(self.mention(*name)),
                Kind::Peek => {
                    if let Some(buffer) = self.stored {
                        self.access(buffer, statement.id)?;
                    }
                }
                Kind::Select(name, from) => {
                    from.iter().for_each(|&name| _ = self.mention(name));
                    let chosen = self.choose(2);
                    self.set(*name, self.get(from[chosen]));
                }
                Kind::If(condition, results, bodies) => {
                    let chosen = match *condition {
                        Condition::Free => self.choose(2),
                        Condition::Fixed(which, turned) => {
                            let value = match self.fixed[which] {
                                Some(value) => value,
                                None => self.choose(2) == 1,
                            };
                            self.fixed[which] = Some(value);
                            usize::from(value != turned)
                        }
                    };
                    let values = self.body(&bodies[chosen])?;
                    results.iter().zip(values).for_each(|(&name, buffer)| self.set(name, buffer));
                }
                Kind::Repeat(_, carried, body) => {
                    let mut values: Vec<usize> = carried.iter().map(|carried| self.mention(carried.init)).collect();
                    for _ in 0..self.choose(3) {
                        carried.iter().zip(&values).for_each(|(carried, &buffer)| self.set(carried.argument, buffer));
                        values = self.body(body)?;
                    }
                    carried.iter().zip(values).for_each(|(carried, buffer)| self.set(carried.result, buffer));
                }
            }
        }
        self.step += 1;
        Ok(body.yields.iter().map(|&name| self.mention(name)).collect())
    }
}

/// Hands every run to `look`, at most so many; whether those were all, or what misused a buffer.
fn all_runs(body: &Body, out: &BTreeSet<usize>, most: usize, mut look: impl FnMut(&Run)) -> Result<bool, Misuse> {
    let mut choices = Vec::new();
    for _ in 0..most {
        let foreign = Buffer { name: None, made: 0, accesses: None, mentioned: 0, freed: None };
        let mut run = Run {
            out,
            choices: &mut choices,
            next_choice: 0,
            values: vec![Some(0)],
            fixed: [None; 2],
            stored: None,
            buffers: vec![foreign],
            step: 0,
            frees: vec![],
        };
        run.body(body)?;
        look(&run);
        // The next choices: the last one that can be raised is, and those after it are forgotten.
        while choices.last().is_some_and(|&(chosen, count)| chosen + 1 == count) {
            choices.pop();
        }
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return Ok(true),
        }
    }
    Ok(false)
}

const MOST_RUNS: usize = 3000;

/// Takes out what misuses a buffer on some path. None where there are too many paths.
fn repaired(body: &Body) -> Option<BTreeSet<usize>> {
    let mut out = BTreeSet::new();
    loop {
        match all_runs(body, &out, MOST_RUNS, |_| {}) {
            Ok(true) => return Some(out),
            Ok(false) => return None,
            Err(Misuse(statement)) => out.insert(statement),
        };
    }
}

#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    planned: usize,
    pairs: usize,
    /// Tensors that were not told apart though no run needs both.
    superfluous: usize,
    needed: usize,
}

fn check(seed: u64, rich: bool, mode: Mode, tally: &mut Tally) {
    let body = program(seed, rich);
    let Some(out) = repaired(&body) else { return };
    let writer = write(&body, &out);
    let mut words = Vec::new();
    let mut flow = match writer.code.try_flow(mode, &mut words) {
        Ok(flow) => flow,
        // On no path, because a condition rules it out.
        Err(error) if error.kind == aether::Kind::FlowDoubleFree => return,
        Err(error) => panic!("seed {seed}: {error}"),
    };
    let mut pairs = vec![Pair { a: 0, b: 0 }; 1000];
    let count = flow.compatible_pairs(&mut pairs);
    let compatible: BTreeSet<(usize, usize)> = pairs[..count].iter().flat_map(|p| [(p.a, p.b), (p.b, p.a)]).collect();
    let alloc_of = |name: Name| writer.allocs.iter().find(|pair| pair.0 == name).expect("written").1;
    let is_planned = |alloc: usize| flow.results()[alloc].decision == Decision::Planned;
    let may_share = |a: usize, b: usize| {
        let (a_life, b_life) = (&flow.tensors()[a], &flow.tensors()[b]);
        let apart = a_life.last_use < b_life.first_use || b_life.last_use < a_life.first_use;
        a == b || apart || compatible.contains(&(a, b))
    };
    let mut clashes = BTreeSet::new();
    let look = |run: &Run| {
        for &(statement, buffer) in &run.frees {
            let dealloc = writer.deallocs.iter().find(|pair| pair.0 == statement).expect("written").1;
            let planned = run.buffers[buffer].name.is_some_and(|name| is_planned(alloc_of(name)));
            assert_eq!(flow.erasable()[dealloc] == 1, planned, "seed {seed}: dealloc {dealloc}, {body:#?}");
        }
        for (i, first) in run.buffers.iter().enumerate().skip(1) {
            for second in &run.buffers[i + 1..] {
                let [a, b] = [first, second].map(|buffer| alloc_of(buffer.name.expect("an allocation's")));
                if !is_planned(a) || !is_planned(b) {
                    continue;
                }
                let meet = |x: (usize, usize), y: (usize, usize)| x.0 <= y.1 && y.0 <= x.1;
                if let (Some(x), Some(y)) = (first.needed(mode), second.needed(mode))
                    && meet(x, y)
                {
                    assert!(
                        !may_share(a, b),
                        "seed {seed}: allocs {a} and {b}, {out:?} {body:#?} {:#?}",
                        flow.tensors()
                    );
                }
                if meet(first.followed(mode), second.followed(mode)) {
                    clashes.insert((a.min(b), a.max(b)));
                }
            }
        }
    };
    let all = all_runs(&body, &out, MOST_RUNS, look);
    assert!(matches!(all, Ok(true)), "it was repaired");

    let planned: Vec<usize> = (0..writer.code.allocs.len()).filter(|&alloc| is_planned(alloc)).collect();
    tally.programs += 1;
    tally.planned += planned.len();
    tally.pairs += count;
    for (k, &a) in planned.iter().enumerate() {
        for &b in &planned[k + 1..] {
            match clashes.contains(&(a.min(b), a.max(b))) {
                true => tally.needed += 1,
                false => tally.superfluous += usize::from(!may_share(a, b)),
            }
        }
    }
}

fn check_many(seeds: std::ops::Range<u64>, rich: bool, mode: Mode) -> Tally {
    let mut tally = Tally::default();
    seeds.for_each(|seed| check(seed, rich, mode, &mut tally));
    println!("{mode:?}: {tally:?}");
    tally
}

const SEEDS: u64 = 4000;

#[test]
fn no_run_needs_two_buffers_in_the_same_bytes() {
    for mode in [Mode::Sound, Mode::Tight] {
        let tally = check_many(0..SEEDS, true, mode);
        // The programs are not trivial.
        assert!(tally.programs > 2000 && tally.planned > 2000 && tally.pairs > 50, "{tally:?}");
    }
}

#[test]
fn without_loops_only_buffers_that_a_run_needs_are_kept_apart() {
    for mode in [Mode::Sound, Mode::Tight] {
        let tally = check_many(0..SEEDS, false, mode);
        assert!(tally.pairs > 100, "{tally:?}");
        assert_eq!(tally.superfluous, 0, "{tally:?}");
    }
}
