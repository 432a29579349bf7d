#include "runtime/run/Commands.h"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdio>
#include <set>

namespace takt::runtime {
namespace {

using nlohmann::ordered_json;

/// Bytes of the weight buffers of a stage, per rank.
int64_t weightBytes(const Manifest &manifest, const StageSpec &stage) {
  int64_t sum = 0;
  std::set<std::string> counted;
  for (const BufferSpec &buffer : stage.buffers) {
    if (buffer.kind != BufferKind::Weight ||
        !counted.insert(buffer.name).second)
      continue;
    std::vector<int64_t> shape;
    bool fine = true;
    for (int32_t value : buffer.shape) {
      shape.emplace_back();
      fine &= manifest.values[value].evaluate(nullptr, shape.back()).ok();
    }
    if (Result<int64_t> bytes = checkedBytes(shape, sizeOf(buffer.dtype));
        fine && bytes.ok())
      sum += *bytes;
  }
  return sum;
}

ordered_json describePorts(const Manifest &manifest,
                           const std::vector<PortSpec> &ports) {
  ordered_json list = ordered_json::array();
  for (const PortSpec &port : ports) {
    ordered_json shape = ordered_json::array();
    for (int32_t value : port.shape)
      shape.push_back(manifest.values[value].getText());
    list.push_back(
        {{"name", port.name}, {"dtype", nameOf(port.dtype)}, {"shape", shape}});
  }
  return list;
}

ordered_json describe(const Manifest &manifest) {
  ordered_json info;
  info["model"] = manifest.model;
  info["taktVersion"] = manifest.taktVersion;
  info["targetCpu"] = manifest.targetCpu;
  info["replicas"] = manifest.replicas;
  info["ranks"] = manifest.ranks.size();
  info["inputs"] = describePorts(manifest, manifest.inputs);
  info["outputs"] = describePorts(manifest, manifest.outputs);
  info["dims"] = ordered_json::array();
  for (const DimSpec &dim : manifest.dims)
    info["dims"].push_back({{"name", dim.name},
                            {"typical", dim.typical},
                            {"minimum", dim.minimum},
                            {"multiple", dim.multiple}});
  info["stages"] = ordered_json::array();
  for (const StageSpec &stage : manifest.stages)
    info["stages"].push_back(
        {{"name", stage.name},
         {"tensorParallel", stage.tensorParallel},
         {"operations", stage.operations.size()},
         {"weightBytesPerRank", weightBytes(manifest, stage)}});
  int64_t bytes = 0;
  for (const FileSpec &file : manifest.files)
    bytes += file.bytes;
  info["fileBytes"] = bytes;
  return info;
}

void printText(const Manifest &manifest) {
  std::printf("%s · Takt %s · for %s\n", manifest.model.c_str(),
              manifest.taktVersion.c_str(), manifest.targetCpu.c_str());
  std::printf("%zu ranks · %d replicas · %zu stages\n", manifest.ranks.size(),
              manifest.replicas, manifest.stages.size());
  for (const PortSpec &port : manifest.inputs)
    std::printf("input   %s  %s\n", port.name.c_str(),
                manifest.describe(port).c_str());
  for (const PortSpec &port : manifest.outputs)
    std::printf("output  %s  %s\n", port.name.c_str(),
                manifest.describe(port).c_str());
  for (const DimSpec &dim : manifest.dims)
    std::printf("dim     %s  typical %" PRId64 ", minimum %" PRId64
                ", multiple %" PRId64 "\n",
                dim.name.c_str(), dim.typical, dim.minimum,
                dim.multiple > 1 ? dim.multiple : 1);
  for (const StageSpec &stage : manifest.stages)
    std::printf("stage   %s  tp %d, %.1f MB of weights per rank\n",
                stage.name.c_str(), stage.tensorParallel,
                static_cast<double>(weightBytes(manifest, stage)) * 1e-6);
}

} // namespace

Status printInfo(const Bundle &bundle, const CommandLine &line) {
  const Manifest &manifest = bundle.getManifest();
  if (line.json)
    std::printf("%s\n",
                describe(manifest)
                    .dump(2, ' ', false, ordered_json::error_handler_t::replace)
                    .c_str());
  else
    printText(manifest);
  return Status();
}

} // namespace takt::runtime
