//===- ClusterFile.cpp - cluster files ------------------------------------===//
#include "ClusterKinds.h"

#include "takt/Support/JsonText.h"
#include "takt/Support/OneLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <google/protobuf/util/json_util.h>

using namespace takt;

/// `device_kinds[0].memory_bytes` as the file has it: `deviceKinds[0].…`.
static std::string jsonPath(llvm::StringRef path) {
  std::string result;
  for (size_t i = 0; i < path.size(); ++i)
    if (path[i] == '_' && i + 1 < path.size())
      result += llvm::toUpper(path[++i]);
    else
      result += path[i];
  return result;
}

/// What the JSON type of a field is, from protobuf's name of it.
static llvm::StringRef expectedType(llvm::StringRef type) {
  if (type == "TYPE_STRING")
    return "a string";
  if (type == "TYPE_DOUBLE")
    return "a number";
  return type.starts_with("TYPE_INT") ? "an integer" : "an object";
}

/// Protobuf says `(path) field: Cannot find field.` (no path at the top) and
/// `(path): invalid value X for type T`; other texts stay as they are.
static std::string explain(llvm::StringRef message) {
  llvm::StringRef path, rest = message;
  if (rest.consume_front("("))
    std::tie(path, rest) = rest.split(')');
  std::string field = jsonPath(path);
  if (rest.consume_back(": Cannot find field."))
    return (field + (field.empty() ? "" : ".") + rest.ltrim() +
            " is no field of a cluster file; correct or remove it")
        .str();
  auto [value, type] = rest.rsplit(" for type ");
  if (value.consume_front(": invalid value "))
    return (field + " is " + value + "; expected " + expectedType(type)).str();
  return "not a cluster: " + oneLine(message);
}

llvm::Expected<Cluster> takt::parseCluster(llvm::StringRef json,
                                           llvm::StringRef what) {
  if (llvm::Error error = checkStrictJson(json, what))
    return std::move(error);
  proto::Cluster file;
  auto status = google::protobuf::util::JsonStringToMessage(json.str(), &file);
  if (!status.ok())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": " +
                                       explain(status.message().as_string()));
  llvm::Expected<Cluster> cluster = readCluster(file);
  if (!cluster)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": " +
                                       llvm::toString(cluster.takeError()));
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
