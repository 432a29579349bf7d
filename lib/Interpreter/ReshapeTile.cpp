//===- ReshapeTile.cpp - which part of a reshape's operand a part needs ---===//
#include "ReshapeTile.h"

#include <cstring>

using namespace takt;

std::optional<ReshapeTile> ReshapeTile::find(llvm::ArrayRef<int64_t> from,
                                             llvm::ArrayRef<int64_t> to) {
  ReshapeTile result;
  result.from.assign(from.begin(), from.end());
  result.to.assign(to.begin(), to.end());
  if (elementCount(from).value_or(0) == 0 ||
      elementCount(from) != elementCount(to))
    return std::nullopt;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{i, i, j, j};
    int64_t left = 1, right = 1;
    if (i < from.size())
      left = from[i++];
    if (j < to.size())
      right = to[j++];
    while (left != right) {
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
    }
    group.fromEnd = i;
    group.toEnd = j;
    result.groups.push_back(group);
  }
  return result;
}

/// In the group the window's leading dimension that is not of size 1 is taken
/// in part, those behind it whole: a range of elements. If the window takes
/// less, it is cut from that afterwards.
void ReshapeTile::planGroup(const Group &group, const TensorWindow &window,
                            Plan &plan) const {
  int64_t begin = 0, end = 1;
  // The first dimension from which on the range is taken whole.
  size_t lead = group.toBegin;
  while (lead < group.toEnd && window.size[lead] == 1) {
    begin = begin * to[lead] + window.start[lead];
    ++lead;
  }
  end = begin + 1;
  size_t whole = lead;
  if (lead < group.toEnd) {
    begin = begin * to[lead] + window.start[lead];
    end = begin + window.size[lead];
    whole = lead + 1;
  }
  for (size_t j = group.toBegin; j < lead; ++j) {
    plan.covering.push_back(1);
    plan.inner.start.push_back(0);
    plan.inner.size.push_back(1);
  }
  if (lead < group.toEnd) {
    plan.covering.push_back(window.size[lead]);
    plan.inner.start.push_back(0);
    plan.inner.size.push_back(window.size[lead]);
  }
  for (size_t j = whole; j < group.toEnd; ++j) {
    begin *= to[j];
    end *= to[j];
    plan.covering.push_back(to[j]);
    plan.inner.start.push_back(window.start[j]);
    plan.inner.size.push_back(window.size[j]);
  }
  int64_t row = 1;
  for (size_t i = group.fromBegin + 1; i < group.fromEnd; ++i)
    row *= from[i];
  int64_t firstRow = begin / row, endRow = (end + row - 1) / row;
  for (size_t i = group.fromBegin; i < group.fromEnd; ++i) {
    bool isLeading = i == group.fromBegin;
    plan.operand.start.push_back(isLeading ? firstRow : 0);
    plan.operand.size.push_back(isLeading ? endRow - firstRow : from[i]);
  }
  plan.regrouped.push_back(
      group.fromBegin < group.fromEnd ? (endRow - firstRow) * row : 1);
  plan.rows.start.push_back(begin - firstRow * row);
  plan.rows.size.push_back(end - begin);
}

ReshapeTile::Plan ReshapeTile::plan(const TensorWindow &window) const {
  Plan result;
  for (const Group &group : groups)
    planGroup(group, window, result);
  return result;
}

HostTensor takt::repeatTile(const HostTensor &tensor,
                            llvm::ArrayRef<int64_t> dims,
                            llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> steps(shape.size(), 0);
  llvm::SmallVector<int64_t> strides = tensor.strides();
  for (size_t i = 0; i < dims.size(); ++i)
    if (tensor.shape[i] != 1)
      steps[dims[i]] = strides[i];
  HostTensor result = HostTensor::zeros(tensor.dtype, shape);
  size_t width = byteSize(tensor.dtype);
  int64_t count = *elementCount(shape);
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.data.data() + i * width, tensor.data.data() + at * width,
                width);
    for (size_t dim = shape.size(); dim-- > 0;) {
      at += steps[dim];
      if (++index[dim] < shape[dim])
        break;
      at -= steps[dim] * shape[dim];
      index[dim] = 0;
    }
  }
  return result;
}
