//===- StateConversion.cpp - one value in several states ------------------===//
#include "StateConversion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace takt;

void StateConverter::want(Value global, State state) {
  auto &wanted = versions[global].wanted;
  if (!llvm::is_contained(wanted, state))
    wanted.push_back(state);
}

void StateConverter::define(Value global, State state, Value local) {
  Versions &entry = versions[global];
  if (entry.made.empty())
    entry.native = state;
  entry.made.push_back({state, local});
}

FailureOr<SymbolicShape> StateConverter::localShapeOf(Value global,
                                                      State state) {
  llvm::Expected<SymbolicShape> shape =
      localShape(sizes.shape(global), state, ways);
  if (!shape)
    return emitError(global.getLoc()) << llvm::toString(shape.takeError());
  return std::move(*shape);
}

RankedTensorType StateConverter::localTypeOf(Type global, State state) const {
  auto type = cast<RankedTensorType>(global);
  SmallVector<int64_t> dims(type.getShape());
  if (state.kind == State::Split && !ShapedType::isDynamic(dims[state.dim]))
    dims[state.dim] /= ways;
  return RankedTensorType::get(dims, type.getElementType());
}

/// The rank's part of a whole value: it starts at shard * its size.
Value StateConverter::slicePart(Value whole, State state,
                                ArrayRef<SizeExpr> local, OpBuilder &builder) {
  SymbolicShape starts(local.size(), SizeExpr(0));
  starts[state.dim] = SizeExpr::symbol(shardSymbol) * local[state.dim];
  return builder.create<SliceOp>(whole.getLoc(),
                                 localTypeOf(whole.getType(), state), whole,
                                 ShapeAttr::get(builder.getContext(), starts),
                                 ShapeAttr::get(builder.getContext(), local),
                                 SmallVector<int64_t>(local.size(), 1));
}

/// A weight whose initializer cuts the rank's part from \p weight.
WeightOp StateConverter::shardOf(WeightOp weight, State state,
                                 RankedTensorType type) {
  std::string base = (weight.getSymName() + ".split" + Twine(state.dim)).str();
  std::string name = base;
  // A model may have a weight of that name.
  for (int suffix = 1;; ++suffix) {
    Operation *other = stage.lookupSymbol(name);
    if (!other)
      break;
    if (shards.lookup(other) == weight)
      return cast<WeightOp>(other);
    name = base + "." + std::to_string(suffix);
  }
  OpBuilder builder(weight->getContext());
  builder.setInsertionPointAfter(weight);
  auto shard =
      builder.create<WeightOp>(weight.getLoc(), name, type, SourceAttr());
  shards[shard] = weight;
  builder.createBlock(&shard.getInitializer());
  auto read = builder.create<WeightReadOp>(weight.getLoc(), weight.getType(),
                                           weight.getSymName());
  Value part = slicePart(read, state, staticShape(type), builder);
  builder.create<YieldOp>(weight.getLoc(), part);
  return shard;
}

/// Constants and weights come in any state without communication.
FailureOr<Value> StateConverter::readSource(Value global, State state,
                                            OpBuilder &builder) {
  Operation *op = global.getDefiningOp();
  auto shape = localShapeOf(global, state);
  if (failed(shape))
    return failure();
  auto read = dyn_cast<WeightReadOp>(op);
  if (read && state.kind == State::Split) {
    auto weight = stage.lookupSymbol<WeightOp>(read.getWeight());
    WeightOp shard =
        shardOf(weight, state, localTypeOf(global.getType(), state));
    return builder
        .create<WeightReadOp>(op->getLoc(), shard.getType(), shard.getSymName())
        .getResult();
  }
  if (state.kind == State::Split) {
    auto whole = get(global, State::replicated(), builder);
    if (failed(whole))
      return failure();
    return slicePart(*whole, state, *shape, builder);
  }
  Operation *copy = builder.clone(*op);
  copy->removeAttr(attr::operandStates);
  copy->removeAttr(attr::resultStates);
  return copy->getResult(0);
}

/// One step from the native state, or two by way of the whole value.
FailureOr<Value> StateConverter::convert(Value global, State state,
                                         OpBuilder &builder) {
  const Versions &entry = versions[global];
  auto shape = localShapeOf(global, state);
  if (failed(shape))
    return failure();
  Location loc = global.getLoc();
  Type type = localTypeOf(global.getType(), state);
  Value native = entry.made.front().second;
  if (state.kind == State::Replicated) {
    if (entry.native.kind == State::Partial)
      return builder.create<AllReduceOp>(loc, type, native, ways).getResult();
    return builder
        .create<AllGatherOp>(loc, type, native, entry.native.dim, ways)
        .getResult();
  }
  // A sum is scattered only if one part of it is all that is wanted; else the
  // whole sum costs no more than two steps and serves every use.
  unsigned others = llvm::count_if(entry.wanted, [&](State wanted) {
    return wanted.kind != State::Partial && wanted != state;
  });
  if (entry.native.kind == State::Partial && others == 0)
    return builder.create<ReduceScatterOp>(loc, type, native, state.dim, ways)
        .getResult();
  auto whole = get(global, State::replicated(), builder);
  if (failed(whole))
    return failure();
  return slicePart(*whole, state, *shape, builder);
}

FailureOr<Value> StateConverter::get(Value global, State state,
                                     OpBuilder &builder) {
  // On one rank all states are the same.
  if (ways == 1)
    state = State::replicated();
  for (const auto &[made, local] : versions[global].made)
    if (made == state || ways == 1)
      return local;
  Operation *op = global.getDefiningOp();
  bool fromSource = op && isSource(op);
  if (state.kind == State::Partial)
    return emitError(global.getLoc())
           << "a value that is "
           << (fromSource ? State::replicated() : versions[global].native).str()
           << " is wanted as a partial sum, which no conversion makes; run "
              "takt-plan anew";
  auto local = fromSource ? readSource(global, state, builder)
                          : convert(global, state, builder);
  if (failed(local))
    return failure();
  if (!sizes.isKnown(*local))
    sizes.set(*local, *localShapeOf(global, state));
  versions[global].made.push_back({state, *local});
  return *local;
}
