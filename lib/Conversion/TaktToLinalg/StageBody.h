//===- StageBody.h - the code of one stage's elements ---------------------===//
#ifndef TAKT_LIB_CONVERSION_TAKTTOLINALG_STAGEBODY_H
#define TAKT_LIB_CONVERSION_TAKTTOLINALG_STAGEBODY_H

#include "KernelBuilder.h"

#include "mlir/IR/AffineMap.h"

#include <map>

namespace takt::kernels {

/// The region of one linalg.generic while it is built. `read` writes the code
/// that computes one element of any value of the dispatch, down to buffers.
class StageBody {
public:
  StageBody(KernelBuilder &kernel, llvm::ArrayRef<SizeExpr> space,
            llvm::ArrayRef<bool> reduced);
  ~StageBody();

  /// Element of a tensor value of the dispatch's region.
  mlir::Value read(mlir::Value value, llvm::ArrayRef<Index> index);
  mlir::Value readBuffer(const KernelBuffer &buffer,
                         llvm::ArrayRef<Index> index);
  /// An index-typed value in the body.
  mlir::Value toValue(const Index &index);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constantIndex(int64_t value);
  /// Between float types; others must be equal.
  mlir::Value convertFloat(mlir::Value value, mlir::Type type);
  /// Coordinates of this point of the space.
  const IndexList &point() const { return here; }
  /// `ifTrue()` where `condition`, else `otherwise()`; loads of the side not
  /// taken don't happen.
  mlir::Value branch(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> ifTrue,
                     llvm::function_ref<mlir::Value()> otherwise);

  /// Adds the generic to the row loop.
  void finish(llvm::ArrayRef<StageOutput> outputs);

  KernelBuilder &kernel;
  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  using Key = std::vector<const void *>;

  mlir::Value compute(mlir::Value value, llvm::ArrayRef<Index> index);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<Index> index);
  mlir::Value readConstant(mlir::arith::ConstantOp op,
                           llvm::ArrayRef<Index> index);
  mlir::Value readSlice(SliceOp op, llvm::ArrayRef<Index> index);
  mlir::Value readReshape(ReshapeOp op, llvm::ArrayRef<Index> index);
  mlir::Value readConcat(ConcatOp op, llvm::ArrayRef<Index> index);
  mlir::Value readGather(GatherOp op, llvm::ArrayRef<Index> index);
  mlir::Value readGatherND(GatherNDOp op, llvm::ArrayRef<Index> index);
  mlir::Value readIota(IotaOp op, llvm::ArrayRef<Index> index);
  mlir::Value readSizeTensor(SizeTensorOp op, llvm::ArrayRef<Index> index);
  mlir::Value readGelu(GeluOp op, llvm::ArrayRef<Index> index);
  mlir::Value readSoftmax(SoftmaxOp op, llvm::ArrayRef<Index> index);
  mlir::Value readLayerNorm(LayerNormOp op, llvm::ArrayRef<Index> index);
  IndexList reshapeIndex(llvm::ArrayRef<SizeExpr> from,
                         llvm::ArrayRef<SizeExpr> to,
                         llvm::ArrayRef<Index> index);
  void reshapeGroup(llvm::ArrayRef<SizeExpr> from, llvm::ArrayRef<SizeExpr> to,
                    llvm::ArrayRef<Index> index, IndexList &result);
  mlir::Value unlessEmpty(llvm::ArrayRef<SizeExpr> dims, mlir::Type type,
                          llvm::function_ref<mlir::Value()> element);
  mlir::Value normalizedRow(mlir::Value row, const SizeExpr &rows);

  /// A view of what the stage touches in a buffer and its map; none if an
  /// index is not affine.
  bool makeOperand(const KernelBuffer &buffer, llvm::ArrayRef<Index> index,
                   mlir::Value &view, mlir::AffineMap &map);
  mlir::Value loadElement(const KernelBuffer &buffer,
                          llvm::ArrayRef<Index> index);
  bool rowMatches(const KernelBuffer &buffer, llvm::ArrayRef<Index> index);
  void addBounds(const KernelBuffer &buffer,
                 llvm::ArrayRef<mlir::AffineMap> outputMaps);
  mlir::Value fromStorage(mlir::Value stored, mlir::Type element);

  SymbolicShape space;
  IndexList here;
  llvm::SmallVector<int> loopOf; // of a dimension, -1 if it has none
  llvm::SmallVector<bool> loopReduced;
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::Value> loopIndices;
  // One map per open branch: a value computed inside one is not known outside.
  std::vector<std::map<Key, mlir::Value>> known;
};

} // namespace takt::kernels

#endif
