//===- GraphScope.h - names of values while a graph is imported -----------===//
#ifndef TAKT_LIB_IMPORT_GRAPHSCOPE_H
#define TAKT_LIB_IMPORT_GRAPHSCOPE_H

#include "ImportState.h"

#include "mlir/IR/Builders.h"

namespace takt::import {

/// The values that a graph defines, and its parent for those that it captures.
/// Initializers become constants at the start of their graph when a node reads
/// them, so that unused ones vanish.
class GraphScope {
public:
  GraphScope(ImportState &state, const pb::GraphProto &graph,
             mlir::Block &block, GraphScope *parent);

  /// Binds \p name; fails if this or an outer graph defines it already.
  mlir::LogicalResult define(const std::string &name, mlir::Value value);

  /// The value of \p name, null after an error. \p user is for the message.
  mlir::Value lookup(const std::string &name, const llvm::Twine &user);

  /// What is known of a name's type; null for nothing.
  const pb::TypeProto *typeOf(const std::string &name) const;

private:
  mlir::Value findLocal(const std::string &name);
  mlir::Value materialize(const pb::TensorProto &tensor);

  ImportState &state;
  mlir::Block &block;
  GraphScope *parent;
  mlir::Operation *lastConstant = nullptr;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<const pb::TensorProto *> initializers;
  llvm::StringMap<const pb::TypeProto *> types;
};

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_GRAPHSCOPE_H
