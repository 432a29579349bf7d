//===- TensorData.cpp - the elements of TensorProto -----------------------===//
#include "TensorData.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using TensorProto = ::onnx::TensorProto;
namespace takt::import {

static_assert(llvm::endianness::native == llvm::endianness::little,
              "raw_data is little-endian and is copied");

FailureOr<int64_t> elementCount(ImportState &state, const TensorProto &tensor) {
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return state.badModel("tensor \"" + tensor.name() + "\" has dimension " +
                            Twine(dim) + ", expected 0 or more");
    empty |= dim == 0;
    overflow |= llvm::MulOverflow(count, dim, count) != 0;
  }
  // 128 bits is the widest element, so that bytes do not overflow either.
  if (!empty && (overflow || count > std::numeric_limits<int64_t>::max() / 16))
    return state.badModel("tensor \"" + tensor.name() +
                          "\" has dims whose product does not fit 64 bits");
  return empty ? 0 : count;
}

FailureOr<int64_t> byteCount(ImportState &state, const TensorProto &tensor) {
  FailureOr<int64_t> count = elementCount(state, tensor);
  if (failed(count))
    return failure();
  unsigned bits = storedBits(tensor.data_type());
  if (!bits)
    return state.unsupported("tensor \"" + tensor.name() + "\" has type " +
                             dataTypeName(tensor.data_type()) +
                             ", which is not supported");
  return bits < 8 ? *count / 2 + *count % 2 : *count * (bits / 8);
}

namespace {
/// Where a typed field holds elements: its name, its length, and how many
/// entries \p count elements take.
struct TypedField {
  const char *name;
  int64_t size;
  int64_t expected;
};
} // namespace

static TypedField typedField(const TensorProto &tensor, int64_t count) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return {"float_data", tensor.float_data_size(), count};
  case TensorProto::COMPLEX64:
    return {"float_data", tensor.float_data_size(), 2 * count};
  case TensorProto::DOUBLE:
    return {"double_data", tensor.double_data_size(), count};
  case TensorProto::COMPLEX128:
    return {"double_data", tensor.double_data_size(), 2 * count};
  case TensorProto::INT64:
    return {"int64_data", tensor.int64_data_size(), count};
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return {"uint64_data", tensor.uint64_data_size(), count};
  case TensorProto::STRING:
    return {"string_data", tensor.string_data_size(), count};
  case TensorProto::INT4:
  case TensorProto::UINT4:
  case TensorProto::FLOAT4E2M1:
    return {"int32_data", tensor.int32_data_size(), count / 2 + count % 2};
  default:
    return {"int32_data", tensor.int32_data_size(), count};
  }
}

/// The values that an int32_data entry of a type may have.
static std::pair<int64_t, int64_t> entryRange(int32_t dataType) {
  switch (dataType) {
  case TensorProto::INT32:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  case TensorProto::BOOL:
    return {0, 1};
  case TensorProto::INT8:
    return {-128, 127};
  case TensorProto::INT16:
    return {-32768, 32767};
  case TensorProto::INT4:
    return {-128, 255};
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return {0, 65535};
  default:
    return {0, 255};
  }
}

static LogicalResult checkRaw(ImportState &state, const TensorProto &tensor) {
  if (tensor.float_data_size() || tensor.double_data_size() ||
      tensor.int32_data_size() || tensor.int64_data_size() ||
      tensor.uint64_data_size() || tensor.string_data_size())
    return state.badModel("tensor \"" + tensor.name() +
                          "\" holds its elements twice, in raw_data and in a "
                          "typed field, expected one of them");
  FailureOr<int64_t> bytes = byteCount(state, tensor);
  if (failed(bytes))
    return failure();
  if (static_cast<int64_t>(tensor.raw_data().size()) != *bytes)
    return state.badModel("tensor \"" + tensor.name() + "\" has " +
                          Twine(tensor.raw_data().size()) +
                          " bytes of raw_data, but its dims and type " +
                          dataTypeName(tensor.data_type()) + " need " +
                          Twine(*bytes));
  return success();
}

LogicalResult checkTensor(ImportState &state, const TensorProto &tensor) {
  FailureOr<int64_t> count = elementCount(state, tensor);
  if (failed(count))
    return failure();
  if (isExternal(tensor))
    return success();
  if (tensor.has_raw_data() && !tensor.raw_data().empty())
    return checkRaw(state, tensor);
  TypedField field = typedField(tensor, *count);
  if (field.size != field.expected)
    return state.badModel("tensor \"" + tensor.name() + "\" of type " +
                          dataTypeName(tensor.data_type()) + " has " +
                          Twine(field.size) + " entries in " + field.name +
                          ", but its dims need " + Twine(field.expected));
  auto [low, high] = entryRange(tensor.data_type());
  for (int32_t entry : tensor.int32_data())
    if (entry < low || entry > high)
      return state.badModel("tensor \"" + tensor.name() + "\" holds " +
                            Twine(entry) + " in int32_data, expected " +
                            Twine(low) + " to " + Twine(high) + " for type " +
                            dataTypeName(tensor.data_type()));
  if (tensor.data_type() == TensorProto::UINT32)
    for (uint64_t entry : tensor.uint64_data())
      if (entry > std::numeric_limits<uint32_t>::max())
        return state.badModel("tensor \"" + tensor.name() + "\" holds " +
                              Twine(entry) +
                              " in uint64_data, which uint32 cannot hold");
  return success();
}

/// Appends each entry cut to \p Stored.
template <typename Stored, typename Field>
static std::string packed(const Field &field) {
  std::string bytes;
  bytes.reserve(field.size() * sizeof(Stored));
  for (auto entry : field) {
    Stored value = static_cast<Stored>(entry);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(Stored));
  }
  return bytes;
}

std::string tensorBytes(const TensorProto &tensor) {
  if (!tensor.raw_data().empty())
    return tensor.raw_data();
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return packed<float>(tensor.float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return packed<double>(tensor.double_data());
  case TensorProto::INT64:
    return packed<int64_t>(tensor.int64_data());
  case TensorProto::UINT64:
    return packed<uint64_t>(tensor.uint64_data());
  case TensorProto::UINT32:
    return packed<uint32_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return packed<int32_t>(tensor.int32_data());
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return packed<uint16_t>(tensor.int32_data());
  default:
    return packed<uint8_t>(tensor.int32_data());
  }
}

/// One byte per 4-bit element, as MLIR stores them; the low nibble is first.
static std::string unpackNibbles(StringRef bytes, int64_t count,
                                 bool isSigned) {
  std::string result;
  result.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t nibble = (static_cast<uint8_t>(bytes[i / 2]) >> (i % 2 * 4)) & 0xf;
    if (isSigned && (nibble & 8))
      nibble |= 0xf0;
    result.push_back(static_cast<char>(nibble));
  }
  return result;
}

DenseElementsAttr denseElements(const TensorProto &tensor,
                                MLIRContext *context) {
  Type element = elementType(tensor.data_type(), context);
  if (!element)
    return {};
  auto type = RankedTensorType::get(
      ArrayRef<int64_t>(tensor.dims().data(), tensor.dims_size()), element);
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  std::string bytes = tensorBytes(tensor);
  if (element.isInteger(1)) {
    SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  if (storedBits(tensor.data_type()) == 4)
    bytes = unpackNibbles(bytes, type.getNumElements(),
                          tensor.data_type() == TensorProto::INT4);
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(bytes.data(), bytes.size()));
}

} // namespace takt::import
