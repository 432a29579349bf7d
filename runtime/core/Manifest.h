/// The manifest of a bundle (proto/takt.proto, message Manifest) as plain
/// structs, with dtypes and size expressions parsed. Indices are checked by
/// `checkManifest`; code that uses a loaded manifest relies on it.
#ifndef TAKT_RUNTIME_CORE_MANIFEST_H
#define TAKT_RUNTIME_CORE_MANIFEST_H

#include "runtime/core/Dtype.h"
#include "runtime/core/SizeExpression.h"
#include "runtime/core/Status.h"

#include <string>
#include <vector>

namespace takt::runtime {

/// Indices into Manifest::values.
using ValueIndices = std::vector<int32_t>;

struct DimSpec {
  std::string name;
  int64_t typical = 0;
  int64_t minimum = 0;
  int64_t multiple = 0;
};

struct PortSpec {
  std::string name;
  Dtype dtype = Dtype::F32;
  ValueIndices shape;
};

struct GuardSpec {
  int32_t left = 0;
  int32_t right = 0;
  std::string text;
};

struct IndexRangeSpec {
  std::string name;
  int32_t input = -1; // derived from `name`
  int32_t rows = 0;   // index into values
};

struct FileSpec {
  std::string path;
  std::string sha256;
  int64_t bytes = 0;
};

enum class BufferKind { Arena, Input, Weight, Channel };

struct BufferSpec {
  BufferKind kind = BufferKind::Arena;
  std::string name;
  Dtype dtype = Dtype::F32;
  ValueIndices shape;
  int32_t first = 0;
  int32_t last = 0;
  int32_t input = -1; // kind Input: index into Manifest::inputs
};

enum class EpilogueKind { Bias, Relu, GeluErf, GeluTanh, Add, Clip };

struct EpilogueSpec {
  EpilogueKind kind = EpilogueKind::Bias;
  int32_t buffer = 0;
  double high = 0; // Clip

  bool hasOperand() const {
    return kind == EpilogueKind::Bias || kind == EpilogueKind::Add;
  }
};

struct ContractionSpec {
  int32_t lhs = 0;
  int32_t rhs = 0;
  int32_t output = 0;
  int32_t batch = 0;
  int32_t m = 0;
  int32_t n = 0;
  int32_t k = 0;
  bool transposeLhs = false;
  bool transposeRhs = false;
  bool rhsShared = false;
  double scale = 0;
  std::vector<EpilogueSpec> epilogues;
};

/// A window that slides over [n, spatial.., c].
struct WindowSpec {
  int32_t input = 0;
  int32_t output = 0;
  ValueIndices inputShape;
  ValueIndices outputShape;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations; // 1: dense
  std::vector<int64_t> padsBegin;
  std::vector<int64_t> padsEnd;
};

enum class PoolKind { Max, Average, AverageIncludePad };

struct PoolSpec : WindowSpec {
  PoolKind kind = PoolKind::Max;
};

struct ConvolutionSpec : WindowSpec {
  int32_t weight = 0;
  int64_t groups = 1;
  std::vector<EpilogueSpec> epilogues;
};

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter };
enum class Reduction { Sum, Max, Min };

struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Reduction reduction = Reduction::Sum;
  int32_t input = 0;
  int32_t output = 0;
  Dtype dtype = Dtype::F32;
  int32_t outer = 0;
  int32_t part = 0;
  int32_t inner = 0;
};

enum class OperationKind { Contraction, Convolution, Pool, Collective };

struct OperationSpec {
  std::string name;
  OperationKind kind = OperationKind::Contraction;
  ContractionSpec contraction;
  ConvolutionSpec convolution;
  PoolSpec pool;
  CollectiveSpec collective;

  /// Null for kinds without.
  const std::vector<EpilogueSpec> *getEpilogues() const;
  int32_t getOutput() const;
  /// Buffers that it reads, operands of epilogues included.
  std::vector<int32_t> getReads() const;
};

struct StageOutputSpec {
  std::string name;
  int32_t buffer = 0;
  int32_t output = -1; // index into Manifest::outputs
};

struct StageSpec {
  std::string name;
  std::string library;
  std::string entry;
  int32_t tensorParallel = 0;
  std::vector<BufferSpec> buffers;
  std::vector<OperationSpec> operations;
  std::vector<StageOutputSpec> outputs;
};

enum class InstructionKind { Receive, Forward, Free, Send };
const char *nameOf(InstructionKind kind);

struct InstructionSpec {
  InstructionKind kind = InstructionKind::Receive;
  int32_t channel = 0;
};

struct RankSpec {
  int32_t id = 0;
  int32_t replica = 0;
  int32_t stage = 0;
  int32_t shard = 0;
  std::string weights;
  std::vector<InstructionSpec> instructions;
};

struct ChannelSpec {
  int32_t sourceRank = 0;
  int32_t targetRank = 0;
  int32_t depth = 0;
  int32_t sourceBuffer = 0;
  int32_t targetBuffer = 0;
  Dtype dtype = Dtype::F32;
  ValueIndices shape;
};

struct Manifest {
  int64_t abiVersion = 0;
  std::string taktVersion;
  std::string model;
  std::string targetCpu;
  std::string targetFeatures;
  std::vector<DimSpec> dims;
  std::vector<SizeExpression> values;
  std::vector<PortSpec> inputs;
  std::vector<PortSpec> outputs;
  std::vector<GuardSpec> guards;
  std::vector<IndexRangeSpec> indexRanges;
  std::vector<StageSpec> stages;
  std::vector<RankSpec> ranks;
  std::vector<ChannelSpec> channels;
  std::vector<FileSpec> files;
  int32_t replicas = 0; // number of data-parallel replicas

  /// The number of the symbol `shard` in `values`, after the dimensions.
  int shardDim() const { return static_cast<int>(dims.size()); }

  /// `int64 [batch, seq]`.
  std::string describe(const PortSpec &port) const;
};

/// Reads the JSON text of a manifest and checks it (`checkManifest`).
Result<Manifest> parseManifest(const std::string &json);

/// Checks every index, name and pairing, and fills in the fields that are
/// derived from names (`BufferSpec::input`, `StageOutputSpec::output`,
/// `Manifest::replicas`).
Status checkManifest(Manifest &manifest);
/// Parts of `checkManifest`.
Status checkStage(Manifest &manifest, StageSpec &stage);
Status checkRanks(Manifest &manifest);
Status checkOperation(const Manifest &manifest, const StageSpec &stage,
                      const OperationSpec &operation);
/// `owner` names the thing that the shape belongs to.
Status checkShape(const Manifest &manifest, const ValueIndices &shape,
                  const std::string &owner);
/// A path that stays inside of the bundle and is one of its files.
Status checkPath(const Manifest &manifest, const std::string &path);

} // namespace takt::runtime

#endif
