//===- Cluster.cpp - cluster files and the cost model ---------------------===//
#include "takt/Analysis/Cluster.h"
#include "takt/Support/JsonText.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <google/protobuf/util/json_util.h>

#include <cmath>

using namespace takt;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static void setDefaultLink(proto::Link &link) {
  link.set_alpha_seconds(2e-6);
  link.set_bytes_per_second(8e9);
}

proto::Cluster takt::defaultCluster(int32_t deviceCount) {
  proto::Cluster cluster;
  cluster.set_name("this machine");
  cluster.set_device_count(deviceCount);
  proto::Device &device = *cluster.mutable_device();
  device.set_name("cpu core");
  device.set_memory_bytes(8.0 * (1 << 30));
  device.set_flops_per_second(150e9);
  device.set_bytes_per_second(12e9);
  device.set_launch_seconds(1e-6);
  setDefaultLink(*cluster.mutable_link());
  return cluster;
}

static llvm::Error checkNumber(llvm::StringRef what, llvm::StringRef field,
                               double value, bool mayBeZero) {
  if (std::isfinite(value) && (value > 0 || (mayBeZero && value == 0)))
    return llvm::Error::success();
  return fail(what + ": " + field + " is " + std::to_string(value) +
              "; expected a finite number " +
              (mayBeZero ? "of 0 or more" : "above 0") +
              "; correct the cluster file");
}

llvm::Error takt::checkCluster(const proto::Cluster &cluster,
                               llvm::StringRef what) {
  if (cluster.device_count() < 1)
    return fail(what + ": device_count is " +
                llvm::Twine(cluster.device_count()) +
                "; expected at least 1; correct the cluster file");
  const proto::Device &device = cluster.device();
  const proto::Link &link = cluster.link();
  struct Field {
    llvm::StringRef name;
    double value;
    bool mayBeZero;
  } fields[] = {
      {"device.memory_bytes", device.memory_bytes(), false},
      {"device.flops_per_second", device.flops_per_second(), false},
      {"device.bytes_per_second", device.bytes_per_second(), false},
      {"device.launch_seconds", device.launch_seconds(), true},
      {"link.alpha_seconds", link.alpha_seconds(), true},
      {"link.bytes_per_second", link.bytes_per_second(), false},
  };
  for (const Field &field : fields)
    if (llvm::Error error =
            checkNumber(what, field.name, field.value, field.mayBeZero))
      return error;
  return llvm::Error::success();
}

llvm::Expected<proto::Cluster> takt::parseCluster(llvm::StringRef json,
                                                  llvm::StringRef what) {
  if (llvm::Error error = checkStrictJson(json, what))
    return std::move(error);
  proto::Cluster cluster;
  auto status =
      google::protobuf::util::JsonStringToMessage(json.str(), &cluster);
  if (!status.ok())
    return fail(what + ": not a cluster: " + status.message().as_string());
  if (cluster.device_count() == 1 && !cluster.has_link())
    setDefaultLink(*cluster.mutable_link());
  if (llvm::Error error = checkCluster(cluster, what))
    return std::move(error);
  return cluster;
}

llvm::Expected<proto::Cluster> takt::loadCluster(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read cluster file '" + path +
                "': " + buffer.getError().message());
  return parseCluster((*buffer)->getBuffer(),
                      ("cluster file '" + path + "'").str());
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

Cost takt::toPicoseconds(double seconds) {
  double picoseconds = seconds * 1e12;
  // 2^63 is exact in a double; NaN compares false.
  if (!(picoseconds < 9223372036854775808.0))
    return infiniteCost;
  return std::llround(picoseconds);
}

Cost CostModel::roofline(double flops, double bytes) const {
  const proto::Device &device = cluster.device();
  return toPicoseconds(device.launch_seconds() +
                       std::max(flops / device.flops_per_second(),
                                bytes / device.bytes_per_second()));
}

Cost CostModel::memoryTime(double bytes) const {
  return toPicoseconds(bytes / cluster.device().bytes_per_second());
}

Cost CostModel::allReduce(double bytes, int64_t ways) const {
  return multiplyCost(allGather(bytes, ways), 2);
}

Cost CostModel::allGather(double bytes, int64_t ways) const {
  if (ways <= 1)
    return 0;
  const proto::Link &link = cluster.link();
  double others = double(ways - 1);
  return toPicoseconds(others * link.alpha_seconds() +
                       others / double(ways) * bytes / link.bytes_per_second());
}

Cost CostModel::reduceScatter(double bytes, int64_t ways) const {
  return allGather(bytes, ways);
}

Cost CostModel::send(double bytes) const {
  const proto::Link &link = cluster.link();
  return toPicoseconds(link.alpha_seconds() + bytes / link.bytes_per_second());
}
