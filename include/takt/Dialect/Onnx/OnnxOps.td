// The onnx dialect: a model's graph as it stands, without per-op classes.
#ifndef TAKT_DIALECT_ONNX_ONNXOPS_TD
#define TAKT_DIALECT_ONNX_ONNXOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Onnx_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::takt::onnx";
  let summary = "ONNX graphs, node by node";
  let description = [{
    One op, `onnx.node`, stands for every ONNX operator of every version. It says
    what the model says; what an operator means is the legalisation's business.
  }];
}

def Onnx_NodeOp : Op<Onnx_Dialect, "node", [SingleBlock]> {
  let summary = "a node of an ONNX graph";
  let description = [{
    `domain` is empty for the default domain and `version` is the opset version
    that the model imports for it. Operand i is the node's input i, or an
    `onnx.none` where the model leaves it empty; result i is its output i, with
    type `none` where that is left out or where no type is known.

    `attrs` holds the attributes: INT as i64, FLOAT as f32, STRING as string, INTS
    as `array<i64>`, FLOATS as `array<f32>`, STRINGS as array of strings, TENSOR as
    dense elements, TYPE_PROTO as type. A graph attribute is a region; its name is in
    `region_names` at the region's position. The graph's inputs are the block's
    arguments; values of outer graphs are used directly.

    ```mlir
    %1 = onnx.node "Softmax"(%0) {attrs = {axis = -1 : i64}, domain = "", version = 20 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$op_type, StrAttr:$domain, I64Attr:$version,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$attrs,
                       OptionalAttr<StrArrayAttr>:$region_names,
                       Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = [{
    $op_type `(` $inputs `)` (`regions` $bodies^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The value of an attribute of the model's node; null if it is not there.
    ::mlir::Attribute attribute(::llvm::StringRef name) {
      return getAttrs().get(name);
    }
    /// The same as a given kind of attribute; null if there is none of it.
    template <typename T> T attribute(::llvm::StringRef name) {
      return ::llvm::dyn_cast_or_null<T>(attribute(name));
    }
    /// An INT attribute, or \p fallback where the node has none.
    int64_t intAttribute(::llvm::StringRef name, int64_t fallback);
    /// A graph attribute; null if it is not there.
    ::mlir::Region *region(::llvm::StringRef name);
    /// True if input \p index is given: present and not `onnx.none`.
    bool hasInput(unsigned index);
    /// The node's name for messages: `MatMul node "layer.0/MatMul"`.
    std::string describe();
  }];
}

def Onnx_NoneOp : Op<Onnx_Dialect, "none", [Pure]> {
  let summary = "an optional input that the model leaves empty";
  let results = (outs NoneType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Onnx_YieldOp : Op<Onnx_Dialect, "yield",
    [Terminator, ReturnLike, Pure, HasParent<"NodeOp">]> {
  let summary = "the outputs of a subgraph";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
