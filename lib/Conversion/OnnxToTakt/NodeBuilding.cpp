//===- NodeBuilding.cpp - what rules build most ---------------------------===//
#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

Value NodeLowering::constant(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  DenseElementsAttr elements;
  if (auto floatType = dyn_cast<FloatType>(element)) {
    APFloat number(value);
    bool losesInfo = false;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    elements = DenseElementsAttr::get(type, ArrayRef<APFloat>(number));
  } else {
    auto integer = cast<IntegerType>(element);
    APInt number(integer.getWidth(), static_cast<int64_t>(value),
                 !integer.isUnsigned());
    elements = DenseElementsAttr::get(type, ArrayRef<APInt>(number));
  }
  return builder.create<arith::ConstantOp>(elements);
}

Value NodeLowering::splat(double value, Type element,
                          ArrayRef<SizeExpr> shape) {
  return broadcast(constant(value, element), shape);
}

Value NodeLowering::splatLike(double value, Value like) {
  return splat(value, element(like), shape(like));
}

Value NodeLowering::reshape(Value value, ArrayRef<SizeExpr> target) {
  if (ArrayRef<SizeExpr>(shape(value)) == target)
    return value;
  return make<ReshapeOp>(element(value), value, shapeAttr(target));
}

Value NodeLowering::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  return make<TransposeOp>(element(value), value,
                           builder.getDenseI64ArrayAttr(permutation));
}

Value NodeLowering::broadcast(Value value, ArrayRef<SizeExpr> target) {
  SymbolicShape from = shape(value);
  if (ArrayRef<SizeExpr>(from) == target)
    return value;
  bool repeats = from.size() != target.size();
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < from.size(); ++i) {
    size_t dim = target.size() - from.size() + i;
    dims.push_back(dim);
    repeats |= from[i].isConstant(1) && !target[dim].isConstant(1);
  }
  // Sizes that only a guard makes equal: the same elements, another spelling.
  if (!repeats)
    return reshape(value, target);
  return make<BroadcastOp>(element(value), value,
                           builder.getDenseI64ArrayAttr(dims),
                           shapeAttr(target));
}

Value NodeLowering::part(Value value, int64_t dim, const SizeExpr &start,
                         const SizeExpr &size, int64_t step) {
  SymbolicShape sizes = shape(value);
  if (step == 1 && start.isConstant(0) && size == sizes[dim])
    return value;
  SymbolicShape starts(sizes.size(), SizeExpr(0));
  SmallVector<int64_t> steps(sizes.size(), 1);
  starts[dim] = start;
  sizes[dim] = size;
  steps[dim] = step;
  return make<SliceOp>(element(value), value, shapeAttr(starts),
                       shapeAttr(sizes), builder.getDenseI64ArrayAttr(steps));
}

Value NodeLowering::concat(ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  return make<ConcatOp>(element(values.front()), values, axis);
}

Value NodeLowering::reduceKept(StringRef kind, Value value,
                               ArrayRef<int64_t> axes) {
  SymbolicShape kept = shape(value);
  for (int64_t axis : axes)
    kept[axis] = SizeExpr(1);
  Value reduced = make<ReduceOp>(element(value), value, kind,
                                 builder.getDenseI64ArrayAttr(axes));
  return reshape(reduced, kept);
}

Value NodeLowering::positions(ArrayRef<SizeExpr> shape, int64_t dim,
                              Type element) {
  Value counter = make<IotaOp>(element, "0", int64_t(1), shapeAttr(shape[dim]));
  return alongDim(counter, dim, shape);
}

Value NodeLowering::alongDim(Value vector, int64_t dim,
                             ArrayRef<SizeExpr> shape) {
  return make<BroadcastOp>(element(vector), vector,
                           builder.getDenseI64ArrayAttr(dim), shapeAttr(shape));
}

Value NodeLowering::sizeAs(const SizeExpr &size, Type element) {
  if (auto value = size.constant())
    return constant(static_cast<double>(*value), element);
  Type integer = isa<IntegerType>(element) ? element : builder.getI64Type();
  Value data = builder.create<SizeTensorOp>(RankedTensorType::get({}, integer),
                                            shapeAttr(size));
  if (integer == element)
    return data;
  return builder.create<arith::SIToFPOp>(RankedTensorType::get({}, element),
                                         data);
}

LogicalResult NodeLowering::equate(const SizeExpr &left, const SizeExpr &right,
                                   const Twine &what) {
  if (succeeded(state.equate(left, right, node.describe() + ": " + what)))
    return success();
  return fail("needs " + what + ", found " + left.str() + " and " +
              right.str() + "; correct the model");
}

/// The better name for two sizes that are equal: a constant, else a bare name.
static const SizeExpr &simpler(const SizeExpr &left, const SizeExpr &right) {
  if (left.constant() || right.constant())
    return left.constant() ? left : right;
  return !left.symbolName() && right.symbolName() ? right : left;
}

FailureOr<SymbolicShape>
NodeLowering::commonShape(ArrayRef<SymbolicShape> shapes) {
  SymbolicShape common;
  for (const SymbolicShape &shape : shapes) {
    if (shape.size() > common.size())
      common.insert(common.begin(), shape.size() - common.size(), SizeExpr(1));
    for (size_t i = 0; i < shape.size(); ++i) {
      SizeExpr &size = common[common.size() - shape.size() + i];
      if (size.isConstant(1)) {
        size = shape[i];
        continue;
      }
      if (shape[i].isConstant(1))
        continue;
      if (failed(equate(size, shape[i],
                        "equal sizes, or 1, in dimension " +
                            Twine(int64_t(i) - int64_t(shape.size())))))
        return failure();
      size = simpler(size, shape[i]);
    }
  }
  return common;
}

LogicalResult NodeLowering::broadcastTogether(SmallVectorImpl<Value> &values) {
  SmallVector<SymbolicShape> shapes;
  for (Value value : values)
    shapes.push_back(shape(value));
  FailureOr<SymbolicShape> common = commonShape(shapes);
  if (failed(common))
    return failure();
  for (Value &value : values)
    value = broadcast(value, *common);
  return success();
}
