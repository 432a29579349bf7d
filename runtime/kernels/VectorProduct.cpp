#include "runtime/kernels/VectorProduct.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>

namespace takt::runtime {
namespace {

using Vector = float __attribute__((vector_size(64)));

constexpr int lanes = 16;
constexpr int vectors = panelColumns / lanes;

/// One core reads fastest from four places at once, each a few KiB ahead of
/// its use: the processor's own prefetching stops at every page.
constexpr int panelsAtOnce = 4;
constexpr int64_t bytesAhead = 4096;

/// Asks for what will be read soon; beyond the end it does no harm.
inline void fetchAhead(const float *from) {
  __builtin_prefetch(reinterpret_cast<const void *>(
      reinterpret_cast<uintptr_t>(from) + bytesAhead));
}

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
        fetchAhead(from);
        sums[panel][i] += vector[row] * *reinterpret_cast<const Vector *>(from);
      }
  }
  std::memcpy(result, sums, sizeof(sums));
}

/// One group of up to 64 columns.
__attribute__((target("avx512f"))) void
multiplyColumns(const float *vector, const float *matrix, int64_t rows,
                int64_t stride, int64_t width, float *result) {
  __mmask16 masks[vectors];
  __m512 sums[vectors];
  for (int i = 0; i < vectors; ++i) {
    int64_t left = std::clamp<int64_t>(width - i * lanes, 0, lanes);
    masks[i] = static_cast<__mmask16>((1u << left) - 1);
    sums[i] = _mm512_setzero_ps();
  }
  for (int64_t row = 0; row < rows; ++row) {
    const float *line = matrix + row * stride;
    __m512 factor = _mm512_set1_ps(vector[row]);
    for (int i = 0; i < vectors; ++i) {
      fetchAhead(line + i * lanes);
      sums[i] = _mm512_fmadd_ps(
          factor, _mm512_maskz_loadu_ps(masks[i], line + i * lanes), sums[i]);
    }
  }
  for (int i = 0; i < vectors; ++i)
    _mm512_mask_storeu_ps(result + i * lanes, masks[i], sums[i]);
}

/// `count` dot products with consecutive rows of `stride` floats.
template <int count>
__attribute__((target("avx512f"))) void
multiplyLines(const float *vector, const float *matrix, int64_t stride,
              float *result) {
  __m512 sums[count] = {};
  for (int64_t i = 0; i < stride; i += lanes) {
    auto mask = static_cast<__mmask16>(
        (1u << std::min<int64_t>(stride - i, lanes)) - 1);
    __m512 part = _mm512_maskz_loadu_ps(mask, vector + i);
    for (int line = 0; line < count; ++line) {
      const float *from = matrix + line * stride + i;
      fetchAhead(from);
      sums[line] =
          _mm512_fmadd_ps(part, _mm512_maskz_loadu_ps(mask, from), sums[line]);
    }
  }
  for (int line = 0; line < count; ++line)
    result[line] = _mm512_reduce_add_ps(sums[line]);
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

void multiplyVectorByMatrix(const float *vector, const float *matrix,
                            int64_t rows, int64_t columns, float *result) {
  for (int64_t column = 0; column < columns; column += panelColumns)
    multiplyColumns(vector, matrix + column, rows, columns,
                    std::min(panelColumns, columns - column), result + column);
}

void multiplyVectorByTransposed(const float *vector, const float *matrix,
                                int64_t rows, int64_t columns, float *result) {
  constexpr int64_t atOnce = 4;
  int64_t column = 0;
  for (; column + atOnce <= columns; column += atOnce)
    multiplyLines<atOnce>(vector, matrix + column * rows, rows,
                          result + column);
  for (; column < columns; ++column)
    multiplyLines<1>(vector, matrix + column * rows, rows, result + column);
}

} // namespace takt::runtime
