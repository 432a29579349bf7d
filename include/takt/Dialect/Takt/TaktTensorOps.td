// Tensor ops.
#ifndef TAKT_DIALECT_TAKT_TAKTTENSOROPS_TD
#define TAKT_DIALECT_TAKT_TAKTTENSOROPS_TD

include "takt/Dialect/Takt/TaktOpBase.td"

def Takt_ReshapeOp : Takt_TensorOp<"reshape", ["localize"]> {
  let summary = "the same elements in row-major order with other sizes";
  let arguments = (ins AnyRankedTensor:$input, Takt_ShapeAttr:$shape);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `to` $shape `:` type($input) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Takt_BroadcastOp : Takt_TensorOp<"broadcast", ["localize"]> {
  let summary = "repeats a tensor along new dimensions and those of size 1";
  let description = [{
    Dimension i of the operand is dimension `dims[i]` of the result; `dims` rises.
    An operand dimension of static size 1 is repeated.
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$dims,
                       Takt_ShapeAttr:$shape);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `dims` $dims `to` $shape `:` type($input) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Takt_TransposeOp : Takt_TensorOp<"transpose"> {
  let summary = "permutes dimensions: result dimension i is operand dimension permutation[i]";
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $permutation `:` type($input) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Takt_SliceOp : Takt_TensorOp<"slice", ["localize"]> {
  let summary = "result[i] = input[starts + i * strides]";
  let description = [{
    `starts` and `shape` are size expressions, `strides` constants other than 0,
    negative ones included. The caller has clamped them to the operand's sizes.
  }];
  let arguments = (ins AnyRankedTensor:$input, Takt_ShapeAttr:$starts,
                       Takt_ShapeAttr:$shape, DenseI64ArrayAttr:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `from` $starts `sizes` $shape `strides` $strides
    `:` type($input) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Takt_ConcatOp : Takt_TensorOp<"concat"> {
  let summary = "tensors side by side along one dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$inputs `axis` $axis `:` type($inputs) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Takt_GatherOp : Takt_TensorOp<"gather", ["localize", "getOffsets"]> {
  let summary = "rows of a tensor by index along one dimension";
  let description = [{
    result[a.., i.., b..] = data[a.., indices[i..], b..]; a negative index counts
    from the end; an index out of range reads the nearest row. With `first_row` the
    operand holds rows first_row, first_row + 1, … of `rows` in all, and an index
    that is not among them gives 0: the result is then one term of a sum over the
    ranks.
  }];
  let arguments = (ins AnyRankedTensor:$data, AnyRankedTensor:$indices, I64Attr:$axis,
                       OptionalAttr<StrAttr>:$first_row, OptionalAttr<StrAttr>:$rows);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $data `[` $indices `]` `axis` $axis (`first_row` $first_row^ `of` $rows)?
    `:` type($data) `,` type($indices) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Takt_GatherNDOp : Takt_TensorOp<"gather_nd"> {
  let summary = "slices of a tensor by index tuples (ONNX GatherND)";
  let arguments = (ins AnyRankedTensor:$data, AnyRankedTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $data `[` $indices `]` `batch_dims` $batch_dims
    `:` type($data) `,` type($indices) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Takt_IotaOp : Takt_TensorOp<"iota", ["getOffsets"]> {
  let summary = "start, start + step, …: a vector of integers";
  let arguments = (ins StrAttr:$start, I64Attr:$step, Takt_ShapeAttr:$shape);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$start `step` $step `sizes` $shape `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Takt_SizeTensorOp : Takt_TensorOp<"size_tensor"> {
  let summary = "sizes as data: a scalar or a vector of integers";
  let arguments = (ins Takt_ShapeAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sizes `:` type($result) attr-dict";
}

def Takt_GeluOp : Takt_TensorOp<"gelu", [], [Elementwise]> {
  let summary = "x * Phi(x), with erf or with its tanh approximation";
  let arguments = (ins AnyRankedTensor:$input, UnitAttr:$tanh_approximation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input (`tanh` $tanh_approximation^)? `:` type($input) `->` type($result) attr-dict
  }];
}

def Takt_ReinterpretOp : Takt_TensorOp<"reinterpret", [], [Elementwise]> {
  let summary = "the same bits as another integer type of the same width";
  let description = [{
    Ops of arith compute with signless integers and say themselves whether they
    divide, compare or convert as unsigned; tensors of unsigned integers reach them
    through this op.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `:` type($input) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Takt_MatmulOp : Takt_TensorOp<"matmul"> {
  let summary = "matrix product over the last two dimensions";
  let description = [{
    lhs [B.., M, K] times rhs [B.., K, N], or rhs [K, N] shared by the batch. With
    `transpose_rhs` rhs is stored as [.., N, K]. Batch sizes are equal: broadcasts
    are explicit.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, UnitAttr:$transpose_rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_rhs` $transpose_rhs^)?
    `:` type($lhs) `,` type($rhs) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Takt_ReduceOp : Takt_TensorOp<"reduce"> {
  let summary = "sum, max, min or prod over some dimensions, which are dropped";
  let arguments = (ins AnyRankedTensor:$input, StrAttr:$kind, DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$kind $input `axes` $axes `:` type($input) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Takt_SoftmaxOp : Takt_TensorOp<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along one dimension";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `axis` $axis `:` type($input) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Takt_LayerNormOp : Takt_TensorOp<"layer_norm"> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias over the last dimension";
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$scale,
                       Optional<AnyRankedTensor>:$bias, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `scale` $scale (`bias` $bias^)? `epsilon` $epsilon
    `:` type($input) `,` type($scale) (`,` type($bias)^)? `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Takt_AttentionOp : Takt_TensorOp<"attention"> {
  let summary = "softmax(query * key^T * scale + mask) * value, per head";
  let description = [{
    query [B, H, S, D], key [B, H, T, D], value [B, H, T, E] -> [B, H, S, E]. The
    mask, added to the scores, broadcasts to [B, H, S, T] (dimensions of size 1 are
    repeated). With `masked_rows_zero` a row of scores that is -inf throughout gives
    0 instead of NaN.
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
                       AnyRankedTensor:$value, Optional<AnyRankedTensor>:$mask,
                       F64Attr:$scale, UnitAttr:$masked_rows_zero);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^ `:` type($mask))? `scale` $scale
    (`masked_rows_zero` $masked_rows_zero^)?
    `:` type($query) `,` type($key) `,` type($value) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

/// What slides a window over the spatial dimensions of [N, spatial.., C]. All
/// lists have one number per spatial dimension, one to three.
class Takt_WindowOp<string mnemonic, list<string> overridden = []>
    : Takt_TensorOp<mnemonic, overridden> {
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
}

def Takt_ConvOp : Takt_WindowOp<"conv", ["localize"]> {
  let summary = "convolution (cross-correlation), channels last";
  let description = [{
    input [N, spatial.., C], weight [O, C / groups, kernel..] -> [N, spatial.., O].
    Output channel o sums over the input channels of its group, o / (O / groups).
    Elements beyond the input count as 0; `dilations` 1 is dense.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$weight,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
                       I64Attr:$groups);
  let assemblyFormat = [{
    $input `,` $weight `strides` $strides `dilations` $dilations
    `pads` $pads_begin `,` $pads_end `groups` $groups
    `:` type($input) `,` type($weight) `->` type($result) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The sizes of the kernel; static.
    llvm::SmallVector<int64_t> getKernel();
  }];
}

def Takt_PoolOp : Takt_WindowOp<"pool"> {
  let summary = "largest element or mean of each window, channels last";
  let description = [{
    input [N, spatial.., C] -> [N, spatial.., C]. `kind` is `max` (NaN is
    passed over; a window of nothing else gives -inf), `average` (over the elements
    inside the input) or `average_include_pad` (those of the padding
    count as 0).
  }];
  let arguments = (ins AnyRankedTensor:$input, StrAttr:$kind,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end);
  let assemblyFormat = [{
    $kind $input `kernel` $kernel `strides` $strides `pads` $pads_begin `,` $pads_end
    `:` type($input) `->` type($result) attr-dict
  }];
}

#endif
