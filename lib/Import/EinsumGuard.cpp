//===- EinsumGuard.cpp - bad equations before ONNX reads them -------------===//
// ONNX 1.22's shape inference of Einsum reads out of bounds where ellipses
// cover different ranks and where the output names an index that no input has.
#include "SchemaGuards.h"

#include "llvm/ADT/StringExtras.h"

#include "onnx/defs/shape_inference.h"

namespace takt::import {

/// Splits off an ellipsis and spaces; what is left must be letters, which are
/// added to \p labels. Fails by ONNX's exception.
static bool readTerm(llvm::StringRef term, std::string &labels) {
  std::string letters;
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (llvm::isAlpha(term[i])) {
      letters.push_back(term[i]);
    } else if (!ellipsis && term.substr(i).starts_with("...")) {
      ellipsis = true;
      i += 2;
    } else if (term[i] != ' ') {
      fail_shape_inference("Einsum term '", term.str(), "' holds '", term[i],
                           "', expected letters and one '...'");
    }
  }
  labels = letters;
  return ellipsis;
}

/// `seen` holds the indices of all inputs.
static void checkOutput(llvm::StringRef right, const std::string &seen,
                        bool anyEllipsis) {
  std::string output;
  if (readTerm(right, output) && !anyEllipsis)
    fail_shape_inference("Einsum output has an ellipsis that no input has");
  for (size_t i = 0; i < output.size(); ++i)
    if (seen.find(output[i]) == std::string::npos ||
        output.find(output[i], i + 1) != std::string::npos)
      fail_shape_inference("Einsum output index '", std::string(1, output[i]),
                           "' occurs twice in the output or in no input");
}

void checkEinsum(pb::InferenceContext &context) {
  const auto *attribute = context.getAttribute("equation");
  if (!attribute)
    fail_shape_inference("Einsum has no equation");
  auto [left, right] = llvm::StringRef(attribute->s()).split("->");
  bool explicitOutput = llvm::StringRef(attribute->s()).contains("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != context.getNumInputs())
    fail_shape_inference("Einsum equation has ", terms.size(), " terms for ",
                         context.getNumInputs(), " inputs");
  std::string seen;
  std::optional<size_t> ellipsisRank;
  bool anyEllipsis = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    std::string labels;
    bool ellipsis = readTerm(terms[i], labels);
    seen += labels;
    anyEllipsis |= ellipsis;
    if (!ellipsis || !pb::hasInputShape(context, i))
      continue;
    size_t rank = pb::getInputShape(context, i).dim_size();
    if (rank < labels.size())
      fail_shape_inference("Einsum term '", terms[i].str(), "' has ",
                           labels.size(), " indices for rank ", rank);
    if (ellipsisRank.value_or(rank - labels.size()) != rank - labels.size())
      fail_shape_inference("Einsum ellipsis stands for ", *ellipsisRank,
                           " dimensions and for ", rank - labels.size(),
                           " in term '", terms[i].str(),
                           "', expected the same number");
    ellipsisRank = rank - labels.size();
  }
  if (explicitOutput)
    checkOutput(right, seen, anyEllipsis);
}

} // namespace takt::import
