//===- HoistWeights.cpp - what depends on weights alone leaves @main ------===//
#include "HoistWeights.h"

#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace takt {
#define GEN_PASS_DEF_HOISTWEIGHTSPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Which values
//===----------------------------------------------------------------------===//

/// Whether the op names a size of the request.
static bool namesSizes(Operation *op) {
  bool found = false;
  forEachSize(op, [&](const SizeExpr &size) { found |= !size.constant(); });
  return found;
}

bool FixedValues::isFixed(Value value) const { return fixed.contains(value); }

FixedValues::FixedValues(Block &block) {
  for (Operation &op : block) {
    bool isSource = isa<WeightReadOp, arith::ConstantOp>(op);
    bool isComputed =
        isa<TensorOpInterface>(op) && op.getNumResults() == 1 &&
        llvm::all_of(op.getOperands(),
                     [&](Value operand) { return isFixed(operand); }) &&
        !namesSizes(&op);
    auto type = op.getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                    : RankedTensorType();
    if (!type || !type.hasStaticShape() || !(isSource || isComputed))
      continue;
    bool reads = isa<WeightReadOp>(op) ||
                 llvm::any_of(op.getOperands(), [&](Value operand) {
                   return fixed.lookup(operand);
                 });
    fixed[op.getResult(0)] = reads;
  }
}

/// Bytes that an op's result may have and still be computed for each request,
/// if it reads no weight.
static constexpr int64_t maxComputedBytes = 1024;

/// Whether a constant is a parameter of the model (a bias, a scale per channel)
/// rather than a number: a weight can be cut over ranks and read by library
/// calls.
static bool isParameter(arith::ConstantOp op) {
  auto data = dyn_cast<DenseFPElementsAttr>(op.getValue());
  return data && !data.isSplat() && data.getType().getRank() > 0;
}

Value FixedValues::worthHoisting(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isFixed(value))
    return {};
  // A broadcast adds bytes and no work: what it repeats is worth storing.
  if (isa<BroadcastOp>(op))
    return worthHoisting(op->getOperand(0));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isParameter(constant) ? value : Value();
  if (op->getNumOperands() == 0)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bits = type.getElementTypeBitWidth();
  if (!fixed.lookup(value) &&
      type.getNumElements() * bits / 8 <= maxComputedBytes)
    return {};
  return value;
}

//===----------------------------------------------------------------------===//
// Moving them
//===----------------------------------------------------------------------===//

/// Clones what computes `value` and returns the clone.
static Value cloneInto(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneInto(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// The name of a weight that `value` is computed from; "constant" if none.
static std::string baseName(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast<WeightReadOp>(op))
    return read.getWeight().str();
  for (Value operand : op->getOperands())
    if (std::string name = baseName(operand); name != "constant")
      return name;
  return "constant";
}

static StringRef suffix(Operation *op) {
  if (isa<TransposeOp>(op))
    return ".transposed";
  if (isa<ReshapeOp>(op))
    return ".reshaped";
  if (isa<arith::ConstantOp>(op))
    return "";
  return isa<SliceOp>(op) ? ".sliced" : ".computed";
}

static void hoist(Value value, func::FuncOp function, SymbolTable &symbols) {
  Operation *op = value.getDefiningOp();
  OpBuilder builder(function);
  auto weight = builder.create<WeightOp>(
      op->getLoc(), baseName(value) + suffix(op).str(),
      cast<RankedTensorType>(value.getType()), SourceAttr());
  builder.createBlock(&weight.getInitializer());
  IRMapping mapping;
  Value result = cloneInto(builder, value, mapping);
  builder.create<YieldOp>(op->getLoc(), result);
  symbols.insert(weight);
  builder.setInsertionPoint(op);
  value.replaceAllUsesWith(builder.create<WeightReadOp>(
      op->getLoc(), value.getType(), weight.getSymName()));
}

static void hoistFrom(func::FuncOp function, SymbolTable &symbols) {
  Block &block = function.getBody().front();
  FixedValues values(block);
  llvm::SetVector<Value> roots;
  for (Operation &op : block) {
    // What a fixed op reads moves with it.
    bool isFixed = op.getNumResults() == 1 && values.isFixed(op.getResult(0)) &&
                   !isa<BroadcastOp>(op);
    if (isFixed || isa<arith::ConstantOp>(op))
      continue;
    for (Value operand : op.getOperands())
      if (Value root = values.worthHoisting(operand))
        roots.insert(root);
  }
  for (Value root : roots)
    hoist(root, function, symbols);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Equal and unused weights
//===----------------------------------------------------------------------===//

static void mergeEqualWeights(ModuleOp module) {
  llvm::MapVector<std::pair<Attribute, Type>, WeightOp> firsts;
  llvm::StringMap<StringRef> renamed;
  for (auto weight : module.getOps<WeightOp>())
    if (auto source = weight.getSourceAttr()) {
      auto [it, isNew] = firsts.try_emplace({source, weight.getType()}, weight);
      if (!isNew)
        renamed[weight.getSymName()] = it->second.getSymName();
    }
  if (renamed.empty())
    return;
  module.walk([&](WeightReadOp read) {
    if (auto it = renamed.find(read.getWeight()); it != renamed.end())
      read.setWeight(it->second);
  });
}

static void eraseUnusedWeights(ModuleOp module) {
  bool changed = true;
  while (changed) {
    llvm::StringSet<> used;
    module.walk([&](WeightReadOp read) { used.insert(read.getWeight()); });
    changed = false;
    for (auto weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
      if (!used.contains(weight.getSymName())) {
        weight.erase();
        changed = true;
      }
  }
}

namespace {
struct HoistWeightsPass : takt::impl::HoistWeightsPassBase<HoistWeightsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    mergeEqualWeights(module);
    IRRewriter rewriter(&getContext());
    for (auto function : module.getOps<func::FuncOp>()) {
      // Equal computations on merged weights are hoisted once.
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
      SymbolTable symbols(module);
      hoistFrom(function, symbols);
    }
    eraseUnusedWeights(module);
  }
};
} // namespace
