/// Results on disk: all files of a request, or none.
#ifndef TAKT_RUNTIME_RUN_OUTPUTWRITER_H
#define TAKT_RUNTIME_RUN_OUTPUTWRITER_H

#include "runtime/abi/FileNames.h"
#include "runtime/core/Dtype.h"
#include "runtime/core/Status.h"

#include <vector>

namespace takt::runtime {

struct OutputTensor {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape;
  const void *data = nullptr;
  int64_t bytes = 0;
};

/// Fails if two of `names` would share a file.
Status checkFileNames(const std::vector<std::string> &names);

/// Makes `directory` and its parents.
Status makeDirectory(const std::string &directory);

/// Writes `directory`/NAME.npy for each tensor: all under temporary names
/// first, then renamed. On an error no new file is left behind.
Status writeOutputs(const std::string &directory,
                    const std::vector<OutputTensor> &tensors);

} // namespace takt::runtime

#endif
