//===- FunctionTest.cpp - unsharded programs ------------------------------===//
#include "../TestContext.h"

#include "takt/Interpreter/Program.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

static HostTensor floats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  return HostTensor::fromFloats(DType::F32, shape, values);
}

static const char *program = R"(
  takt.weight @w : tensor<2x2xf32> {
    %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    takt.yield %0 : tensor<2x2xf32>
  }
  func.func @main(%x: tensor<?x2xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "2"]>})
      -> (tensor<?x2xf32> {takt.name = "y"}) {
    %w = takt.weight_read @w : tensor<2x2xf32>
    %0 = takt.dispatch "library"(%x, %w) sizes [#takt.shape<["n", "2"]>, #takt.shape<["2", "2"]>]
        -> [#takt.shape<["n", "2"]>] : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x2xf32>, %b: tensor<2x2xf32>):
      %1 = takt.matmul %a, %b : tensor<?x2xf32>, tensor<2x2xf32> -> tensor<?x2xf32>
      %2 = arith.addf %1, %a : tensor<?x2xf32>
      takt.yield %2 : tensor<?x2xf32>
    }
    return %0 : tensor<?x2xf32>
  })";

TEST(InterpreterFunction, RunsWeightsAndDispatches) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(program);
  ASSERT_TRUE(module);
  NamedTensors inputs;
  inputs["x"] = floats({1, 2}, {1, 10});
  SymbolValues dims;
  dims["n"] = 1;
  auto outputs =
      evaluateModel(module->lookupSymbol<func::FuncOp>("main"), inputs, dims);
  ASSERT_TRUE(bool(outputs)) << llvm::toString(outputs.takeError());
  EXPECT_EQ((*outputs)["y"], floats({1, 2}, {32, 52}));
}

TEST(InterpreterFunction, ChecksTheSizesOfInputs) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(program);
  ASSERT_TRUE(module);
  SymbolValues dims;
  dims["n"] = 2;
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto outputs = evaluateFunction(main, floats({1, 2}, {1, 10}), dims);
  EXPECT_EQ(llvm::toString(outputs.takeError()),
            "argument 0 of 'main': dimension 0 of [1, 2]xf32 must be n = 2");
  outputs = evaluateFunction(main, floats({1, 3}, {1, 2, 3}), dims);
  EXPECT_EQ(llvm::toString(outputs.takeError()),
            "argument 0 of 'main': its value is [1, 3]xf32, its type "
            "tensor<?x2xf32>");
}

TEST(InterpreterFunction, NamesTheOpThatFails) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
      %0 = takt.slice %x from <["0"]> sizes <["4"]> strides [1]
        : tensor<?xf32> -> tensor<4xf32> loc("/layer/Slice")
      return %0 : tensor<4xf32>
    })");
  ASSERT_TRUE(module);
  auto outputs = evaluateFunction(module->lookupSymbol<func::FuncOp>("f"),
                                  floats({2}, {1, 2}), {});
  std::string text = llvm::toString(outputs.takeError());
  EXPECT_EQ(text.find("op 'takt.slice' (\"/layer/Slice\"): "), 0u) << text;
}

TEST(InterpreterFunction, ReadsConstantsOfAllKinds) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f() -> (tensor<3xi1>, tensor<2xf16>, tensor<2xui8>, tensor<0xi64>, tensor<i64>) {
      %0 = arith.constant dense<[true, false, true]> : tensor<3xi1>
      %1 = arith.constant dense<1.5> : tensor<2xf16>
      %2 = arith.constant dense<[250, 7]> : tensor<2xui8>
      %3 = arith.constant dense<[]> : tensor<0xi64>
      %4 = arith.constant dense<-7> : tensor<i64>
      return %0, %1, %2, %3, %4 : tensor<3xi1>, tensor<2xf16>, tensor<2xui8>, tensor<0xi64>, tensor<i64>
    })");
  ASSERT_TRUE(module);
  auto outputs =
      evaluateFunction(module->lookupSymbol<func::FuncOp>("f"), {}, {});
  ASSERT_TRUE(bool(outputs)) << llvm::toString(outputs.takeError());
  EXPECT_EQ((*outputs)[0], HostTensor::fromInts(DType::Bool, {3}, {1, 0, 1}));
  EXPECT_EQ((*outputs)[1], HostTensor::fromFloats(DType::F16, {2}, {1.5, 1.5}));
  EXPECT_EQ((*outputs)[2], HostTensor::fromInts(DType::U8, {2}, {250, 7}));
  EXPECT_EQ((*outputs)[3], HostTensor::zeros(DType::I64, {0}));
  EXPECT_EQ((*outputs)[4], HostTensor::fromInts(DType::I64, {}, {-7}));
}

TEST(InterpreterCompare, FindsTheFirstDifference) {
  HostTensor expected = floats({3}, {1, 2, 4});
  EXPECT_FALSE(bool(compareTensors(expected, floats({3}, {1, 2, 4}), 0)));
  EXPECT_FALSE(bool(compareTensors(expected, floats({3}, {1, 2.25, 4}), 0.1)));
  EXPECT_EQ(
      llvm::toString(compareTensors(expected, floats({3}, {1, 2.5, 4}), 0.1)),
      "element 1 is 2.500000000e+00, expected 2.000000000e+00 within "
      "4.00e-01");
  HostTensor nan = floats({1}, {NAN});
  EXPECT_FALSE(bool(compareTensors(nan, nan, 0)));
  EXPECT_TRUE(
      bool(llvm::toString(compareTensors(nan, floats({1}, {0}), 1)).size()));
}
