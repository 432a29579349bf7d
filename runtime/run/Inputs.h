/// Inputs of requests from NPY files.
#ifndef TAKT_RUNTIME_RUN_INPUTS_H
#define TAKT_RUNTIME_RUN_INPUTS_H

#include "runtime/core/Npy.h"
#include "runtime/core/Request.h"

#include <utility>
#include <vector>

namespace takt::runtime {

/// Opened files, by index of the model's input.
using InputArrays = std::vector<NpyArray>;
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// Opens one file for each input of the model. Fails on unknown, repeated and
/// missing names.
Result<InputArrays> openInputs(const Manifest &manifest,
                               const NamedFiles &files);

/// The files of a request's directory: INPUT.npy for each input, where INPUT is
/// the name as `fileNameOf` writes it.
Result<InputArrays> openRequestDirectory(const Manifest &manifest,
                                         const std::string &directory);

/// Names of the subdirectories of `directory`, sorted.
Result<std::vector<std::string>> listRequests(const std::string &directory);

/// Points `request` at `arrays` and prepares it.
Status setInputs(const InputArrays &arrays, Request &request);

/// Number of requests in stacked arrays: their common first size, at least 1.
Result<int64_t> countStacked(const Manifest &manifest,
                             const InputArrays &arrays);
/// Points `request` at slice `index` of stacked arrays and prepares it.
Status setStackedInputs(const InputArrays &arrays, int64_t index,
                        Request &request);

} // namespace takt::runtime

#endif
