//===- SchemaGuards.h - checks before ONNX's inference functions ----------===//
#ifndef TAKT_LIB_IMPORT_SCHEMAGUARDS_H
#define TAKT_LIB_IMPORT_SCHEMAGUARDS_H

#include "ImportState.h"

#include "onnx/defs/schema.h"

namespace takt::import {

/// Replaces, once and for the process, the schemas whose inference functions do
/// not survive the files of strangers. Call once.
void guardSchemas();

/// Refuses, by ONNX's exception, equations that make Einsum's shape inference
/// read out of bounds: ellipses that cover different ranks, an output index
/// that no input has.
void checkEinsum(pb::InferenceContext &context);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_SCHEMAGUARDS_H
