//===- ExtractWeights.cpp - big tensors out of the model ------------------===//
#include "ConstantNode.h"
#include "ExternalData.h"
#include "TensorData.h"
#include "WeightSchema.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace takt::import {

/// Tensors in the spool file start at multiples of this, for whoever maps it.
static constexpr int64_t spoolAlignment = 64;

namespace {
/// Writes inline tensors one after the other to the spool file.
class Spool {
public:
  explicit Spool(ImportState &state) : state(state) {}

  LogicalResult write(const pb::TensorProto &tensor, Weight &weight) {
    if (!stream && failed(open(tensor)))
      return failure();
    std::string bytes = tensorBytes(tensor);
    stream->write_zeros(llvm::alignTo(stream->tell(), spoolAlignment) -
                        stream->tell());
    weight.file = path;
    weight.offset = stream->tell();
    weight.length = bytes.size();
    *stream << bytes;
    return success();
  }

  /// Flushes; reports what went wrong while writing.
  LogicalResult finish() {
    if (!stream)
      return success();
    stream->close();
    if (!stream->has_error())
      return success();
    std::string message = stream->error().message();
    stream->clear_error();
    return state.fail(ImportError::File,
                      "spool file \"" + path +
                          "\" cannot be written: " + message);
  }

private:
  LogicalResult open(const pb::TensorProto &tensor) {
    if (state.options.spoolFile.empty())
      return state.fail(ImportError::BadOption,
                        "tensor \"" + tensor.name() +
                            "\" lies inside the model and must be copied to a "
                            "spool file, but none was given");
    llvm::SmallString<128> absolute(state.options.spoolFile);
    std::error_code code = llvm::sys::fs::make_absolute(absolute);
    path = absolute.str().str();
    if (!code)
      stream = std::make_unique<llvm::raw_fd_ostream>(path, code);
    if (!code)
      return success();
    return state.fail(ImportError::File,
                      "spool file \"" + path +
                          "\" cannot be created: " + code.message());
  }

  ImportState &state;
  std::string path;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

class Extractor {
public:
  explicit Extractor(ImportState &state) : state(state), spool(state) {}

  LogicalResult visitModel(pb::ModelProto &model);

private:
  using Nodes = google::protobuf::RepeatedPtrField<pb::NodeProto>;
  LogicalResult visitGraph(pb::GraphProto &graph);
  LogicalResult visitNode(pb::NodeProto &node);
  LogicalResult visitAttribute(pb::NodeProto &node,
                               pb::AttributeProto &attribute);
  LogicalResult readExternal(pb::TensorProto &tensor,
                             const ExternalRange &range);
  FailureOr<std::optional<int64_t>> extract(pb::TensorProto &tensor);

  ImportState &state;
  Spool spool;
};
} // namespace

LogicalResult Extractor::readExternal(pb::TensorProto &tensor,
                                      const ExternalRange &range) {
  FailureOr<std::string> bytes = readRange(state, range);
  if (failed(bytes))
    return failure();
  tensor.set_raw_data(std::move(*bytes));
  tensor.clear_external_data();
  tensor.clear_data_location();
  return success();
}

/// Checks a tensor. A small one stays in the model, read from its file if it
/// lies in one; a big one becomes a weight, whose index is returned.
FailureOr<std::optional<int64_t>> Extractor::extract(pb::TensorProto &tensor) {
  if (failed(checkTensor(state, tensor)))
    return failure();
  if (!storedBits(tensor.data_type()) && !isExternal(tensor))
    return std::optional<int64_t>(); // strings are refused where they are used
  FailureOr<int64_t> bytes = byteCount(state, tensor);
  if (failed(bytes))
    return failure();
  bool big = *bytes > state.options.smallTensorBytes;
  Weight weight;
  if (isExternal(tensor)) {
    FailureOr<ExternalRange> range = externalRange(state, tensor, *bytes);
    if (failed(range))
      return failure();
    if (!big && range->exists) {
      if (failed(readExternal(tensor, *range)))
        return failure();
      return std::optional<int64_t>();
    }
    weight.file = range->location;
    weight.offset = range->offset;
    weight.length = range->length;
  } else if (!big) {
    return std::optional<int64_t>();
  }
  if (storedBits(tensor.data_type()) < 8 ||
      !elementType(tensor.data_type(), &state.context))
    return state.unsupported("weight \"" + tensor.name() + "\" has type " +
                             dataTypeName(tensor.data_type()) +
                             ", which is not supported for weights");
  if (!isExternal(tensor) && failed(spool.write(tensor, weight)))
    return failure();
  weight.name = tensor.name();
  weight.dataType = tensor.data_type();
  weight.dims.assign(tensor.dims().begin(), tensor.dims().end());
  state.weights.push_back(std::move(weight));
  return std::optional<int64_t>(state.weights.size() - 1);
}

LogicalResult Extractor::visitAttribute(pb::NodeProto &node,
                                        pb::AttributeProto &attribute) {
  if (attribute.has_g())
    return visitGraph(*attribute.mutable_g());
  if (attribute.has_sparse_tensor() || attribute.sparse_tensors_size())
    return state.unsupported(describe(node) +
                             " has a sparse tensor as attribute \"" +
                             attribute.name() + "\"; store it as a dense one");
  auto visit = [&](pb::TensorProto &tensor) -> LogicalResult {
    if (failed(checkTensor(state, tensor)))
      return failure();
    if (!isExternal(tensor))
      return success();
    FailureOr<int64_t> bytes = byteCount(state, tensor);
    if (failed(bytes))
      return failure();
    FailureOr<ExternalRange> range = externalRange(state, tensor, *bytes);
    if (failed(range))
      return failure();
    if (!range->exists || *bytes > state.options.smallTensorBytes)
      return state.unsupported(describe(node) +
                               " has the external tensor "
                               "attribute \"" +
                               attribute.name() + "\" of " + Twine(*bytes) +
                               " bytes, which is missing or too "
                               "big; store it inside the model");
    return readExternal(tensor, *range);
  };
  if (attribute.has_t() && failed(visit(*attribute.mutable_t())))
    return failure();
  for (pb::TensorProto &tensor : *attribute.mutable_tensors())
    if (failed(visit(tensor)))
      return failure();
  return success();
}

LogicalResult Extractor::visitNode(pb::NodeProto &node) {
  if (isConstantNode(node) && node.output_size() == 1) {
    useTensorForm(node);
    pb::AttributeProto &attribute = *node.mutable_attribute(0);
    if (attribute.has_t()) {
      pb::TensorProto &tensor = *attribute.mutable_t();
      tensor.set_name(node.output(0));
      FailureOr<std::optional<int64_t>> index = extract(tensor);
      if (succeeded(index) && *index)
        setWeightNode(node, node.output(0), **index, state.weights[**index]);
      return success(succeeded(index));
    }
  }
  for (pb::AttributeProto &attribute : *node.mutable_attribute())
    if (failed(visitAttribute(node, attribute)))
      return failure();
  return success();
}

LogicalResult Extractor::visitGraph(pb::GraphProto &graph) {
  Nodes nodes;
  google::protobuf::RepeatedPtrField<pb::TensorProto> kept;
  for (pb::TensorProto &tensor : *graph.mutable_initializer()) {
    FailureOr<std::optional<int64_t>> index = extract(tensor);
    if (failed(index))
      return failure();
    if (*index)
      setWeightNode(*nodes.Add(), tensor.name(), **index,
                    state.weights[**index]);
    else
      kept.Add()->Swap(&tensor);
    tensor.Clear(); // its bytes are not needed any more
  }
  graph.mutable_initializer()->Swap(&kept);
  for (pb::NodeProto &node : *graph.mutable_node()) {
    if (failed(visitNode(node)))
      return failure();
    nodes.Add()->Swap(&node);
  }
  graph.mutable_node()->Swap(&nodes);
  return success();
}

template <typename Proto> static void importWeightDomain(Proto &proto) {
  auto *import = proto.add_opset_import();
  import->set_domain(weightDomain);
  import->set_version(1);
}

LogicalResult Extractor::visitModel(pb::ModelProto &model) {
  importWeightDomain(model);
  for (pb::FunctionProto &function : *model.mutable_functions()) {
    importWeightDomain(function);
    for (pb::NodeProto &node : *function.mutable_node())
      if (failed(visitNode(node)))
        return failure();
  }
  if (failed(visitGraph(*model.mutable_graph())))
    return failure();
  return spool.finish();
}

LogicalResult extractWeights(ImportState &state, pb::ModelProto &model) {
  registerWeightSchema();
  return Extractor(state).visitModel(model);
}

} // namespace takt::import
