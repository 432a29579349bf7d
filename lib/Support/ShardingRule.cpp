//===- ShardingRule.cpp - text and checks of sharding rules ---------------===//
#include "takt/Support/ShardingRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace takt;

llvm::StringRef takt::factorKindName(FactorKind kind) {
  switch (kind) {
  case FactorKind::Parallel:
    return "parallel";
  case FactorKind::Sum:
    return "reduction";
  case FactorKind::Max:
    return "max";
  case FactorKind::Min:
    return "min";
  case FactorKind::Product:
    return "product";
  case FactorKind::Replicated:
    return "replicated";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// i, j, ..., z, z_1, z_2, ... as in Shardy.
static std::string factorName(int factor) {
  constexpr int letters = 'z' - 'i' + 1;
  if (factor < letters)
    return std::string(1, char('i' + factor));
  return "z_" + std::to_string(factor - letters + 1);
}

static void printTensors(llvm::raw_ostream &os,
                         llvm::ArrayRef<TensorFactors> tensors) {
  os << '(';
  llvm::interleaveComma(tensors, os, [&](const TensorFactors &tensor) {
    os << '[';
    llvm::interleaveComma(tensor, os, [&](const DimFactors &dim) {
      if (dim.empty())
        os << '1';
      for (int factor : dim)
        os << factorName(factor);
    });
    os << ']';
  });
  os << ')';
}

static void printKind(llvm::raw_ostream &os, const ShardingRule &rule,
                      FactorKind kind) {
  llvm::SmallVector<std::string> names;
  for (auto [id, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == kind)
      names.push_back(factorName(id));
  if (!names.empty())
    os << ' ' << factorKindName(kind) << "={" << llvm::join(names, ", ") << '}';
}

void ShardingRule::print(llvm::raw_ostream &os) const {
  printTensors(os, operands);
  os << " -> ";
  printTensors(os, results);
  os << " {";
  llvm::interleaveComma(llvm::enumerate(factors), os, [&](const auto &entry) {
    os << factorName(entry.index()) << '=' << entry.value().size;
  });
  os << '}';
  for (FactorKind kind : {FactorKind::Sum, FactorKind::Max, FactorKind::Min,
                          FactorKind::Product, FactorKind::Replicated})
    printKind(os, *this, kind);
  if (linearGroups.empty())
    return;
  os << " linear={";
  llvm::interleaveComma(linearGroups, os, [&](const auto &group) {
    os << '{';
    llvm::interleaveComma(group, os);
    os << '}';
  });
  os << '}';
}

std::string ShardingRule::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

template <typename... Parts> static llvm::Error fail(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "sharding rule: ";
  (os << ... << parts);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static bool contains(const TensorFactors &tensor, int factor) {
  return llvm::any_of(tensor, [&](const DimFactors &dim) {
    return llvm::is_contained(dim, factor);
  });
}

SizeExpr ShardingRule::dimSize(const DimFactors &dim) const {
  SizeExpr size(1);
  for (int factor : dim)
    size = size * factors[factor].size;
  return size;
}

/// Ids are in range and none is twice in the tensor.
static llvm::Error verifyTensor(const ShardingRule &rule,
                                const TensorFactors &tensor) {
  llvm::SmallVector<bool> seen(rule.factors.size(), false);
  for (const DimFactors &dim : tensor)
    for (int factor : dim) {
      if (factor < 0 || factor >= int(rule.factors.size()))
        return fail("factor ", factor, " does not exist, there are ",
                    rule.factors.size());
      if (seen[factor])
        return fail("factor ", factorName(factor),
                    " stands twice in one tensor");
      seen[factor] = true;
    }
  return llvm::Error::success();
}

static llvm::Error verifyFactor(const ShardingRule &rule, int id) {
  FactorKind kind = rule.factors[id].kind;
  if (kind == FactorKind::Replicated)
    return llvm::Error::success();
  for (const TensorFactors &result : rule.results)
    if (contains(result, id) != (kind == FactorKind::Parallel))
      return fail(kind == FactorKind::Parallel
                      ? "parallel factor missing in a result: "
                      : "reduced factor present in a result: ",
                  factorName(id), "; mark it replicated");
  return llvm::Error::success();
}

llvm::Error ShardingRule::verify() const {
  for (const auto &tensors : {llvm::ArrayRef<TensorFactors>(operands),
                              llvm::ArrayRef<TensorFactors>(results)})
    for (const TensorFactors &tensor : tensors)
      if (llvm::Error error = verifyTensor(*this, tensor))
        return error;
  for (int id = 0, end = factors.size(); id < end; ++id)
    if (llvm::Error error = verifyFactor(*this, id))
      return error;
  for (const auto &group : linearGroups) {
    if (group.empty())
      return fail("empty linear group");
    for (int operand : group)
      if (operand < 0 || operand >= int(operands.size()))
        return fail("linear group names operand ", operand, " of ",
                    operands.size());
  }
  return llvm::Error::success();
}

static llvm::Error verifyShapes(const ShardingRule &rule, llvm::StringRef what,
                                llvm::ArrayRef<TensorFactors> tensors,
                                llvm::ArrayRef<SymbolicShape> shapes) {
  if (tensors.size() != shapes.size())
    return fail("has ", tensors.size(), " ", what, "s, the op ", shapes.size());
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    if (tensors[index].size() != shape.size())
      return fail(what, " ", index, " has rank ", tensors[index].size(),
                  ", the tensor ", shape.size());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (SizeExpr factored = rule.dimSize(tensors[index][dim]);
          factored != size)
        return fail(what, " ", index, " dimension ", dim,
                    ": the factors multiply to ", factored, ", the size is ",
                    size);
  }
  return llvm::Error::success();
}

llvm::Error
ShardingRule::verify(llvm::ArrayRef<SymbolicShape> operandShapes,
                     llvm::ArrayRef<SymbolicShape> resultShapes) const {
  if (llvm::Error error = verify())
    return error;
  if (llvm::Error error =
          verifyShapes(*this, "operand", operands, operandShapes))
    return error;
  return verifyShapes(*this, "result", results, resultShapes);
}
