//===- BundleWriter.h - the deployable result of a compilation ------------===//
#ifndef TAKT_BUNDLE_BUNDLEWRITER_H
#define TAKT_BUNDLE_BUNDLEWRITER_H

#include "takt/Bundle/OutputFile.h"
#include "takt/Bundle/WeightFiles.h"
#include "takt/Support/ValueTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include "takt.pb.h"

namespace takt {

/// A compiled stage.
struct BundleStage {
  /// The stage's module: `takt.weight` symbols and @forward.
  mlir::ModuleOp module;
  /// All but `library`, which the writer sets. Its WEIGHT buffers say which
  /// weights are packed.
  proto::StageProgram program;
  /// The shared object: its bytes, or else its path.
  std::string libraryBytes;
  std::string libraryPath;
  /// Number of a crossing value -> buffer that receives it (kind CHANNEL), and
  /// buffer that is sent.
  llvm::DenseMap<int64_t, int32_t> receivedBuffers;
  llvm::DenseMap<int64_t, int32_t> sentBuffers;
};

/// A model input or output.
struct BundlePort {
  std::string name;
  DType dtype;
  SymbolicShape shape;
};

/// Elements of model input `input` index `rows` rows.
struct BundleIndexRange {
  std::string input;
  SizeExpr rows;
};

/// A file that every bundle carries.
struct CarriedFile {
  std::string source;
  /// Relative to the bundle.
  std::string path;
  bool isExecutable = false;
};

struct BundleInput {
  /// Holds takt.dim, takt.guard, takt.channel and takt.rank ops.
  mlir::ModuleOp module;
  std::string model;
  std::string targetCpu;
  std::string targetFeatures;
  std::vector<BundlePort> inputs;
  std::vector<BundlePort> outputs;
  /// What the runtime checks of the inputs' elements.
  std::vector<BundleIndexRange> indexRanges;
  /// In the order of their index.
  std::vector<BundleStage> stages;
  /// The table that the stage programs' sizes refer to; the writer adds those
  /// of ports, guards and channels.
  ValueTable values;
  proto::Plan plan;
  /// Finds the files that weights' sources name.
  FileResolver resolver;
  /// Usually findCarriedFiles() and the `run` executable.
  std::vector<CarriedFile> carriedFiles;
  /// Called with bytes written and bytes in all; false stops the work.
  std::function<bool(int64_t done, int64_t total)> progress;
};

/// Libraries that the `run` executable needs and their licences, found on this
/// machine. Fails (class Environment) if a library is missing.
llvm::Expected<std::vector<CarriedFile>> findCarriedFiles();

/// The manifest, without `files`. Fails, class BadInput, if module, stages and
/// buffers do not agree.
llvm::Expected<proto::Manifest> buildManifest(const BundleInput &input);

/// Writes the bundle. It is complete when it appears under `outputPath`; after
/// an error nothing is left. An old bundle there is replaced, anything else is
/// an error. The same input gives the same bytes. Errors are BundleErrors.
llvm::Error writeBundle(const BundleInput &input, llvm::StringRef outputPath);

} // namespace takt

#endif
