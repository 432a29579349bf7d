//===- TensorWindow.h - a box of a tensor's elements ----------------------===//
#ifndef TAKT_SUPPORT_TENSORWINDOW_H
#define TAKT_SUPPORT_TENSORWINDOW_H

#include "takt/Support/HostTensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace takt {

/// The elements from `start[i]` on, `size[i]` of them, along each dimension.
struct TensorWindow {
  llvm::SmallVector<int64_t> start, size;

  static TensorWindow whole(llvm::ArrayRef<int64_t> shape);
  int64_t rank() const { return size.size(); }
  int64_t numElements() const { return *elementCount(size); }
};

/// The elements of `tensor` in the window, which lies inside of it.
HostTensor cutWindow(const HostTensor &tensor, const TensorWindow &window);

/// Writes `part` into `whole` with its first element at `start`.
void pasteWindow(HostTensor &whole, llvm::ArrayRef<int64_t> start,
                 const HostTensor &part);

/// The window of a tensor of sizes `shape` as runs of elements that lie side by
/// side, in row-major order: calls `body` with each run's first element and its
/// length. Stops at the first error.
llvm::Error
forEachRun(llvm::ArrayRef<int64_t> shape, const TensorWindow &window,
           llvm::function_ref<llvm::Error(int64_t first, int64_t count)> body);

/// `window` of a tensor of sizes `shape`, cut along leading dimensions into
/// windows of at most `maxElements` (but at least one row of the last dimension
/// each), in row-major order. Stops at the first error.
llvm::Error
forEachBand(llvm::ArrayRef<int64_t> shape, int64_t maxElements,
            llvm::function_ref<llvm::Error(const TensorWindow &)> body);

} // namespace takt

#endif
