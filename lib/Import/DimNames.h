//===- DimNames.h - names of the model's dimensions -----------------------===//
#ifndef TAKT_LIB_IMPORT_DIMNAMES_H
#define TAKT_LIB_IMPORT_DIMNAMES_H

#include "ImportState.h"

#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/StringSet.h"

#include <optional>

namespace takt::import {

/// Gives every dimension of the graph inputs a size expression.
///
/// A model's dim_param is free text. An identifier is a dimension name; an
/// expression over such names ("past + seq") is kept as expression; other text
/// becomes a fresh name, and so does a dimension without text.
class DimNames {
public:
  /// Names the dimensions of \p model, applies `--dim` and writes the result
  /// back, so that shape inference sees equal sizes as equal text.
  mlir::LogicalResult bind(ImportState &state, pb::ModelProto &model);

  /// The declared names, in order of appearance.
  llvm::ArrayRef<std::string> names() const { return declared; }
  /// The shape of graph input \p index.
  const SymbolicShape &inputShape(int index) const { return inputs[index]; }
  /// The declared shape of graph output \p index; nullopt if the model gives
  /// none, or in terms that do not follow from the inputs.
  const std::optional<SymbolicShape> &outputShape(int index) const {
    return outputs[index];
  }

private:
  using Dim = pb::TensorShapeProto::Dimension;

  void collectBareNames(ImportState &state, const pb::GraphProto &graph);
  SizeExpr declare(ImportState &state, llvm::StringRef text,
                   llvm::StringRef wish);
  std::string freshName(llvm::StringRef wish);
  std::optional<SizeExpr> translate(llvm::StringRef text) const;
  mlir::LogicalResult bindInput(ImportState &state, pb::ValueInfoProto &input);
  mlir::LogicalResult write(ImportState &state, const SizeExpr &size, Dim &dim);
  mlir::LogicalResult rewriteKnown(ImportState &state, pb::TypeProto &type,
                                   std::optional<SymbolicShape> *shape);
  mlir::LogicalResult checkOptions(ImportState &state) const;

  llvm::StringMap<SizeExpr> sizes; ///< by the model's text
  llvm::StringSet<> taken;
  llvm::StringSet<> boundOptions;
  std::vector<std::string> declared;
  std::vector<std::string> known; ///< bound or declared, for messages
  std::vector<SymbolicShape> inputs;
  std::vector<std::optional<SymbolicShape>> outputs;
};

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_DIMNAMES_H
