//===- LowerKernel.cpp - the best kernel that a dispatch allows -----------===//
#include "KernelBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

bool kernels::isRowOp(Operation *op) {
  return isa<ReduceOp, SoftmaxOp, LayerNormOp, MatmulOp, ConvOp, PoolOp>(op);
}

unsigned kernels::sharedPrefix(Operation *op, SizeAnalysis &sizes,
                               SymbolicShape &shape) {
  shape = sizes.shape(op->getOperand(0));
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    unsigned prefix = shape.size();
    for (int64_t axis : reduce.getAxes())
      prefix = std::min<unsigned>(prefix, axis);
    return prefix;
  }
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return softmax.getAxis();
  if (isa<LayerNormOp>(op))
    return shape.size() - 1;
  shape = sizes.shape(op->getResult(0));
  return isa<MatmulOp>(op) ? shape.size() - 1 : 1; // of [N, spatial.., C]
}

/// Whether a result changes if an operand's last bit does: rounding, and the
/// search for an element that equals another one computed from the same values.
static bool isDiscontinuous(Operation &op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  using arith::CmpFPredicate;
  static const CmpFPredicate equalities[] = {
      CmpFPredicate::OEQ, CmpFPredicate::UEQ, CmpFPredicate::ONE,
      CmpFPredicate::UNE};
  return isa<arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp, math::FloorOp,
             math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
             op) ||
         (compare && llvm::is_contained(equalities, compare.getPredicate()));
}

DenseSet<Operation *> kernels::findStrictOps(DispatchOp dispatch) {
  DenseSet<Operation *> strict;
  SmallVector<Operation *> work;
  for (Operation &op : dispatch.getBody().front())
    if (isDiscontinuous(op))
      work.push_back(&op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (isRowOp(op) || isa<GeluOp>(op) || !strict.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        work.push_back(producer);
  }
  return strict;
}

arith::FastMathFlagsAttr KernelBuilder::fastMath(Operation *op) {
  // Without these LLVM vectorises no sum, and divides once per element where
  // one reciprocal does. Never nnan or ninf: masks hold -inf, and NaN must
  // show.
  using arith::FastMathFlags;
  FastMathFlags flags = FastMathFlags::none;
  if (!strictOps.contains(op))
    flags = FastMathFlags::reassoc | FastMathFlags::contract |
            FastMathFlags::arcp | FastMathFlags::nsz;
  return arith::FastMathFlagsAttr::get(context, flags);
}

KernelBuffer KernelBuilder::constantData(arith::ConstantOp constant) {
  if (const KernelBuffer *known = find(constant.getResult()))
    return *known;
  auto data = cast<DenseElementsAttr>(constant.getValue());
  Type element = data.getElementType(), storage = storageType(element);
  auto flat = RankedTensorType::get({data.getNumElements()}, storage);
  DenseElementsAttr stored =
      element.isInteger(1)
          ? DenseElementsAttr(
                data.mapValues(storage,
                               [](const APInt &bit) { return bit.zext(8); }))
                .reshape(flat)
          : data.reshape(RankedTensorType::get(flat.getShape(), element));
  if (storage != element && !element.isInteger(1))
    stored = DenseElementsAttr::getFromRawBuffer(flat, data.getRawData());

  auto module = kernel.function->getParentOfType<ModuleOp>();
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto type = MemRefType::get(flat.getShape(), storage);
  unsigned number = 0;
  std::string name;
  do
    name = (kernel.function.getName() + "_data" + Twine(number++)).str();
  while (module.lookupSymbol(name));
  atStart.create<memref::GlobalOp>(loc, name, atStart.getStringAttr("private"),
                                   type, stored, /*constant=*/true,
                                   /*alignment=*/IntegerAttr());
  KernelBuffer buffer;
  buffer.base = prologue.create<memref::GetGlobalOp>(loc, type, name);
  buffer.shape = staticShape(cast<RankedTensorType>(data.getType()));
  buffer.element = element;
  return buffers[constant.getResult()] = buffer;
}

/// The leading dimensions that all row ops leave alone and all results have:
/// the loops over rows. 0 without a row op, since then there is one stage for
/// each result and nothing between stages.
static unsigned commonRows(DispatchOp dispatch, SizeAnalysis &sizes) {
  Block &region = dispatch.getBody().front();
  std::optional<unsigned> count;
  SymbolicShape first;
  auto meet = [&](ArrayRef<SizeExpr> shape, unsigned prefix) {
    prefix = std::min<unsigned>(prefix, shape.size());
    if (!count) {
      count = prefix;
      first.assign(shape.begin(), shape.end());
    }
    unsigned same = 0;
    while (same < std::min(*count, prefix) && first[same] == shape[same])
      ++same;
    count = same;
  };
  bool hasRowOp = false;
  for (Operation &op : region.without_terminator()) {
    SymbolicShape shape;
    if (!isRowOp(&op) || op.use_empty())
      continue;
    unsigned prefix = sharedPrefix(&op, sizes, shape);
    meet(shape, prefix);
    hasRowOp = true;
  }
  for (Value value : region.getTerminator()->getOperands())
    meet(sizes.shape(value), sizes.shape(value).size());
  return hasRowOp ? count.value_or(0) : 0;
}

FailureOr<LoweredKernel> takt::lowerKernel(DispatchOp dispatch, ModuleOp module,
                                           StringRef name) {
  SizeAnalysis sizes;
  Block &region = dispatch.getBody().front();
  for (Operation &op : region.without_terminator())
    for (Value result : op.getResults())
      if (!isa<RankedTensorType>(result.getType()) || !sizes.isKnown(result)) {
        op.emitOpError("has a result whose sizes nothing states");
        return failure();
      }
  for (unsigned outer = commonRows(dispatch, sizes);; --outer) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    LoweredKernel kernel;
    kernel.function =
        atEnd.create<func::FuncOp>(UnknownLoc::get(module.getContext()), name,
                                   atEnd.getFunctionType({}, {}));
    KernelBuilder builder(dispatch, kernel, sizes, outer);
    if (builder.build())
      return kernel;
    kernel.function.erase();
    if (builder.isUnsupported())
      return failure();
    if (outer == 0) {
      dispatch.emitOpError("has no order of loops; please report this");
      return failure();
    }
  }
}
