#include "BundleBuilder.h"
#include "runtime/abi/Abi.h"
#include "runtime/core/Digest.h"
#include "runtime/core/Npy.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace takt::runtime::test {

using nlohmann::json;

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "takt-XXXXXX").string();
  directory = mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

void writeFile(const std::string &path, const std::string &text) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string readFile(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void writeNpy(const std::string &path, const std::vector<int64_t> &shape,
              const std::vector<float> &data) {
  std::string text = makeNpyHeader(Dtype::F32, shape);
  text.append(reinterpret_cast<const char *>(data.data()),
              data.size() * sizeof(float));
  writeFile(path, text);
}

namespace {

std::string safeTensors(const std::string &name,
                        const std::vector<float> &data) {
  size_t bytes = data.size() * sizeof(float);
  std::string header = json{{name,
                             {{"dtype", "F32"},
                              {"shape", {data.size()}},
                              {"data_offsets", {0, bytes}}}}}
                           .dump();
  header.resize((header.size() + 63) / 64 * 64 - 8 + 64, ' ');
  uint64_t length = header.size();
  std::string text(reinterpret_cast<const char *>(&length), 8);
  text += header;
  text.append(reinterpret_cast<const char *>(data.data()), bytes);
  return text;
}

json buffer(const char *kind, const char *name, std::vector<int> shape) {
  return {{"kind", kind}, {"name", name}, {"dtype", "f32"}, {"shape", shape}};
}

json arena(std::vector<int> shape) {
  json spec = buffer("ARENA", "", std::move(shape));
  spec["last"] = 1;
  return spec;
}

// Indices into the manifest's values.
enum Value { Batch, Columns, One, Two };

json stage(const char *name, const char *entry, json buffers, json collective,
           json outputs) {
  collective["input"] = 2;
  collective["output"] = 3;
  collective["dtype"] = "f32";
  return {{"name", name},
          {"library", "stages/stages.so"},
          {"entry", entry},
          {"tensorParallel", 2},
          {"buffers", buffers},
          {"operations",
           {{{"name", std::string(name) + "/collective"},
             {"collective", collective}}}},
          {"outputs", outputs}};
}

} // namespace

BundleBuilder::BundleBuilder(int replicas) : stageLibrary(TAKT_TEST_STAGES) {
  manifest = {
      {"abiVersion", TAKT_ABI_VERSION},
      {"taktVersion", "0.1.0"},
      {"model", "test.onnx"},
      {"targetCpu", "x86-64"},
      {"values", {"batch", "4", "1", "2"}},
      {"dims", {{{"name", "batch"}, {"typical", "3"}, {"minimum", "1"}}}},
      {"inputs",
       {{{"name", "x"}, {"dtype", "f32"}, {"shape", {Batch, Columns}}}}},
      {"outputs",
       {{{"name", "out/0"},
         {"dtype", "f32"},
         {"shape", {Batch, Two, Columns}}}}}};
  manifest["stages"] = {
      stage("first", "scale",
            {buffer("INPUT", "x", {Batch, Columns}),
             buffer("WEIGHT", "w", {Columns}), arena({Batch, Columns}),
             arena({Batch, Columns})},
            {{"kind", "ALL_REDUCE"},
             {"reduction", "sum"},
             {"outer", int(One)},
             {"part", int(Batch)},
             {"inner", int(Columns)}},
            json::array()),
      stage("second", "shift",
            {buffer("CHANNEL", "y", {Batch, Columns}),
             buffer("WEIGHT", "shift", {One}), arena({Batch, Columns}),
             arena({Batch, Two, Columns})},
            {{"kind", "ALL_GATHER"},
             {"outer", int(Batch)},
             {"part", int(One)},
             {"inner", int(Columns)}},
            {{{"name", "out/0"}, {"buffer", 3}}})};
  manifest["ranks"] = json::array();
  manifest["channels"] = json::array();
  for (int replica = 0; replica < replicas; ++replica)
    addRanks(replica);
}

void BundleBuilder::addRanks(int replica) {
  for (int stage = 0; stage < 2; ++stage)
    for (int shard = 0; shard < 2; ++shard) {
      int channel = replica * 2 + shard;
      json program = {{{"kind", "FORWARD"}},
                      {{"kind", "SEND"}, {"channel", channel}}};
      if (stage == 1)
        program = {{{"channel", channel}}, // RECEIVE is the default
                   {{"kind", "FORWARD"}},
                   {{"kind", "FREE"}, {"channel", channel}}};
      std::string place = std::to_string(stage) + "-" + std::to_string(shard);
      manifest["ranks"].push_back(
          {{"id", replica * 4 + stage * 2 + shard},
           {"replica", replica},
           {"stage", stage},
           {"shard", shard},
           {"weights", "weights/" + place + ".safetensors"},
           {"instructions", program}});
    }
  for (int shard = 0; shard < 2; ++shard)
    manifest["channels"].push_back({{"sourceRank", replica * 4 + shard},
                                    {"targetRank", replica * 4 + 2 + shard},
                                    {"depth", 2},
                                    {"sourceBuffer", 3},
                                    {"dtype", "f32"},
                                    {"shape", {Batch, Columns}}});
}

void BundleBuilder::write(const std::string &directory) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"stages/stages.so", readFile(stageLibrary)},
      {"weights/0-0.safetensors", safeTensors("w", {1, 2, 3, 4})},
      {"weights/0-1.safetensors", safeTensors("w", {10, 20, 30, 40})},
      {"weights/1-0.safetensors", safeTensors("shift", {10})},
      {"weights/1-1.safetensors", safeTensors("shift", {20})}};
  if (!manifest.contains("files"))
    for (const auto &[path, text] : files)
      manifest["files"].push_back({{"path", path},
                                   {"sha256", sha256(text.data(), text.size())},
                                   {"bytes", std::to_string(text.size())}});
  for (const auto &[path, text] : files)
    writeFile(directory + "/" + path, text);
  std::string text = manifest.dump(1);
  writeFile(directory + "/manifest.json", text);
  writeFile(directory + "/manifest.json.sha256",
            sha256(text.data(), text.size()) + "\n");
}

std::vector<float> expectedOutput(const std::vector<float> &x) {
  std::vector<float> output;
  for (size_t row = 0; row < x.size() / 4; ++row)
    for (float shift : {10.0f, 20.0f})
      for (size_t i = 0; i < 4; ++i)
        output.push_back(x[row * 4 + i] * 11 * float(i + 1) + shift);
  return output;
}

} // namespace takt::runtime::test
