//===- StageBuilder.h - a stage's program while it is built ---------------===//
#ifndef TAKT_LIB_TARGET_STAGEBUILDER_H
#define TAKT_LIB_TARGET_STAGEBUILDER_H

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {

/// Numbers the buffers of a stage, describes its operations and collects its
/// kernels.
class StageBuilder {
public:
  StageBuilder(mlir::ModuleOp stage, ValueTable &values, Target &target)
      : stage(stage), values(values), target(target) {}

  llvm::Expected<StageObject> build();

private:
  struct Compiled;

  llvm::Error addArguments(mlir::func::FuncOp forward);
  llvm::Error addWeight(WeightReadOp op);
  llvm::Error addDispatch(DispatchOp op);
  llvm::Error addResults(mlir::func::FuncOp forward);
  llvm::Error addKernel(DispatchOp op);
  /// The dispatch's kernel; equal ones are compiled once.
  llvm::Expected<Compiled *> compileKernel(DispatchOp op);
  llvm::Error addOperation(DispatchOp op);
  llvm::Error addView(DispatchOp op);

  /// Numbers a buffer; the error names a type that the runtime lacks.
  llvm::Expected<int32_t> addBuffer(proto::Buffer::Kind kind,
                                    llvm::StringRef name, mlir::Type element,
                                    llvm::ArrayRef<SizeExpr> shape);
  int32_t addScratch(DType dtype, llvm::ArrayRef<SizeExpr> shape);
  /// Marks the operands of a dispatch as read in the current step.
  void useOperands(DispatchOp op);

  mlir::ModuleOp stage;
  ValueTable &values;
  Target &target;
  StageObject result;
  StageCode code;
  SizeAnalysis sizes;
  llvm::DenseMap<mlir::Value, int32_t> bufferOf;
  llvm::StringMap<int32_t> weightBuffers;
  int32_t step = 0;

  /// Kernels by the text of their dispatch.
  std::map<std::string, std::shared_ptr<Compiled>> kernels;
};

/// An error that begins with the name of the node an op comes from.
llvm::Error stageError(mlir::Operation *op, const llvm::Twine &text);
/// The name of the model's node that `op` comes from, for traces; the kind of a
/// dispatch where none is known.
std::string originName(mlir::Operation *op);

/// Describes a library or collective dispatch. `buffer` gives the buffer of an
/// operand or result.
llvm::Expected<proto::Operation>
describeOperation(DispatchOp dispatch, ValueTable &values, const Target &target,
                  llvm::function_ref<int32_t(mlir::Value)> buffer);

} // namespace takt

#endif
