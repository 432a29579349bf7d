#include "runtime/kernels/VectorProduct.h"

#include <algorithm>
#include <cstring>

namespace takt::runtime {
namespace {

using Vector = float __attribute__((vector_size(64)));

constexpr int lanes = 16;
constexpr int vectors = panelColumns / lanes;

/// One core reads fastest from four places at once, each a few KiB ahead of
/// its use: the processor's own prefetching stops at every page.
constexpr int panelsAtOnce = 4;
constexpr int64_t floatsAhead = 1024;

/// The next `count` panels, into `result` [count, 64].
template <int count>
__attribute__((target("avx512f"))) void
multiplyPanels(const float *vector, const float *weights, int64_t rows,
               float *result) {
  const int64_t stride = panelFloats(rows);
  Vector sums[count][vectors] = {};
  for (int64_t row = 0; row < rows; ++row) {
    const float *line = weights + row * panelColumns;
    for (int panel = 0; panel < count; ++panel)
      for (int i = 0; i < vectors; ++i) {
        const float *from = line + panel * stride + i * lanes;
        __builtin_prefetch(from + floatsAhead);
        sums[panel][i] += vector[row] * *reinterpret_cast<const Vector *>(from);
      }
  }
  std::memcpy(result, sums, sizeof(sums));
}

} // namespace

bool hasVectorProduct() { return __builtin_cpu_supports("avx512f"); }

void multiplyVector(const float *vector, const float *weights, int64_t rows,
                    int64_t columns, int64_t first, int64_t last,
                    float *result) {
  constexpr decltype(&multiplyPanels<1>) kernels[] = {
      multiplyPanels<1>, multiplyPanels<2>, multiplyPanels<3>,
      multiplyPanels<4>};
  static_assert(sizeof(kernels) / sizeof(*kernels) == panelsAtOnce);
  alignas(64) float sums[panelsAtOnce * panelColumns];
  for (int64_t panel = first; panel < last; panel += panelsAtOnce) {
    int64_t count = std::min<int64_t>(panelsAtOnce, last - panel);
    kernels[count - 1](vector, weights + panel * panelFloats(rows), rows, sums);
    int64_t column = panel * panelColumns;
    std::copy_n(sums, std::min(count * panelColumns, columns - column),
                result + column);
  }
}

} // namespace takt::runtime
