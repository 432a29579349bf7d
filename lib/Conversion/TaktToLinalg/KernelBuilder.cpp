//===- KernelBuilder.cpp - arguments, buffers and rows of a kernel --------===//
#include "StageBody.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

/// Above it temporaries lie in the arena, not on the stack of the rank's
/// thread.
static constexpr int64_t maxStackBytes = 64 * 1024;

Type kernels::scalarType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && !integer.isSignless()
             ? IntegerType::get(element.getContext(), integer.getWidth())
             : element;
}

Type kernels::storageType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : scalarType(element);
}

Type kernels::accumulatorType(Type element) {
  return element.isF16() || element.isBF16()
             ? Float32Type::get(element.getContext())
             : scalarType(element);
}

KernelBuilder::KernelBuilder(DispatchOp dispatch, LoweredKernel &kernel,
                             SizeAnalysis &sizes, unsigned outer)
    : dispatch(dispatch), sizes(sizes), outer(outer),
      context(dispatch.getContext()), loc(UnknownLoc::get(context)),
      prologue(context), row(context), kernel(kernel),
      entry(kernel.function.addEntryBlock()),
      strictOps(findStrictOps(dispatch)) {
  OpBuilder atEnd = OpBuilder::atBlockEnd(entry);
  Operation *end = atEnd.create<func::ReturnOp>(loc);
  prologue.setInsertionPoint(end);
  // Sizes come before the marker, loops after it.
  row.setInsertionPoint(end);
}

Value KernelBuilder::addArgument(Type type, KernelArgument argument,
                                 StringRef attribute, StringRef text) {
  Value value = entry->addArgument(type, loc);
  kernel.arguments.push_back(argument);
  unsigned index = kernel.arguments.size() - 1;
  kernel.function.setType(FunctionType::get(context, entry->getArgumentTypes(),
                                            /*results=*/TypeRange()));
  if (!attribute.empty())
    kernel.function.setArgAttr(index, attribute,
                               StringAttr::get(context, text));
  return value;
}

Value KernelBuilder::size(const SizeExpr &expr) {
  Value &value = sizeValues[expr.str()];
  if (value)
    return value;
  if (auto constant = expr.constant()) {
    value = prologue.create<arith::ConstantIndexOp>(loc, *constant);
  } else {
    KernelArgument argument{KernelArgument::Size, int32_t(kernel.sizes.size())};
    kernel.sizes.push_back(expr);
    value =
        addArgument(prologue.getIndexType(), argument, "takt.size", expr.str());
  }
  return value;
}

Value KernelBuilder::product(ArrayRef<SizeExpr> exprs) {
  // A chain of products of what LLVM sees as loop bounds, not one more
  // argument: then it knows that rows are adjacent.
  int64_t factor = 1;
  Value result;
  std::string key = "*";
  for (const SizeExpr &expr : exprs) {
    if (auto constant = expr.constant())
      factor *= *constant;
    else
      key += expr.str() + "*";
  }
  Value &known = sizeValues[key + std::to_string(factor)];
  if (known)
    return known;
  for (const SizeExpr &expr : exprs)
    if (!expr.constant())
      result = result ? prologue.create<arith::MulIOp>(loc, result, size(expr))
                      : size(expr);
  Value scale;
  if (factor != 1 || !result)
    scale = size(SizeExpr(factor));
  if (!result)
    result = scale;
  else if (scale)
    result = prologue.create<arith::MulIOp>(loc, result, scale);
  return sizeValues[key + std::to_string(factor)] = result;
}

KernelBuffer KernelBuilder::temporary(ArrayRef<SizeExpr> shape, Type element) {
  KernelBuffer buffer{Value(), SymbolicShape(shape), element, outer, outer};
  ArrayRef<SizeExpr> stored = shape.drop_front(outer);
  std::optional<int64_t> count = takt::product(stored).constant();
  Type storage = storageType(element);
  int64_t width = storage.getIntOrFloatBitWidth() / 8;
  if (count && *count <= (maxStackBytes - stackBytes) / width) {
    stackBytes += *count * width;
    auto type = MemRefType::get({std::max<int64_t>(*count, 1)}, storage);
    OpBuilder atStart = OpBuilder::atBlockBegin(entry);
    buffer.base = atStart.create<memref::AllocaOp>(
        loc, type, atStart.getI64IntegerAttr(64));
    return buffer;
  }
  KernelArgument argument{KernelArgument::Scratch,
                          int32_t(kernel.scratch.size())};
  kernel.scratch.push_back({*dtypeOf(element), SymbolicShape(stored)});
  buffer.base = addArgument(MemRefType::get({1}, storage), argument,
                            "takt.scratch", shapeText(stored));
  return buffer;
}

const KernelBuffer *KernelBuilder::find(Value value) const {
  auto it = buffers.find(value);
  return it == buffers.end() ? nullptr : &it->second;
}

const KernelBuffer *KernelBuilder::resultBuffer(Value value) const {
  auto yield =
      cast<YieldOp>(DispatchOp(dispatch).getBody().front().getTerminator());
  for (auto [operand, buffer] : llvm::zip_equal(yield->getOperands(), results))
    if (operand == value)
      return &buffer;
  return nullptr;
}

KernelBuffer KernelBuilder::destination(Value value) {
  if (const KernelBuffer *result = resultBuffer(value))
    return *result;
  return temporary(sizes.shape(value),
                   cast<RankedTensorType>(value.getType()).getElementType());
}

KernelBuffer KernelBuilder::store(Value value) {
  if (const KernelBuffer *known = find(value))
    return *known;
  KernelBuffer buffer = destination(value);
  storeInto(value, buffer);
  return buffers[value] = buffer;
}

void KernelBuilder::storeInto(Value value, KernelBuffer buffer) {
  // A reshape writes the same bytes as its operand.
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    const SymbolicShape &shape = sizes.shape(reshape.getInput());
    for (unsigned i = 0; i < outer; ++i)
      if (i >= shape.size() || shape[i] != buffer.shape[i])
        return rejectOuter();
    buffer.shape = shape;
    value = reshape.getInput();
  }
  if (auto concat = value.getDefiningOp<ConcatOp>(); concat && !find(value))
    return storeConcat(concat, buffer);
  SmallVector<bool> reduced(buffer.shape.size(), false);
  StageOutput output{
      buffer, identity(buffer.shape),
      [=](StageBody &body, Value) { return body.read(value, body.point()); }};
  emitStage(buffer.shape, reduced, output);
}

void KernelBuilder::storeConcat(ConcatOp op, const KernelBuffer &buffer) {
  unsigned axis = op.getAxis();
  if (axis < outer)
    return rejectOuter();
  SizeExpr start(0);
  for (Value input : op.getInputs()) {
    SymbolicShape space = buffer.shape;
    space[axis] = sizes.shape(input)[axis];
    IndexList index = identity(space);
    index[axis] = shift(index[axis], start, row);
    start = start + space[axis];
    SmallVector<bool> reduced(space.size(), false);
    emitStage(space, reduced,
              StageOutput{buffer, index, [=](StageBody &body, Value) {
                            return body.read(input, body.point());
                          }});
  }
}

void KernelBuilder::openLoops(ArrayRef<SizeExpr> shape) {
  Value zero = size(SizeExpr(0)), one = size(SizeExpr(1));
  for (unsigned i = 0; i < outer; ++i) {
    auto loop = row.create<scf::ForOp>(loc, zero, size(shape[i]), one);
    if (i == 0) // sizes stay in front of the nest
      prologue.setInsertionPoint(loop);
    rows.push_back(loop.getInductionVar());
    row.setInsertionPointToStart(loop.getBody());
  }
}

void KernelBuilder::emitRowOp(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    emitReduce(reduce);
  else if (auto softmax = dyn_cast<SoftmaxOp>(op))
    emitSoftmax(softmax);
  else if (auto norm = dyn_cast<LayerNormOp>(op))
    emitLayerNorm(norm);
  else if (auto matmul = dyn_cast<MatmulOp>(op))
    emitMatmul(matmul);
  else if (auto conv = dyn_cast<ConvOp>(op))
    emitConv(conv);
  else
    emitPool(cast<PoolOp>(op));
}

bool KernelBuilder::build() {
  Block &region = dispatch.getBody().front();
  auto add = [&](Value value, KernelArgument::Kind kind, int32_t index) {
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    Value base = addArgument(MemRefType::get({1}, storageType(element)),
                             {kind, index}, "", "");
    unsigned rows = kind == KernelArgument::Output ? outer : 0;
    return KernelBuffer{base, sizes.shape(value), element, 0, rows};
  };
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    buffers[argument] = add(argument, KernelArgument::Input, i);
  auto yield = cast<YieldOp>(region.getTerminator());
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    results.push_back(add(value, KernelArgument::Output, i));

  // Alignment of the prologue: all sizes are materialised in front of `row`.
  prologue.setInsertionPoint(entry->getTerminator());
  if (outer > 0)
    openLoops(sizes.shape(yield->getOperand(0)));
  for (Operation &op : region.without_terminator())
    if (isRowOp(&op) && !op.use_empty())
      emitRowOp(&op);
  for (auto [value, buffer] : llvm::zip_equal(yield->getOperands(), results)) {
    const KernelBuffer *known = find(value);
    if (known && known->base == buffer.base)
      continue; // stored by a stage before
    storeInto(value, buffer);
    if (!known)
      buffers[value] = buffer;
  }
  return !rejected && !unsupported;
}

void KernelBuilder::fail(Operation *op, const Twine &text) {
  if (!unsupported)
    op->emitOpError(text);
  unsupported = true;
}
