// A pass for mlir-opt: every memref.alloc that may be planned becomes a view of one arena.
//
//   mlir-opt-19 --load-pass-plugin=libaether_mlir.so
//               --pass-pipeline='builtin.module(func.func(aether-arena{algorithm=search mode=tight}))'
//
// It gathers the arrays of aether_flow_lifetimes from the function, plans offsets for what that plans, and rewrites the
// function. MLIR's own pass static-memory-planner-analysis does the same by narrower rules.
//
// What it knows of types, which the library does not: bytes are what an element takes in memory (an i1 takes one, an
// index what the data layout says), a buffer with a layout or of buffers is left alone, and so is one in another memory
// space than the default one.
//
// Nothing of MLIR is linked: mlir-opt has all of it, and exports it.

#include "aether.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <string>
#include <vector>

using namespace mlir;

namespace {

// What malloc aligns to, and so what an alloc without an alignment may rely on.
constexpr size_t kMinAlignment = 16;
constexpr uint64_t kSearchNodes = 1000000;

uint32_t flagsOf(Operation *op) {
  return llvm::StringSwitch<uint32_t>(op->getName().getStringRef())
      .Cases("scf.if", "scf.index_switch", "affine.if", AETHER_OP_EXCLUSIVE)
      .Cases("scf.for", "scf.while", "affine.for", AETHER_OP_LOOP)
      .Cases("scf.parallel", "scf.forall", "affine.parallel", AETHER_OP_PARALLEL)
      .Cases("scf.execute_region", "memref.alloca_scope", 0)
      .Default(op->getNumRegions() > 0 ? AETHER_OP_OPAQUE : 0);
}

// After these a buffer may be reached by ways that the analysis does not follow.
bool letsEscape(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!op->isRegistered()) return true;
  // What is asynchronous runs on when its operation is over.
  for (Operation *around = op; around; around = around->getParentOp()) {
    StringRef dialect = around->getName().getDialectNamespace();
    if (dialect == "async" || dialect == "gpu") return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) return use.get() == store.getValueToStore();
  return isa<func::ReturnOp, memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp>(op);
}

// Bytes of an element in memory; 0 where that is not known.
size_t elementSize(Type type, const DataLayout &layout) {
  if (!isa<IntegerType, FloatType, IndexType, ComplexType, VectorType>(type)) return 0;
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable()) return 0;
  uint64_t size = layout.getTypeSize(type).getFixedValue();
  return llvm::alignTo(size, layout.getTypeABIAlignment(type));
}

struct Program {
  std::vector<Operation *> operations;
  std::vector<memref::AllocOp> allocOps;
  std::vector<memref::DeallocOp> deallocOps;
  std::vector<aether_op> ops;
  std::vector<uint32_t> valueOps;
  std::vector<aether_alloc> allocs;
  std::vector<aether_dealloc> deallocs;
  std::vector<aether_use> uses;
  std::vector<aether_alias> aliases;
  std::vector<uint32_t> foreign;
  size_t sum = 0;

  explicit Program(func::FuncOp function) : function(function), flow(function) {
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { number(op); });
    for (Block &block : function.getBody()) addArguments(block, AETHER_NO_OP);
    for (Operation *op : operations) {
      for (Region &region : op->getRegions())
        for (Block &block : region) addArguments(block, ids.lookup(op));
      for (Value result : op->getResults()) addValue(result, ids.lookup(op));
    }
    for (Operation *op : operations) addUses(op);
    for (auto &[value, targets] : flow)
      for (Value target : targets) addAlias(value, target);
  }

  aether_program record() const {
    aether_program program = {};
    program.struct_size = sizeof program;
    program.ops = ops.data(), program.op_count = ops.size();
    program.value_ops = valueOps.data(), program.value_count = valueOps.size();
    program.allocs = allocs.data(), program.alloc_count = allocs.size();
    program.deallocs = deallocs.data(), program.dealloc_count = deallocs.size();
    program.uses = uses.data(), program.use_count = uses.size();
    program.aliases = aliases.data(), program.alias_count = aliases.size();
    program.foreign = foreign.data(), program.foreign_count = foreign.size();
    program.min_alignment = kMinAlignment;
    return program;
  }

private:
  func::FuncOp function;
  BufferViewFlowAnalysis flow;
  llvm::DenseMap<Operation *, uint32_t> ids;
  llvm::DenseMap<Block *, uint32_t> blocks;
  llvm::DenseMap<Value, uint32_t> values;

  void number(Operation *op) {
    ids[op] = operations.size();
    operations.push_back(op);
    // The entry block is the first, so it is block 0.
    uint32_t block = blocks.try_emplace(op->getBlock(), blocks.size()).first->second;
    Operation *parent = op->getParentOp();
    bool isTop = parent == function;
    ops.push_back({isTop ? AETHER_NO_OP : ids.lookup(parent), op->getParentRegion()->getRegionNumber(), block,
                   flagsOf(op)});
  }

  void addArguments(Block &block, uint32_t op) {
    for (Value argument : block.getArguments()) addValue(argument, op);
  }

  void addValue(Value value, uint32_t op) {
    if (!isa<BaseMemRefType>(value.getType())) return;
    values[value] = valueOps.size();
    valueOps.push_back(op);
    if (flow.mayBeTerminalBuffer(value) && !value.getDefiningOp<memref::AllocOp>())
      foreign.push_back(values[value]);
  }

  void addUses(Operation *op) {
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      deallocOps.push_back(dealloc);
      deallocs.push_back({ids.lookup(op), values.lookup(dealloc.getMemref())});
      return;
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) addAlloc(alloc);
    for (OpOperand &operand : op->getOpOperands())
      if (auto value = values.find(operand.get()); value != values.end())
        uses.push_back({ids.lookup(op), value->second, letsEscape(operand) ? uint32_t(AETHER_USE_ESCAPES) : 0});
  }

  void addAlloc(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    size_t element = elementSize(type.getElementType(), DataLayout::closest(alloc));
    bool excluded = element == 0 || !type.getLayout().isIdentity();
    size_t size = type.hasStaticShape() ? element * size_t(type.getNumElements()) : AETHER_DYNAMIC;
    sum += type.hasStaticShape() ? size : 0;
    // Any number other than that of the default space will do.
    uint32_t space = type.getMemorySpace() ? 1 : 0;
    allocOps.push_back(alloc);
    allocs.push_back({size, size_t(alloc.getAlignment().value_or(0)), ids.lookup(alloc), values.lookup(alloc), space,
                      excluded ? uint32_t(AETHER_ALLOC_EXCLUDED) : 0});
  }

  // What a branch passes on is guarded by it: an alias for each region that yields the value.
  void addAlias(Value from, Value to) {
    if (!values.count(from) || !values.count(to)) return;
    auto result = dyn_cast<OpResult>(to);
    Operation *op = result ? result.getOwner() : nullptr;
    bool isGuarded = false;
    if (op && ids.count(op) && flagsOf(op) == AETHER_OP_EXCLUSIVE) {
      for (Region &region : op->getRegions()) {
        if (region.empty() || !region.hasOneBlock()) continue;
        Operation *end = region.front().getTerminator();
        if (end->getNumOperands() > result.getResultNumber() && end->getOperand(result.getResultNumber()) == from) {
          aliases.push_back({values[from], values[to], ids[op], region.getRegionNumber()});
          isGuarded = true;
        }
      }
    }
    if (!isGuarded) aliases.push_back({values[from], values[to], AETHER_NO_OP, 0});
  }
};

const char *const kDecisions[] = {"planned",
                                  "not planned: its size is not known",
                                  "not planned: it is nested",
                                  "not planned: it is in another memory space",
                                  "not planned: its type or layout",
                                  "no dealloc found",
                                  "it is freed in another block",
                                  "not planned: it is used in another block",
                                  "not planned: it outlives its iteration",
                                  "not planned: it escapes",
                                  "not planned: it shares a dealloc with what is not planned",
                                  "not planned: it shares a dealloc with a foreign buffer",
                                  "not planned: another error came first"};

struct ArenaPass : PassWrapper<ArenaPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ArenaPass)
  ArenaPass() = default;
  ArenaPass(const ArenaPass &other) : PassWrapper(other) {}

  Option<std::string> algorithm{*this, "algorithm", llvm::cl::init("portfolio"),
                                llvm::cl::desc("sequential, first-use, portfolio or search")};
  Option<std::string> arenaMode{*this, "arena-mode", llvm::cl::init("allocate"),
                                llvm::cl::desc("allocate: and free at each exit; arg: argument 0, of i8")};
  Option<std::string> mode{*this, "mode", llvm::cl::init("sound"), llvm::cl::desc("sound, tight or compat")};
  Option<bool> explain{*this, "explain", llvm::cl::init(false), llvm::cl::desc("a remark on each alloc")};

  StringRef getArgument() const override { return "aether-arena"; }
  StringRef getDescription() const override { return "Turn allocs into views of one arena"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(run(getOperation()))) signalPassFailure();
  }

  LogicalResult run(func::FuncOp function) {
    int32_t flowMode = llvm::StringSwitch<int32_t>(mode)
                           .Case("sound", AETHER_FLOW_SOUND)
                           .Case("tight", AETHER_FLOW_TIGHT)
                           .Case("compat", AETHER_FLOW_COMPAT)
                           .Default(-1);
    if (flowMode < 0) return function.emitError("mode must be sound, tight or compat");
    if (arenaMode != "allocate" && arenaMode != "arg") return function.emitError("arena-mode must be allocate or arg");
    // MLIR's pass refuses these; otherwise a buffer that is returned is merely not planned.
    if (flowMode == AETHER_FLOW_COMPAT && llvm::any_of(function.getResultTypes(), llvm::IsaPred<BaseMemRefType>)) {
      return function.emitError("mode compat: a function that returns a memref is not supported");
    }

    Program program(function);
    size_t count = program.allocs.size();
    std::vector<aether_tensor> tensors(count);
    std::vector<aether_alloc_result> results(count);
    std::vector<uint8_t> erasable(program.deallocs.size());
    std::vector<aether_pair> pairs;
    aether_program record = program.record();
    std::vector<uint64_t> scratch(
        aether_flow_lifetimes_scratch_size(record.op_count, record.value_count, record.alloc_count,
                                           record.dealloc_count, record.use_count, record.alias_count) / 8);
    size_t pairCount = 0;
    // Once for the number of pairs, and again with room for them.
    for (int round = 0; round < 2; round++) {
      pairs.resize(pairCount);
      aether_error error;
      if (aether_flow_lifetimes(&record, flowMode, tensors.data(), results.data(), erasable.data(), pairs.data(),
                                pairs.size(), &pairCount, scratch.data(), scratch.size() * 8, &error) != AETHER_OK)
        return fail(function, error);
    }
    bool stopped = false;
    for (size_t i = 0; i < count; i++) {
      int32_t decision = results[i].decision;
      bool isError = decision == AETHER_DECISION_NO_DEALLOC || decision == AETHER_DECISION_UNSTRUCTURED;
      if (isError && flowMode == AETHER_FLOW_COMPAT) {
        stopped = true;
        program.allocOps[i].emitError(kDecisions[decision]);
      } else if (explain) {
        program.allocOps[i].emitRemark(kDecisions[decision]);
      }
    }
    if (stopped) return failure();

    std::vector<size_t> offsets(count);
    aether_plan plan = {};
    if (failed(place(function, tensors, pairs, offsets, plan))) return failure();
    if (plan.arena_size == 0) return success();
    Value arena;
    if (failed(provide(function, plan, arena))) return failure();
    OpBuilder builder(function.getContext());
    function->setAttr("aether.allocated", builder.getIndexAttr(program.sum));
    function->setAttr("aether.arena_size", builder.getIndexAttr(plan.arena_size));
    function->setAttr("aether.arena_alignment", builder.getIndexAttr(plan.arena_alignment));
    for (size_t i = 0; i < erasable.size(); i++)
      if (erasable[i]) program.deallocOps[i].erase();
    for (size_t i = 0; i < count; i++) {
      if (results[i].decision != AETHER_DECISION_PLANNED) continue;
      memref::AllocOp alloc = program.allocOps[i];
      builder.setInsertionPoint(alloc);
      Value offset = builder.create<arith::ConstantIndexOp>(alloc.getLoc(), offsets[i]);
      Value view = builder.create<memref::ViewOp>(alloc.getLoc(), alloc.getType(), arena, offset, ValueRange());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
    return success();
  }

  LogicalResult place(func::FuncOp function, std::vector<aether_tensor> &tensors, std::vector<aether_pair> &pairs,
                      std::vector<size_t> &offsets, aether_plan &plan) {
    aether_problem problem = {};
    problem.struct_size = sizeof problem;
    problem.tensors = tensors.data(), problem.tensor_count = tensors.size();
    problem.compatible = pairs.data(), problem.compatible_count = pairs.size();
    aether_error error;
    if (algorithm == "search") {
      std::vector<uint64_t> scratch(aether_plan_search_scratch_size(tensors.size(), 0, pairs.size(), 0) / 8);
      aether_search found;
      if (aether_plan_search(&problem, kSearchNodes, 1, nullptr, nullptr, offsets.data(), &found, scratch.data(),
                             scratch.size() * 8, &error) != AETHER_OK)
        return fail(function, error);
      plan = found.plan;
      return success();
    }
    uint32_t planners = llvm::StringSwitch<uint32_t>(algorithm)
                            .Case("sequential", 1u << AETHER_PLANNER_SEQUENTIAL)
                            .Case("first-use", 1u << AETHER_PLANNER_FIRST_USE)
                            .Case("portfolio", 0)
                            .Default(UINT32_MAX);
    if (planners == UINT32_MAX)
      return function.emitError("algorithm must be sequential, first-use, portfolio or search");
    std::vector<uint64_t> scratch(aether_plan_portfolio_scratch_size(tensors.size(), 0, pairs.size(), 0) / 8);
    aether_outcome outcome;
    if (aether_plan_portfolio(&problem, planners, offsets.data(), &outcome, scratch.data(), scratch.size() * 8,
                              &error) != AETHER_OK)
      return fail(function, error);
    plan = outcome.plan;
    return success();
  }

  // The arena: allocated here and freed at each exit, or argument 0.
  LogicalResult provide(func::FuncOp function, const aether_plan &plan, Value &arena) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    if (arenaMode == "arg") {
      auto type = function.getNumArguments() > 0 ? dyn_cast<MemRefType>(function.getArgument(0).getType()) : nullptr;
      if (!type || type.getRank() != 1 || !type.getElementType().isInteger(8) || !type.getLayout().isIdentity())
        return function.emitError("argument 0 must be a memref of i8 with one dimension, for an arena of ")
               << plan.arena_size << " bytes";
      if (!type.hasStaticShape() || size_t(type.getDimSize(0)) < plan.arena_size)
        return function.emitError("argument 0 must have at least ")
               << plan.arena_size << " bytes, at a multiple of " << plan.arena_alignment;
      arena = function.getArgument(0);
      return success();
    }
    auto type = MemRefType::get({int64_t(plan.arena_size)}, builder.getI8Type());
    arena = builder.create<memref::AllocOp>(function.getLoc(), type, builder.getI64IntegerAttr(plan.arena_alignment));
    function.walk([&](func::ReturnOp exit) {
      OpBuilder(exit).create<memref::DeallocOp>(exit.getLoc(), arena);
    });
    return success();
  }

  static LogicalResult fail(func::FuncOp function, const aether_error &error) {
    char text[256];
    aether_error_message(&error, text, sizeof text);
    return function.emitError(text);
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "aether", AETHER_VERSION, [] { PassRegistration<ArenaPass>(); }};
}
