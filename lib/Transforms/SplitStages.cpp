//===- SplitStages.cpp - moves each stage into a module of its own --------===//
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"
#include "takt/Transforms/PlanAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace takt {
#define GEN_PASS_DEF_SPLITSTAGESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

namespace {

/// A value that one stage sends to another; its index is its number.
struct Crossing {
  Value value;
  int64_t source, target;
};

/// What one stage holds.
struct StageContent {
  SmallVector<Operation *> ops;
  SetVector<BlockArgument> inputs;
  /// Copied into the stage before the first use, in this order.
  SetVector<Operation *> sources;
  SmallVector<int64_t> received, sent; // numbers of crossings
  SmallVector<unsigned> outputs;       // operands of main's return
};

class Splitter {
public:
  Splitter(ModuleOp module, func::FuncOp main, const ModulePlan &plan)
      : module(module), main(main), plan(plan), contents(plan.stages.size()) {}

  LogicalResult run();

private:
  LogicalResult assignOps();
  LogicalResult use(Value value, int64_t stage, Operation *user);
  LogicalResult assignOutputs();
  void build(int64_t stage);
  void copyWeights(ModuleOp stageModule);
  func::FuncOp createForward(OpBuilder &builder, const StageContent &content,
                             IRMapping &mapping);

  ModuleOp module;
  func::FuncOp main;
  const ModulePlan &plan;
  SizeAnalysis sizes;
  std::vector<StageContent> contents;
  SmallVector<Crossing> crossings;
  DenseMap<std::pair<Value, int64_t>, int64_t> numbers;
};

} // namespace

static Operation *terminator(func::FuncOp function) {
  return function.getBody().front().getTerminator();
}

LogicalResult Splitter::use(Value value, int64_t stage, Operation *user) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    contents[stage].inputs.insert(argument);
    return success();
  }
  Operation *producer = value.getDefiningOp();
  if (isSource(producer)) {
    contents[stage].sources.insert(producer);
    return success();
  }
  int64_t source = *stageOf(producer);
  if (source == stage)
    return success();
  if (source > stage)
    return user->emitOpError("in stage ")
           << stage << " uses a value of stage " << source
           << "; stages must not fall along a use: run takt-plan anew";
  auto [it, isNew] =
      numbers.try_emplace({value, stage}, int64_t(crossings.size()));
  if (isNew) {
    crossings.push_back({value, source, stage});
    contents[source].sent.push_back(it->second);
    contents[stage].received.push_back(it->second);
  }
  return success();
}

LogicalResult Splitter::assignOps() {
  int64_t count = plan.stages.size();
  for (Operation &op : main.getBody().front().without_terminator()) {
    if (isSource(&op))
      continue;
    std::optional<int64_t> stage = stageOf(&op);
    if (!stage || *stage < 0 || *stage >= count)
      return op.emitOpError("has ")
             << (stage ? "stage " + Twine(*stage) : Twine("no stage"))
             << ", expected one from 0 to " << count - 1
             << "; run takt-plan before this pass";
    contents[*stage].ops.push_back(&op);
  }
  // By target stage, so that numbers rise along a stage's arguments.
  for (int64_t stage = 0; stage < count; ++stage)
    for (Operation *op : contents[stage].ops)
      for (Value value : usedValues(op))
        if (failed(use(value, stage, op)))
          return failure();
  return success();
}

LogicalResult Splitter::assignOutputs() {
  for (OpOperand &output : terminator(main)->getOpOperands()) {
    Operation *producer = output.get().getDefiningOp();
    // Inputs, constants and weights are there from the start.
    int64_t stage = producer && !isSource(producer) ? *stageOf(producer) : 0;
    contents[stage].outputs.push_back(output.getOperandNumber());
    if (failed(use(output.get(), stage, terminator(main))))
      return failure();
  }
  // No input of the model may vanish, since requests bring it.
  for (BlockArgument argument : main.getArguments())
    if (llvm::none_of(contents, [&](const StageContent &content) {
          return content.inputs.contains(argument);
        }))
      contents[0].inputs.insert(argument);
  return success();
}

func::FuncOp Splitter::createForward(OpBuilder &builder,
                                     const StageContent &content,
                                     IRMapping &mapping) {
  SmallVector<Type> arguments, results;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  SmallVector<BlockArgument> inputs(content.inputs.getArrayRef());
  llvm::sort(inputs, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  for (BlockArgument input : inputs) {
    arguments.push_back(input.getType());
    argumentAttrs.push_back(main.getArgAttrDict(input.getArgNumber()));
  }
  for (int64_t number : content.received) {
    Value value = crossings[number].value;
    arguments.push_back(value.getType());
    argumentAttrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(attr::channel, builder.getI64IntegerAttr(number)),
         builder.getNamedAttr(
             attr::shape,
             ShapeAttr::get(builder.getContext(), sizes.shape(value)))}));
  }
  for (int64_t number : content.sent) {
    results.push_back(crossings[number].value.getType());
    resultAttrs.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        attr::channel, builder.getI64IntegerAttr(number))));
  }
  for (unsigned output : content.outputs) {
    results.push_back(main.getResultTypes()[output]);
    auto attrs = main.getResultAttrDict(output);
    resultAttrs.push_back(attrs ? attrs : builder.getDictionaryAttr({}));
  }
  auto forward = builder.create<func::FuncOp>(
      main.getLoc(), "forward", builder.getFunctionType(arguments, results));
  forward.setAllArgAttrs(argumentAttrs);
  forward.setAllResultAttrs(resultAttrs);
  Block *body = forward.addEntryBlock();
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments()))
    mapping.map(input, argument);
  for (auto [number, argument] : llvm::zip(
           content.received, body->getArguments().drop_front(inputs.size())))
    mapping.map(crossings[number].value, argument);
  return forward;
}

/// Copies the weights that the stage reads, and those that their initializers
/// read, in the order in which the whole module has them.
void Splitter::copyWeights(ModuleOp stageModule) {
  llvm::StringSet<> needed;
  SmallVector<Operation *> pending{stageModule};
  while (!pending.empty())
    pending.pop_back_val()->walk([&](WeightReadOp read) {
      if (needed.insert(read.getWeight()).second)
        pending.push_back(module.lookupSymbol(read.getWeight()));
    });
  OpBuilder builder = OpBuilder::atBlockBegin(stageModule.getBody());
  for (auto weight : module.getOps<WeightOp>())
    if (needed.contains(weight.getSymName()))
      builder.clone(*weight);
}

void Splitter::build(int64_t stage) {
  const StageContent &content = contents[stage];
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto stageModule =
      builder.create<ModuleOp>(main.getLoc(), "stage" + std::to_string(stage));
  setStage(stageModule, stage);
  stageModule->setAttr(
      attr::tensorParallel,
      builder.getI64IntegerAttr(plan.stages[stage].tensorParallel));
  builder.setInsertionPointToEnd(stageModule.getBody());
  IRMapping mapping;
  func::FuncOp forward = createForward(builder, content, mapping);
  builder.setInsertionPointToEnd(&forward.getBody().front());
  for (Operation *source : content.sources)
    builder.clone(*source, mapping)->removeAttr(attr::stage);
  for (Operation *op : content.ops)
    builder.clone(*op, mapping)->removeAttr(attr::stage);
  SmallVector<Value> results;
  for (int64_t number : content.sent)
    results.push_back(mapping.lookup(crossings[number].value));
  for (unsigned output : content.outputs)
    results.push_back(mapping.lookup(terminator(main)->getOperand(output)));
  builder.create<func::ReturnOp>(terminator(main)->getLoc(), results);
  copyWeights(stageModule);
}

/// The names of the model's ports, in order.
static FailureOr<ArrayAttr> portNames(func::FuncOp main, unsigned count,
                                      bool inputs) {
  SmallVector<Attribute> names;
  for (unsigned i = 0; i < count; ++i) {
    auto name = inputs ? main.getArgAttrOfType<StringAttr>(i, attr::name)
                       : main.getResultAttrOfType<StringAttr>(i, attr::name);
    if (!name)
      return main.emitOpError(inputs ? "argument " : "result ")
             << i << " has no '" << attr::name << "', expected a port's name";
    names.push_back(name);
  }
  return ArrayAttr::get(main.getContext(), names);
}

LogicalResult Splitter::run() {
  auto inputs = portNames(main, main.getNumArguments(), true);
  auto outputs = portNames(main, main.getNumResults(), false);
  if (failed(inputs) || failed(outputs) || failed(assignOps()) ||
      failed(assignOutputs()))
    return failure();
  module->setAttr(attr::inputs, *inputs);
  module->setAttr(attr::outputs, *outputs);
  for (size_t stage = 0; stage < contents.size(); ++stage)
    build(stage);
  main.erase();
  for (auto weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
    weight.erase();
  return success();
}

namespace {
struct SplitStagesPass : takt::impl::SplitStagesPassBase<SplitStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isDeclaration()) {
      module.emitError("module has no function @main to split into stages");
      return signalPassFailure();
    }
    FailureOr<ModulePlan> plan = ModulePlan::read(module);
    if (failed(plan) || failed(Splitter(module, main, *plan).run()))
      signalPassFailure();
  }
};
} // namespace
