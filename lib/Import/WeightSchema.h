//===- WeightSchema.h - the op that stands for a big tensor ---------------===//
#ifndef TAKT_LIB_IMPORT_WEIGHTSCHEMA_H
#define TAKT_LIB_IMPORT_WEIGHTSCHEMA_H

#include "ImportState.h"

namespace takt::import {

inline constexpr char weightDomain[] = "takt.import";
inline constexpr char weightOp[] = "Weight";

/// Makes ONNX's checker and shape inference know `takt.import.Weight`. Big
/// tensors are replaced by such nodes before ONNX's library works on the model,
/// so that it neither copies their bytes nor looks for their files, and a
/// tensor in a function that is inlined twice stays one. Safe to call often.
void registerWeightSchema();

/// Makes \p node stand for entry \p index of the weights.
void setWeightNode(pb::NodeProto &node, const std::string &output,
                   int64_t index, const Weight &weight);

/// The index of the weight that \p node stands for, if it does.
std::optional<int64_t> weightIndex(const pb::NodeProto &node);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_WEIGHTSCHEMA_H
