//===- RuleTest.cpp - sharding rules of all ops against their values ------===//
#include "../TestContext.h"
#include "OpInstances.h"

#include "takt/Interpreter/RuleCheck.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

static constexpr int64_t dynamicSize = 5;

/// `#takt.shape<["n", "12"]>` of `tensor<?x12xf32>`.
static std::string shapeAttribute(StringRef type) {
  std::string text = "#takt.shape<[";
  auto sizes = type.drop_front(StringRef("tensor<").size()).rsplit('x').first;
  SmallVector<StringRef> parts;
  if (type.contains('x'))
    sizes.split(parts, 'x');
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(parts, os, [&](StringRef part) {
    os << '"' << (part == "?" ? "n" : part) << '"';
  });
  return text + "]>";
}

static std::string functionText(const OpInstance &instance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @f(";
  char name = 'a';
  llvm::interleaveComma(instance.arguments, os, [&](const std::string &type) {
    os << '%' << name++ << ": " << type
       << " {takt.shape = " << shapeAttribute(type) << "}";
  });
  os << ") -> " << instance.result << " {\n  %0 = " << instance.op
     << "\n  return %0 : " << instance.result << "\n}\n";
  return text;
}

class InterpreterRule : public ::testing::TestWithParam<OpInstance> {};

TEST_P(InterpreterRule, EveryStrategyGivesTheUnshardedValue) {
  const OpInstance &instance = GetParam();
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(functionText(instance));
  ASSERT_TRUE(module) << functionText(instance);
  auto function = module->lookupSymbol<func::FuncOp>("f");
  Operation *op = &function.getBody().front().front();
  RuleCheckOptions options;
  options.dims["n"] = dynamicSize;
  options.ranges.assign(instance.ranges.begin(), instance.ranges.end());
  options.ulps = instance.ulps;
  for (int64_t ways : {2, 3, 4, 6}) {
    options.seed = ways;
    llvm::Expected<int> strategies = checkRule(op, ways, options);
    ASSERT_TRUE(bool(strategies)) << llvm::toString(strategies.takeError());
    if (ways == 2) {
      EXPECT_EQ(*strategies, instance.strategies);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, InterpreterRule,
                         ::testing::ValuesIn(allOpInstances()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           for (char &c : name)
                             c = std::isalnum(c) ? c : '_';
                           return name;
                         });

// An op that nobody added to the table would be sharded without proof.
TEST(InterpreterRuleTable, HoldsAllTensorOps) {
  llvm::StringSet<> tested;
  for (const OpInstance &instance : allOpInstances())
    tested.insert(StringRef(instance.name).split(' ').first);
  TestContext test;
  int found = 0;
  for (RegisteredOperationName name : test.context.getRegisteredOperations()) {
    if (!name.hasInterface<TensorOpInterface>())
      continue;
    // Collectives join shards: see CollectivesTest.cpp.
    StringRef text = name.getStringRef();
    bool isCollective = text == "takt.all_reduce" ||
                        text == "takt.all_gather" ||
                        text == "takt.reduce_scatter";
    EXPECT_NE(isCollective, tested.contains(text))
        << text.str() << " needs an instance in the table";
    ++found;
  }
  EXPECT_GT(found, 50);
}
