//===- LibraryDescriber.h - a dispatch as a call into the runtime ---------===//
#ifndef TAKT_LIB_TARGET_LIBRARYDESCRIBER_H
#define TAKT_LIB_TARGET_LIBRARYDESCRIBER_H

#include "StageBuilder.h"

namespace takt {

using ProtoEpilogues = google::protobuf::RepeatedPtrField<proto::Epilogue>;

/// Reads the region of one dispatch.
class LibraryDescriber {
public:
  LibraryDescriber(DispatchOp dispatch, ValueTable &values,
                   const Target &target,
                   llvm::function_ref<int32_t(mlir::Value)> buffer)
      : dispatch(dispatch), region(dispatch.getBody().front()), values(values),
        target(target), buffer(buffer) {}

  llvm::Expected<proto::Operation> describe();

private:
  llvm::Error contraction(MatmulOp op, proto::Contraction &result);
  llvm::Error convolution(ConvOp op, proto::Convolution &result);
  llvm::Error pool(PoolOp op, proto::Pool &result);
  llvm::Error collective(mlir::Operation *op, proto::Collective &result);

  /// What follows `product`, up to the value that the dispatch yields. A
  /// multiplication by a number right behind it goes to `scale` if there is
  /// one.
  llvm::Error epilogues(mlir::Value product, ProtoEpilogues &result,
                        double *scale);
  llvm::Error epilogue(mlir::Operation *op, mlir::Value current,
                       ProtoEpilogues &result);

  int32_t value(const SizeExpr &expr) { return values.index(expr); }
  void addShape(mlir::Value value,
                google::protobuf::RepeatedField<int32_t> &shape) {
    for (const SizeExpr &size : sizes.shape(value))
      shape.Add(values.index(size));
  }
  /// The buffer of an operand of the dispatch, or none for another value.
  std::optional<int32_t> operandBuffer(mlir::Value value) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    if (!argument)
      return std::nullopt;
    return buffer(dispatch.getInputs()[argument.getArgNumber()]);
  }

  DispatchOp dispatch;
  mlir::Block &region;
  ValueTable &values;
  const Target &target;
  llvm::function_ref<int32_t(mlir::Value)> buffer;
  SizeAnalysis sizes;
};

} // namespace takt

#endif
