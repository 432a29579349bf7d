//===- ClusterFile.cpp - cluster files ------------------------------------===//
#include "ClusterFields.h"
#include "ClusterKinds.h"

#include "takt/Support/JsonText.h"
#include "takt/Support/OneLine.h"

#include "llvm/Support/MemoryBuffer.h"

#include <google/protobuf/util/json_util.h>

using namespace takt;

static llvm::Expected<Cluster> readJson(llvm::StringRef json) {
  proto::Cluster file;
  if (llvm::Error error = checkFields(llvm::cantFail(llvm::json::parse(json)),
                                      *proto::Cluster::descriptor()))
    return std::move(error);
  auto status = google::protobuf::util::JsonStringToMessage(json.str(), &file);
  if (!status.ok())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "not a cluster: " +
                                       status.message().as_string());
  return readCluster(file);
}

llvm::Expected<Cluster> takt::parseCluster(llvm::StringRef json,
                                           llvm::StringRef what) {
  if (llvm::Error error = checkStrictJson(json, what))
    return std::move(error);
  llvm::Expected<Cluster> cluster = readJson(json);
  if (!cluster) // names in it may hold line breaks
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        what + ": " + oneLine(llvm::toString(cluster.takeError())));
  return cluster;
}

llvm::Expected<Cluster> takt::loadCluster(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot read cluster file '" + path +
                                       "': " + buffer.getError().message());
  return parseCluster((*buffer)->getBuffer(),
                      ("cluster file '" + path + "'").str());
}

Cluster takt::defaultCluster(int64_t deviceCount) {
  proto::Cluster file;
  file.set_name("this machine");
  proto::Node &node = *file.add_nodes();
  node.add_devices()->set_kind("cpu-core");
  node.mutable_link()->set_kind("shared-memory");
  Cluster cluster = llvm::cantFail(readCluster(file));
  cluster.nodes.front().devices.assign(deviceCount, 0);
  return cluster;
}
