//===- OpHelpers.cpp - shared by shape functions and evaluation -----------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

Evaluated takt::single(HostTensor tensor) {
  SmallVector<HostTensor> results;
  results.push_back(std::move(tensor));
  return results;
}

DType takt::resultDType(Operation *op) {
  return *dtypeOf(getElementTypeOrSelf(op->getResult(0).getType()));
}

void takt::forEachIndex(ArrayRef<int64_t> shape,
                        llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    body(index);
    int64_t dim = int64_t(shape.size()) - 1;
    for (; dim >= 0 && ++index[dim] == shape[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      return;
  }
}

/// One row of a strided copy; the element's size is known to the compiler.
template <typename T>
static void copyRow(const uint8_t *in, int64_t stride, uint8_t *out,
                    int64_t count) {
  const T *from = reinterpret_cast<const T *>(in);
  T *to = reinterpret_cast<T *>(out);
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i * stride];
}

static void copyRow(int64_t bytes, const uint8_t *in, int64_t stride,
                    uint8_t *out, int64_t count) {
  if (stride == 1)
    std::memcpy(out, in, count * bytes);
  else if (bytes == 1)
    copyRow<uint8_t>(in, stride, out, count);
  else if (bytes == 2)
    copyRow<uint16_t>(in, stride, out, count);
  else if (bytes == 4)
    copyRow<uint32_t>(in, stride, out, count);
  else
    copyRow<uint64_t>(in, stride, out, count);
}

HostTensor takt::stridedCopy(const HostTensor &in, int64_t base,
                             ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> shape) {
  HostTensor out = HostTensor::zeros(in.dtype, shape);
  int64_t bytes = byteSize(in.dtype);
  int64_t rowLength = shape.empty() ? 1 : shape.back();
  int64_t rowStride = shape.empty() ? 1 : strides.back();
  if (rowLength == 0)
    return out;
  uint8_t *to = out.data.data();
  ArrayRef<int64_t> outer = shape.empty() ? shape : shape.drop_back();
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    int64_t from = base;
    for (auto [i, stride] : llvm::zip(index, strides))
      from += i * stride;
    copyRow(bytes, in.data.data() + from * bytes, rowStride, to, rowLength);
    to += rowLength * bytes;
  });
  return out;
}

SmallVector<std::string> takt::factorNames(StringRef prefix, int64_t count) {
  SmallVector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back((prefix + llvm::Twine(i)).str());
  return names;
}

SmallVector<std::string> takt::declareFactors(RuleBuilder &rule,
                                              StringRef prefix,
                                              ArrayRef<SizeExpr> sizes,
                                              FactorKind kind) {
  SmallVector<std::string> names = factorNames(prefix, sizes.size());
  for (auto [name, size] : llvm::zip_equal(names, sizes))
    rule.factor(name, size, kind);
  return names;
}

bool takt::mayEqual(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) ||
         ShapedType::isDynamic(right);
}

LogicalResult takt::verifyResultRank(Operation *op, int64_t rank) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() != rank)
    return op->emitOpError("has a result of rank ")
           << type.getRank() << ", expected rank " << rank;
  return success();
}
