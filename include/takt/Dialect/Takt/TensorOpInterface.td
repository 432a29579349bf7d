// What the phases ask of a tensor op. Ops of this dialect implement it beside
// their definition; ops of arith and math get one model for all elementwise ops
// (lib/Dialect/Takt/Elementwise.cpp).
#ifndef TAKT_DIALECT_TAKT_TENSOROPINTERFACE_TD
#define TAKT_DIALECT_TAKT_TENSOROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Takt_TensorOpInterface : OpInterface<"TensorOpInterface"> {
  let cppNamespace = "::takt";
  let description = [{
    An op on tensors whose result sizes, sharding, cost and value are known.
  }];
  let methods = [
    InterfaceMethod<[{
      The sizes of the results, given those of the operands. The op has been
      verified; sizes that are equal at run time but not provably equal are taken
      from the first operand.
    }], "llvm::SmallVector<::takt::SymbolicShape>", "inferShapes",
      (ins "llvm::ArrayRef<::takt::SymbolicShape>":$operands)>,
    InterfaceMethod<[{
      How factors of the iteration space map to dimensions.
    }], "::takt::ShardingRule", "getShardingRule",
      (ins "llvm::ArrayRef<::takt::SymbolicShape>":$operands,
           "llvm::ArrayRef<::takt::SymbolicShape>":$results)>,
    InterfaceMethod<[{
      Floating-point operations of one execution.
    }], "::takt::SizeExpr", "getFlops",
      (ins "llvm::ArrayRef<::takt::SymbolicShape>":$operands,
           "llvm::ArrayRef<::takt::SymbolicShape>":$results)>,
    InterfaceMethod<[{
      The results, computed directly. Used by the interpreter, the constant folder
      and the packer. Fails with a text when a value is out of range.
    }], "llvm::Expected<llvm::SmallVector<::takt::HostTensor>>", "evaluate",
      (ins "llvm::ArrayRef<const ::takt::HostTensor *>":$operands,
           "const ::takt::EvaluationContext &":$context)>,
    InterfaceMethod<[{
      What the fuser may do with it.
    }], "::takt::FusionKind", "getFusionKind", (ins)>,
    InterfaceMethod<[{
      The sizes that attributes other than shapes hold: offsets, numbers of rows.
    }], "llvm::SmallVector<::takt::SizeExpr>", "getOffsets", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Rewrites attributes that hold sizes of the results, and what else depends on
      the shard, when the op becomes the part of one rank under `strategy`. The
      types have been changed already.
    }], "void", "localize",
      (ins "const ::takt::Strategy &":$strategy, "int64_t":$ways,
           "llvm::ArrayRef<::takt::SymbolicShape>":$localOperands,
           "llvm::ArrayRef<::takt::SymbolicShape>":$localResults),
      /*methodBody=*/"", /*defaultImplementation=*/"return;">
  ];
}

#endif
