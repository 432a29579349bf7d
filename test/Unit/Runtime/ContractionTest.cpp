// Contractions against a direct definition in double, over layouts, epilogues
// and empty sizes.
#include "runtime/device/Contraction.h"

#include <cmath>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

enum Buffer { Lhs, Rhs, Output, Bias, Addend };

struct Problem {
  int64_t batch, m, n, k;
  bool transposeLhs = false, transposeRhs = false, shared = true;
  double scale = 0;
  std::vector<EpilogueSpec> epilogues = {};
  bool packed = false;
  bool addsInPlace = false;
};

/// Values in [-1, 1], different for each seed.
std::vector<float> fill(int64_t count, int seed) {
  std::vector<float> data(size_t(std::max<int64_t>(count, 1)));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = float(int((i * 29 + size_t(seed) * 17) % 41) - 20) / 20.0f;
  return data;
}

class Checker {
public:
  explicit Checker(const Problem &problem)
      : p(problem), lhs(fill(p.batch * p.m * p.k, 1)),
        rhs(fill((p.shared ? 1 : p.batch) * p.k * p.n, 2)),
        output(size_t(p.batch * p.m * p.n) + 1, 777.0f), bias(fill(p.n, 3)),
        addend(fill(p.batch * p.m * p.n, 4)) {
    operation.name = "test";
    ContractionSpec &spec = operation.contraction;
    spec = {Lhs,
            Rhs,
            Output,
            0,
            1,
            2,
            3,
            p.transposeLhs,
            p.transposeRhs,
            p.shared,
            p.scale,
            p.epilogues};
  }

  void run() {
    FileMapping noFile;
    MemoryPool pool;
    PackedWeights weights(noFile, reinterpret_cast<std::byte *>(rhs.data()), 0,
                          pool);
    Result<std::unique_ptr<PreparedCall>> call =
        prepareContraction(operation, {p.batch, p.m, p.n, p.k}, p.addsInPlace,
                           p.packed ? &weights : nullptr, context);
    ASSERT_TRUE(call.ok()) << call.status().getText();
    ASSERT_TRUE(
        context.scratchpad.reserve((*call)->getScratchpadBytes(), "scratch")
            .ok());
    // Packed weights must not be read from the frame.
    void *buffers[] = {lhs.data(), p.packed ? nullptr : rhs.data(),
                       output.data(), bias.data(), addend.data()};
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (p.addsInPlace)
        std::copy(addend.begin(), addend.begin() + p.batch * p.m * p.n,
                  output.begin());
      Status status = (*call)->run(buffers, context);
      ASSERT_TRUE(status.ok()) << status.getText();
      check();
    }
  }

private:
  double element(int64_t b, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t x = 0; x < p.k; ++x) {
      int64_t left = p.transposeLhs ? x * p.m + i : i * p.k + x;
      int64_t right = p.transposeRhs ? j * p.k + x : x * p.n + j;
      sum += double(lhs[size_t(b * p.m * p.k + left)]) *
             rhs[size_t((p.shared ? 0 : b * p.k * p.n) + right)];
    }
    double value = p.scale != 0 ? sum * p.scale : sum;
    for (const EpilogueSpec &epilogue : p.epilogues)
      value = apply(epilogue.kind, value, j, (b * p.m + i) * p.n + j);
    return value;
  }

  double apply(EpilogueKind kind, double x, int64_t column, int64_t index) {
    switch (kind) {
    case EpilogueKind::Bias:
      return x + bias[size_t(column)];
    case EpilogueKind::Relu:
      return std::max(x, 0.0);
    case EpilogueKind::GeluErf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case EpilogueKind::GeluTanh:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case EpilogueKind::Add:
      return x + addend[size_t(index)];
    case EpilogueKind::Clip:
      return std::min(std::max(x, 0.0), 0.5);
    }
    return x;
  }

  void check() {
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j)
          ASSERT_NEAR(output[size_t((b * p.m + i) * p.n + j)], element(b, i, j),
                      1e-5 * double(p.k + 10))
              << b << " " << i << " " << j;
    EXPECT_EQ(output.back(), 777.0f);
  }

  Problem p;
  OperationSpec operation;
  DeviceContext context;
  std::vector<float> lhs, rhs, output, bias, addend;
};

const EpilogueSpec bias{EpilogueKind::Bias, Bias};
const EpilogueSpec relu{EpilogueKind::Relu, 0};
const EpilogueSpec geluErf{EpilogueKind::GeluErf, 0};
const EpilogueSpec geluTanh{EpilogueKind::GeluTanh, 0};
const EpilogueSpec add{EpilogueKind::Add, Addend};

TEST(Contraction, LayoutsAndSharing) {
  for (bool transposeLhs : {false, true})
    for (bool transposeRhs : {false, true})
      for (bool shared : {false, true})
        for (bool packed : {false, true}) {
          if (packed && !shared)
            continue;
          SCOPED_TRACE(testing::Message()
                       << transposeLhs << transposeRhs << shared << packed);
          for (int64_t batch : {1, 3})
            Checker({batch,
                     5,
                     33,
                     17,
                     transposeLhs,
                     transposeRhs,
                     shared,
                     0,
                     {},
                     packed})
                .run();
        }
}

TEST(Contraction, EpiloguesInOrder) {
  for (const std::vector<EpilogueSpec> &epilogues :
       std::vector<std::vector<EpilogueSpec>>{{bias},
                                              {bias, relu},
                                              {relu, bias},
                                              {bias, geluErf},
                                              {bias, geluTanh},
                                              {bias, add},
                                              {add, bias, relu},
                                              {add, relu, add},
                                              {bias, geluErf, add}})
    for (double scale : {0.0, 0.125})
      for (auto [batch, m] : {std::pair(1, 1), {1, 4}, {2, 1}, {2, 4}})
        for (bool shared : {false, true})
          for (bool packed : {false, true}) {
            SCOPED_TRACE(testing::Message()
                         << epilogues.size() << " " << int(epilogues[0].kind)
                         << " " << scale << " " << batch << m << shared
                         << packed);
            Checker({batch, m, 20, 19, false, false, shared, scale, epilogues,
                     packed && shared})
                .run();
          }
}

TEST(Contraction, ThinMatrices) {
  for (bool packed : {false, true}) {
    Checker({1, 1, 1, 1, false, false, true, 0, {bias, relu}, packed}).run();
    Checker({1, 1, 100, 64, false, true, true, 0, {bias}, packed}).run();
    Checker({1, 100, 1, 64, false, false, true, 2, {bias, add}, packed}).run();
    Checker({4, 1, 48, 1, false, false, true, 0, {geluErf}, packed}).run();
  }
  Checker({6, 1, 1, 9, false, true, false, 0.5, {add}}).run();
}

TEST(Contraction, EmptySizes) {
  for (bool shared : {false, true}) {
    Checker({0, 2, 3, 4, false, false, shared, 0, {bias, add}}).run();
    Checker({2, 0, 3, 4, false, false, shared, 0, {bias, add}}).run();
    Checker({2, 2, 0, 4, false, false, shared, 0, {bias, add}}).run();
    // Nothing to add up: zeros, and then the epilogues.
    Checker({2, 2, 3, 0, false, false, shared, 3, {bias, relu, add}}).run();
  }
}

TEST(Contraction, AddsToWhatItsOutputHolds) {
  const EpilogueSpec bias{EpilogueKind::Bias, Bias},
      add{EpilogueKind::Add, Addend}, relu{EpilogueKind::Relu};
  for (const std::vector<EpilogueSpec> &list :
       {std::vector<EpilogueSpec>{add}, {bias, add}, {bias, add, relu}})
    for (auto [m, packed] :
         {std::pair(17, false), {17, true}, {1, false}, {1, true}}) {
      Problem problem = {1, m, 33, 20, false, false, true, 0, list, packed};
      problem.addsInPlace = true;
      Checker(problem).run();
    }
}

TEST(Contraction, RefusesToAddItsOwnOutput) {
  OperationSpec operation;
  operation.contraction = {Lhs,   Rhs,  Output, 0,
                           0,     0,    0,      false,
                           false, true, 0,      {{EpilogueKind::Add, Output}}};
  DeviceContext context;
  EXPECT_FALSE(
      prepareContraction(operation, {2}, false, nullptr, context).ok());
}

} // namespace
} // namespace takt::runtime
