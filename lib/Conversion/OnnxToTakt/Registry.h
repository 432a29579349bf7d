//===- Registry.h - which rule lowers which operator ----------------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_REGISTRY_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_REGISTRY_H

#include "NodeLowering.h"

#include "llvm/ADT/StringMap.h"

namespace takt::legalize {

/// Rules by domain, operator and range of opset versions.
class Registry {
public:
  static constexpr int64_t latest = INT64_MAX;

  /// All rules.
  static const Registry &get();

  /// An operator of ONNX's own domain, for opsets `first` to `last`.
  void add(llvm::StringRef opType, Rule rule, int64_t first = 7,
           int64_t last = latest) {
    add("", opType, rule, first, last);
  }
  void add(llvm::StringRef domain, llvm::StringRef opType, Rule rule,
           int64_t first, int64_t last = latest);
  /// Null if there is none.
  Rule find(llvm::StringRef domain, llvm::StringRef opType,
            int64_t version) const;

private:
  struct Entry {
    int64_t first, last;
    Rule rule;
  };
  llvm::StringMap<llvm::SmallVector<Entry, 1>> entries;
};

// Each is defined beside its rules.
void registerActivations(Registry &registry);
void registerAttentions(Registry &registry);
void registerCasts(Registry &registry);
void registerChannelNormalizations(Registry &registry);
void registerConstants(Registry &registry);
void registerContractions(Registry &registry);
void registerConvolutions(Registry &registry);
void registerElementwise(Registry &registry);
void registerEinsums(Registry &registry);
void registerGathers(Registry &registry);
void registerIndexMasks(Registry &registry);
void registerLogic(Registry &registry);
void registerMovement(Registry &registry);
void registerNormalizations(Registry &registry);
void registerPads(Registry &registry);
void registerPools(Registry &registry);
void registerQuantizations(Registry &registry);
void registerRanges(Registry &registry);
void registerReductions(Registry &registry);
void registerResizes(Registry &registry);
void registerRotaryEmbeddings(Registry &registry);
void registerRowNormalizations(Registry &registry);
void registerSelections(Registry &registry);
void registerShapes(Registry &registry);
void registerSlices(Registry &registry);

} // namespace takt::legalize

#endif
