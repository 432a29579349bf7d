//===- OnnxToTakt.h - the legalize phase ----------------------------------===//
#ifndef TAKT_CONVERSION_ONNXTOTAKT_ONNXTOTAKT_H
#define TAKT_CONVERSION_ONNXTOTAKT_ONNXTOTAKT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace takt {

/// A node that legalize has no rule for.
struct UnsupportedNode {
  std::string name;
  std::string opType;
  /// Empty for ONNX's own operators.
  std::string domain;
  int64_t version = 0;
};

/// All nodes, those of subgraphs included, that no rule covers, in the model's
/// order. An operator that is covered may still be refused by legalize for its
/// attributes.
std::vector<UnsupportedNode> collectUnsupported(mlir::ModuleOp module);

/// The number of onnx.node ops, those of subgraphs included.
int64_t countNodes(mlir::ModuleOp module);

/// The report's lines, one per node: name, operator with opset, in columns.
std::string unsupportedText(const std::vector<UnsupportedNode> &nodes);

#define GEN_PASS_DECL
#include "takt/Conversion/OnnxToTakt/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "takt/Conversion/OnnxToTakt/Passes.h.inc"

} // namespace takt

#endif
