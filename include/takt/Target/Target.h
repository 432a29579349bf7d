//===- Target.h - what a stage is compiled for ----------------------------===//
#ifndef TAKT_TARGET_TARGET_H
#define TAKT_TARGET_TARGET_H

#include "takt.pb.h"
#include "takt/Support/ValueTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace takt {

struct TargetOptions {
  /// `host`, or a CPU name of LLVM (`x86-64-v3`, `sapphirerapids`).
  std::string cpu = "host";
  /// LLVM's feature list (`+avx2,-avx512f`), beside what the CPU has; for
  /// `host` the machine's own.
  std::string features;
  /// Library dispatches become generated loops too: nothing is called but
  /// collectives.
  bool reference = false;
};

/// An argument of a kernel call: a buffer of the stage, or an entry of the
/// value table.
struct KernelOperand {
  enum Kind { Buffer, Value };
  Kind kind;
  int32_t index;
};

/// One step of a forward function.
struct HostStep {
  enum Kind { Kernel, LibraryCall, Collective };
  Kind kind;
  std::string kernel;                  // Kernel: name of its function
  std::vector<KernelOperand> operands; // Kernel
  int32_t operation = -1;              // index into StageProgram.operations
};

/// A stage between dispatches and machine code: functions in the form of
/// TaktToLinalg.h, and the calls of the forward function in order.
struct StageCode {
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  std::vector<HostStep> steps;
};

/// What the compiler asks of a kind of device.
class Target {
public:
  virtual ~Target();

  virtual llvm::StringRef name() const = 0;
  /// What Manifest.target_cpu and target_features say.
  virtual std::string cpu() const = 0;
  virtual std::string features() const = 0;
  /// Whether library dispatches become calls of a library; else they are
  /// generated like kernels.
  virtual bool hasLibrary() const = 0;
  /// Whether the library computes the epilogue as exactly as a kernel would.
  virtual bool allowsEpilogue(proto::Epilogue::Kind kind) const = 0;
  /// Machine code that exports the forward function `entry` and
  /// takt_stage_abi_version. Consumes `code.kernels`.
  virtual llvm::Expected<std::string> emitObject(StageCode code,
                                                 llvm::StringRef entry) = 0;
};

/// The CPU, with oneDNN or (`options.reference`) with loops only. Fails for a
/// CPU that LLVM does not know or can't generate code for.
llvm::Expected<std::unique_ptr<Target>>
createTarget(const TargetOptions &options);

/// A compiled stage.
struct StageObject {
  /// All but `library`.
  proto::StageProgram program;
  /// A relocatable ELF file.
  std::string object;
  /// Values of takt.channel to the buffers that receive and send them.
  llvm::DenseMap<int64_t, int32_t> receivedBuffers, sentBuffers;
};

/// Compiles the module of one stage (docs/Architecture.md, "Stages in the IR",
/// after the dispatch phase). Sizes are entered into `values`. The module is
/// not changed.
llvm::Expected<StageObject> compileStage(mlir::ModuleOp stage,
                                         ValueTable &values,
                                         const TargetOptions &options);
llvm::Expected<StageObject> compileStage(mlir::ModuleOp stage,
                                         ValueTable &values, Target &target);

/// Links object files to a shared object with LLVM's linker. The same input
/// gives the same bytes.
llvm::Error linkStage(llvm::ArrayRef<std::string> objects,
                      llvm::StringRef output);

} // namespace takt

#endif
