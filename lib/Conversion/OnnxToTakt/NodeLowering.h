//===- NodeLowering.h - what a rule sees of its node ----------------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_NODELOWERING_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_NODELOWERING_H

#include "SizeContent.h"

#include "takt/Dialect/Onnx/Onnx.h"
#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace takt::legalize {

/// What is known of an ONNX value.
struct LoweredValue {
  /// Null while only the content is known.
  mlir::Value value;
  SymbolicShape shape;
  mlir::Type element;
  std::optional<SizeContent> content;
};

/// Shared by all nodes of a model.
struct LegalizeState {
  explicit LegalizeState(mlir::ModuleOp module) : module(module) {}

  mlir::ModuleOp module;
  SizeAnalysis sizes;
  // Behind pointers, so that references survive growth of the map.
  llvm::DenseMap<mlir::Value, std::unique_ptr<LoweredValue>> values;
  /// Guards that the module has, as `left = right`.
  llvm::StringSet<> guards;

  /// What is known of `value`, which an earlier node or no node at all makes.
  LoweredValue &lookup(mlir::Value value);
  void set(mlir::Value value, LoweredValue lowered) {
    values[value] = std::make_unique<LoweredValue>(std::move(lowered));
  }
  /// The value as data, made at the builder's insertion point if need be.
  mlir::Value materialize(mlir::ImplicitLocOpBuilder &builder,
                          LoweredValue &value);
  /// States that two sizes are equal, by a guard if they are not provably so.
  /// Fails, without a message, if they differ in every request.
  mlir::LogicalResult equate(const SizeExpr &left, const SizeExpr &right,
                             const llvm::Twine &reason);
  /// Requests with a smaller `size` are refused. Only bare names can be
  /// bounded; false for other expressions.
  bool requireAtLeast(const SizeExpr &size, int64_t minimum);
};

/// A node, its inputs as takt values, and a builder in its place. Rules read
/// inputs, build ops and set every output that is used.
class NodeLowering {
public:
  NodeLowering(LegalizeState &state, onnx::NodeOp node);

  onnx::NodeOp node;
  mlir::ImplicitLocOpBuilder builder;

  // ---- inputs
  unsigned inputCount() { return node.getInputs().size(); }
  bool has(unsigned index) { return node.hasInput(index); }
  /// What is known of an input. One that is not there is reported, marks the
  /// node as broken and stands as a number, so that rules need not ask.
  LoweredValue &input(unsigned index);
  /// Input `index` as data.
  mlir::Value value(unsigned index);
  /// Its elements; null if they are not sizes.
  const SizeContent *content(unsigned index);
  /// Its elements if all are constants.
  std::optional<llvm::SmallVector<int64_t>> constants(unsigned index);
  int64_t rank(unsigned index) { return input(index).shape.size(); }

  // ---- attributes
  int64_t integer(llvm::StringRef name, int64_t fallback);
  double number(llvm::StringRef name, double fallback);
  std::string text(llvm::StringRef name, llvm::StringRef fallback);
  std::optional<llvm::SmallVector<int64_t>> integers(llvm::StringRef name);
  /// Counts a negative axis from the end; fails with a message if out of range.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  mlir::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);
  /// A list that is an attribute in old opsets and input `index` in new ones;
  /// nullopt if not given. Fails with a message if it depends on data.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  attributeOrInput(llvm::StringRef name, unsigned index);

  // ---- outputs
  bool isUsed(unsigned output);
  mlir::LogicalResult result(mlir::Value value, unsigned output = 0);
  mlir::LogicalResult result(SymbolicShape shape, mlir::Type element,
                             SizeContent content, unsigned output = 0);
  /// Output 0 is input `index` itself.
  mlir::LogicalResult forward(unsigned index);

  // ---- building
  const SymbolicShape &shape(mlir::Value value) {
    return state.sizes.shape(value);
  }
  int64_t rankOf(mlir::Value value) { return shape(value).size(); }
  mlir::Type element(mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  template <typename Op, typename... Args>
  mlir::Value make(mlir::Type element, Args &&...args) {
    return createInferred<Op>(builder, builder.getLoc(), state.sizes, element,
                              std::forward<Args>(args)...);
  }
  ShapeAttr shapeAttr(llvm::ArrayRef<SizeExpr> shape) {
    return ShapeAttr::get(builder.getContext(), shape);
  }
  /// A rank-0 constant of a float, integer or boolean type.
  mlir::Value constant(double value, mlir::Type element);
  /// A constant repeated to a shape.
  mlir::Value splat(double value, mlir::Type element,
                    llvm::ArrayRef<SizeExpr> shape);
  /// `like`'s type and shape, filled with a constant.
  mlir::Value splatLike(double value, mlir::Value like);
  /// The same elements under another shape; `value` itself if it is the same.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<SizeExpr> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// ONNX's unidirectional broadcast: aligned at the last dimension.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<SizeExpr> shape);
  /// Elements start, start + step, … of one dimension, `size` in all; the
  /// caller knows that they lie inside.
  mlir::Value part(mlir::Value value, int64_t dim, const SizeExpr &start,
                   const SizeExpr &size, int64_t step = 1);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  /// Reduced over `axes`, which keep size 1; axes rise.
  mlir::Value reduceKept(llvm::StringRef kind, mlir::Value value,
                         llvm::ArrayRef<int64_t> axes);
  /// The position of each element of a shape along dimension `dim`.
  mlir::Value positions(llvm::ArrayRef<SizeExpr> shape, int64_t dim,
                        mlir::Type element);
  /// A vector over dimension `dim` of `shape`, repeated along all others.
  mlir::Value alongDim(mlir::Value vector, int64_t dim,
                       llvm::ArrayRef<SizeExpr> shape);
  /// A size as a rank-0 tensor of a number type.
  mlir::Value sizeAs(const SizeExpr &size, mlir::Type element);

  /// The shape that all shapes broadcast to; states guards where sizes are
  /// equal by the model's promise. Fails with a message.
  mlir::FailureOr<SymbolicShape>
  commonShape(llvm::ArrayRef<SymbolicShape> shapes);
  /// Broadcasts the values to their common shape in place.
  mlir::LogicalResult
  broadcastTogether(llvm::SmallVectorImpl<mlir::Value> &values);
  /// Fails with a message if the sizes differ in every request.
  mlir::LogicalResult equate(const SizeExpr &left, const SizeExpr &right,
                             const llvm::Twine &what);

  /// Reports an error at the node; `problem` says what is wrong and what to do.
  mlir::LogicalResult fail(const llvm::Twine &problem);

  /// Whether an input was missing: the rule's result must not be used.
  bool isBroken() const { return broken; }

  LegalizeState &state;

private:
  bool broken = false;
  LoweredValue missing;
};

/// A rule for one operator.
using Rule = mlir::LogicalResult (*)(NodeLowering &);

} // namespace takt::legalize

#endif
