//===- Packer.cpp - writes the weight files of a stage --------------------===//
#include "takt/Bundle/Packer.h"
#include "takt/Bundle/SafeTensors.h"
#include "takt/Interpreter/TileEvaluator.h"

using namespace mlir;
using namespace takt;

namespace {
/// Keeps the first error of reading: evaluators add their context to texts, but
/// the reader's error says it all and carries an exit code.
class Reading {
public:
  Reading(WeightOp weight, WeightFiles &files) : weight(weight), files(files) {}
  ~Reading() { llvm::consumeError(std::move(error)); }

  template <typename... Part>
  llvm::Expected<HostTensor> read(WeightOp source, const Part &...part) {
    llvm::Expected<HostTensor> tensor = files.read(source, part...);
    if (tensor)
      return tensor;
    error = llvm::joinErrors(std::move(error), tensor.takeError());
    return evaluationFailure("not readable");
  }

  /// What an evaluation failed for.
  llvm::Error explain(llvm::Error failure) {
    std::string text = llvm::toString(std::move(failure));
    if (error)
      return std::exchange(error, llvm::Error::success());
    return badInput("weight '" + weight.getSymName() + "': " + text);
  }

private:
  WeightOp weight;
  WeightFiles &files;
  llvm::Error error = llvm::Error::success();
};
} // namespace

llvm::Expected<ShardedTensor>
takt::evaluateWeight(WeightOp weight, int64_t shards, WeightFiles &files) {
  Reading reading(weight, files);
  auto read = [&](WeightOp source) { return reading.read(source); };
  llvm::Expected<ShardedTensor> value =
      evaluateWeight(weight, shardSymbols({}, shards), read);
  if (value)
    return value;
  return reading.explain(value.takeError());
}

/// Most bytes of a weight that are in memory at once, in the form in which it
/// is written. Large, since a transposed source is read in pieces of a row
/// each.
static constexpr int64_t bandBytes = 32 << 20;

/// One band after the other: a weight may be larger than memory.
static llvm::Error writeInBands(WeightOp weight, WeightFiles &files,
                                const SymbolValues &symbols,
                                SafeTensorsWriter &writer) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t width = byteSize(*dtypeOf(type.getElementType()));
  Reading reading(weight, files);
  auto read = [&](WeightOp source, const TensorWindow &window) {
    return reading.read(source, window);
  };
  return forEachBand(type.getShape(), bandBytes / width,
                     [&](const TensorWindow &window) -> llvm::Error {
                       llvm::Expected<HostTensor> tile =
                           evaluateTile(weight, window, symbols, read);
                       if (!tile)
                         return reading.explain(tile.takeError());
                       return writer.append(tile->data);
                     });
}

/// The weight's value on each shard. What regroups elements in ways that bands
/// do not follow is in memory as a whole.
static llvm::Error writeWeight(WeightOp weight, WeightFiles &files,
                               std::vector<SafeTensorsWriter> &writers) {
  int64_t shards = writers.size();
  if (canEvaluateInTiles(weight)) {
    for (auto [symbols, writer] :
         llvm::zip_equal(shardSymbols({}, shards), writers))
      if (llvm::Error error = writeInBands(weight, files, symbols, writer))
        return error;
    return llvm::Error::success();
  }
  llvm::Expected<ShardedTensor> value = evaluateWeight(weight, shards, files);
  if (!value)
    return value.takeError();
  for (auto [writer, tensor] : llvm::zip_equal(writers, *value))
    if (llvm::Error error = writer.append(tensor->data))
      return error;
  return llvm::Error::success();
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
    if (llvm::Error error = writeWeight(weight, files, writers))
      return error;
    for (SafeTensorsWriter &writer : writers)
      if (llvm::Error error = writer.endTensor())
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
