//===- Packer.cpp - writes the weight files of a stage --------------------===//
#include "takt/Bundle/Packer.h"
#include "takt/Bundle/SafeTensors.h"

using namespace mlir;
using namespace takt;

llvm::Expected<ShardedTensor>
takt::evaluateWeight(WeightOp weight, int64_t shards, WeightFiles &files) {
  // The evaluator adds its context to texts; the reader's error says it all and
  // carries an exit code.
  llvm::Error readError = llvm::Error::success();
  auto read = [&](WeightOp source) -> llvm::Expected<HostTensor> {
    llvm::Expected<HostTensor> tensor = files.read(source);
    if (tensor)
      return tensor;
    readError = llvm::joinErrors(std::move(readError), tensor.takeError());
    return evaluationFailure("not readable");
  };
  llvm::Expected<ShardedTensor> value =
      evaluateWeight(weight, shardSymbols({}, shards), read);
  if (value) {
    llvm::cantFail(std::move(readError));
    return value;
  }
  std::string text = llvm::toString(value.takeError());
  if (readError)
    return readError;
  return badInput("weight '" + weight.getSymName() + "': " + text);
}

std::string takt::weightFilePath(int64_t stage, int64_t shard) {
  return "weights/stage" + std::to_string(stage) + ".shard" +
         std::to_string(shard) + ".safetensors";
}

namespace {
/// The weights of a stage in the order of their names, and the files' headers.
struct StageWeights {
  std::vector<WeightOp> weights;
  std::vector<SafeTensorsEntry> entries;

  static llvm::Expected<StageWeights> find(ModuleOp module,
                                           ArrayRef<std::string> names);
};
} // namespace

llvm::Expected<StageWeights> StageWeights::find(ModuleOp module,
                                                ArrayRef<std::string> names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  llvm::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  StageWeights result;
  for (std::string &name : sorted) {
    auto weight = module.lookupSymbol<WeightOp>(name);
    if (!weight)
      return badInput("the stage's program reads weight '" + name +
                      "', which its module lacks");
    auto type = cast<RankedTensorType>(weight.getType());
    std::optional<DType> dtype = dtypeOf(type.getElementType());
    if (!dtype || !type.hasStaticShape() || !elementCount(type.getShape()))
      return badInput("weight '" + name + "' has no fixed size in bytes");
    result.weights.push_back(weight);
    result.entries.push_back(
        {std::move(name), *dtype, SmallVector<int64_t>(type.getShape())});
  }
  return result;
}

llvm::Expected<std::vector<BundleFile>>
takt::packStage(ModuleOp module, int64_t stage, int64_t shards,
                ArrayRef<std::string> names, WeightFiles &files, StringRef root,
                const WriteProgress &progress) {
  llvm::Expected<StageWeights> stageWeights = StageWeights::find(module, names);
  if (!stageWeights)
    return stageWeights.takeError();
  std::vector<SafeTensorsWriter> writers;
  for (int64_t shard = 0; shard < shards; ++shard) {
    auto file =
        OutputFile::create(root, weightFilePath(stage, shard), progress);
    if (!file)
      return file.takeError();
    auto writer =
        SafeTensorsWriter::create(std::move(*file), stageWeights->entries);
    if (!writer)
      return writer.takeError();
    writers.push_back(std::move(*writer));
  }
  for (WeightOp weight : stageWeights->weights) {
    llvm::Expected<ShardedTensor> value = evaluateWeight(weight, shards, files);
    if (!value)
      return value.takeError();
    for (auto [writer, tensor] : llvm::zip_equal(writers, *value))
      if (llvm::Error error = writer.append(tensor->data))
        return error;
  }
  std::vector<BundleFile> result;
  for (SafeTensorsWriter &writer : writers) {
    llvm::Expected<BundleFile> file = writer.close();
    if (!file)
      return file.takeError();
    result.push_back(std::move(*file));
  }
  return result;
}
