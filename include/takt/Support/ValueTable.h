//===- ValueTable.h - the bundle's numbered size expressions --------------===//
#ifndef TAKT_SUPPORT_VALUETABLE_H
#define TAKT_SUPPORT_VALUETABLE_H

#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace takt {

/// Numbers size expressions in order of first use: Manifest.values. The runtime
/// evaluates the table once per shape; all else refers to indices.
class ValueTable {
public:
  /// The index of `expr`, added if it is new.
  int32_t index(const SizeExpr &expr) {
    auto [it, isNew] = indices.try_emplace(expr.str(), texts.size());
    if (isNew)
      texts.push_back(expr.str());
    return it->second;
  }

  const std::vector<std::string> &all() const { return texts; }

private:
  llvm::StringMap<int32_t> indices;
  std::vector<std::string> texts;
};

} // namespace takt

#endif
