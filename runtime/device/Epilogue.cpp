#include "runtime/device/Epilogue.h"

#include <cmath>

namespace takt::runtime {
namespace {

template <class Function>
void transform(float *output, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i)
    output[i] = function(output[i]);
}

float geluErf(float x) {
  return 0.5f * x * (1.0f + std::erf(x * 0.70710678118654752f));
}

float geluTanh(float x) {
  float inner = 0.79788456080286536f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + std::tanh(inner));
}

} // namespace

void applyEpilogues(const std::vector<EpilogueSpec> &epilogues,
                    void *const *buffers, int64_t rows, int64_t columns,
                    float *output) {
  int64_t count = rows * columns;
  for (const EpilogueSpec &epilogue : epilogues) {
    auto *operand = epilogue.hasOperand()
                        ? static_cast<const float *>(buffers[epilogue.buffer])
                        : nullptr;
    switch (epilogue.kind) {
    case EpilogueKind::Bias:
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < columns; ++i)
          output[row * columns + i] += operand[i];
      break;
    case EpilogueKind::Relu:
      transform(output, count, [](float x) { return x < 0 ? 0.0f : x; });
      break;
    case EpilogueKind::Clip: {
      auto high = static_cast<float>(epilogue.high);
      transform(output, count, [high](float x) {
        x = x < 0 ? 0.0f : x;
        return x > high ? high : x;
      });
      break;
    }
    case EpilogueKind::GeluErf:
      transform(output, count, geluErf);
      break;
    case EpilogueKind::GeluTanh:
      transform(output, count, geluTanh);
      break;
    case EpilogueKind::Add:
      for (int64_t i = 0; i < count; ++i)
        output[i] += operand[i];
      break;
    }
  }
}

} // namespace takt::runtime
