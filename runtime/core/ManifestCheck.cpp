#include "runtime/core/Manifest.h"

#include <algorithm>
#include <set>

namespace takt::runtime {
namespace {

/// Names that are used twice or empty make a request ambiguous.
template <class T>
Status checkNames(const std::vector<T> &items, const char *what) {
  std::set<std::string> names;
  for (const T &item : items)
    if (item.name.empty() || !names.insert(item.name).second)
      return bundleError("manifest: ", what, " '", item.name,
                         "' is listed twice or has no name");
  return Status();
}

Status checkValue(const Manifest &manifest, int32_t value,
                  const std::string &owner) {
  if (value < 0 || value >= static_cast<int32_t>(manifest.values.size()))
    return bundleError("manifest: ", owner, " names size ", value,
                       " of a table of ", manifest.values.size());
  return Status();
}

/// Each dimension that a size mentions must follow from an input's shape.
Status checkDimsAreBound(const Manifest &manifest) {
  for (size_t dim = 0; dim < manifest.dims.size(); ++dim) {
    bool bound = false;
    for (const PortSpec &input : manifest.inputs)
      for (int32_t entry : input.shape)
        bound |= manifest.values[entry].getBareDim() == static_cast<int>(dim);
    for (const SizeExpression &value : manifest.values)
      if (!bound && value.mentions(static_cast<int>(dim)))
        return bundleError("manifest: dimension '", manifest.dims[dim].name,
                           "' is not the size of any input's axis");
  }
  return Status();
}

/// What a request sees is the same for all ranks.
Status checkNoShard(const Manifest &manifest) {
  auto isShared = [&](int32_t value) {
    return !manifest.values[value].mentions(manifest.shardDim());
  };
  auto check = [&](const PortSpec &port) {
    return std::all_of(port.shape.begin(), port.shape.end(), isShared)
               ? Status()
               : bundleError("manifest: a size of '", port.name,
                             "' differs between ranks");
  };
  for (const PortSpec &port : manifest.inputs)
    TAKT_RETURN_IF_ERROR(check(port));
  for (const PortSpec &port : manifest.outputs)
    TAKT_RETURN_IF_ERROR(check(port));
  for (const GuardSpec &guard : manifest.guards)
    if (!isShared(guard.left) || !isShared(guard.right))
      return bundleError("manifest: a guard differs between ranks");
  for (const DimSpec &dim : manifest.dims)
    if (dim.name == "shard")
      return bundleError("manifest: a dimension has the reserved name 'shard'");
  return Status();
}

/// Finds the inputs by name; their elements must be integers.
Status checkIndexRanges(Manifest &manifest) {
  for (IndexRangeSpec &range : manifest.indexRanges) {
    TAKT_RETURN_IF_ERROR(checkValue(manifest, range.rows, "an index range"));
    for (size_t i = 0; i < manifest.inputs.size(); ++i)
      if (manifest.inputs[i].name == range.name)
        range.input = static_cast<int32_t>(i);
    if (range.input < 0)
      return bundleError("manifest: an index range is for input '", range.name,
                         "', which the model has not");
    Dtype dtype = manifest.inputs[range.input].dtype;
    if (dtype != Dtype::I64 && dtype != Dtype::I32)
      return bundleError("manifest: input '", range.name,
                         "' has an index range but no i32 or i64 elements");
    if (manifest.values[range.rows].mentions(manifest.shardDim()))
      return bundleError("manifest: an index range differs between ranks");
  }
  return Status();
}

Status checkPorts(const Manifest &manifest) {
  TAKT_RETURN_IF_ERROR(checkNames(manifest.dims, "dimension"));
  TAKT_RETURN_IF_ERROR(checkNames(manifest.inputs, "input"));
  TAKT_RETURN_IF_ERROR(checkNames(manifest.outputs, "output"));
  for (const PortSpec &port : manifest.inputs)
    TAKT_RETURN_IF_ERROR(
        checkShape(manifest, port.shape, "input '" + port.name + "'"));
  for (const PortSpec &port : manifest.outputs)
    TAKT_RETURN_IF_ERROR(
        checkShape(manifest, port.shape, "output '" + port.name + "'"));
  for (const GuardSpec &guard : manifest.guards) {
    TAKT_RETURN_IF_ERROR(checkValue(manifest, guard.left, "a guard"));
    TAKT_RETURN_IF_ERROR(checkValue(manifest, guard.right, "a guard"));
  }
  TAKT_RETURN_IF_ERROR(checkNoShard(manifest));
  return checkDimsAreBound(manifest);
}

Status checkFiles(const Manifest &manifest) {
  for (const FileSpec &file : manifest.files) {
    TAKT_RETURN_IF_ERROR(checkPath(manifest, file.path));
    if (file.sha256.size() != 64)
      return bundleError("manifest: the digest of '", file.path, "' has ",
                         file.sha256.size(), " digits, 64 expected");
  }
  return Status();
}

Status checkOutputsAreMade(const Manifest &manifest) {
  std::vector<int> makers(manifest.outputs.size(), 0);
  for (const StageSpec &stage : manifest.stages)
    for (const StageOutputSpec &output : stage.outputs)
      ++makers[output.output];
  for (size_t i = 0; i < makers.size(); ++i)
    if (makers[i] != 1)
      return bundleError("manifest: ", makers[i], " stages make output '",
                         manifest.outputs[i].name, "', 1 expected");
  return Status();
}

} // namespace

Status checkShape(const Manifest &manifest, const ValueIndices &shape,
                  const std::string &owner) {
  if (shape.size() > 32)
    return bundleError("manifest: ", owner, " has ", shape.size(),
                       " axes, at most 32 are supported");
  for (int32_t value : shape)
    TAKT_RETURN_IF_ERROR(checkValue(manifest, value, owner));
  return Status();
}

Status checkPath(const Manifest &manifest, const std::string &path) {
  bool inside = !path.empty() && path[0] != '/';
  for (size_t start = 0; start <= path.size();) {
    size_t end = std::min(path.find('/', start), path.size());
    inside &= path.compare(start, end - start, "..") != 0;
    start = end + 1;
  }
  if (!inside)
    return bundleError("manifest: path '", path, "' leaves the bundle");
  if (std::none_of(manifest.files.begin(), manifest.files.end(),
                   [&](const FileSpec &file) { return file.path == path; }))
    return bundleError("manifest: file '", path, "' has no digest");
  return Status();
}

Status checkManifest(Manifest &manifest) {
  TAKT_RETURN_IF_ERROR(checkFiles(manifest));
  TAKT_RETURN_IF_ERROR(checkPorts(manifest));
  TAKT_RETURN_IF_ERROR(checkIndexRanges(manifest));
  if (manifest.stages.empty())
    return bundleError("manifest: there is no stage");
  for (StageSpec &stage : manifest.stages)
    TAKT_RETURN_IF_ERROR(checkStage(manifest, stage));
  TAKT_RETURN_IF_ERROR(checkOutputsAreMade(manifest));
  return checkRanks(manifest);
}

} // namespace takt::runtime
