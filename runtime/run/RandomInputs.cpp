#include "runtime/run/Commands.h"

#include <cmath>
#include <cstring>

namespace takt::runtime {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine,
/// which the standard library's distributions do not promise.
class Random {
public:
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Normal by Box and Muller.
  double normal() {
    double u = (static_cast<double>(next() >> 11) + 1) * 0x1p-53;
    double v = static_cast<double>(next() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

private:
  uint64_t state = 1;
};

uint16_t toHalf(float value) {
  // Normal numbers of moderate size only: small ones become 0.
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint32_t sign = (bits >> 16) & 0x8000;
  int exponent = static_cast<int>((bits >> 23) & 255) - 112;
  if (exponent <= 0)
    return static_cast<uint16_t>(sign);
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(exponent) << 10) |
                               ((bits >> 13) & 0x3ff));
}

void fill(Random &random, Dtype dtype, int64_t count, std::byte *target) {
  auto store = [&](int64_t i, auto value) {
    std::memcpy(target + i * int64_t(sizeof(value)), &value, sizeof(value));
  };
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == Dtype::F64) {
      store(i, random.normal());
    } else if (dtype == Dtype::F32) {
      store(i, static_cast<float>(random.normal()));
    } else if (dtype == Dtype::F16) {
      store(i, toHalf(static_cast<float>(random.normal())));
    } else if (dtype == Dtype::BF16) {
      float value = static_cast<float>(random.normal());
      std::memcpy(target + 2 * i, reinterpret_cast<char *>(&value) + 2, 2);
    } else {
      // The memory is zero: setting the lowest byte makes a 1 of any width.
      target[i * sizeOf(dtype)] = static_cast<std::byte>(random.next() & 1);
    }
  }
}

} // namespace

Result<RandomInputs>
RandomInputs::make(const Manifest &manifest,
                   const std::vector<std::pair<std::string, int64_t>> &given) {
  std::vector<int64_t> dims;
  for (const DimSpec &dim : manifest.dims)
    dims.push_back(dim.typical);
  for (const auto &[name, size] : given) {
    bool known = false;
    for (size_t i = 0; i < dims.size(); ++i)
      if (manifest.dims[i].name == name) {
        dims[i] = size;
        known = true;
      }
    if (!known)
      return inputError("there is no dimension '", name, "'; see --info");
  }
  RandomInputs inputs;
  Random random;
  for (const PortSpec &port : manifest.inputs) {
    std::vector<int64_t> shape;
    for (int32_t value : port.shape) {
      shape.emplace_back();
      Status status =
          manifest.values[value].evaluate(dims.data(), shape.back());
      if (!status.ok())
        return status;
    }
    Result<int64_t> bytes = checkedBytes(shape, sizeOf(port.dtype));
    if (!bytes.ok())
      return bytes.status();
    MemoryBlock block;
    if (Status status = block.reserve(*bytes, "inputs"); !status.ok())
      return status;
    fill(random, port.dtype, *bytes / sizeOf(port.dtype), block.data());
    inputs.shapes.push_back(std::move(shape));
    inputs.blocks.push_back(std::move(block));
  }
  return inputs;
}

Status RandomInputs::set(const Manifest &manifest, Request &request) const {
  for (size_t i = 0; i < shapes.size(); ++i)
    TAKT_RETURN_IF_ERROR(request.setInput(i, blocks[i].data(),
                                          manifest.inputs[i].dtype, shapes[i]));
  return request.prepare();
}

} // namespace takt::runtime
