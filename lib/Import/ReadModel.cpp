//===- ReadModel.cpp - files into protobuf messages -----------------------===//
#include "ImportState.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include "onnx/defs/parser.h"

#include <limits>

using namespace mlir;
namespace takt::import {

/// Deeper text is refused, since ONNX's parser recurses.
static constexpr int maxBracketDepth = 200;

static int bracketDepth(StringRef text) {
  int depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\')
          ++i;
    } else if (c == '(' || c == '{' || c == '[' || c == '<') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ')' || c == '}' || c == ']' ||
               (c == '>' && (i == 0 || text[i - 1] != '='))) {
      --depth;
    }
  }
  return deepest;
}

static LogicalResult parseText(ImportState &state, StringRef text,
                               pb::ModelProto &model) {
  if (int depth = bracketDepth(text); depth > maxBracketDepth)
    return state.badModel("brackets nest " + Twine(depth) +
                          " deep, expected at most " + Twine(maxBracketDepth));
  if (text.contains('\0'))
    return state.badModel("holds a zero byte, expected ONNX text");
  std::string copy = text.str();
  pb::OnnxParser parser(copy.c_str());
  auto status = parser.Parse(model);
  if (!status.IsOK())
    return state.badModel("is not valid ONNX text: " + status.ErrorMessage());
  if (!parser.EndOfInput())
    return state.badModel("has text after the end of the model");
  return success();
}

static LogicalResult parseBinary(ImportState &state, StringRef bytes,
                                 pb::ModelProto &model) {
  // protobuf's own recursion limit (100 messages, some 30 graphs) bounds the
  // stack of this and of all later steps.
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return state.badModel(
        "cannot be parsed as an ONNX protobuf: the " + Twine(bytes.size()) +
        " bytes are truncated, damaged, of another format or nest graphs more "
        "than 30 deep; export or download the model again");
  return success();
}

LogicalResult readModel(ImportState &state, pb::ModelProto &model) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  if (std::error_code code = fs::status(state.path, status))
    return state.fail(ImportError::File, "cannot be read: " + code.message());
  if (status.type() != fs::file_type::regular_file)
    return state.fail(ImportError::File,
                      "is no regular file, expected an ONNX model");
  if (status.getSize() > std::numeric_limits<int32_t>::max())
    return state.badModel("has " + Twine(status.getSize()) +
                          " bytes, but a protobuf holds at most 2147483647; "
                          "save the weights as external data");
  auto buffer = llvm::MemoryBuffer::getFile(state.path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return state.fail(ImportError::File,
                      "cannot be read: " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.empty())
    return state.badModel("is empty, expected an ONNX model");
  if (failed(StringRef(state.path).ends_with(".onnxtxt")
                 ? parseText(state, bytes, model)
                 : parseBinary(state, bytes, model)))
    return failure();
  // Many files parse as a message without any known field.
  if (!model.has_graph())
    return state.badModel("holds no graph: it is no ONNX model, or a truncated "
                          "one; export or download the model again");
  return success();
}

} // namespace takt::import
