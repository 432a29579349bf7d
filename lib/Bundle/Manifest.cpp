//===- Manifest.cpp - what the runtime reads ------------------------------===//
#include "takt/Bundle/BundleWriter.h"
#include "takt/Bundle/Packer.h"
#include "takt/Interpreter/RankPrograms.h"

#include "runtime/abi/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace takt;

namespace {
class ManifestBuilder {
public:
  explicit ManifestBuilder(const BundleInput &input)
      : input(input), values(input.values) {}

  llvm::Expected<proto::Manifest> build() {
    ModuleOp module = input.module;
    addHeader();
    for (auto dim : module.getOps<DimOp>())
      addDim(dim);
    for (const BundlePort &port : input.inputs)
      addPort(port, *manifest.add_inputs());
    for (const BundlePort &port : input.outputs)
      addPort(port, *manifest.add_outputs());
    for (const BundleIndexRange &range : input.indexRanges) {
      proto::IndexRange &message = *manifest.add_index_ranges();
      message.set_input(range.input);
      message.set_rows(values.index(range.rows));
    }
    for (auto guard : module.getOps<GuardOp>())
      if (llvm::Error error = addGuard(guard))
        return error;
    if (llvm::Error error = addStages())
      return error;
    llvm::Expected<RankPrograms> programs = RankPrograms::read(module);
    if (!programs)
      return badInput(llvm::toString(programs.takeError()));
    if (programs->stages.size() != input.stages.size())
      return badInput("the program has " + Twine(programs->stages.size()) +
                      " stages, but " + Twine(input.stages.size()) +
                      " were compiled");
    for (const RankPrograms::Rank &rank : programs->ranks)
      addRank(rank);
    for (const RankPrograms::Channel &channel : programs->channels)
      if (llvm::Error error = addChannel(channel, *programs))
        return error;
    // Last: everything above may add sizes.
    for (const std::string &text : values.all())
      manifest.add_values(text);
    return std::move(manifest);
  }

private:
  void addHeader() {
    manifest.set_abi_version(TAKT_ABI_VERSION);
    manifest.set_takt_version(TAKT_VERSION);
    manifest.set_model(input.model);
    manifest.set_target_cpu(input.targetCpu);
    manifest.set_target_features(input.targetFeatures);
    *manifest.mutable_plan() = input.plan;
  }

  void addDim(DimOp op) {
    proto::Dim &dim = *manifest.add_dims();
    dim.set_name(op.getSymName().str());
    dim.set_typical(op.getTypical());
    dim.set_minimum(op.getMinimum());
    dim.set_multiple(op.getMultiple());
  }

  template <typename Message>
  void addShape(ArrayRef<SizeExpr> shape, Message &message) {
    for (const SizeExpr &size : shape)
      message.add_shape(values.index(size));
  }

  void addPort(const BundlePort &port, proto::Port &message) {
    message.set_name(port.name);
    message.set_dtype(dtypeName(port.dtype).str());
    addShape(port.shape, message);
  }

  llvm::Error addGuard(GuardOp op) {
    int32_t indices[2];
    StringRef texts[2] = {op.getLeft(), op.getRight()};
    for (int i = 0; i < 2; ++i) {
      llvm::Expected<SizeExpr> expr = SizeExpr::parse(texts[i]);
      if (!expr)
        return badInput("guard '" + op.getReason() +
                        "': " + llvm::toString(expr.takeError()));
      indices[i] = values.index(*expr);
    }
    proto::Guard &guard = *manifest.add_guards();
    guard.set_left(indices[0]);
    guard.set_right(indices[1]);
    guard.set_text(op.getReason().str());
    return llvm::Error::success();
  }

  llvm::Error addStages() {
    int32_t knownValues = input.values.all().size();
    for (auto [i, stage] : llvm::enumerate(input.stages)) {
      for (const proto::Buffer &buffer : stage.program.buffers())
        for (int32_t value : buffer.shape())
          if (value < 0 || value >= knownValues)
            return badInput("stage " + Twine(i) + " names size " +
                            Twine(value) + " of a table of " +
                            Twine(knownValues));
      proto::StageProgram &program = *manifest.add_stages();
      program = stage.program;
      program.set_library("stages/stage" + std::to_string(i) + ".so");
    }
    return llvm::Error::success();
  }

  void addRank(const RankPrograms::Rank &rank) {
    proto::Rank &message = *manifest.add_ranks();
    message.set_id(rank.id);
    message.set_replica(rank.replica);
    message.set_stage(rank.stage);
    message.set_shard(rank.shard);
    if (rank.stage >= 0)
      message.set_weights(weightFilePath(rank.stage, rank.shard));
    for (const RankInstruction &instruction : rank.instructions) {
      proto::Instruction &added = *message.add_instructions();
      added.set_kind(kindOf(instruction.kind));
      if (instruction.kind != RankInstruction::Forward)
        added.set_channel(instruction.channel);
    }
  }

  static proto::Instruction::Kind kindOf(RankInstruction::Kind kind) {
    switch (kind) {
    case RankInstruction::Receive:
      return proto::Instruction::RECEIVE;
    case RankInstruction::Forward:
      return proto::Instruction::FORWARD;
    case RankInstruction::Free:
      return proto::Instruction::FREE;
    case RankInstruction::Send:
      return proto::Instruction::SEND;
    }
    llvm_unreachable("all kinds are covered");
  }

  llvm::Error addChannel(const RankPrograms::Channel &channel,
                         const RankPrograms &programs);

  const BundleInput &input;
  ValueTable values;
  proto::Manifest manifest;
};
} // namespace

/// The argument of the stage's forward function that receives value `number`.
static BlockArgument findReceiver(ModuleOp stage, int64_t number) {
  auto forward = stage.lookupSymbol<func::FuncOp>("forward");
  for (unsigned i = 0; forward && i < forward.getNumArguments(); ++i) {
    auto value = forward.getArgAttrOfType<IntegerAttr>(i, attr::channel);
    if (value && value.getInt() == number)
      return forward.getArgument(i);
  }
  return {};
}

llvm::Error ManifestBuilder::addChannel(const RankPrograms::Channel &channel,
                                        const RankPrograms &programs) {
  int64_t source = programs.ranks[channel.sourceRank].stage;
  int64_t target = programs.ranks[channel.targetRank].stage;
  auto sent = input.stages[source].sentBuffers.find(channel.value);
  auto received = input.stages[target].receivedBuffers.find(channel.value);
  BlockArgument receiver = findReceiver(programs.stages[target], channel.value);
  if (sent == input.stages[source].sentBuffers.end() ||
      received == input.stages[target].receivedBuffers.end() || !receiver)
    return badInput("channel " + Twine(channel.id) + " carries value " +
                    Twine(channel.value) + ", which stage " + Twine(source) +
                    " does not send or stage " + Twine(target) +
                    " does not receive");
  auto type = cast<RankedTensorType>(receiver.getType());
  std::optional<DType> dtype = dtypeOf(type.getElementType());
  auto function = cast<func::FuncOp>(receiver.getOwner()->getParentOp());
  auto shape = function.getArgAttrOfType<ShapeAttr>(receiver.getArgNumber(),
                                                    attr::shape);
  if (!dtype || (!shape && !type.hasStaticShape()))
    return badInput("value " + Twine(channel.value) + " has no size in bytes");
  proto::Channel &message = *manifest.add_channels();
  message.set_source_rank(channel.sourceRank);
  message.set_target_rank(channel.targetRank);
  message.set_depth(channel.depth);
  message.set_source_buffer(sent->second);
  message.set_target_buffer(received->second);
  message.set_dtype(dtypeName(*dtype).str());
  addShape(shape ? shape.getExprs() : staticShape(type), message);
  return llvm::Error::success();
}

llvm::Expected<proto::Manifest> takt::buildManifest(const BundleInput &input) {
  return ManifestBuilder(input).build();
}
