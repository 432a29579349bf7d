//===- Windows.h - what convolution and pooling nodes share ---------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_WINDOWS_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_WINDOWS_H

#include "NodeLowering.h"

namespace takt::legalize {

/// Kernel sizes, strides, dilations and pads stay below; the runtime refuses
/// larger ones, too.
constexpr int64_t windowLimit = 1 << 20;

/// The attributes of a node that slides a window; one number per spatial
/// dimension in each list.
struct WindowAttributes {
  llvm::SmallVector<int64_t> kernel, strides, dilations, padsBegin, padsEnd;

  int64_t extent(unsigned dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
  mlir::DenseI64ArrayAttr attribute(NodeLowering &n,
                                    llvm::ArrayRef<int64_t> list) const {
    return n.builder.getDenseI64ArrayAttr(list);
  }
};

/// Reads them for input 0, [N, C, spatial..]; `kernel` is the kernel where the
/// node has no kernel_shape. auto_pad is resolved. Fails with a message.
mlir::FailureOr<WindowAttributes>
readWindow(NodeLowering &n, llvm::ArrayRef<int64_t> kernel = {});

/// Fails with a message unless the node computes in float32.
mlir::LogicalResult requireFloat32(NodeLowering &n);

/// [N, C, spatial..] as [N, spatial.., C], and back.
mlir::Value toChannelsLast(NodeLowering &n, mlir::Value value);
mlir::Value toChannelsFirst(NodeLowering &n, mlir::Value value);

/// A vector repeated along all but the last dimension of `like`.
mlir::Value repeatRows(NodeLowering &n, mlir::Value vector, mlir::Value like);

} // namespace takt::legalize

#endif
