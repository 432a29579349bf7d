// Convolutions against a direct definition: whole numbers, so sums are exact.
#include "runtime/device/Convolution.h"
#include "test/Unit/Runtime/Windows.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

using test::WindowCase;

enum Buffer { Input, Weight, Output, Bias, Addend };

struct Problem {
  WindowCase window;
  int64_t outputs;
  int64_t groups = 1;
  std::vector<EpilogueSpec> epilogues = {};
  bool addsInPlace = false;
};

class Checker {
public:
  explicit Checker(const Problem &problem)
      : p(problem), input(test::numbers(p.window.inputElements(), 1)),
        output(size_t(p.window.outputElements(p.outputs)) + 1, 777.0f),
        bias(test::numbers(p.outputs, 3)),
        addend(test::numbers(p.window.outputElements(p.outputs), 4)) {
    taps = 1;
    for (int64_t size : p.window.kernel)
      taps *= size;
    inputs = p.window.channels / p.groups;
    weight = test::numbers(p.outputs * inputs * taps, 2);
    operation.name = "test";
    operation.kind = OperationKind::Convolution;
    ConvolutionSpec &spec = operation.convolution;
    values = p.window.describe(spec, p.outputs);
    spec.input = Input;
    spec.weight = Weight;
    spec.output = Output;
    spec.groups = p.groups;
    spec.epilogues = p.epilogues;
  }

  void run(bool isPacked) {
    FileMapping noFile;
    MemoryPool pool;
    PackedWeights weights(noFile, reinterpret_cast<std::byte *>(weight.data()),
                          0, pool);
    Result<std::unique_ptr<PreparedCall>> call =
        prepareConvolution(operation, values, p.addsInPlace,
                           isPacked ? &weights : nullptr, context);
    ASSERT_TRUE(call.ok()) << call.status().getText();
    ASSERT_TRUE(
        context.scratchpad.reserve((*call)->getScratchpadBytes(), "scratch")
            .ok());
    if (p.addsInPlace)
      std::copy(addend.begin(), addend.end() - 1, output.begin());
    void *buffers[] = {input.data(), isPacked ? nullptr : weight.data(),
                       output.data(), bias.data(),
                       p.addsInPlace ? nullptr : addend.data()};
    ASSERT_TRUE((*call)->run(buffers, context).ok());
    check();
  }

private:
  double apply(const EpilogueSpec &epilogue, double x, int64_t channel,
               size_t index) const {
    switch (epilogue.kind) {
    case EpilogueKind::Bias:
      return x + bias[size_t(channel)];
    case EpilogueKind::Add:
      return x + addend[index];
    case EpilogueKind::Relu:
      return std::max(x, 0.0);
    case EpilogueKind::Clip:
      return std::min(std::max(x, 0.0), epilogue.high);
    default:
      ADD_FAILURE() << "no such epilogue in this test";
      return x;
    }
  }

  void check() const {
    size_t i = 0;
    p.window.forEachOutput([&](int64_t n, const std::vector<int64_t> &out) {
      for (int64_t o = 0; o < p.outputs; ++o, ++i) {
        int64_t first = o / (p.outputs / p.groups) * inputs;
        double value = 0;
        p.window.forEachTap(out, [&](int64_t position, int64_t tap) {
          for (int64_t c = 0; position >= 0 && c < inputs; ++c)
            value +=
                double(
                    input[size_t(p.window.element(n, position, first + c))]) *
                weight[size_t((o * inputs + c) * taps + tap)];
        });
        for (const EpilogueSpec &epilogue : p.epilogues)
          value = apply(epilogue, value, o, i);
        ASSERT_EQ(output[i], value) << "element " << i;
      }
    });
    EXPECT_EQ(output.back(), 777.0f) << "wrote beyond its output";
  }

  const Problem &p;
  std::vector<float> input, weight, output, bias, addend;
  int64_t taps, inputs;
  std::vector<int64_t> values;
  OperationSpec operation;
  DeviceContext context;
};

void checkAll(const Problem &problem) {
  for (bool isPacked : {true, false}) {
    Checker checker(problem);
    checker.run(isPacked);
  }
}

const WindowCase square = {2,      {9, 7}, 6,      {3, 3},
                           {1, 1}, {1, 1}, {1, 1}, {1, 1}};

TEST(Convolution, AgreesWithItsDefinition) {
  const Problem problems[] = {
      {square, 5},
      {{1, {12, 12}, 16, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}, 32},
      {{1, {12, 12}, 16, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, 32},
      {{1, {23, 23}, 3, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 2}}, 24},
      {{1, {15, 15}, 4, {3, 3}, {1, 1}, {2, 3}, {2, 3}, {2, 3}}, 8},
      {{3, {31}, 8, {3}, {2}, {1}, {1}, {1}}, 12},
      {{1, {5, 6, 7}, 3, {2, 3, 2}, {1, 2, 1}, {1, 1, 1}, {0, 1, 0}, {1, 1, 1}},
       4},
      // Padding only.
      {{1, {1, 1}, 2, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {2, 2}}, 3},
      {{0, {4, 4}, 2, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}, 3}};
  for (const Problem &problem : problems)
    checkAll(problem);
}

// Exact on small whole numbers, since its transforms are sums and halves.
TEST(Convolution, LargeImagesOfFewChannels) {
  const EpilogueSpec bias{EpilogueKind::Bias, Bias}, relu{EpilogueKind::Relu},
      clip{EpilogueKind::Clip, 0, 6}, add{EpilogueKind::Add, Addend};
  const WindowCase wide = {2,      {23, 26}, 16,     {3, 3},
                           {1, 1}, {1, 1},   {1, 1}, {1, 1}};
  const WindowCase uneven = {1,      {22, 25}, 32,     {3, 3},
                             {1, 1}, {1, 1},   {0, 1}, {1, 0}};
  for (const std::vector<EpilogueSpec> &list :
       {std::vector<EpilogueSpec>{}, {bias, relu}, {bias, clip}, {bias, add}})
    for (const WindowCase &window : {wide, uneven})
      checkAll({window, 32, 1, list});
}

TEST(Convolution, KeepsGroupsApart) {
  for (int64_t groups : {2, 3, 6})
    checkAll({square, 12, groups});
  // Depthwise, with strides.
  checkAll({{1, {14, 14}, 40, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}}, 40, 40});
}

TEST(Convolution, AppliesEpiloguesInOrder) {
  const EpilogueSpec bias{EpilogueKind::Bias, Bias},
      add{EpilogueKind::Add, Addend}, relu{EpilogueKind::Relu},
      clip{EpilogueKind::Clip, 0, 6};
  for (const std::vector<EpilogueSpec> &list : {std::vector<EpilogueSpec>{bias},
                                                {bias, relu},
                                                {bias, clip},
                                                {bias, add, relu},
                                                {relu, add},
                                                {add, bias},
                                                {bias, relu, add}})
    for (int64_t groups : {1, 6})
      checkAll({square, 6, groups, list});
}

TEST(Convolution, AddsToWhatItsOutputHolds) {
  const EpilogueSpec bias{EpilogueKind::Bias, Bias},
      add{EpilogueKind::Add, Addend}, relu{EpilogueKind::Relu};
  for (const std::vector<EpilogueSpec> &list :
       {std::vector<EpilogueSpec>{add}, {bias, add}, {bias, add, relu}})
    for (int64_t groups : {1, 6})
      checkAll({square, 6, groups, list, true});
}

} // namespace
} // namespace takt::runtime
