// The passes of the legalize phase.
#ifndef TAKT_CONVERSION_ONNXTOTAKT_PASSES_TD
#define TAKT_CONVERSION_ONNXTOTAKT_PASSES_TD

include "mlir/Pass/PassBase.td"

def LegalizePass : Pass<"takt-legalize", "mlir::ModuleOp"> {
  let summary = "turns onnx.node ops into takt, arith and math ops on tensors";
  let description = [{
    One walk over @main in order, since ONNX graphs are sorted. Integer tensors
    whose elements are size expressions are tracked by content and become data only
    where an op reads them as such, so shape arithmetic disappears. Broadcasts are
    made explicit; where two sizes meet that are equal only by the model's promise, a
    `takt.guard` states it. All unsupported ops are reported together.
  }];
  let dependentDialects = ["::takt::TaktDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

#endif
