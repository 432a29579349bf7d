/// Names of the files of requests and results. The compiler includes this too,
/// since it refuses a model whose tensors would share a file.
#ifndef TAKT_RUNTIME_ABI_FILENAMES_H
#define TAKT_RUNTIME_ABI_FILENAMES_H

#include <cctype>
#include <string>

namespace takt::runtime {

/// File name of a tensor, without `.npy`: characters that are awkward in a path
/// become `_`.
inline std::string fileNameOf(const std::string &tensor) {
  std::string name;
  for (char c : tensor) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                 c == '_' || c == '.';
    name += plain ? c : '_';
  }
  if (name.empty() || name[0] == '.')
    name.insert(0, "_");
  // The longest file name is 255 bytes, of which the suffixes need some.
  return name.substr(0, 200);
}

} // namespace takt::runtime

#endif
