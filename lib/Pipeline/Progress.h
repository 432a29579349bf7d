//===- Progress.h - what the user sees while a model compiles -------------===//
#ifndef TAKT_LIB_PIPELINE_PROGRESS_H
#define TAKT_LIB_PIPELINE_PROGRESS_H

#include "takt/Bundle/BundleWriter.h"
#include "takt/Pipeline/Compile.h"

namespace takt {

/// Shows the bytes packed so far, on a terminal only.
void showPacking(const CompileOptions &options, int64_t done, int64_t total);

/// Says what was made and how to run it, unless quiet.
void showSummary(const BundleInput &input, const CompileOptions &options);

} // namespace takt

#endif
