/// Products of one row with a matrix, at the speed of memory.
#ifndef TAKT_RUNTIME_KERNELS_VECTORPRODUCT_H
#define TAKT_RUNTIME_KERNELS_VECTORPRODUCT_H

#include <cstdint>

namespace takt::runtime {

/// Columns of a panel: oneDNN's layout BA16a64b keeps 64 columns of all rows
/// together, [columns / 64, rows, 64], rows rounded up to 16.
constexpr int64_t panelColumns = 64;

/// Bytes of a [rows, columns] matrix in panels are this many floats a panel.
inline int64_t panelFloats(int64_t rows) {
  return (rows + 15) / 16 * 16 * panelColumns;
}

/// The kernels are compiled for AVX-512 alone.
bool hasVectorProduct();

/// result[j] = sum over i of vector[i] weights[i, j] for the columns of panels
/// `first` to `last` (exclusive) of a matrix of `columns` columns. Sums run in
/// the order of rows, so a result does not depend on how panels are shared out.
void multiplyVector(const float *vector, const float *weights, int64_t rows,
                    int64_t columns, int64_t first, int64_t last,
                    float *result);

/// result[j] = sum over i of vector[i] matrix[i, j], a row-major matrix.
void multiplyVectorByMatrix(const float *vector, const float *matrix,
                            int64_t rows, int64_t columns, float *result);

/// result[j] = sum over i of vector[i] matrix[j, i]: as above, the matrix
/// transposed.
void multiplyVectorByTransposed(const float *vector, const float *matrix,
                                int64_t rows, int64_t columns, float *result);

} // namespace takt::runtime

#endif
