//===- WindowHelpers.cpp - windows that slide over [N, spatial.., C] ------===//
#include "WindowHelpers.h"

using namespace mlir;
using namespace takt;

LogicalResult takt::verifyWindow(Operation *op, Value input,
                                 const Window &window) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getRank() < 3 || type.getRank() > 5)
    return op->emitOpError("needs an operand [N, spatial.., C] with one to "
                           "three spatial dimensions, found ")
           << type;
  int64_t count = type.getRank() - 2;
  for (ArrayRef<int64_t> list :
       {window.kernel, window.strides, window.dilations, window.padsBegin,
        window.padsEnd})
    if (int64_t(list.size()) != count)
      return op->emitOpError("needs lists of ")
             << count << " numbers, one per spatial dimension";
  for (int64_t i = 0; i < count; ++i)
    if (window.kernel[i] < 1 || window.strides[i] < 1 ||
        window.dilations[i] < 1 || window.padsBegin[i] < 0 ||
        window.padsEnd[i] < 0)
      return op->emitOpError("needs positive kernel sizes, strides and "
                             "dilations, and pads that are not negative");
  return verifyResultRank(op, type.getRank());
}

SymbolicShape takt::windowShape(const SymbolicShape &input,
                                const Window &window,
                                const SizeExpr &channels) {
  SymbolicShape result = {input[0]};
  for (int64_t i = 0; i < window.spatialRank(); ++i) {
    SizeExpr room =
        input[1 + i] +
        SizeExpr(window.padsBegin[i] + window.padsEnd[i] - window.extent(i));
    result.push_back(room.floorDiv(SizeExpr(window.strides[i])) + SizeExpr(1));
  }
  result.push_back(channels);
  return result;
}

void takt::forEachTap(const Window &window, ArrayRef<int64_t> inputSizes,
                      ArrayRef<int64_t> out,
                      llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t number = 0;
  forEachIndex(window.kernel, [&](ArrayRef<int64_t> tap) {
    int64_t position = 0;
    bool isInside = true;
    for (int64_t i = 0; i < window.spatialRank(); ++i) {
      int64_t at = window.position(i, out[i], tap[i]);
      isInside &= at >= 0 && at < inputSizes[i];
      position = position * inputSizes[i] + at;
    }
    if (isInside)
      body(position, number);
    ++number;
  });
}

SmallVector<std::string>
takt::declareSpatialFactors(RuleBuilder &rule, StringRef prefix,
                            const SymbolicShape &shape) {
  return declareFactors(rule, prefix,
                        ArrayRef<SizeExpr>(shape).drop_front().drop_back(),
                        FactorKind::Replicated);
}
