#include "runtime/core/Request.h"

#include <algorithm>
#include <cstring>

namespace takt::runtime {

std::string describeShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += join(i ? ", " : "", shape[i]);
  return text + "]";
}

Request::Request(const Manifest &manifest)
    : manifest(manifest), inputs(manifest.inputs.size()),
      outputs(manifest.outputs.size()), symbols(manifest.dims.size() + 1),
      dims(manifest.dims.size()), bound(manifest.dims.size()),
      binder(manifest.dims.size()), values(manifest.values.size()) {}

Status Request::setInput(size_t index, const void *data, Dtype dtype,
                         const std::vector<int64_t> &shape) {
  const PortSpec &port = manifest.inputs[index];
  if (dtype != port.dtype)
    return inputError("input '", port.name, "' is ", nameOf(dtype), " ",
                      describeShape(shape), "; ", manifest.describe(port),
                      " expected");
  if (shape.size() != port.shape.size())
    return inputError("input '", port.name, "' has ", shape.size(), " axes ",
                      describeShape(shape), "; ", manifest.describe(port),
                      " expected");
  inputs[index].data = data;
  if (reinterpret_cast<uintptr_t>(data) % bufferAlignment) {
    Result<int64_t> bytes = checkedBytes(shape, sizeOf(dtype));
    if (!bytes.ok())
      return bytes.status();
    TAKT_RETURN_IF_ERROR(inputs[index].aligned.reserve(*bytes, "an input"));
    inputs[index].data = inputs[index].aligned.data();
    if (*bytes > 0)
      std::memcpy(inputs[index].aligned.data(), data,
                  static_cast<size_t>(*bytes));
  }
  inputs[index].shape.assign(shape.begin(), shape.end());
  inputs[index].set = true;
  return Status();
}

Status Request::prepare() {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].set)
      return inputError("input '", manifest.inputs[i].name, "' is missing (",
                        manifest.describe(manifest.inputs[i]), ")");
  TAKT_RETURN_IF_ERROR(bindDims());
  if (!hasValues || dims != bound) {
    hasValues = false;
    dims = bound;
    TAKT_RETURN_IF_ERROR(checkDims());
    std::copy(dims.begin(), dims.end(), symbols.begin());
    for (size_t i = 0; i < values.size(); ++i)
      TAKT_RETURN_IF_ERROR(
          manifest.values[i].evaluate(symbols.data(), values[i]));
    TAKT_RETURN_IF_ERROR(checkGuards());
    TAKT_RETURN_IF_ERROR(makeOutputs());
    hasValues = true;
  }
  TAKT_RETURN_IF_ERROR(checkShapes());
  return checkIndices();
}

Status Request::bindDims() {
  // A dimension that no input names is mentioned by no size (checkManifest).
  for (size_t i = 0; i < bound.size(); ++i)
    bound[i] = manifest.dims[i].typical;
  std::fill(binder.begin(), binder.end(), -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortSpec &port = manifest.inputs[i];
    for (size_t axis = 0; axis < port.shape.size(); ++axis) {
      int dim = manifest.values[port.shape[axis]].getBareDim();
      if (dim < 0)
        continue;
      int64_t size = inputs[i].shape[axis];
      if (binder[dim] < 0) {
        binder[dim] = static_cast<int32_t>(i);
        bound[dim] = size;
      } else if (bound[dim] != size) {
        return inputError("input '", port.name, "' has shape ",
                          describeShape(inputs[i].shape), ", but '",
                          manifest.dims[dim].name, "' is ", bound[dim],
                          " in input '", manifest.inputs[binder[dim]].name,
                          "'");
      }
    }
  }
  return Status();
}

Status Request::checkDims() const {
  for (size_t i = 0; i < dims.size(); ++i) {
    const DimSpec &dim = manifest.dims[i];
    if (binder[i] < 0)
      continue;
    if (dims[i] < dim.minimum)
      return inputError("dimension '", dim.name, "' is ", dims[i],
                        ", at least ", dim.minimum, " expected");
    if (dim.multiple > 1 && dims[i] % dim.multiple)
      return inputError("dimension '", dim.name, "' is ", dims[i],
                        ", a multiple of ", dim.multiple, " expected");
  }
  return Status();
}

Status Request::checkShapes() const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortSpec &port = manifest.inputs[i];
    for (size_t axis = 0; axis < port.shape.size(); ++axis) {
      int64_t expected = values[port.shape[axis]];
      if (inputs[i].shape[axis] != expected)
        return inputError("input '", port.name, "' has shape ",
                          describeShape(inputs[i].shape), ": axis ", axis,
                          " ('", manifest.values[port.shape[axis]].getText(),
                          "') must be ", expected);
    }
  }
  return Status();
}

Status Request::checkGuards() const {
  for (const GuardSpec &guard : manifest.guards)
    if (values[guard.left] != values[guard.right])
      return inputError("the inputs' shapes do not fit together: ", guard.text,
                        " (", manifest.values[guard.left].getText(), " = ",
                        values[guard.left], ", ",
                        manifest.values[guard.right].getText(), " = ",
                        values[guard.right], ")");
  return Status();
}

/// Position of the first element outside of [-rows, rows), or -1.
template <class T>
static int64_t findOutOfRange(const void *data, int64_t count, int64_t rows) {
  const T *elements = static_cast<const T *>(data);
  for (int64_t i = 0; i < count; ++i)
    if (elements[i] < -rows || elements[i] >= rows)
      return i;
  return -1;
}

Status Request::checkIndices() const {
  for (const IndexRangeSpec &range : manifest.indexRanges) {
    const Input &input = inputs[range.input];
    bool isWide = manifest.inputs[range.input].dtype == Dtype::I64;
    int64_t count = 1, rows = values[range.rows];
    for (int64_t size : input.shape)
      count *= size;
    int64_t at = isWide ? findOutOfRange<int64_t>(input.data, count, rows)
                        : findOutOfRange<int32_t>(input.data, count, rows);
    if (at >= 0)
      return inputError("input '", range.name, "' holds ",
                        isWide ? static_cast<const int64_t *>(input.data)[at]
                               : static_cast<const int32_t *>(input.data)[at],
                        " at position ", at, "; it indexes ", rows,
                        " rows, so ", -rows, " to ", rows - 1, " expected");
  }
  return Status();
}

Status Request::makeOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PortSpec &port = manifest.outputs[i];
    outputs[i].shape.clear();
    for (int32_t value : port.shape)
      outputs[i].shape.push_back(values[value]);
    Result<int64_t> bytes = checkedBytes(outputs[i].shape, sizeOf(port.dtype));
    if (!bytes.ok())
      return inputError("output '", port.name, "': ", bytes.status().getText());
    outputs[i].bytes = *bytes;
    TAKT_RETURN_IF_ERROR(outputs[i].block.reserve(*bytes, "an output"));
  }
  return Status();
}

} // namespace takt::runtime
