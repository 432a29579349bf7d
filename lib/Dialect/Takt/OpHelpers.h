//===- OpHelpers.h - shared by the ops' shape functions and evaluation ----===//
#ifndef TAKT_LIB_DIALECT_TAKT_OPHELPERS_H
#define TAKT_LIB_DIALECT_TAKT_OPHELPERS_H

#include "takt/Dialect/Takt/Takt.h"

namespace takt {

/// What `evaluate` of a tensor op returns.
using Evaluated = llvm::Expected<llvm::SmallVector<HostTensor>>;

/// The only result of an op.
Evaluated single(HostTensor tensor);

/// The dtype of an op's first result.
DType resultDType(mlir::Operation *op);

/// out[i0, i1, …] = in[base + i0 * strides[0] + …], for every index of `shape`.
/// The caller has checked that all of these lie inside `in`.
HostTensor stridedCopy(const HostTensor &in, int64_t base,
                       llvm::ArrayRef<int64_t> strides,
                       llvm::ArrayRef<int64_t> shape);

/// Calls `body` with each multi-index of `shape`, the last dimension fastest.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

/// `count` factor names: prefix0, prefix1, …
llvm::SmallVector<std::string> factorNames(llvm::StringRef prefix,
                                           int64_t count);

/// Declares one factor per dimension and returns their names.
llvm::SmallVector<std::string>
declareFactors(RuleBuilder &rule, llvm::StringRef prefix,
               llvm::ArrayRef<SizeExpr> sizes,
               FactorKind kind = FactorKind::Parallel);

/// Whether sizes may be equal at run time: not two different constants.
bool mayEqual(int64_t left, int64_t right);

/// Fails with a diagnostic unless `op`'s first result has rank `rank`.
mlir::LogicalResult verifyResultRank(mlir::Operation *op, int64_t rank);

} // namespace takt

#endif
