// Ops at module level: sizes, weights, the schedule.
#ifndef TAKT_DIALECT_TAKT_TAKTMODULEOPS_TD
#define TAKT_DIALECT_TAKT_TAKTMODULEOPS_TD

include "takt/Dialect/Takt/TaktOpBase.td"

def Takt_DimOp : Takt_SymbolOp<"dim"> {
  let summary = "declares a symbolic dimension";
  let description = [{
    Costs assume `typical`. A request in which the dimension is less than `minimum`
    or no multiple of `multiple` is refused.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<I64Attr, "1">:$typical,
                       DefaultValuedAttr<I64Attr, "0">:$minimum,
                       DefaultValuedAttr<I64Attr, "1">:$multiple);
  let assemblyFormat = "$sym_name attr-dict";
}

def Takt_GuardOp : Takt_Op<"guard"> {
  let summary = "a condition on the sizes of a request that the model leaves open";
  let description = [{
    `left` and `right` are size expressions; a request in which they differ is
    refused with `reason`.
  }];
  let arguments = (ins StrAttr:$left, StrAttr:$right, StrAttr:$reason);
  let assemblyFormat = "$left `equals` $right `:` $reason attr-dict";
}

def Takt_WeightOp : Takt_SymbolOp<"weight", [IsolatedFromAbove]> {
  let summary = "a constant tensor, by reference";
  let description = [{
    Its bytes lie in a file range (`source`), or the region computes them when the
    bundle is packed. The region may read other weights and use the size `shard`,
    the rank's coordinate.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type,
                       OptionalAttr<Takt_SourceAttr>:$source);
  let regions = (region AnyRegion:$initializer);
  let assemblyFormat = [{
    $sym_name `:` $type ($initializer^)? (qualified($source)^)? attr-dict-with-keyword
  }];
  let hasRegionVerifier = 1;
}

def Takt_YieldOp : Takt_Op<"yield", [Terminator, ReturnLike, Pure]> {
  let summary = "ends a region of this dialect";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Takt_WeightReadOp : Takt_Op<"weight_read", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a weight";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight `:` type($result) attr-dict";
}

def Takt_ChannelOp : Takt_Op<"channel"> {
  let summary = "a FIFO between two ranks that carries one value";
  let description = [{
    `value` is the number that the value has as `takt.channel` on a result of the
    source stage's forward function and on an argument of the target's.
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$value, I64Attr:$source_rank,
                       I64Attr:$target_rank, I64Attr:$depth);
  let assemblyFormat = [{
    $id `value` $value `from` $source_rank `to` $target_rank `depth` $depth attr-dict
  }];
}

def Takt_RankOp : Takt_Op<"rank"> {
  let summary = "what a rank executes for each micro-batch";
  let description = [{
    Instructions are `receive N`, `forward`, `free N` and `send N` with channel ids.
    A rank of stage -1 is idle.
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$replica, I64Attr:$stage, I64Attr:$shard,
                       StrArrayAttr:$instructions);
  let assemblyFormat = [{
    $id `replica` $replica `stage` $stage `shard` $shard $instructions attr-dict
  }];
}

#endif
