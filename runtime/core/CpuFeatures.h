/// Refusal of bundles that were compiled for a newer processor.
#ifndef TAKT_RUNTIME_CORE_CPUFEATURES_H
#define TAKT_RUNTIME_CORE_CPUFEATURES_H

#include "runtime/core/Status.h"

namespace takt::runtime {

/// `features` is a list like `+avx2,+fma,-avx512f`; names that the compiler's
/// built-in test does not know are passed over.
Status checkCpuFeatures(const std::string &features,
                        const std::string &targetCpu);

} // namespace takt::runtime

#endif
