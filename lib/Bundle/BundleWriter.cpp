//===- BundleWriter.cpp - the deployable result of a compilation ----------===//
#include "takt/Bundle/BundleWriter.h"
#include "takt/Bundle/BundleDirectory.h"
#include "takt/Bundle/Packer.h"

#include "llvm/Support/FileSystem.h"

#include <google/protobuf/util/json_util.h>

using namespace mlir;
using namespace takt;

namespace {
class BundleWriter {
public:
  BundleWriter(const BundleInput &input, StringRef root)
      : input(input), root(root), weights(input.resolver) {}

  llvm::Error write() {
    llvm::Expected<proto::Manifest> manifest = buildManifest(input);
    if (!manifest)
      return manifest.takeError();
    if (llvm::Error error = countBytes(*manifest))
      return error;
    for (auto [i, stage] : llvm::enumerate(input.stages))
      if (llvm::Error error = writeStage(i, stage, manifest->stages(i)))
        return error;
    for (const CarriedFile &file : input.carriedFiles)
      if (llvm::Error error = copy(file.source, file.path, file.isExecutable))
        return error;
    return writeManifest(std::move(*manifest));
  }

private:
  /// The names of a stage's weights; one may be read by several buffers.
  static std::vector<std::string>
  weightNames(const proto::StageProgram &program) {
    std::vector<std::string> names;
    for (const proto::Buffer &buffer : program.buffers())
      if (buffer.kind() == proto::Buffer::WEIGHT)
        names.push_back(buffer.name());
    llvm::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  /// The size of the bundle, up to headers and the manifest.
  llvm::Error countBytes(const proto::Manifest &manifest);

  WriteProgress progress() {
    if (!input.progress)
      return {};
    return [this](int64_t bytes) {
      doneBytes += bytes;
      return input.progress(doneBytes, std::max(doneBytes, totalBytes));
    };
  }

  llvm::Error writeStage(int64_t index, const BundleStage &stage,
                         const proto::StageProgram &program) {
    llvm::Error error = stage.libraryBytes.empty()
                            ? copy(stage.libraryPath, program.library(), false)
                            : writeText(stage.libraryBytes, program.library());
    if (error)
      return error;
    auto shards = packStage(stage.module, index, program.tensor_parallel(),
                            weightNames(program), weights, root, progress());
    if (!shards)
      return shards.takeError();
    for (BundleFile &file : *shards)
      files.push_back(std::move(file));
    return llvm::Error::success();
  }

  llvm::Error copy(const std::string &source, StringRef path,
                   bool isExecutable) {
    auto file = OutputFile::create(root, path, progress(), isExecutable);
    if (!file)
      return file.takeError();
    if (llvm::Error error = file->copyFrom(source))
      return error;
    return keep(file->close());
  }

  llvm::Error writeText(StringRef text, StringRef path) {
    auto file = OutputFile::create(root, path, progress());
    if (!file)
      return file.takeError();
    if (llvm::Error error = file->write(text))
      return error;
    return keep(file->close());
  }

  llvm::Error keep(llvm::Expected<BundleFile> file) {
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return llvm::Error::success();
  }

  llvm::Error writeManifest(proto::Manifest manifest);

  const BundleInput &input;
  StringRef root;
  WeightFiles weights;
  std::vector<BundleFile> files;
  int64_t doneBytes = 0;
  int64_t totalBytes = 0;
};
} // namespace

llvm::Error BundleWriter::countBytes(const proto::Manifest &manifest) {
  auto add = [&](const std::string &path) {
    uint64_t bytes = 0;
    // A missing file is reported when it is copied.
    if (!llvm::sys::fs::file_size(path, bytes))
      totalBytes += bytes;
  };
  for (const CarriedFile &file : input.carriedFiles)
    add(file.source);
  for (auto [stage, program] :
       llvm::zip_equal(input.stages, manifest.stages())) {
    if (program.tensor_parallel() < 1)
      return badInput("stage '" + program.name() + "' has " +
                      Twine(program.tensor_parallel()) + " ranks");
    totalBytes += stage.libraryBytes.size();
    if (stage.libraryBytes.empty())
      add(stage.libraryPath);
    for (const std::string &name : weightNames(program)) {
      auto weight = ModuleOp(stage.module).lookupSymbol<WeightOp>(name);
      auto type = weight ? cast<RankedTensorType>(weight.getType())
                         : RankedTensorType();
      std::optional<DType> dtype =
          type ? dtypeOf(type.getElementType()) : std::nullopt;
      if (dtype && type.hasStaticShape())
        totalBytes += type.getNumElements() * byteSize(*dtype) *
                      program.tensor_parallel();
    }
  }
  return llvm::Error::success();
}

llvm::Error BundleWriter::writeManifest(proto::Manifest manifest) {
  llvm::sort(files, [](const BundleFile &a, const BundleFile &b) {
    return a.path < b.path;
  });
  for (const BundleFile &file : files) {
    proto::FileDigest &digest = *manifest.add_files();
    digest.set_path(file.path);
    digest.set_sha256(file.sha256);
    digest.set_bytes(file.bytes);
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string text;
  auto status =
      google::protobuf::util::MessageToJsonString(manifest, &text, options);
  if (!status.ok())
    return badInput("the manifest cannot be written as JSON: " +
                    status.ToString());
  if (llvm::Error error = writeText(text, "manifest.json"))
    return error;
  return writeText(sha256Hex(text) + "\n", "manifest.json.sha256");
}

llvm::Error takt::writeBundle(const BundleInput &input, StringRef outputPath) {
  llvm::Expected<BundleDirectory> directory =
      BundleDirectory::create(outputPath);
  if (!directory)
    return directory.takeError();
  if (llvm::Error error = BundleWriter(input, directory->path()).write())
    return error;
  return directory->commit();
}
