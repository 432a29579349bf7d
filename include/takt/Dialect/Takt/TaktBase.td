// The dialect and its attributes.
#ifndef TAKT_DIALECT_TAKT_TAKTBASE_TD
#define TAKT_DIALECT_TAKT_TAKTBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Takt_Dialect : Dialect {
  let name = "takt";
  let cppNamespace = "::takt";
  let summary = "tensor programs with symbolic sizes, their shardings and stages";
  let description = [{
    Tensor ops that `arith`, `math` and `tensor` lack, weights as references to
    file ranges, symbolic sizes, and the collectives and dispatches that later
    phases introduce. See docs/HowItWorks.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect", "mlir::func::FuncDialect"];
}

class Takt_Attr<string name, string attrMnemonic> : AttrDef<Takt_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Takt_ShapeAttr : Takt_Attr<"Shape", "shape"> {
  let summary = "a list of size expressions over the module's dimension names";
  let description = [{
    Each entry is the canonical text of a size expression:
    `#takt.shape<["batch", "past + seq", "384"]>`.
  }];
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The expressions; the verifier has checked that they parse.
    SymbolicShape getExprs() const;
    static ShapeAttr get(mlir::MLIRContext *context, llvm::ArrayRef<SizeExpr> exprs);
  }];
}

def Takt_ShardingAttr : Takt_Attr<"Sharding", "sharding"> {
  let summary = "the state of a value on its stage's tensor axis";
  let description = [{
    `replicated`, `split N` (dimension N is cut into equal parts, one per rank)
    or `partial` (the value is the sum over the ranks).
  }];
  let parameters = (ins "::takt::State":$state);
  let hasCustomAssemblyFormat = 1;
}

def Takt_SourceAttr : Takt_Attr<"Source", "source"> {
  let summary = "a range of a file that holds a tensor's bytes, little-endian";
  let parameters = (ins StringRefParameter<>:$file, "int64_t":$offset, "int64_t":$length);
  let assemblyFormat = "`<` $file `,` $offset `,` $length `>`";
}

#endif
