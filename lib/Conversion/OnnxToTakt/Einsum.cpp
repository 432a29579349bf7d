//===- Einsum.cpp - products and sums over named dimensions ---------------===//
#include "EinsumEquation.h"
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// A tensor whose dimensions have names; none occurs twice.
struct Term {
  Value value;
  std::string labels;
};
} // namespace

static bool has(StringRef labels, char label) { return labels.contains(label); }

//===----------------------------------------------------------------------===//
// Steps on one term
//===----------------------------------------------------------------------===//

/// The sum over the dimensions that `keeps` rejects.
static Term sumOut(NodeLowering &n, Term term,
                   llvm::function_ref<bool(char)> keeps) {
  SmallVector<int64_t> axes;
  std::string kept;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (keeps(label))
      kept.push_back(label);
    else
      axes.push_back(i);
  }
  if (axes.empty())
    return term;
  return {n.make<ReduceOp>(n.element(term.value), term.value, "sum",
                           n.builder.getDenseI64ArrayAttr(axes)),
          kept};
}

/// Keeps the elements whose positions in dimensions of one name are equal.
static LogicalResult takeDiagonals(NodeLowering &n, Term &term) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    size_t j;
    while ((j = term.labels.find(term.labels[i], i + 1)) != std::string::npos) {
      SymbolicShape shape = n.shape(term.value);
      if (failed(n.equate(shape[i], shape[j], "a square diagonal")))
        return failure();
      Type i64 = n.builder.getI64Type();
      Value isDiagonal = n.builder.create<arith::CmpIOp>(
          arith::CmpIPredicate::eq, n.positions(shape, i, i64),
          n.positions(shape, j, i64));
      Value kept = n.builder.create<arith::SelectOp>(
          isDiagonal, term.value, n.splatLike(0, term.value));
      term.value = n.make<ReduceOp>(n.element(kept), kept, "sum",
                                    n.builder.getDenseI64ArrayAttr(int64_t(j)));
      term.labels.erase(j, 1);
    }
  }
  return success();
}

/// The term with its dimensions in the order of `labels`, which has them all.
static Value ordered(NodeLowering &n, const Term &term, StringRef labels) {
  SmallVector<int64_t> permutation;
  for (char label : labels)
    permutation.push_back(term.labels.find(label));
  return n.transpose(term.value, permutation);
}

//===----------------------------------------------------------------------===//
// Products of two terms
//===----------------------------------------------------------------------===//

/// The term repeated along the dimensions that it lacks.
static Value spread(NodeLowering &n, const Term &term, StringRef labels,
                    ArrayRef<SizeExpr> shape) {
  std::string own;
  SmallVector<int64_t> dims;
  for (auto [i, label] : llvm::enumerate(labels))
    if (has(term.labels, label)) {
      own.push_back(label);
      dims.push_back(i);
    }
  Value value = ordered(n, term, own);
  if (own.size() == labels.size())
    return n.reshape(value, shape);
  return n.make<BroadcastOp>(n.element(value), value,
                             n.builder.getDenseI64ArrayAttr(dims),
                             n.shapeAttr(shape));
}

using LabelSizes = std::map<char, SizeExpr>;

static SymbolicShape sizesOf(StringRef labels, const LabelSizes &sizes) {
  SymbolicShape shape;
  for (char label : labels)
    shape.push_back(sizes.at(label));
  return shape;
}

static Term multiply(NodeLowering &n, const Term &left, const Term &right,
                     const LabelSizes &sizes) {
  std::string labels = left.labels;
  for (char label : right.labels)
    if (!has(labels, label))
      labels.push_back(label);
  SymbolicShape shape = sizesOf(labels, sizes);
  Value a = spread(n, left, labels, shape), b = spread(n, right, labels, shape);
  Value product = isa<FloatType>(n.element(a))
                      ? n.builder.create<arith::MulFOp>(a, b).getResult()
                      : n.builder.create<arith::MulIOp>(a, b).getResult();
  return {product, labels};
}

/// The product summed over `summed`, which both have, as a matrix product.
static Term contract(NodeLowering &n, const Term &left, const Term &right,
                     StringRef summed, const LabelSizes &sizes) {
  std::string batch, rows, columns;
  for (char label : left.labels)
    if (!has(summed, label))
      (has(right.labels, label) ? batch : rows).push_back(label);
  for (char label : right.labels)
    if (!has(summed, label) && !has(batch, label))
      columns.push_back(label);
  SymbolicShape outer = sizesOf(batch, sizes);
  SizeExpr m = product(sizesOf(rows, sizes));
  SizeExpr k = product(sizesOf(summed, sizes));
  SizeExpr width = product(sizesOf(columns, sizes));
  auto matrix = [&](const Term &term, StringRef first, StringRef second,
                    const SizeExpr &height, const SizeExpr &depth) {
    SymbolicShape shape = outer;
    shape.append({height, depth});
    return n.reshape(ordered(n, term, (batch + first + second).str()), shape);
  };
  Value product =
      n.make<MatmulOp>(n.element(left.value), matrix(left, rows, summed, m, k),
                       matrix(right, summed, columns, k, width), UnitAttr());
  std::string labels = batch + rows + columns;
  return {n.reshape(product, sizesOf(labels, sizes)), labels};
}

static Term combine(NodeLowering &n, Term left, Term right,
                    StringRef neededLater, const LabelSizes &sizes) {
  left = sumOut(n, left, [&](char label) {
    return has(neededLater, label) || has(right.labels, label);
  });
  right = sumOut(n, right, [&](char label) {
    return has(neededLater, label) || has(left.labels, label);
  });
  std::string summed;
  for (char label : left.labels)
    if (has(right.labels, label) && !has(neededLater, label))
      summed.push_back(label);
  if (!summed.empty() && isa<FloatType>(n.element(left.value)))
    return contract(n, left, right, summed, sizes);
  Term product = multiply(n, left, right, sizes);
  return sumOut(n, product, [&](char label) { return !has(summed, label); });
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

/// The inputs without repeated names, and the size of each name. Dimensions of
/// size 1 that others repeat are dropped.
static FailureOr<SmallVector<Term>>
readTerms(NodeLowering &n, const EinsumEquation &equation, LabelSizes &sizes) {
  SmallVector<Term> terms;
  for (auto [i, labels] : llvm::enumerate(equation.operands)) {
    Term term{n.value(i), labels};
    if (failed(takeDiagonals(n, term)))
      return failure();
    for (auto [label, size] : llvm::zip(term.labels, n.shape(term.value))) {
      auto [known, isNew] = sizes.try_emplace(label, size);
      if (isNew || size.isConstant(1))
        continue;
      if (known->second.isConstant(1))
        known->second = size;
      else if (failed(n.equate(known->second, size,
                               "equal sizes under one letter")))
        return failure();
    }
    terms.push_back(term);
  }
  for (Term &term : terms) {
    SymbolicShape shape;
    std::string labels;
    for (auto [label, size] : llvm::zip(term.labels, n.shape(term.value)))
      if (!size.isConstant(1) || sizes.at(label).isConstant(1)) {
        labels.push_back(label);
        shape.push_back(sizes.at(label));
      }
    term = {n.reshape(term.value, shape), labels};
  }
  return terms;
}

static LogicalResult einsum(NodeLowering &n) {
  FailureOr<EinsumEquation> equation = parseEinsum(n);
  if (failed(equation))
    return failure();
  if (n.input(0).element.isUnsignedInteger())
    return n.fail("multiplies unsigned integers; insert a Cast to signed ones");
  LabelSizes sizes;
  auto terms = readTerms(n, *equation, sizes);
  if (failed(terms))
    return failure();
  Term total = terms->front();
  for (size_t i = 1; i < terms->size(); ++i) {
    std::string needed = equation->result;
    for (const Term &later : ArrayRef<Term>(*terms).drop_front(i + 1))
      needed += later.labels;
    total = combine(n, total, (*terms)[i], needed, sizes);
  }
  total = sumOut(n, total,
                 [&](char label) { return has(equation->result, label); });
  return n.result(ordered(n, total, equation->result));
}

void legalize::registerEinsums(Registry &registry) {
  registry.add("Einsum", einsum, 12);
}
