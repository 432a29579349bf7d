//===- Collectives.cpp - what collectives compute -------------------------===//
#include "takt/Interpreter/Collectives.h"
#include "takt/Interpreter/BlockEvaluator.h"

#include <cstring>

using namespace takt;

template <typename T>
static void addInto(HostTensor &sum, const HostTensor &part) {
  T *to = sum.as<T>();
  const T *from = part.as<T>();
  for (int64_t i = 0, count = sum.numElements(); i < count; ++i)
    to[i] = static_cast<T>(to[i] + from[i]);
}

/// 16-bit floats: one rounding at the end.
static void sumHalves(HostTensor &sum,
                      llvm::ArrayRef<const HostTensor *> parts) {
  for (int64_t i = 0, count = sum.numElements(); i < count; ++i) {
    double value = 0;
    for (const HostTensor *part : parts)
      value += part->getFloat(i);
    sum.setFloat(i, value);
  }
}

/// Adds the same bits as unsigned numbers: two's complement wraps.
static void addIntegers(HostTensor &sum, const HostTensor &part) {
  switch (byteSize(sum.dtype)) {
  case 1:
    return addInto<uint8_t>(sum, part);
  case 2:
    return addInto<uint16_t>(sum, part);
  case 4:
    return addInto<uint32_t>(sum, part);
  default:
    return addInto<uint64_t>(sum, part);
  }
}

llvm::Expected<HostTensor>
takt::sumTensors(llvm::ArrayRef<const HostTensor *> parts) {
  HostTensor sum = *parts[0];
  for (const HostTensor *part : parts)
    if (part->dtype != sum.dtype || part->shape != sum.shape)
      return evaluationFailure("a sum over ranks of " + tensorText(sum) +
                               " and " + tensorText(*part) +
                               "; equal types expected");
  if (sum.dtype == DType::Bool)
    return evaluationFailure("a sum over ranks of bool; a number expected");
  if (sum.dtype == DType::F16 || sum.dtype == DType::BF16) {
    sumHalves(sum, parts);
    return sum;
  }
  for (const HostTensor *part : parts.drop_front()) {
    if (sum.dtype == DType::F32)
      addInto<float>(sum, *part);
    else if (sum.dtype == DType::F64)
      addInto<double>(sum, *part);
    else
      addIntegers(sum, *part);
  }
  return sum;
}

/// A tensor seen as [outer, size of the axis, inner bytes].
struct AxisView {
  int64_t outer = 1;
  int64_t inner;

  AxisView(const HostTensor &tensor, int64_t axis)
      : inner(byteSize(tensor.dtype)) {
    for (int64_t i = 0; i < axis; ++i)
      outer *= tensor.shape[i];
    for (int64_t size : llvm::drop_begin(tensor.shape, axis + 1))
      inner *= size;
  }
};

llvm::Expected<HostTensor>
takt::concatTensors(llvm::ArrayRef<const HostTensor *> parts, int64_t axis) {
  llvm::SmallVector<int64_t> shape = parts[0]->shape;
  if (axis < 0 || axis >= int64_t(shape.size()))
    return evaluationFailure("no dimension " + llvm::Twine(axis) + " in " +
                             tensorText(*parts[0]));
  shape[axis] = 0;
  for (const HostTensor *part : parts) {
    llvm::SmallVector<int64_t> other = part->shape;
    int64_t size = axis < int64_t(other.size())
                       ? std::exchange(other[axis], parts[0]->shape[axis])
                       : 0;
    if (part->dtype != parts[0]->dtype || other != parts[0]->shape)
      return evaluationFailure(tensorText(*part) + " beside " +
                               tensorText(*parts[0]) + " along dimension " +
                               llvm::Twine(axis));
    shape[axis] += size;
  }
  HostTensor whole = HostTensor::zeros(parts[0]->dtype, shape);
  AxisView view(whole, axis);
  uint8_t *to = whole.data.data();
  for (int64_t i = 0; i < view.outer; ++i)
    for (const HostTensor *part : parts) {
      int64_t bytes = part->shape[axis] * view.inner;
      if (bytes)
        std::memcpy(to, part->data.data() + i * bytes, bytes);
      to += bytes;
    }
  return whole;
}

llvm::Expected<HostTensor> takt::sliceTensor(const HostTensor &tensor,
                                             int64_t axis, int64_t index,
                                             int64_t ways) {
  if (axis < 0 || axis >= int64_t(tensor.shape.size()) ||
      tensor.shape[axis] % ways != 0)
    return evaluationFailure("dimension " + llvm::Twine(axis) + " of " +
                             tensorText(tensor) + " in " + llvm::Twine(ways) +
                             " equal parts");
  llvm::SmallVector<int64_t> shape = tensor.shape;
  shape[axis] /= ways;
  HostTensor part = HostTensor::zeros(tensor.dtype, shape);
  AxisView view(tensor, axis);
  int64_t bytes = shape[axis] * view.inner;
  for (int64_t i = 0; bytes && i < view.outer; ++i)
    std::memcpy(part.data.data() + i * bytes,
                tensor.data.data() + (i * ways + index) * bytes, bytes);
  return part;
}
