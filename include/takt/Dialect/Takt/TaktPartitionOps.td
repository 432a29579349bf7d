// Ops of partitioned programs: collectives and dispatches.
#ifndef TAKT_DIALECT_TAKT_TAKTPARTITIONOPS_TD
#define TAKT_DIALECT_TAKT_TAKTPARTITIONOPS_TD

include "takt/Dialect/Takt/TaktOpBase.td"

// ------------------------------------------------------------ collectives

// Collectives appear after sharding has been decided: nothing is left to cut, and
// one rank alone cannot evaluate them (the interpreter runs all in step).
class Takt_CollectiveOp<string mnemonic> : Takt_TensorOp<mnemonic> {
  let results = (outs AnyRankedTensor:$result);
  let extraClassDefinition = [{
    ::takt::ShardingRule $cppClass::getShardingRule(
        llvm::ArrayRef<::takt::SymbolicShape> operands,
        llvm::ArrayRef<::takt::SymbolicShape> results) {
      return ::takt::ShardingRule::replicated(operands, results);
    }
    ::takt::SizeExpr $cppClass::getFlops(llvm::ArrayRef<::takt::SymbolicShape>,
                                         llvm::ArrayRef<::takt::SymbolicShape>) {
      return 0;
    }
    llvm::Expected<llvm::SmallVector<::takt::HostTensor>> $cppClass::evaluate(
        llvm::ArrayRef<const ::takt::HostTensor *>,
        const ::takt::EvaluationContext &) {
      return ::takt::evaluationFailure(
          "a collective has no value on one rank alone");
    }
    ::takt::FusionKind $cppClass::getFusionKind() {
      return ::takt::FusionKind::Collective;
    }
  }];
}

def Takt_AllReduceOp : Takt_CollectiveOp<"all_reduce"> {
  let summary = "the sum over the stage's ranks, on all of them";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$ways);
  let assemblyFormat = "$input `ways` $ways `:` type($input) `->` type($result) attr-dict";
}

def Takt_AllGatherOp : Takt_CollectiveOp<"all_gather"> {
  let summary = "the ranks' parts side by side along one dimension, on all of them";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, I64Attr:$ways);
  let assemblyFormat = "$input `axis` $axis `ways` $ways `:` type($input) `->` type($result) attr-dict";
}

def Takt_ReduceScatterOp : Takt_CollectiveOp<"reduce_scatter"> {
  let summary = "the own part of the sum over the stage's ranks";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, I64Attr:$ways);
  let assemblyFormat = "$input `axis` $axis `ways` $ways `:` type($input) `->` type($result) attr-dict";
}

// ------------------------------------------------------------ dispatches

def Takt_DispatchOp : Takt_Op<"dispatch", [Pure, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a fused group of ops: one generated kernel, library call, copy or collective";
  let description = [{
    `kind` is kernel, library, view or collective. The region's arguments are the
    operands; `input_shapes` and `result_shapes` list the sizes.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, StrAttr:$kind,
                       TypedArrayAttrBase<Takt_ShapeAttr, "shapes">:$input_shapes,
                       TypedArrayAttrBase<Takt_ShapeAttr, "shapes">:$result_shapes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind `(` $inputs `)` `sizes` $input_shapes `->` $result_shapes
    `:` functional-type($inputs, $results) $body attr-dict
  }];
}

#endif
