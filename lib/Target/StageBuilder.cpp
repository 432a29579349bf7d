//===- StageBuilder.cpp - buffers, operations and steps of a stage --------===//
#include "StageBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace takt;

static std::string nameIn(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return nameIn(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string name = nameIn(part); !name.empty())
        return name;
  return "";
}

std::string takt::originName(Operation *op) {
  std::string name = nameIn(op->getLoc());
  if (!name.empty())
    return name;
  auto dispatch = dyn_cast<DispatchOp>(op);
  return dispatch ? dispatch.getKind().str() : "";
}

llvm::Error takt::stageError(Operation *op, const Twine &text) {
  std::string name = originName(op);
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 (name.empty() ? "" : "'" + name + "': ") +
                                     text);
}

llvm::Expected<int32_t> StageBuilder::addBuffer(proto::Buffer::Kind kind,
                                                StringRef name, Type element,
                                                ArrayRef<SizeExpr> shape) {
  std::optional<DType> dtype = dtypeOf(element);
  if (!dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "a buffer has element type " + text +
            ", which the runtime lacks; expected one of takt.proto's dtypes");
  }
  int32_t index = addScratch(*dtype, shape);
  proto::Buffer &buffer = *result.program.mutable_buffers(index);
  buffer.set_kind(kind);
  buffer.set_name(name.str());
  if (kind != proto::Buffer::ARENA)
    buffer.set_first(0), buffer.set_last(0);
  return index;
}

int32_t StageBuilder::addScratch(DType dtype, ArrayRef<SizeExpr> shape) {
  proto::Buffer &buffer = *result.program.add_buffers();
  buffer.set_kind(proto::Buffer::ARENA);
  buffer.set_dtype(dtypeName(dtype).str());
  for (const SizeExpr &size : shape)
    buffer.add_shape(values.index(size));
  buffer.set_first(step);
  buffer.set_last(step);
  return result.program.buffers_size() - 1;
}

llvm::Error StageBuilder::addArguments(func::FuncOp forward) {
  for (BlockArgument argument : forward.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto name = forward.getArgAttrOfType<StringAttr>(i, attr::name);
    auto channel = forward.getArgAttrOfType<IntegerAttr>(i, attr::channel);
    if (!name && !channel)
      return stageError(forward, "argument " + Twine(i) +
                                     " of a stage has neither takt.name nor "
                                     "takt.channel");
    auto buffer =
        addBuffer(name ? proto::Buffer::INPUT : proto::Buffer::CHANNEL,
                  name ? name.getValue() : "", getElementTypeOrSelf(argument),
                  sizes.shape(argument));
    if (!buffer)
      return buffer.takeError();
    bufferOf[argument] = *buffer;
    if (channel)
      result.receivedBuffers[channel.getInt()] = *buffer;
  }
  return llvm::Error::success();
}

llvm::Error StageBuilder::addWeight(WeightReadOp op) {
  auto [it, isNew] = weightBuffers.try_emplace(op.getWeight(), 0);
  if (isNew) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto buffer = addBuffer(proto::Buffer::WEIGHT, op.getWeight(),
                            type.getElementType(), staticShape(type));
    if (!buffer)
      return buffer.takeError();
    it->second = *buffer;
  }
  bufferOf[op.getResult()] = it->second;
  return llvm::Error::success();
}

void StageBuilder::useOperands(DispatchOp op) {
  for (Value operand : op.getInputs()) {
    proto::Buffer &buffer =
        *result.program.mutable_buffers(bufferOf.at(operand));
    if (buffer.kind() == proto::Buffer::ARENA)
      buffer.set_last(std::max(buffer.last(), step));
  }
}

llvm::Error StageBuilder::addView(DispatchOp op) {
  // The result's bytes are the operand's: one buffer, alive for both.
  Block &region = op.getBody().front();
  auto argument = dyn_cast<BlockArgument>(region.front().getOperand(0));
  if (!isa<ReshapeOp>(region.front()) || !argument ||
      region.getOperations().size() != 2)
    return stageError(op, "a view dispatch holds more than one reshape of an "
                          "operand");
  bufferOf[op.getResult(0)] =
      bufferOf.at(op.getInputs()[argument.getArgNumber()]);
  return llvm::Error::success();
}

llvm::Error StageBuilder::addOperation(DispatchOp op) {
  auto described = describeOperation(
      op, values, target, [&](Value value) { return bufferOf.at(value); });
  if (!described)
    return described.takeError();
  HostStep call;
  call.kind =
      op.getKind() == "library" ? HostStep::LibraryCall : HostStep::Collective;
  call.operation = result.program.operations_size();
  *result.program.add_operations() = std::move(*described);
  code.steps.push_back(std::move(call));
  return llvm::Error::success();
}

/// Whether the dispatch becomes a call of the target's library, which computes
/// in f32; kernels compute the rest.
static bool callsLibrary(DispatchOp op, const Target &target) {
  auto isSingle = [](Value value) {
    return getElementTypeOrSelf(value).isF32();
  };
  return op.getKind() == "library" && target.hasLibrary() &&
         llvm::all_of(op.getInputs(), isSingle) &&
         llvm::all_of(op.getResults(), isSingle);
}

llvm::Error StageBuilder::addDispatch(DispatchOp op) {
  useOperands(op);
  if (op.getKind() == "view")
    return addView(op);
  for (OpResult value : op.getResults()) {
    auto buffer = addBuffer(proto::Buffer::ARENA, "",
                            getElementTypeOrSelf(value), sizes.shape(value));
    if (!buffer)
      return buffer.takeError();
    bufferOf[value] = *buffer;
  }
  if (op.getKind() == "collective" || callsLibrary(op, target))
    return addOperation(op);
  if (op.getKind() == "kernel" || op.getKind() == "library")
    return addKernel(op);
  return stageError(op, "a dispatch is of kind '" + op.getKind() +
                            "'; expected kernel, library, view or collective");
}

llvm::Error StageBuilder::addResults(func::FuncOp forward) {
  Operation *end = forward.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    int32_t buffer = bufferOf.at(value);
    proto::Buffer &description = *result.program.mutable_buffers(buffer);
    if (description.kind() == proto::Buffer::ARENA)
      description.set_last(std::numeric_limits<int32_t>::max());
    auto name = forward.getResultAttrOfType<StringAttr>(i, attr::name);
    auto channel = forward.getResultAttrOfType<IntegerAttr>(i, attr::channel);
    if (!name && !channel)
      return stageError(forward, "result " + Twine(i) +
                                     " of a stage has neither takt.name nor "
                                     "takt.channel");
    if (name) {
      proto::StageOutput &output = *result.program.add_outputs();
      output.set_name(name.getValue().str());
      output.set_buffer(buffer);
    }
    if (channel)
      result.sentBuffers[channel.getInt()] = buffer;
  }
  return llvm::Error::success();
}

llvm::Expected<StageObject> StageBuilder::build() {
  MLIRContext *context = stage.getContext();
  context->loadDialect<linalg::LinalgDialect, memref::MemRefDialect,
                       scf::SCFDialect, math::MathDialect, func::FuncDialect,
                       arith::ArithDialect>();
  auto forward = stage.lookupSymbol<func::FuncOp>("forward");
  if (!forward || forward.getBody().empty())
    return stageError(stage, "a stage has no function 'forward'");
  std::string name = stage.getName().value_or("stage").str();
  result.program.set_name(name);
  result.program.set_entry("takt_" + name + "_forward");
  result.program.set_tensor_parallel(tensorParallelOf(stage));
  code.kernels = ModuleOp::create(UnknownLoc::get(context));

  if (llvm::Error error = addArguments(forward))
    return std::move(error);
  for (auto op : forward.getOps<WeightReadOp>())
    if (llvm::Error error = addWeight(op))
      return std::move(error);
  for (Operation &op : forward.getBody().front().without_terminator()) {
    if (isa<WeightReadOp>(op))
      continue;
    auto dispatch = dyn_cast<DispatchOp>(op);
    if (!dispatch)
      return stageError(&op, "'" + op.getName().getStringRef() +
                                 "' is left in a stage; expected dispatches "
                                 "only");
    if (llvm::Error error = addDispatch(dispatch))
      return std::move(error);
    ++step;
  }
  if (llvm::Error error = addResults(forward))
    return std::move(error);
  auto object = target.emitObject(std::move(code), result.program.entry());
  if (!object)
    return object.takeError();
  result.object = std::move(*object);
  return std::move(result);
}
