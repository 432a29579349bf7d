//===- EinsumEquation.cpp - which dimensions an Einsum names --------------===//
#include "EinsumEquation.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The name of the last dimension under an ellipsis; no letter.
static constexpr char firstEllipsis = '\x01';

/// The names of `text`, with those of `hidden` dimensions for the ellipsis.
/// Fails, without a message, on other characters.
static FailureOr<std::string> labelsOf(StringRef text, int64_t hidden) {
  std::string labels;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      for (int64_t i = hidden; i-- > 0;)
        labels.push_back(char(firstEllipsis + i));
    } else if (llvm::isAlpha(text.front())) {
      labels.push_back(text.front());
      text = text.drop_front();
    } else {
      return failure();
    }
  }
  return labels;
}

/// The result's names where the equation has no arrow: the ellipsis, then the
/// letters that occur once, sorted.
static std::string impliedResult(ArrayRef<std::string> operands) {
  std::map<char, int> counts;
  for (const std::string &labels : operands)
    for (char label : labels)
      ++counts[label];
  std::string hidden, letters;
  for (auto [label, count] : counts) {
    if (!llvm::isAlpha(label))
      hidden.insert(hidden.begin(), label);
    else if (count == 1)
      letters.push_back(label);
  }
  return hidden + letters;
}

FailureOr<EinsumEquation> legalize::parseEinsum(NodeLowering &n) {
  std::string text = n.text("equation", "");
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  auto wrong = [&](const Twine &what) {
    return LogicalResult(n.fail("has the equation '" + text + "', " + what +
                                "; correct the model"));
  };
  if (parts.size() != n.inputCount())
    return wrong("expected one term for each of " + Twine(n.inputCount()) +
                 " inputs");
  EinsumEquation equation;
  int64_t mostHidden = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    int64_t letters = llvm::count_if(part, llvm::isAlpha);
    int64_t hidden = part.contains("...") ? n.rank(i) - letters : 0;
    auto labels = labelsOf(part, std::clamp<int64_t>(hidden, 0, 64));
    if (failed(labels) || int64_t(labels->size()) != n.rank(i))
      return wrong("whose term " + Twine(i) +
                   " does not name the dimensions of rank " + Twine(n.rank(i)));
    mostHidden = std::max(mostHidden, hidden);
    equation.operands.push_back(*labels);
  }
  if (text.find("->") == std::string::npos) {
    equation.result = impliedResult(equation.operands);
    return equation;
  }
  auto labels = labelsOf(right, mostHidden);
  if (failed(labels))
    return wrong("whose result is no list of letters");
  equation.result = *labels;
  for (char label : equation.result)
    if (StringRef(equation.result).count(label) != 1 ||
        llvm::none_of(equation.operands,
                      [&](StringRef term) { return term.contains(label); }))
      return wrong("whose result names what its terms do not, or twice");
  return equation;
}
