//===- Stages.cpp - linalg.generic ops of a kernel ------------------------===//
#include "StageBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

Index KernelBuilder::constantIndex(int64_t value) {
  return {getAffineConstantExpr(value, context), Value()};
}

IndexList KernelBuilder::identity(ArrayRef<SizeExpr> shape) {
  IndexList index;
  for (auto [i, size] : llvm::enumerate(shape))
    index.push_back(size.isConstant(1)
                        ? constantIndex(0)
                        : Index{getAffineDimExpr(i, context), Value()});
  return index;
}

Index KernelBuilder::shift(const Index &index, const SizeExpr &start,
                           OpBuilder &body) {
  if (start.isConstant(0))
    return index;
  Value offset = size(start);
  if (!index.value)
    return {index.expr, offset};
  // Beside an `expr` the value comes from outside of the stage, and so must
  // the sum.
  OpBuilder &builder = index.expr ? row : body;
  return {index.expr, builder.create<arith::AddIOp>(loc, index.value, offset)};
}

void KernelBuilder::emitStage(ArrayRef<SizeExpr> space, ArrayRef<bool> reduced,
                              ArrayRef<StageOutput> outputs) {
  if (rejected || unsupported)
    return;
  StageBody(*this, space, reduced).finish(outputs);
}

void KernelBuilder::fill(const KernelBuffer &buffer, TypedAttr value) {
  update(buffer, [=](StageBody &body, Value) -> Value {
    return body.builder.create<arith::ConstantOp>(body.loc, value);
  });
}

void KernelBuilder::update(const KernelBuffer &buffer,
                           std::function<Value(StageBody &, Value)> compute) {
  SmallVector<bool> reduced(buffer.shape.size(), false);
  emitStage(buffer.shape, reduced,
            StageOutput{buffer, identity(buffer.shape), std::move(compute)});
}

StageBody::StageBody(KernelBuilder &kernel, ArrayRef<SizeExpr> space,
                     ArrayRef<bool> reduced)
    : kernel(kernel), builder(kernel.context), loc(kernel.loc), space(space),
      here(kernel.identity(space)), block(new Block), known(1) {
  builder.setInsertionPointToEnd(block);
  for (unsigned i = 0; i < space.size(); ++i) {
    bool hasLoop = i >= kernel.outer && !space[i].isConstant(1);
    loopOf.push_back(hasLoop ? int(loopReduced.size()) : -1);
    if (hasLoop)
      loopReduced.push_back(reduced[i]);
  }
  for (unsigned i = 0; i < loopReduced.size(); ++i)
    loopIndices.push_back(builder.create<linalg::IndexOp>(loc, i));
}

StageBody::~StageBody() { delete block; }

/// linalg takes loop bounds from operands. A loop that only computed indices
/// depend on gets an operand of its size, which nobody reads.
void StageBody::addBounds(const KernelBuffer &buffer,
                          ArrayRef<AffineMap> outputMaps) {
  llvm::SmallBitVector bounded(loopReduced.size());
  for (ArrayRef<AffineMap> list : {ArrayRef<AffineMap>(maps), outputMaps})
    for (AffineMap map : list)
      for (AffineExpr result : map.getResults())
        bounded.set(cast<AffineDimExpr>(result).getPosition());
  SmallVector<AffineExpr> results;
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [dim, loop] : llvm::enumerate(loopOf)) {
    if (loop < 0 || bounded.test(loop))
      continue;
    results.push_back(getAffineDimExpr(loop, kernel.context));
    sizes.push_back(kernel.size(space[dim]));
    strides.push_back(kernel.row.getIndexAttr(0));
  }
  if (results.empty())
    return;
  auto base = cast<MemRefType>(buffer.base.getType());
  auto type = MemRefType::get(
      SmallVector<int64_t>(sizes.size(), ShapedType::kDynamic),
      base.getElementType(),
      StridedLayoutAttr::get(kernel.context, 0,
                             SmallVector<int64_t>(sizes.size(), 0)));
  OpFoldResult zero = kernel.row.getIndexAttr(0);
  Value view = kernel.row.create<memref::ReinterpretCastOp>(
      loc, type, buffer.base, zero, sizes, strides);
  block->insertArgument(inputs.size(), base.getElementType(), loc);
  inputs.push_back(view);
  maps.push_back(
      AffineMap::get(loopReduced.size(), 0, results, kernel.context));
}

void StageBody::finish(ArrayRef<StageOutput> outputs) {
  SmallVector<Value> views, old, yielded;
  SmallVector<AffineMap> outputMaps;
  for (const StageOutput &output : outputs) {
    Value view;
    AffineMap map;
    if (!rowMatches(output.buffer, output.index) ||
        !makeOperand(output.buffer, output.index, view, map))
      return kernel.rejectOuter();
    views.push_back(view);
    outputMaps.push_back(map);
    old.push_back(block->addArgument(
        cast<MemRefType>(view.getType()).getElementType(), loc));
  }
  for (auto [output, value] : llvm::zip_equal(outputs, old)) {
    Value element =
        output.compute(*this, fromStorage(value, output.buffer.element));
    if (output.buffer.element.isInteger(1))
      element = builder.create<arith::ExtUIOp>(loc, value.getType(), element);
    yielded.push_back(element);
  }
  builder.create<linalg::YieldOp>(loc, yielded);
  addBounds(outputs.front().buffer, outputMaps);
  SmallVector<utils::IteratorType> iterators;
  for (bool reduced : loopReduced)
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
  llvm::append_range(maps, outputMaps);
  auto generic =
      kernel.row.create<linalg::GenericOp>(loc, inputs, views, maps, iterators);
  generic.getRegion().push_back(block);
  block = nullptr;
}
