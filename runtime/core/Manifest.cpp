#include "runtime/core/Manifest.h"
#include "runtime/abi/Abi.h"
#include "runtime/core/JsonFields.h"
#include "runtime/core/ManifestOperations.h"

namespace takt::runtime {
namespace {

void readPort(JsonFields &fields, PortSpec &port) {
  fields.read("name", port.name);
  fields.read("dtype", port.dtype);
  fields.read("shape", port.shape);
}

void readBuffer(JsonFields &fields, BufferSpec &buffer) {
  int kind = 0;
  fields.read("kind", kind, {"ARENA", "INPUT", "WEIGHT", "CHANNEL"});
  buffer.kind = static_cast<BufferKind>(kind);
  fields.read("name", buffer.name);
  fields.read("dtype", buffer.dtype);
  fields.read("shape", buffer.shape);
  fields.read("first", buffer.first);
  fields.read("last", buffer.last);
}

void readStage(JsonFields &fields, StageSpec &stage, Status &status) {
  fields.read("name", stage.name);
  fields.read("library", stage.library);
  fields.read("entry", stage.entry);
  fields.read("tensorParallel", stage.tensorParallel);
  fields.list("buffers", stage.buffers, readBuffer);
  fields.list("operations", stage.operations,
              [&](JsonFields &inner, OperationSpec &operation) {
                readOperation(inner, operation, status);
              });
  fields.list("outputs", stage.outputs,
              [](JsonFields &inner, StageOutputSpec &output) {
                inner.read("name", output.name);
                inner.read("buffer", output.buffer);
              });
}

void readRank(JsonFields &fields, RankSpec &rank) {
  fields.read("id", rank.id);
  fields.read("replica", rank.replica);
  fields.read("stage", rank.stage);
  fields.read("shard", rank.shard);
  fields.read("weights", rank.weights);
  fields.list("instructions", rank.instructions,
              [](JsonFields &inner, InstructionSpec &instruction) {
                int kind = 0;
                inner.read("kind", kind,
                           {"RECEIVE", "FORWARD", "FREE", "SEND"});
                instruction.kind = static_cast<InstructionKind>(kind);
                inner.read("channel", instruction.channel);
              });
}

void readChannel(JsonFields &fields, ChannelSpec &channel) {
  fields.read("sourceRank", channel.sourceRank);
  fields.read("targetRank", channel.targetRank);
  fields.read("depth", channel.depth);
  fields.read("sourceBuffer", channel.sourceBuffer);
  fields.read("targetBuffer", channel.targetBuffer);
  fields.read("dtype", channel.dtype);
  fields.read("shape", channel.shape);
}

void readLists(JsonFields &fields, Manifest &manifest, Status &status) {
  fields.list("dims", manifest.dims, [](JsonFields &inner, DimSpec &dim) {
    inner.read("name", dim.name);
    inner.read("typical", dim.typical, 0);
    inner.read("minimum", dim.minimum, 0);
    inner.read("multiple", dim.multiple, 0);
  });
  fields.list("inputs", manifest.inputs, readPort);
  fields.list("outputs", manifest.outputs, readPort);
  fields.list("guards", manifest.guards,
              [](JsonFields &inner, GuardSpec &guard) {
                inner.read("left", guard.left);
                inner.read("right", guard.right);
                inner.read("text", guard.text);
              });
  fields.list("indexRanges", manifest.indexRanges,
              [](JsonFields &inner, IndexRangeSpec &range) {
                inner.read("input", range.name);
                inner.read("rows", range.rows);
              });
  fields.list("stages", manifest.stages,
              [&](JsonFields &inner, StageSpec &stage) {
                readStage(inner, stage, status);
              });
  fields.list("ranks", manifest.ranks, readRank);
  fields.list("channels", manifest.channels, readChannel);
  fields.list("files", manifest.files, [](JsonFields &inner, FileSpec &file) {
    inner.read("path", file.path);
    inner.read("sha256", file.sha256);
    inner.read("bytes", file.bytes, 0);
  });
}

Status parseValues(const std::vector<std::string> &texts, Manifest &manifest) {
  std::vector<std::string> names;
  for (const DimSpec &dim : manifest.dims)
    names.push_back(dim.name);
  // After the dimensions: the rank's coordinate among those of its stage.
  names.push_back("shard");
  for (const std::string &text : texts) {
    Result<SizeExpression> value = SizeExpression::parse(text, names);
    if (!value.ok())
      return value.status();
    manifest.values.push_back(std::move(*value));
  }
  return Status();
}

/// A bundle of another version may differ in any field: said first.
Status checkVersion(const nlohmann::json &root) {
  Status status;
  JsonFields fields(root, "manifest", status);
  int64_t version = 0;
  fields.read("abiVersion", version);
  std::string takt;
  fields.read("taktVersion", takt);
  TAKT_RETURN_IF_ERROR(status);
  if (version != TAKT_ABI_VERSION)
    return bundleError("the bundle has ABI version ", version, " (Takt ", takt,
                       "), this runtime has ", TAKT_ABI_VERSION, " (Takt ",
                       TAKT_VERSION, "); compile the model again");
  return Status();
}

} // namespace

const char *nameOf(InstructionKind kind) {
  constexpr const char *names[] = {"RECEIVE", "FORWARD", "FREE", "SEND"};
  return names[static_cast<int>(kind)];
}

std::string Manifest::describe(const PortSpec &port) const {
  std::string text = join(nameOf(port.dtype), " [");
  for (size_t i = 0; i < port.shape.size(); ++i)
    text += (i ? ", " : "") + values[port.shape[i]].getText();
  return text + "]";
}

Result<Manifest> parseManifest(const std::string &text) {
  nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded())
    return bundleError("manifest.json is not valid JSON");
  if (Status status = checkVersion(root); !status.ok())
    return status;
  Manifest manifest;
  Status status;
  JsonFields fields(root, "manifest", status);
  fields.read("abiVersion", manifest.abiVersion);
  fields.read("taktVersion", manifest.taktVersion);
  fields.read("model", manifest.model);
  fields.read("targetCpu", manifest.targetCpu);
  fields.read("targetFeatures", manifest.targetFeatures);
  std::vector<std::string> values;
  fields.read("values", values);
  readLists(fields, manifest, status);
  fields.skip("plan"); // for people; the programs of the ranks follow from it
  fields.finish();
  if (status.ok())
    status = parseValues(values, manifest);
  if (status.ok())
    status = checkManifest(manifest);
  if (!status.ok())
    return status;
  return manifest;
}

} // namespace takt::runtime
