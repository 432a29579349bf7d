//===- TypicalSizes.cpp - sizes that costs are computed at ----------------===//
#include "takt/Transforms/TypicalSizes.h"

using namespace mlir;
using namespace takt;

TypicalSizes::TypicalSizes(ModuleOp module) {
  for (auto dim : module.getOps<DimOp>())
    values[dim.getSymName()] = dim.getTypical();
}

double TypicalSizes::operator()(const SizeExpr &expr) const {
  auto value = expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto it = values.find(name);
    return it == values.end() ? 1 : it->second;
  });
  return value ? std::max<double>(*value, 0) : 1;
}

double TypicalSizes::bytes(Value value, SizeAnalysis &sizes) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 8;
  Type element = type.getElementType();
  double width = element.isIntOrFloat()
                     ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                     : 8;
  return width * (*this)(product(sizes.shape(value)));
}
