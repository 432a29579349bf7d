//===- KernelBuilder.h - one attempt to build a kernel --------------------===//
//
// A kernel is a nest of loops over `outer` leading dimensions, which all its
// stages share, and in it a sequence of stages: linalg.generic ops over what is
// left of the dimensions. The more dimensions the nest has, the smaller are the
// temporaries between the stages; with none, they hold whole tensors.
//
//===----------------------------------------------------------------------===//
#ifndef TAKT_LIB_CONVERSION_TAKTTOLINALG_KERNELBUILDER_H
#define TAKT_LIB_CONVERSION_TAKTTOLINALG_KERNELBUILDER_H

#include "takt/Conversion/TaktToLinalg/TaktToLinalg.h"
#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

#include <deque>
#include <functional>

namespace takt::kernels {

/// Dense row-major data behind a pointer. Of the logical `shape` the first
/// `skip` dimensions have no storage: the buffer is one row's temporary. Along
/// the first `rows` dimensions only the elements of this iteration of the loops
/// over rows are defined.
struct KernelBuffer {
  mlir::Value base;
  SymbolicShape shape;
  mlir::Type element;
  unsigned skip = 0, rows = 0;
};

/// One coordinate of an element, as dimension or constant of the stage's space
/// (`expr`), plus a value. A value beside an `expr` is computed outside of the
/// stage. At least one is set.
struct Index {
  mlir::AffineExpr expr;
  mlir::Value value;
};
using IndexList = llvm::SmallVector<Index, 4>;

class StageBody;

/// One value that a stage stores for each point of its space (or accumulates,
/// where `index` lacks reduced dimensions).
struct StageOutput {
  KernelBuffer buffer;
  IndexList index;
  /// The new element, given the one that is there.
  std::function<mlir::Value(StageBody &, mlir::Value)> compute;
};

/// What later stages read instead of the result of a softmax or normalisation.
struct RowStatistics {
  KernelBuffer operand, first, second;
};

class KernelBuilder {
public:
  KernelBuilder(DispatchOp dispatch, LoweredKernel &kernel, SizeAnalysis &sizes,
                unsigned outer);

  /// Fills the function. False if a dependence between stages forbids `outer`
  /// shared dimensions, or after an error (`unsupported`).
  bool build();
  bool isUnsupported() const { return unsupported; }

  // Sizes and buffers.
  mlir::Value size(const SizeExpr &expr);
  mlir::Value product(llvm::ArrayRef<SizeExpr> exprs);
  KernelBuffer temporary(llvm::ArrayRef<SizeExpr> shape, mlir::Type element);
  /// The buffer that `value` is read from, or null if it is computed in place.
  const KernelBuffer *find(mlir::Value value) const;
  /// A buffer that holds `value`: an existing one, or it is stored now.
  KernelBuffer store(mlir::Value value);
  /// The buffer of the dispatch result that is `value`, if it is one.
  const KernelBuffer *resultBuffer(mlir::Value value) const;
  KernelBuffer destination(mlir::Value value);
  /// A constant that is no splat, as data of the module.
  KernelBuffer constantData(mlir::arith::ConstantOp constant);

  // Stages.
  void emitStage(llvm::ArrayRef<SizeExpr> space, llvm::ArrayRef<bool> reduced,
                 llvm::ArrayRef<StageOutput> outputs);
  /// Sets all elements of `buffer` (of its current row).
  void fill(const KernelBuffer &buffer, mlir::TypedAttr value);
  /// Replaces each element of `buffer` by `compute` of it.
  void update(const KernelBuffer &buffer,
              std::function<mlir::Value(StageBody &, mlir::Value)> compute);
  /// Coordinates (d0, d1, …); 0 where a size is 1.
  IndexList identity(llvm::ArrayRef<SizeExpr> shape);
  Index constantIndex(int64_t value);
  /// index + start, where start is known outside of the stage.
  Index shift(const Index &index, const SizeExpr &start, mlir::OpBuilder &body);

  // Row operations (RowOps.cpp, ContractionOps.cpp, WindowOps.cpp).
  void emitReduce(ReduceOp op);
  void emitSoftmax(SoftmaxOp op);
  void emitLayerNorm(LayerNormOp op);
  void emitMatmul(MatmulOp op);
  void emitConv(ConvOp op);
  void emitPool(PoolOp op);
  /// Turns the sums of an average pooling into means.
  void divideByCount(PoolOp op, const KernelBuffer &target);

  /// Reports `op` at its location.
  void fail(mlir::Operation *op, const llvm::Twine &text);
  /// `outer` is too large.
  void rejectOuter() { rejected = true; }

  /// Floating-point flags for code that stands for `op`.
  mlir::arith::FastMathFlagsAttr fastMath(mlir::Operation *op);

  DispatchOp dispatch;
  SizeAnalysis &sizes;
  const unsigned outer;
  mlir::MLIRContext *context;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> rows; // of the loops, `outer` of them
  mlir::OpBuilder prologue;            // start of the function
  mlir::OpBuilder row;                 // innermost loop of the nest
  llvm::DenseMap<mlir::Operation *, RowStatistics> statistics;

private:
  void openLoops(llvm::ArrayRef<SizeExpr> shape);
  void emitRowOp(mlir::Operation *op);
  void storeInto(mlir::Value value, KernelBuffer buffer);
  void storeConcat(ConcatOp op, const KernelBuffer &buffer);
  mlir::Value addArgument(mlir::Type type, KernelArgument argument,
                          llvm::StringRef attribute, llvm::StringRef text);

  LoweredKernel &kernel;
  mlir::Block *entry;
  llvm::StringMap<mlir::Value> sizeValues;
  llvm::DenseMap<mlir::Value, KernelBuffer> buffers;
  llvm::SmallVector<KernelBuffer> results;
  llvm::DenseSet<mlir::Operation *> strictOps;
  int64_t stackBytes = 0;
  bool rejected = false, unsupported = false;
};

/// Whether the op needs stages of its own.
bool isRowOp(mlir::Operation *op);
/// How many leading dimensions a row op leaves alone, and their sizes.
unsigned sharedPrefix(mlir::Operation *op, SizeAnalysis &sizes,
                      SymbolicShape &shape);
/// Ops whose results change abruptly with rounding of their operands, and the
/// elementwise ops that feed them: they are compiled without reassociation.
llvm::DenseSet<mlir::Operation *> findStrictOps(DispatchOp dispatch);
/// The type in registers (i1 for bool, signless integers) and in memory (i8).
mlir::Type scalarType(mlir::Type element);
mlir::Type storageType(mlir::Type element);
/// f32 for f16 and bf16, else the type itself: what sums are kept in.
mlir::Type accumulatorType(mlir::Type element);

} // namespace takt::kernels

#endif
