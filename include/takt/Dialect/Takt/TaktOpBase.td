// The kinds of ops of the takt dialect.
#ifndef TAKT_DIALECT_TAKT_TAKTOPBASE_TD
#define TAKT_DIALECT_TAKT_TAKTOPBASE_TD

include "takt/Dialect/Takt/TaktBase.td"
include "takt/Dialect/Takt/TensorOpInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Takt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Takt_Dialect, mnemonic, traits>;

class Takt_SymbolOp<string mnemonic, list<Trait> traits = []>
    : Takt_Op<mnemonic, !listconcat([Symbol], traits)>;

class Takt_TensorOp<string mnemonic, list<string> overridden = [], list<Trait> traits = []>
    : Takt_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Takt_TensorOpInterface, overridden>], traits)>;

#endif
