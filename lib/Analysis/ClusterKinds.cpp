//===- ClusterKinds.cpp - device and link kinds of a cluster file ---------===//
#include "ClusterKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace takt;

llvm::Error takt::fieldError(const llvm::Twine &path,
                             const llvm::Twine &problem) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 path + " " + problem);
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

template <class Kind> static void mergeUnder(Kind &kind, const Kind &base) {
  Kind merged = base;
  merged.MergeFrom(kind); // scalars that are set win
  kind = merged;
}

void takt::fillGaps(proto::DeviceKind &kind, const proto::DeviceKind &base) {
  proto::DeviceKind below = base;
  // MergeFrom appends lists; a list given here replaces the other.
  if (kind.contraction_size())
    below.clear_contraction();
  if (kind.memory_rates_size())
    below.clear_memory_rates();
  mergeUnder(kind, below);
}

void takt::fillGaps(proto::LinkKind &kind, const proto::LinkKind &base) {
  mergeUnder(kind, base);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// As few digits as say it: `-1`, `1.5e+09`, `nan`.
static std::string text(double value) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%g", value);
  return result;
}

namespace {
/// Reads numbers into doubles and keeps the first error.
class NumberReader {
public:
  explicit NumberReader(llvm::StringRef path) : path(path) {}

  enum Range { Positive, NotNegative, Fraction };

  void read(const llvm::Twine &field, bool isSet, double value, Range range,
            double &result) {
    if (!isSet)
      return fail(field, "is missing; add it, or name a kind of the catalogue "
                         "in `like`");
    bool fits = std::isfinite(value) && value >= 0 &&
                (value > 0 || range == NotNegative) &&
                (value <= 1 || range != Fraction);
    if (!fits)
      return fail(field, "is " + text(value) + "; expected a finite number " +
                             (range == Positive      ? "above 0"
                              : range == NotNegative ? "of 0 or more"
                                                     : "above 0 and up to 1"));
    result = value;
  }
  void fail(const llvm::Twine &field, const llvm::Twine &problem) {
    if (message.empty())
      message = (path + "." + field + " " + problem).str();
  }
  llvm::Error take() const {
    return message.empty() ? llvm::Error::success()
                           : llvm::createStringError(
                                 llvm::inconvertibleErrorCode(), message);
  }

private:
  llvm::StringRef path;
  std::string message;
};
} // namespace

static void readRates(NumberReader &reader, const proto::Rates &rates,
                      Device &device) {
  struct Entry {
    bool isSet;
    double value;
  } entries[precisionCount] = {{rates.has_f32(), rates.f32()},
                               {rates.has_tf32(), rates.tf32()},
                               {rates.has_f16(), rates.f16()},
                               {rates.has_bf16(), rates.bf16()},
                               {rates.has_int8(), rates.int8()}};
  for (auto [i, entry] : llvm::enumerate(entries)) {
    double &result = device.flopsPerSecond[i];
    if (i > 0 && !entry.isSet)
      result = device.rate(Precision::F32);
    else
      reader.read("flopsPerSecond." + precisionName(Precision(i)), entry.isSet,
                  entry.value, NumberReader::Positive, result);
  }
}

static void readTables(NumberReader &reader, const proto::DeviceKind &kind,
                       Device &device) {
  for (auto [i, entry] : llvm::enumerate(kind.contraction())) {
    std::string field = "contraction[" + std::to_string(i) + "].";
    EfficiencyPoint point = {};
    std::optional<Precision> precision = parsePrecision(entry.dtype());
    if (!precision)
      reader.fail(field + "dtype", "is '" + entry.dtype() +
                                       "'; expected f32, tf32, f16, bf16 or "
                                       "int8");
    point.precision = precision.value_or(Precision::F32);
    reader.read(field + "m", true, entry.m(), NumberReader::Positive, point.m);
    reader.read(field + "n", true, entry.n(), NumberReader::Positive, point.n);
    reader.read(field + "k", true, entry.k(), NumberReader::Positive, point.k);
    reader.read(field + "efficiency", entry.has_efficiency(),
                entry.efficiency(), NumberReader::Fraction, point.efficiency);
    device.contraction.push_back(point);
  }
  for (auto [i, entry] : llvm::enumerate(kind.memory_rates())) {
    std::string field = "memoryRates[" + std::to_string(i) + "].";
    MemoryPoint point = {};
    reader.read(field + "footprintBytes", true, entry.footprint_bytes(),
                NumberReader::Positive, point.footprint);
    reader.read(field + "bytesPerSecond", entry.has_bytes_per_second(),
                entry.bytes_per_second(), NumberReader::Positive,
                point.bytesPerSecond);
    device.memory.push_back(point);
  }
}

llvm::Expected<Device> takt::readDevice(const proto::DeviceKind &kind,
                                        llvm::StringRef path) {
  NumberReader reader(path);
  Device device;
  device.kind = kind.name();
  reader.read("memoryBytes", kind.has_memory_bytes(), kind.memory_bytes(),
              NumberReader::Positive, device.memoryBytes);
  readRates(reader, kind.flops_per_second(), device);
  reader.read("bytesPerSecond", kind.has_bytes_per_second(),
              kind.bytes_per_second(), NumberReader::Positive,
              device.bytesPerSecond);
  reader.read("launchSeconds", kind.has_launch_seconds(), kind.launch_seconds(),
              NumberReader::NotNegative, device.launchSeconds);
  readTables(reader, kind, device);
  if (llvm::Error error = reader.take())
    return std::move(error);
  return device;
}

llvm::Expected<Link> takt::readLink(const proto::LinkKind &kind,
                                    llvm::StringRef path) {
  NumberReader reader(path);
  Link link;
  double efficiency = 1;
  reader.read("alphaSeconds", kind.has_alpha_seconds(), kind.alpha_seconds(),
              NumberReader::NotNegative, link.alphaSeconds);
  reader.read("bytesPerSecond", kind.has_bytes_per_second(),
              kind.bytes_per_second(), NumberReader::Positive,
              link.bytesPerSecond);
  if (kind.has_efficiency())
    reader.read("efficiency", true, kind.efficiency(), NumberReader::Fraction,
                efficiency);
  link.bytesPerSecond *= efficiency;
  if (llvm::Error error = reader.take())
    return std::move(error);
  return link;
}
