/// Epilogues of a contraction as plain loops, for the cases that oneDNN has no
/// fast implementation of.
#ifndef TAKT_RUNTIME_DEVICE_EPILOGUE_H
#define TAKT_RUNTIME_DEVICE_EPILOGUE_H

#include "runtime/core/Manifest.h"

namespace takt::runtime {

/// Applies `epilogues` in order to `output` [rows, columns].
void applyEpilogues(const std::vector<EpilogueSpec> &epilogues,
                    void *const *buffers, int64_t rows, int64_t columns,
                    float *output);

} // namespace takt::runtime

#endif
