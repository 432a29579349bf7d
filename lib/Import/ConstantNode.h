//===- ConstantNode.h - the forms of Constant -----------------------------===//
#ifndef TAKT_LIB_IMPORT_CONSTANTNODE_H
#define TAKT_LIB_IMPORT_CONSTANTNODE_H

#include "ImportState.h"

namespace takt::import {

/// A well-formed Constant of the default domain: one attribute.
bool isConstantNode(const pb::NodeProto &node);

/// Turns value_int, value_ints, value_float, value_floats, value_string and
/// value_strings into `value`. Other attributes and references stay.
void useTensorForm(pb::NodeProto &node);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_CONSTANTNODE_H
