/// SHA-256 of files and strings.
#ifndef TAKT_RUNTIME_CORE_DIGEST_H
#define TAKT_RUNTIME_CORE_DIGEST_H

#include "runtime/core/Status.h"

#include <cstddef>

namespace takt::runtime {

/// Lower-case hexadecimal digits.
std::string sha256(const void *data, size_t bytes);

} // namespace takt::runtime

#endif
