//===- ShardingRuleBuilder.cpp - common rules -----------------------------===//
#include "takt/Support/ShardingRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace takt;

//===----------------------------------------------------------------------===//
// RuleBuilder
//===----------------------------------------------------------------------===//

RuleBuilder &RuleBuilder::factor(llvm::StringRef name, SizeExpr size,
                                 FactorKind kind) {
  if (size.isConstant(1)) {
    names.push_back({name.str(), -1});
    return *this;
  }
  names.push_back({name.str(), int(rule.factors.size())});
  rule.factors.push_back({std::move(size), kind});
  return *this;
}

TensorFactors RuleBuilder::tensor(llvm::ArrayRef<llvm::StringRef> dims) const {
  TensorFactors result;
  for (llvm::StringRef dim : dims) {
    DimFactors &ids = result.emplace_back();
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(dim, parts);
    for (llvm::StringRef part : parts) {
      if (part == "1")
        continue;
      auto it = llvm::find_if(
          names, [&](const auto &entry) { return entry.first == part; });
      assert(it != names.end() && "factor must be declared before its use");
      if (it->second >= 0)
        ids.push_back(it->second);
    }
  }
  return result;
}

static llvm::SmallVector<llvm::StringRef>
toRefs(llvm::ArrayRef<std::string> dims) {
  return {dims.begin(), dims.end()};
}

RuleBuilder &RuleBuilder::operand(llvm::ArrayRef<std::string> dims) {
  rule.operands.push_back(tensor(toRefs(dims)));
  return *this;
}

RuleBuilder &RuleBuilder::result(llvm::ArrayRef<std::string> dims) {
  rule.results.push_back(tensor(toRefs(dims)));
  return *this;
}

RuleBuilder &RuleBuilder::operand(std::initializer_list<llvm::StringRef> dims) {
  rule.operands.push_back(tensor(llvm::ArrayRef<llvm::StringRef>(dims)));
  return *this;
}

RuleBuilder &RuleBuilder::result(std::initializer_list<llvm::StringRef> dims) {
  rule.results.push_back(tensor(llvm::ArrayRef<llvm::StringRef>(dims)));
  return *this;
}

RuleBuilder &RuleBuilder::linear(std::initializer_list<int> operands) {
  rule.linearGroups.emplace_back(operands);
  return *this;
}

ShardingRule RuleBuilder::build() const {
#ifndef NDEBUG
  if (llvm::Error error = rule.verify())
    llvm::report_fatal_error(std::move(error));
#endif
  return rule;
}

//===----------------------------------------------------------------------===//
// Pointwise and replicated
//===----------------------------------------------------------------------===//

ShardingRule
ShardingRule::pointwise(llvm::ArrayRef<SymbolicShape> operandShapes,
                        const SymbolicShape &resultShape, unsigned numResults) {
  ShardingRule rule;
  TensorFactors result;
  for (const SizeExpr &size : resultShape) {
    DimFactors &dim = result.emplace_back();
    if (size.isConstant(1))
      continue;
    dim.push_back(rule.factors.size());
    rule.factors.push_back({size, FactorKind::Parallel});
  }
  for (const SymbolicShape &shape : operandShapes) {
    assert(shape.size() <= result.size() && "operand of higher rank");
    size_t lead = result.size() - shape.size();
    TensorFactors &operand = rule.operands.emplace_back();
    for (auto [dim, size] : llvm::enumerate(shape))
      operand.push_back(size.isConstant(1) ? DimFactors() : result[lead + dim]);
  }
  rule.results.assign(numResults, result);
  return rule;
}

ShardingRule
ShardingRule::replicated(llvm::ArrayRef<SymbolicShape> operandShapes,
                         llvm::ArrayRef<SymbolicShape> resultShapes) {
  ShardingRule rule;
  auto add = [&](const SymbolicShape &shape) {
    TensorFactors tensor;
    for (const SizeExpr &size : shape) {
      DimFactors &dim = tensor.emplace_back();
      if (size.isConstant(1))
        continue;
      dim.push_back(rule.factors.size());
      rule.factors.push_back({size, FactorKind::Replicated});
    }
    return tensor;
  };
  for (const SymbolicShape &shape : operandShapes)
    rule.operands.push_back(add(shape));
  for (const SymbolicShape &shape : resultShapes)
    rule.results.push_back(add(shape));
  return rule;
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// One side of a reshape: the current dimension and what is left of it.
struct Side {
  llvm::ArrayRef<SizeExpr> sizes;
  TensorFactors factors;
  size_t dim = 0;
  SizeExpr left{1};

  explicit Side(llvm::ArrayRef<SizeExpr> sizes)
      : sizes(sizes), factors(sizes.size()) {
    if (!sizes.empty())
      left = sizes.front();
  }
  void skipFinished() {
    while (dim < sizes.size() && left.isConstant(1))
      advance();
  }
  void advance() {
    ++dim;
    left = dim < sizes.size() ? sizes[dim] : SizeExpr(1);
  }
  bool done() const { return dim >= sizes.size(); }
};

class ReshapeFactors {
public:
  ReshapeFactors(llvm::ArrayRef<SizeExpr> input,
                 llvm::ArrayRef<SizeExpr> output)
      : in(input), out(output) {}

  ShardingRule run() {
    while (true) {
      in.skipFinished();
      out.skipFinished();
      if (in.done() || out.done())
        break;
      SizeExpr common = SizeExpr::commonDivisor(in.left, out.left);
      if (common.isConstant(1) || !(in.left.exactDiv(common)) ||
          !(out.left.exactDiv(common)))
        skipPrivate();
      else
        share(common);
    }
    // A rest on one side has no partner whose size is known to be equal.
    for (Side *side : {&in, &out})
      while (!side->done())
        takePrivate(*side);
    rule.operands.push_back(std::move(in.factors));
    rule.results.push_back(std::move(out.factors));
    rule.linearGroups.push_back({0});
    return std::move(rule);
  }

private:
  void share(const SizeExpr &common) {
    int id = rule.factors.size();
    rule.factors.push_back({common, FactorKind::Parallel});
    for (Side *side : {&in, &out}) {
      side->factors[side->dim].push_back(id);
      side->left = *side->left.exactDiv(common);
    }
  }

  /// What is left of the current dimension becomes a factor of one side.
  void takePrivate(Side &side) {
    if (!side.left.isConstant(1)) {
      side.factors[side.dim].push_back(rule.factors.size());
      rule.factors.push_back({side.left, FactorKind::Replicated});
    }
    side.advance();
  }

  /// Private factors on both sides up to the nearest dimension boundaries at
  /// which the running products are equal again; up to the ends if none are.
  void skipPrivate() {
    size_t inEnd = in.sizes.size(), outEnd = out.sizes.size();
    size_t best = inEnd + outEnd + 1;
    SizeExpr inProduct = in.left;
    for (size_t i = in.dim + 1; i <= in.sizes.size(); ++i) {
      SizeExpr outProduct = out.left;
      for (size_t o = out.dim + 1; o <= out.sizes.size(); ++o) {
        if (inProduct == outProduct && !inProduct.isUndefined() &&
            i + o < best) {
          best = i + o;
          inEnd = i;
          outEnd = o;
        }
        if (o < out.sizes.size())
          outProduct = outProduct * out.sizes[o];
      }
      if (i < in.sizes.size())
        inProduct = inProduct * in.sizes[i];
    }
    while (in.dim < inEnd)
      takePrivate(in);
    while (out.dim < outEnd)
      takePrivate(out);
  }

  Side in, out;
  ShardingRule rule;
};
} // namespace

ShardingRule takt::reshapeRule(llvm::ArrayRef<SizeExpr> input,
                               llvm::ArrayRef<SizeExpr> output) {
  auto isZero = [](const SizeExpr &size) { return size.isConstant(0); };
  // All factorisations of 0 are alike: nothing can be said.
  if (llvm::any_of(input, isZero) || llvm::any_of(output, isZero))
    return ShardingRule::replicated({SymbolicShape(input)},
                                    {SymbolicShape(output)});
  return ReshapeFactors(input, output).run();
}
