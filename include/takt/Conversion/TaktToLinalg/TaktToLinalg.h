//===- TaktToLinalg.h - generated kernels: dispatches to linalg -----------===//
#ifndef TAKT_CONVERSION_TAKTTOLINALG_TAKTTOLINALG_H
#define TAKT_CONVERSION_TAKTTOLINALG_TAKTTOLINALG_H

#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace takt {

/// What the caller passes for one parameter of a kernel.
struct KernelArgument {
  enum Kind {
    /// Pointer to the data of operand `index` of the dispatch.
    Input,
    /// Pointer to the buffer of result `index`, written completely.
    Output,
    /// Pointer to LoweredKernel::scratch[index], which holds nothing before and
    /// after.
    Scratch,
    /// The value of LoweredKernel::sizes[index].
    Size,
  };
  Kind kind;
  int32_t index;
};

/// A buffer that a kernel needs beside its operands, because the size of a row
/// is not known when compiling: a kernel never allocates memory.
struct ScratchBuffer {
  DType dtype;
  SymbolicShape shape;
};

/// A dispatch as a function `name(memref<1xT>…, index…)`. Pointers are to dense
/// row-major data and overlap in nothing that is written; bool is one byte, 0
/// or 1.
struct LoweredKernel {
  mlir::func::FuncOp function;
  llvm::SmallVector<KernelArgument> arguments;
  llvm::SmallVector<SizeExpr> sizes;
  llvm::SmallVector<ScratchBuffer> scratch;
};

/// Lowers the region of `dispatch` to loops over rows that hold linalg.generic
/// ops on rows, in a function `name` at the end of `module`. Elementwise ops,
/// movement and gathers become part of the generics that need them; only
/// operands of row operations (softmax, normalisation, contraction) are stored.
/// Works for kernels and, as loops, for library dispatches. An op without a
/// lowering is reported at its location.
mlir::FailureOr<LoweredKernel>
lowerKernel(DispatchOp dispatch, mlir::ModuleOp module, llvm::StringRef name);

/// `takt-to-linalg`: appends the kernel of each dispatch of kind `kernel` (with
/// the option `library`, of kind `library` too) to the module as
/// `kernel0`, `kernel1`, …; the dispatches stay.
void registerTaktToLinalgPass();

} // namespace takt

#endif
