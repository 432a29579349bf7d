//===- Program.h - runs functions and partitioned programs ----------------===//
#ifndef TAKT_INTERPRETER_PROGRAM_H
#define TAKT_INTERPRETER_PROGRAM_H

#include "takt/Interpreter/WeightEvaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {

/// Tensors by the name of a model input or output (`takt.name`).
using NamedTensors = llvm::StringMap<HostTensor>;

/// The outputs of `function`, unsharded, in the order of its results. `inputs`
/// are in the order of its arguments, `dims` binds the names that its sizes
/// mention. Fails where an input's shape differs from the argument's.
llvm::Expected<llvm::SmallVector<HostTensor>>
evaluateFunction(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> inputs,
                 const SymbolValues &dims,
                 const SourceReader &readSource = noSources);

/// The same, by the names of ports.
llvm::Expected<NamedTensors>
evaluateModel(mlir::func::FuncOp function, const NamedTensors &inputs,
              const SymbolValues &dims,
              const SourceReader &readSource = noSources);

/// What one micro-batch brings: the model's inputs and the sizes they bind.
struct MicroBatch {
  NamedTensors inputs;
  SymbolValues dims;
};

/// Runs all ranks of one replica of a partitioned program, as `takt.rank` and
/// `takt.channel` say: each rank's instructions once per micro-batch, values
/// through channels of bounded depth, the shards of a stage in lock-step.
/// Returns each micro-batch's outputs. Fails if the program gets stuck (with
/// what each rank waits for), leaves a value in a channel, reads what it has
/// not received or has freed, or if shards differ in an output.
llvm::Expected<llvm::SmallVector<NamedTensors>> evaluatePartitioned(
    mlir::ModuleOp module, llvm::ArrayRef<MicroBatch> microBatches,
    const SourceReader &readSource = noSources, int64_t replica = 0);

/// Runs @main of `original` and the ranks of `partitioned` on the same
/// micro-batches. Fails at the first output that differs: integers must be
/// equal, floats lie within `tolerance` times the output's largest magnitude.
llvm::Error comparePartitioned(mlir::ModuleOp original,
                               mlir::ModuleOp partitioned,
                               llvm::ArrayRef<MicroBatch> microBatches,
                               double tolerance,
                               const SourceReader &readSource = noSources);

/// Fails, naming the first element that differs, unless the tensors agree as
/// comparePartitioned says. NaN equals NaN.
llvm::Error compareTensors(const HostTensor &expected, const HostTensor &actual,
                           double tolerance);

/// Fails unless `tensor` has the shape that `takt.shape` of argument `index`
/// says, or its type where there is none.
llvm::Error checkArgument(mlir::func::FuncOp function, unsigned index,
                          const HostTensor &tensor, const SymbolValues &dims);

} // namespace takt

#endif
