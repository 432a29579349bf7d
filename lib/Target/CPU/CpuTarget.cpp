//===- CpuTarget.cpp - the CPU, with oneDNN or with loops only ------------===//
#include "CpuTarget.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace takt;

namespace {
class CpuTarget : public Target {
public:
  CpuTarget(std::unique_ptr<llvm::TargetMachine> machine, bool reference)
      : machine(std::move(machine)), reference(reference) {}

  llvm::StringRef name() const override {
    return reference ? "reference" : "cpu";
  }
  std::string cpu() const override { return machine->getTargetCPU().str(); }
  /// All that the code may use: what the CPU's name implies, too.
  std::string features() const override {
    std::string text;
    for (const llvm::SubtargetFeatureKV &feature :
         machine->getMCSubtargetInfo()->getEnabledProcessorFeatures())
      text += (text.empty() ? "+" : ",+") + std::string(feature.Key);
    return text;
  }
  bool hasLibrary() const override { return !reference; }
  bool allowsEpilogue(proto::Epilogue::Kind kind) const override {
    switch (kind) {
    case proto::Epilogue::BIAS:
    case proto::Epilogue::RELU:
    case proto::Epilogue::GELU_ERF:
    case proto::Epilogue::GELU_TANH:
    case proto::Epilogue::ADD:
    case proto::Epilogue::CLIP:
      return true;
    default:
      return false;
    }
  }

  llvm::Expected<std::string> emitObject(StageCode code,
                                         llvm::StringRef entry) override {
    llvm::LLVMContext context;
    auto module = lowerKernels(*code.kernels, context);
    if (!module)
      return module.takeError();
    (*module)->setTargetTriple(machine->getTargetTriple().str());
    (*module)->setDataLayout(machine->createDataLayout());
    addHostProgram(**module, code.steps, entry);
    return emitObjectCode(**module, *machine);
  }

private:
  std::unique_ptr<llvm::TargetMachine> machine;
  bool reference;
};
} // namespace

static std::string hostFeatures() {
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names); // the map's order changes from build to build
  return llvm::join(names, ",");
}

llvm::Expected<std::unique_ptr<Target>>
takt::createTarget(const TargetOptions &options) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  std::string triple = llvm::sys::getDefaultTargetTriple(), message;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvmTarget)
    return fail("LLVM can't generate code for this machine (" + triple +
                "): " + message);
  bool isHost = options.cpu.empty() || options.cpu == "host";
  std::string cpu = isHost ? llvm::sys::getHostCPUName().str() : options.cpu;
  std::string features = isHost ? hostFeatures() : "";
  if (!options.features.empty())
    features += (features.empty() ? "" : ",") + options.features;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      llvmTarget->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(cpu))
    return fail("target CPU '" + cpu +
                "' is unknown; expected 'host' or a name "
                "that LLVM knows for " +
                triple + ", such as x86-64-v3");
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, cpu, features, {}, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return fail("LLVM has no code generator for " + triple);
  return std::make_unique<CpuTarget>(std::move(machine), options.reference);
}
