//===- Link.cpp - objects to a shared object ------------------------------===//
#include "takt/Target/Target.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace takt;

static llvm::ErrorOr<std::string> findLinker() {
  // The version that belongs to the LLVM in use comes first.
  if (auto path = llvm::sys::findProgramByName("ld.lld", {TAKT_LLVM_TOOLS}))
    return path;
  if (auto path = llvm::sys::findProgramByName("ld.lld-19"))
    return path;
  return llvm::sys::findProgramByName("ld.lld");
}

/// Deletes the file of the linker's messages.
namespace {
struct TemporaryFile {
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  llvm::SmallString<128> path;
};
} // namespace

llvm::Error takt::linkStage(llvm::ArrayRef<std::string> objects,
                            llvm::StringRef output) {
  auto linker = findLinker();
  if (!linker)
    return llvm::createStringError(
        linker.getError(),
        "can't find LLVM's linker 'ld.lld-19'; install the package lld-19");
  llvm::SmallVector<llvm::StringRef> arguments{
      *linker, "-shared",     "--build-id=none",        "--hash-style=gnu",
      "-z",    "noexecstack", "--no-undefined-version", "-o",
      output};
  for (const std::string &object : objects)
    arguments.push_back(object);
  TemporaryFile messages;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("takt-link", "txt", messages.path))
    return llvm::createStringError(code, "can't create a temporary file");
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(),
                                                llvm::StringRef(messages.path),
                                                llvm::StringRef(messages.path)};
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt,
                                         redirects, 0, 0, &failure);
  if (status == 0)
    return llvm::Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(messages.path))
    failure += (*text)->getBuffer().rtrim().str();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "can't link '" + output + "': " + failure);
}
