//===- Range.cpp - counting -----------------------------------------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static LogicalResult range(NodeLowering &n) {
  const SizeContent *start = n.content(0), *limit = n.content(1);
  auto step = n.constants(2);
  if (!start || !limit || !step)
    return n.fail(
        "counts between numbers that are computed from data, expected "
        "integers made of sizes and constants, with a constant step");
  if ((*step)[0] == 0)
    return n.fail(
        "has a step of 0, expected another number; correct the model");
  int64_t delta = (*step)[0];
  SizeExpr first = (*start)[0], end = (*limit)[0];
  SizeExpr span = delta > 0 ? end - first : first - end;
  SizeExpr count =
      SizeExpr::ceilDiv(larger(span, 0), SizeExpr(std::abs(delta)));
  Type element = n.input(0).element;
  if (auto number = count.constant(); number && *number <= maxContentElements) {
    SizeContent content;
    for (int64_t i = 0; i < *number; ++i)
      content.push_back(first + SizeExpr(i * delta));
    return n.result({count}, element, std::move(content));
  }
  return n.result(
      n.make<IotaOp>(element, first.str(), delta, n.shapeAttr(count)));
}

void legalize::registerRanges(Registry &registry) {
  registry.add("Range", range, 11);
}
