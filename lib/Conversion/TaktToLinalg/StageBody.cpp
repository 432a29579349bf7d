//===- StageBody.cpp - elementwise code of a stage ------------------------===//
#include "StageBody.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

Value StageBody::constant(Type type, double value) {
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat rounded(value);
    bool losesInfo;
    rounded.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    attribute = FloatAttr::get(floatType, rounded);
  } else {
    attribute = builder.getIntegerAttr(type, int64_t(value));
  }
  return builder.create<arith::ConstantOp>(loc, attribute);
}

Value StageBody::constantIndex(int64_t value) {
  return kernel.size(SizeExpr(value));
}

Value StageBody::convertFloat(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return builder.create<arith::ExtFOp>(loc, type, value);
  return builder.create<arith::TruncFOp>(loc, type, value);
}

Value StageBody::branch(Value condition, Type type,
                        llvm::function_ref<Value()> ifTrue,
                        llvm::function_ref<Value()> otherwise) {
  auto branch = builder.create<scf::IfOp>(loc, TypeRange(type), condition,
                                          /*withElseRegion=*/true);
  auto fill = [&](Block *side, llvm::function_ref<Value()> compute) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(side);
    known.emplace_back();
    Value value = compute();
    known.pop_back();
    builder.create<scf::YieldOp>(loc, value);
  };
  fill(branch.thenBlock(), ifTrue);
  fill(branch.elseBlock(), otherwise);
  return branch.getResult(0);
}

Value StageBody::read(Value value, ArrayRef<Index> index) {
  Key key{value.getAsOpaquePointer()};
  for (const Index &coordinate : index) {
    key.push_back(coordinate.expr.getAsOpaquePointer());
    key.push_back(coordinate.value.getAsOpaquePointer());
  }
  for (auto &scope : llvm::reverse(known))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  const KernelBuffer *buffer = kernel.find(value);
  Value result = buffer ? readBuffer(*buffer, index) : compute(value, index);
  known.back()[key] = result;
  return result;
}

Value StageBody::compute(Value value, ArrayRef<Index> index) {
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp op) { return readConstant(op, index); })
      .Case([&](BroadcastOp op) {
        IndexList inner;
        const SymbolicShape &shape = kernel.sizes.shape(op.getInput());
        for (auto [i, dim] : llvm::enumerate(op.getDims()))
          inner.push_back(shape[i].isConstant(1) ? kernel.constantIndex(0)
                                                 : index[dim]);
        return read(op.getInput(), inner);
      })
      .Case([&](TransposeOp op) {
        IndexList inner(index.size());
        for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
          inner[dim] = index[i];
        return read(op.getInput(), inner);
      })
      .Case([&](SliceOp op) { return readSlice(op, index); })
      .Case([&](ReshapeOp op) { return readReshape(op, index); })
      .Case([&](ConcatOp op) { return readConcat(op, index); })
      .Case([&](GatherOp op) { return readGather(op, index); })
      .Case([&](GatherNDOp op) { return readGatherND(op, index); })
      .Case([&](IotaOp op) { return readIota(op, index); })
      .Case([&](SizeTensorOp op) { return readSizeTensor(op, index); })
      .Case([&](ReinterpretOp op) { return read(op.getInput(), index); })
      .Case([&](GeluOp op) { return readGelu(op, index); })
      .Case([&](SoftmaxOp op) { return readSoftmax(op, index); })
      .Case([&](LayerNormOp op) { return readLayerNorm(op, index); })
      .Case<ReduceOp, MatmulOp, ConvOp, PoolOp>([&](Operation *op) {
        // Kept in a wider type than the result's.
        Type type = cast<RankedTensorType>(value.getType()).getElementType();
        return convertFloat(readBuffer(kernel.statistics.at(op).first, index),
                            type);
      })
      .Default([&](Operation *op) { return elementwise(op, index); });
}

Value StageBody::readConstant(arith::ConstantOp op, ArrayRef<Index> index) {
  auto data = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!data) {
    kernel.fail(op, "is a constant without dense data, which generated kernels "
                    "don't read");
    return constant(builder.getI8Type(), 0);
  }
  if (!data.isSplat())
    return readBuffer(kernel.constantData(op), index);
  Type type = scalarType(data.getElementType());
  if (isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(
        loc, FloatAttr::get(type, data.getSplatValue<APFloat>()));
  return builder.create<arith::ConstantOp>(
      loc, IntegerAttr::get(type, data.getSplatValue<APInt>()));
}

/// A divisor for which the division traps neither by 0 nor by overflow; where
/// the model is at fault the quotient is arbitrary, but the process lives.
static Value safeDivisor(OpBuilder &builder, Location loc, Value dividend,
                         Value divisor, bool isSigned) {
  Type type = divisor.getType();
  auto constant = [&](const APInt &value) -> Value {
    return builder.create<arith::ConstantOp>(loc,
                                             IntegerAttr::get(type, value));
  };
  auto equals = [&](Value value, const APInt &other) -> Value {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, value,
                                         constant(other));
  };
  unsigned width = type.getIntOrFloatBitWidth();
  Value bad = equals(divisor, APInt::getZero(width));
  if (isSigned) {
    Value overflow = builder.create<arith::AndIOp>(
        loc, equals(divisor, APInt::getAllOnes(width)),
        equals(dividend, APInt::getSignedMinValue(width)));
    bad = builder.create<arith::OrIOp>(loc, bad, overflow);
  }
  return builder.create<arith::SelectOp>(loc, bad, constant(APInt(width, 1)),
                                         divisor);
}

/// Keeps integer divisions from trapping.
static void makeDivisorSafe(OpBuilder &builder, Location loc, Operation *op,
                            MutableArrayRef<Value> operands) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                      arith::FloorDivSIOp>(op);
  if (isSigned || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
    operands[1] = safeDivisor(builder, loc, operands[0], operands[1], isSigned);
}

/// The op on scalars, without the attributes that are ours.
static Operation *createScalar(OpBuilder &builder, Location loc, Operation *op,
                               ArrayRef<Value> operands, Type result) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(result);
  state.addAttributes(op->getAttrs());
  Operation *scalar = builder.create(state);
  for (NamedAttribute attribute :
       llvm::to_vector(scalar->getDiscardableAttrs()))
    scalar->removeDiscardableAttr(attribute.getName());
  return scalar;
}

/// Whether the op computes with floats, rather than passing them on.
static bool isArithmetic(Operation *op) {
  return !isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
              arith::SelectOp>(op);
}

Value StageBody::elementwise(Operation *op, ArrayRef<Index> index) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
      op->getNumRegions() != 0) {
    kernel.fail(op, "has no lowering to a generated kernel");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return constant(
        type ? scalarType(type.getElementType()) : builder.getI8Type(), 0);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? read(operand, index)
                           : operand);
  makeDivisorSafe(builder, loc, op, operands);
  Type element = scalarType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  Type computed = element;
  if (isArithmetic(op)) {
    // 16-bit floats are storage: rounding an f32 result gives the same value,
    // and few CPUs have the instructions.
    computed = accumulatorType(element);
    for (Value &operand : operands)
      if (isa<FloatType>(operand.getType()))
        operand = convertFloat(operand, accumulatorType(operand.getType()));
  } else if (isa<arith::TruncFOp>(op)) {
    operands[0] = convertFloat(operands[0], accumulatorType(element));
    if (operands[0].getType() == element)
      return operands[0];
  }
  Operation *scalar = createScalar(builder, loc, op, operands, computed);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(scalar))
    scalar->setAttr(fast.getFastMathAttrName(), kernel.fastMath(op));
  Value result = scalar->getResult(0);
  return isa<FloatType>(element) ? convertFloat(result, element) : result;
}

Value StageBody::readGelu(GeluOp op, ArrayRef<Index> index) {
  auto flags = kernel.fastMath(op);
  Value stored = read(op.getInput(), index);
  Type type = accumulatorType(stored.getType());
  Value x = convertFloat(stored, type);
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return builder.create<arith::MulFOp>(loc, lhs, rhs, flags);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return builder.create<arith::AddFOp>(loc, lhs, rhs, flags);
  };
  Value inner;
  if (op.getTanhApproximation()) {
    // tanh(sqrt(2/pi) * (x + 0.044715 x^3))
    Value cube = multiply(multiply(x, x), x);
    Value sum = add(x, multiply(cube, constant(type, 0.044715)));
    inner = builder.create<math::TanhOp>(
        loc, multiply(sum, constant(type, std::sqrt(2 / M_PI))));
  } else {
    inner = builder.create<math::ErfOp>(loc,
                                        multiply(x, constant(type, M_SQRT1_2)));
  }
  Value half = multiply(x, constant(type, 0.5));
  Value result = multiply(half, add(inner, constant(type, 1)));
  return convertFloat(result, stored.getType());
}
