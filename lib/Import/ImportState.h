//===- ImportState.h - what the steps of an import share ------------------===//
#ifndef TAKT_LIB_IMPORT_IMPORTSTATE_H
#define TAKT_LIB_IMPORT_IMPORTSTATE_H

#include "takt/Import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"

#include "onnx/onnx_pb.h"

#include <vector>

namespace takt::import {

/// The protobuf messages; `takt::onnx` is the dialect.
namespace pb = ::onnx;

/// A tensor that stays outside the IR.
struct Weight {
  std::string name;
  int32_t dataType = 0; ///< pb::TensorProto::DataType
  llvm::SmallVector<int64_t> dims;
  std::string file;
  int64_t offset = 0;
  int64_t length = 0;
};

struct ImportState {
  ImportState(mlir::MLIRContext &context, llvm::StringRef path,
              const ImportOptions &options)
      : context(context), path(path.str()), options(options) {}

  mlir::MLIRContext &context;
  std::string path;
  const ImportOptions &options;
  ImportError error = ImportError::None;
  std::vector<Weight> weights;

  mlir::Location location() const {
    return mlir::FileLineColLoc::get(&context, path, 0, 0);
  }
  /// Reports an error; the first one's class is the import's.
  mlir::LogicalResult fail(ImportError kind, const llvm::Twine &message) {
    if (error == ImportError::None)
      error = kind;
    return mlir::emitError(location(), message);
  }
  mlir::LogicalResult badModel(const llvm::Twine &message) {
    return fail(ImportError::BadModel, message);
  }
  mlir::LogicalResult unsupported(const llvm::Twine &message) {
    return fail(ImportError::Unsupported, message);
  }
};

/// `MatMul node "name"`, or with its first output where it has no name.
std::string describe(const pb::NodeProto &node);

/// The key of a local function, and of the function that a node may call.
std::string functionKey(const pb::FunctionProto &function);
std::string functionKey(const pb::NodeProto &node);

/// Applies \p visit to the nodes of a list and of all graphs inside them, outer
/// ones first; \p visit returns failure to stop.
template <typename Nodes, typename Visit>
mlir::LogicalResult walkNodes(Nodes &nodes, Visit visit) {
  for (auto &node : nodes) {
    if (mlir::failed(visit(node)))
      return mlir::failure();
    for (int i = 0; i < node.attribute_size(); ++i) {
      // The cast keeps one template for const and mutable lists.
      auto &attribute = const_cast<pb::AttributeProto &>(node.attribute(i));
      if (attribute.has_g() &&
          mlir::failed(
              walkNodes(*attribute.mutable_g()->mutable_node(), visit)))
        return mlir::failure();
    }
  }
  return mlir::success();
}

// The steps, in the order in which they run.

/// Fills \p model from the file.
mlir::LogicalResult readModel(ImportState &state, pb::ModelProto &model);

/// Brings spellings into one form (domains, initializers that are inputs) and
/// refuses what no later step expects: versions, sparse tensors, nesting.
mlir::LogicalResult normalizeModel(ImportState &state, pb::ModelProto &model);

/// Refuses recursive, too deep and exploding local functions and such whose
/// opset means something else than the model's. Afterwards inlining is safe.
mlir::LogicalResult checkFunctions(ImportState &state, pb::ModelProto &model);

/// Checks every tensor, reads small external ones, and replaces big ones by
/// `takt.import.Weight` nodes that name an entry of `state.weights`.
mlir::LogicalResult extractWeights(ImportState &state, pb::ModelProto &model);

/// Runs ONNX's checker.
mlir::LogicalResult checkModel(ImportState &state, pb::ModelProto &model);

/// Replaces each call of a local function by its body.
mlir::LogicalResult inlineFunctions(ImportState &state, pb::ModelProto &model);

/// Runs ONNX's shape inference; its findings lie in the value_info entries.
mlir::LogicalResult inferTypes(ImportState &state, pb::ModelProto &model);

class DimNames;

/// Makes the module.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(ImportState &state,
                                              const pb::ModelProto &model,
                                              const DimNames &dims);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_IMPORTSTATE_H
