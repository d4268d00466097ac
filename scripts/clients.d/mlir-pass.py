"""Buffer flow against MLIR's own static memory planner, the pass of LLVM 24.

    mlir-pass.py LIBRARY PATTERNS TRACES

On every pattern, on random programs and on real networks the pass and the library's compat mode must agree: which
allocations become parts of the arena, at which offsets, in an arena of which size and alignment, and whether there is
an error. Then a table: what each makes of the networks. These are imported from onnx (mlir_networks.py); a network that
is not had so comes from the descriptors in the folder TRACES.

The arrays of a program are gathered from the operations here, as examples/mlir does in C++.
"""

import csv
import ctypes
import itertools
import pathlib
import random
import re
import sys

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

NO_OP = 2**32 - 1
DYNAMIC = 2**64 - 1
LOOP, EXCLUSIVE, PARALLEL, OPAQUE = 1, 2, 4, 8
FLAGS = {
    "scf.if": EXCLUSIVE,
    "scf.index_switch": EXCLUSIVE,
    "scf.for": LOOP,
    "scf.while": LOOP,
    "scf.execute_region": 0,
    "scf.parallel": PARALLEL,
    "scf.forall": PARALLEL,
}
VIEWS = {"memref.cast", "memref.subview", "memref.view", "memref.reinterpret_cast", "memref.expand_shape",
         "memref.collapse_shape", "memref.transpose", "arith.select"}
SOUND, TIGHT, COMPAT = 0, 1, 2
SIZE, FIRST_USE, SEQUENTIAL = 0, 1, 2
PLANNED, NO_DEALLOC, UNSTRUCTURED = 0, 5, 6
DOUBLE_FREE = 49
RANDOM = 1000


def struct(name, fields):
    kinds = {"z": ctypes.c_size_t, "u": ctypes.c_uint32, "i": ctypes.c_int32, "p": ctypes.c_void_p}
    return type(name, (ctypes.Structure,), {"_fields_": [(f[1:], kinds[f[0]]) for f in fields.split()]})


Op = struct("Op", "uparent uregion ublock uflags")
Alloc = struct("Alloc", "zsize zalignment uop uvalue uspace uflags")
Dealloc = struct("Dealloc", "uop uvalue")
Use = struct("Use", "uop uvalue uflags")
Alias = struct("Alias", "ufrom uto uguard_op uguard_region")
Tensor = struct("Tensor", "zsize zalignment zfirst_use zlast_use")
Result = struct("Result", "idecision ucomponent zblame")
Pair = struct("Pair", "za zb")
Plan = struct("Plan", "zarena_size zarena_alignment zlower_bound zpeak_live_bytes")
Program = struct("Program", "zstruct_size pops zop_count pvalue_ops zvalue_count pallocs zalloc_count pdeallocs "
                 "zdealloc_count puses zuse_count paliases zalias_count pforeign zforeign_count zmin_alignment "
                 "uplan_block uspace")
Problem = struct("Problem", "zstruct_size ptensors ztensor_count pfixed phints pgaps zgap_count pcompatible "
                 "zcompatible_count papart zapart_count preserved zreserved_count zcapacity")


class Outcome(ctypes.Structure):
    _fields_ = [("plan", Plan), ("verdict", ctypes.c_int32), ("planner", ctypes.c_int32)]


class Found(ctypes.Structure):
    _fields_ = [("plan", Plan), ("nodes", ctypes.c_uint64), ("verdict", ctypes.c_int32), ("stopped", ctypes.c_int32),
                ("planner", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class DoubleFree(Exception):
    """The library refuses a program that surely frees twice on one path; the pass does not look."""


class Library:
    """The calls that are needed, on lists."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ["flow_lifetimes", "plan_portfolio", "plan_search"]:
            getattr(self.lib, f"aether_{name}_scratch_size").restype = ctypes.c_size_t

    def call(self, name, counts, *arguments):
        size = getattr(self.lib, f"aether_{name}_scratch_size")(*map(ctypes.c_size_t, counts))
        scratch = (ctypes.c_uint64 * (size // 8))()
        status = getattr(self.lib, f"aether_{name}")(*arguments, scratch, ctypes.c_size_t(size), None)
        if status == DOUBLE_FREE:
            raise DoubleFree
        assert status == 0, f"aether_{name}: status {status}"

    def flow(self, code, mode):
        arrays = [
            (Op * len(code.ops))(*code.ops),
            (ctypes.c_uint32 * len(code.value_ops))(*code.value_ops),
            (Alloc * len(code.allocs))(*code.allocs),
            (Dealloc * len(code.deallocs))(*code.deallocs),
            (Use * len(code.uses))(*code.uses),
            (Alias * len(code.aliases))(*code.aliases),
            (ctypes.c_uint32 * len(code.foreign))(*code.foreign),
        ]
        members = [member for array in arrays for member in (ctypes.addressof(array), len(array))]
        program = Program(ctypes.sizeof(Program), *members, 0, 0, 0)
        count = len(code.allocs)
        tensors, results = (Tensor * count)(), (Result * count)()
        erasable, pairs = (ctypes.c_uint8 * len(code.deallocs))(), (Pair * 1000)()
        pair_count = ctypes.c_size_t()
        self.call("flow_lifetimes", [len(array) for array in arrays[:6]], ctypes.byref(program), mode, tensors, results,
                  erasable, pairs, ctypes.c_size_t(1000), ctypes.byref(pair_count))
        return tensors, results, (Pair * pair_count.value).from_buffer(pairs)

    def problem(self, tensors, pairs):
        return Problem(ctypes.sizeof(Problem), ctypes.addressof(tensors), len(tensors), None, None, None, 0,
                       ctypes.addressof(pairs), len(pairs), None, 0, None, 0, 0)

    def plan(self, tensors, pairs, planner=None):
        """The offsets and the plan of one planner, or of the best."""
        offsets, outcome = (ctypes.c_size_t * len(tensors))(), Outcome()
        mask = 0 if planner is None else 1 << planner
        self.call("plan_portfolio", [len(tensors), 0, len(pairs), 0], ctypes.byref(self.problem(tensors, pairs)), mask,
                  offsets, ctypes.byref(outcome))
        return list(offsets), outcome.plan

    def search(self, tensors):
        none = (Pair * 0)()
        offsets, found = (ctypes.c_size_t * len(tensors))(), Found()
        self.call("plan_search", [len(tensors), 0, 0, 0], ctypes.byref(self.problem(tensors, none)),
                  ctypes.c_uint64(1_000_000), ctypes.c_uint64(1), None, None, offsets, ctypes.byref(found))
        return found.plan


class Code:
    """The arrays of a function."""

    def __init__(self, function):
        self.ops, self.value_ops, self.allocs, self.deallocs = [], [], [], []
        self.uses, self.aliases, self.foreign, self.locations = [], [], [], []
        self.values, self.blocks = {}, 0
        self.region(function.regions[0], NO_OP, 0)

    def value(self, value, op=NO_OP):
        """The number of a value; a new one belongs to `op`."""
        if value not in self.values:
            self.values[value] = len(self.values)
            self.value_ops.append(op)
        return self.values[value]

    def alias(self, source, target, guard=(NO_OP, 0)):
        if is_memref(source):
            self.aliases.append(Alias(self.value(source), self.value(target), *guard))

    def region(self, region, parent, number):
        for block in region.blocks:
            for argument in filter(is_memref, block.arguments):
                self.value(argument, parent)
        for block in region.blocks:
            name, self.blocks = self.blocks, self.blocks + 1
            for operation in block.operations:
                self.operation(operation.operation, parent, number, name)

    def operation(self, op, parent, region, block):
        number = len(self.ops)
        opaque = OPAQUE if len(op.regions) > 0 else 0
        self.ops.append(Op(parent, region, block, FLAGS.get(op.name, opaque)))
        for result in filter(is_memref, op.results):
            self.value(result, number)
        operands = list(op.operands)
        if op.name == "memref.alloc":
            self.locations.append(place(op))
            alignment = op.attributes["alignment"].value if "alignment" in op.attributes else 0
            self.allocs.append(Alloc(size(op.results[0].type), alignment, number, self.value(op.results[0]), 0, 0))
        elif op.name == "memref.dealloc":
            self.deallocs.append(Dealloc(number, self.value(operands[0])))
            operands = []
        elif op.name in VIEWS:
            for operand in operands:
                self.alias(operand, op.results[0])
        elif op.name in ("memref.realloc", "func.call"):
            for result in filter(is_memref, op.results):
                self.foreign.append(self.value(result))
                for operand in operands:
                    self.alias(operand, result)
        for operand in filter(is_memref, operands):
            self.uses.append(Use(number, self.value(operand), 0))
        for k, inside in enumerate(op.regions):
            self.region(inside, number, k)
        self.flow(op, number, operands)

    def flow(self, op, number, operands):
        """What terminators and loops pass on."""
        def ends(region):
            return [list(block.operations)[-1].operation for block in region.blocks]

        def pass_on(sources, targets, guard=(NO_OP, 0)):
            for source, target in zip(sources, targets):
                self.alias(source, target, guard)

        if op.name in ("scf.if", "scf.index_switch", "scf.execute_region"):
            for k, region in enumerate(op.regions):
                for end in filter(lambda end: end.name == "scf.yield", ends(region)):
                    guard = (number, k) if FLAGS[op.name] == EXCLUSIVE else (NO_OP, 0)
                    pass_on(list(end.operands), op.results, guard)
        elif op.name == "scf.for":
            arguments = list(op.regions[0].blocks[0].arguments)[1:]
            yielded = list(ends(op.regions[0])[0].operands)
            for sources in (operands[3:], yielded):
                pass_on(sources, arguments)
                pass_on(sources, op.results)
        elif op.name == "scf.while":
            before, after = op.regions
            pass_on(operands, before.blocks[0].arguments)
            passed = list(ends(before)[0].operands)[1:]
            pass_on(passed, after.blocks[0].arguments)
            pass_on(passed, op.results)
            pass_on(list(ends(after)[0].operands), before.blocks[0].arguments)
        elif op.name == "cf.br":
            pass_on(operands, op.successors[0].arguments)


def is_memref(value):
    return isinstance(value.type, ir.MemRefType)


def size(kind):
    """Bytes as the pass counts them: bits of the elements, rounded up."""
    kind = ir.MemRefType(kind)
    if not kind.has_static_shape:
        return DYNAMIC
    elements = 1
    for dimension in kind.shape:
        elements *= dimension
    bits = int(re.fullmatch(r"[a-z]*(\d+)", str(kind.element_type)).group(1))
    return (elements * bits + 7) // 8


def place(op):
    """Where an operation stands in the text; what the pass makes of it keeps that."""
    return re.search(r":(\d+:\d+)", str(op.location)).group(1)


def run_pass(module, algorithm):
    """The offset of each planned allocation by its place, and size and alignment of the arena; None on an error."""
    pipeline = f"builtin.module(func.func(static-memory-planner-analysis{{algorithm={algorithm}}}))"
    try:
        PassManager.parse(pipeline).run(module.operation)
    except ir.MLIRError as error:
        known = "no dealloc found", "unstructured control flow"
        assert any(text in str(error) for text in known), error
        return None
    offsets, arena = {}, (0, 1)

    def visit(op):
        nonlocal arena
        if op.name == "memref.view":
            source, offset = (operand.owner for operand in op.operands)
            offsets[place(op)] = offset.attributes["value"].value
            alignment = source.attributes["alignment"].value if "alignment" in source.attributes else 1
            arena = (ir.MemRefType(source.results[0].type).shape[0], alignment)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return offsets, arena


def compare(library, name, text, quiet=False):
    """The number of differences between pass and library."""
    wrong = 0
    for algorithm, planner in [("trivial", SEQUENTIAL), ("best-fit", FIRST_USE)]:
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            code = Code(only_function(module))
            tensors, results, pairs = library.flow(code, COMPAT)
            offsets, plan = library.plan(tensors, pairs, planner)
            failed = any(result.decision in (NO_DEALLOC, UNSTRUCTURED) for result in results)
            planned = [k for k, result in enumerate(results) if result.decision == PLANNED]
            ours = {code.locations[k]: offsets[k] for k in planned}
            mine = None if failed else (ours, (plan.arena_size, plan.arena_alignment))
            theirs = run_pass(module, algorithm)
        if mine != theirs:
            wrong += 1
            print(f"FAIL {name}, {algorithm}: the pass {theirs}, the library {mine}")
    if wrong == 0 and not quiet:
        print(f"ok   {name}")
    return wrong


def only_function(module):
    (function,) = (op.operation for op in module.body.operations if op.operation.name == "func.func")
    return function


def random_module(seed):
    """A function of allocations, selects, ifs, loops and deallocs of whatever values there are."""
    choose, names, kind = random.Random(seed), itertools.count(), "memref<1024xf32>"
    freed = set()

    def body(values, depth, yields):
        values, lines = list(values), []
        for _ in range(choose.randint(2, 5 if depth else 9)):
            what, name = choose.randrange(12 if depth < 3 else 8), f"%v{next(names)}"
            if what < 3 or not values:
                lines.append(f"{name} = memref.alloc() : {kind}")
            elif what < 5:
                value = choose.choice(values)
                if value not in freed:
                    lines.append(f"memref.dealloc {value} : {kind}")
                freed.add(value)
                continue
            elif what < 8:
                lines.append(f"{name} = arith.select %c, {choose.choice(values)}, {choose.choice(values)} : {kind}")
            elif what < 10:
                then, otherwise = (body(values, depth + 1, f"scf.yield {{}} : {kind}") for _ in range(2))
                lines += [f"{name} = scf.if %c -> ({kind}) {{", *then, "} else {", *otherwise, "}"]
            else:
                carried = f"%p{next(names)}"
                head = f"{name} = scf.for %n{next(names)} = %i to %j step %k iter_args({carried} = "
                lines.append(f"{head}{choose.choice(values)}) -> ({kind}) {{")
                lines += [*body(values + [carried], depth + 1, f"scf.yield {{}} : {kind}"), "}"]
            values.append(name)
        if yields:
            if not values:
                values.append(f"%v{next(names)}")
                lines.append(f"{values[-1]} = memref.alloc() : {kind}")
            lines.append(yields.format(choose.choice(values)))
        elif choose.random() < 0.9:
            lines += [f"memref.dealloc {value} : {kind}" for value in values if value not in freed]
        return lines

    head = "func.func @random(%c: i1, %i: index, %j: index, %k: index) {"
    return "\n".join([head, *body([], 0, ""), "return", "}"])


def as_module(rows):
    """Descriptors as a function in which each buffer is allocated and freed at its operations."""
    events = {}
    for number, lower, upper, size in rows:
        kind = f"memref<{size}xi8>"
        events[lower] = (f'%b{number} = "memref.alloc"() <{{alignment = 64 : i64, operandSegmentSizes = '
                         f'array<i32: 0, 0>}}> : () -> {kind}')
        events[upper] = f"memref.dealloc %b{number} : {kind}"
    filler = "%f{0} = arith.constant {0} : i32"
    lines = [events.get(time, filler.format(time)) for time in range(max(events) + 1)]
    return "func.func @network() {\n" + "\n".join(lines) + "\nreturn\n}\n"


def network_texts(folder):
    """The module of each network by its name: imported, or else of its descriptors."""
    texts = {}
    if folder.is_dir():
        for path in sorted(folder.glob("*.csv")):
            with path.open() as file:
                rows = [[int(row[key]) for key in ("id", "lower", "upper", "size")] for row in csv.DictReader(file)]
            texts[path.stem] = as_module(rows)
    else:
        print("skipped: the descriptors of networks; no folder of them")
    try:
        import mlir_networks
    except ImportError as error:
        print(f"skipped: the import of networks, only their descriptors are planned; {error}")
        return texts
    imported = dict(mlir_networks.texts())
    print(f"networks imported from onnx: {', '.join(imported)}")
    return texts | imported


def networks(library, folder):
    """Compares on the networks, and prints what each makes of them; how many there are, and the number of failures."""
    wrong, table = 0, []
    texts = network_texts(folder)
    for name, text in texts.items():
        wrong += compare(library, name, text)
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            tensors, _, pairs = library.flow(Code(only_function(module)), COMPAT)
            (_, (best_fit, _)) = run_pass(module, "best-fit")
        by_size = library.plan(tensors, pairs, SIZE)[1].arena_size
        best, found = library.plan(tensors, pairs)[1].arena_size, library.search(tensors)
        buffers = [tensor.size for tensor in tensors if tensor.size > 0]
        row = (name, len(buffers), sum(buffers), found.lower_bound, best_fit, by_size, best, found.arena_size)
        table.append(row)
        if not found.lower_bound == found.arena_size <= best <= min(best_fit, by_size):
            wrong += 1
            print(f"FAIL {row}: not as good as the pass, or the search is not at the bound")
    print("\nnet             buffers  sum of sizes        bound  pass, best-fit      by size    portfolio       search")
    for row in table:
        print("{:<15} {:>7} {:>13} {:>12} {:>15} {:>12} {:>12} {:>12}".format(*row))
    return len(texts), wrong


def main():
    library = Library(sys.argv[1])
    text = pathlib.Path(sys.argv[2]).read_text()
    wrong, cases = 0, 0
    for part in text.split("// -----"):
        name = [line[3:] for line in part.splitlines() if line.startswith("// ")][-1]
        wrong += compare(library, name, part)
        cases += 1
    refused = 0
    for seed in range(RANDOM):
        try:
            wrong += compare(library, f"random program {seed}", random_module(seed), quiet=True)
        except DoubleFree:
            refused += 1
    cases += RANDOM - refused
    print(f"{RANDOM - refused} random programs; {refused} more free twice on one path")
    network_count, differences = networks(library, pathlib.Path(sys.argv[3]))
    wrong += differences
    cases += network_count
    print(f"{cases - min(wrong, cases)} passed, {wrong} failed")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
