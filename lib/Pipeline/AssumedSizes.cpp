//===- AssumedSizes.cpp - typical sizes of dimensions
//-------------------------===//
#include "AssumedSizes.h"

#include "takt/Dialect/Takt/Takt.h"

#include <set>

using namespace mlir;
using namespace takt;

static constexpr int64_t typicalLength = 128;

LogicalResult
takt::setTypicalSizes(ModuleOp module,
                      const std::map<std::string, int64_t> &assumed) {
  std::string known;
  std::set<std::string> names;
  for (DimOp dim : module.getOps<DimOp>()) {
    names.insert(dim.getSymName().str());
    known += (known.empty() ? "" : ", ") + dim.getSymName().str();
    auto it = assumed.find(dim.getSymName().str());
    bool isBatch = dim.getSymName().contains_insensitive("batch");
    dim.setTypical(it != assumed.end() ? it->second
                   : isBatch           ? std::max<int64_t>(1, dim.getMinimum())
                                       : typicalLength);
  }
  for (auto &[name, size] : assumed)
    if (!names.count(name))
      return module.emitError("--assume ")
             << name << "=" << size << ": the model has no dimension '" << name
             << "'; it has " << (known.empty() ? "none" : known);
  return success();
}

void takt::reconcileTypicalSizes(
    ModuleOp module, const std::map<std::string, int64_t> &assumed) {
  llvm::StringMap<DimOp> dims;
  for (DimOp dim : module.getOps<DimOp>())
    dims[dim.getSymName()] = dim;
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    auto it = dims.find(name);
    return it == dims.end() ? std::nullopt
                            : std::optional<int64_t>(it->second.getTypical());
  };
  for (GuardOp guard : module.getOps<GuardOp>())
    for (auto [name, text] : {std::pair(guard.getLeft(), guard.getRight()),
                              std::pair(guard.getRight(), guard.getLeft())}) {
      auto it = dims.find(name);
      if (it == dims.end() || assumed.count(name.str()))
        continue;
      auto expr = SizeExpr::parse(text);
      if (!expr) {
        llvm::consumeError(expr.takeError());
        continue;
      }
      if (auto value = expr->evaluate(lookup)) {
        it->second.setTypical(*value);
        break;
      }
    }
}
