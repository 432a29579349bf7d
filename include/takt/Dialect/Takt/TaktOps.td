// All ops of the takt dialect.
#ifndef TAKT_DIALECT_TAKT_TAKTOPS_TD
#define TAKT_DIALECT_TAKT_TAKTOPS_TD

include "takt/Dialect/Takt/TaktModuleOps.td"
include "takt/Dialect/Takt/TaktTensorOps.td"
include "takt/Dialect/Takt/TaktPartitionOps.td"

#endif
