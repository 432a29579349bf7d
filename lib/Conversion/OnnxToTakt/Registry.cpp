//===- Registry.cpp - which rule lowers which operator --------------------===//
#include "Registry.h"

using namespace takt;
using namespace takt::legalize;

static std::string key(llvm::StringRef domain, llvm::StringRef opType) {
  // Both spellings name ONNX's own operators.
  return (domain == "ai.onnx" ? "" : domain.str()) + "::" + opType.str();
}

static Registry allRules() {
  Registry registry;
  registerActivations(registry);
  registerAttentions(registry);
  registerCasts(registry);
  registerChannelNormalizations(registry);
  registerConstants(registry);
  registerContractions(registry);
  registerConvolutions(registry);
  registerElementwise(registry);
  registerEinsums(registry);
  registerGathers(registry);
  registerIndexMasks(registry);
  registerLogic(registry);
  registerMovement(registry);
  registerNormalizations(registry);
  registerPads(registry);
  registerPools(registry);
  registerQuantizations(registry);
  registerRanges(registry);
  registerReductions(registry);
  registerResizes(registry);
  registerRotaryEmbeddings(registry);
  registerRowNormalizations(registry);
  registerSelections(registry);
  registerShapes(registry);
  registerSlices(registry);
  return registry;
}

const Registry &Registry::get() {
  static const Registry registry = allRules();
  return registry;
}

void Registry::add(llvm::StringRef domain, llvm::StringRef opType, Rule rule,
                   int64_t first, int64_t last) {
  assert(!find(domain, opType, first) && "two rules for one operator");
  entries[key(domain, opType)].push_back({first, last, rule});
}

Rule Registry::find(llvm::StringRef domain, llvm::StringRef opType,
                    int64_t version) const {
  auto it = entries.find(key(domain, opType));
  if (it == entries.end())
    return nullptr;
  for (const Entry &entry : it->second)
    if (entry.first <= version && version <= entry.last)
      return entry.rule;
  return nullptr;
}
