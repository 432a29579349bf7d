//===- CarriedFiles.cpp - libraries and licences that bundles carry -------===//
#include "takt/Bundle/BundleWriter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace takt;

/// Where libraries lie: what CMake found, then the usual places.
static constexpr llvm::StringLiteral libraryFolders[] = {
    TAKT_DNNL_FOLDER,
    TAKT_GOMP_FOLDER,
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib"};

/// Packages whose code travels in the bundle: in its libraries, or linked into
/// the `run` executable.
static constexpr llvm::StringLiteral packages[] = {
    "libdnnl2",  "libgomp1",   "ocl-icd-libopencl1", "libstdc++6",
    "libgcc-s1", "libssl-dev", "nlohmann-json3-dev"};

static llvm::Expected<CarriedFile> findLibrary(llvm::StringRef name) {
  for (llvm::StringRef folder : libraryFolders) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::is_regular_file(path))
      return CarriedFile{path.str().str(), ("lib/" + name).str()};
  }
  return environmentError("library '" + name +
                          "', which bundles carry, is not installed; install "
                          "oneDNN 2 with what it needs (package libdnnl2)");
}

llvm::Expected<std::vector<CarriedFile>> takt::findCarriedFiles() {
  std::vector<CarriedFile> files;
  // oneDNN and all that it needs beyond the C library: a bare system has no
  // OpenCL loader, and perhaps no or an older C++ library.
  for (llvm::StringRef name : {"libdnnl.so.2", "libgomp.so.1", "libOpenCL.so.1",
                               "libstdc++.so.6", "libgcc_s.so.1"}) {
    llvm::Expected<CarriedFile> library = findLibrary(name);
    if (!library)
      return library.takeError();
    files.push_back(std::move(*library));
  }
  for (llvm::StringRef package : packages) {
    std::string path = ("/usr/share/doc/" + package + "/copyright").str();
    if (!llvm::sys::fs::is_regular_file(path))
      return environmentError("the licence of package '" + package + "' ('" +
                              path +
                              "') is missing; bundles must carry it, "
                              "so install the package with its documentation");
    files.push_back({path, ("licenses/" + package + ".txt").str()});
  }
  return files;
}
