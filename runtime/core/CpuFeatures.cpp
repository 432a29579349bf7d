#include "runtime/core/CpuFeatures.h"

#include <algorithm>
#include <string_view>

namespace takt::runtime {
namespace {

#if defined(__x86_64__)
/// True for unknown names. The builtin wants literals.
bool isSupported(std::string_view name) {
#define TAKT_TEST_FEATURE(feature)                                             \
  if (name == feature)                                                         \
    return __builtin_cpu_supports(feature);
  TAKT_TEST_FEATURE("sse3")
  TAKT_TEST_FEATURE("ssse3")
  TAKT_TEST_FEATURE("sse4.1")
  TAKT_TEST_FEATURE("sse4.2")
  TAKT_TEST_FEATURE("popcnt")
  TAKT_TEST_FEATURE("avx")
  TAKT_TEST_FEATURE("avx2")
  TAKT_TEST_FEATURE("fma")
  TAKT_TEST_FEATURE("bmi")
  TAKT_TEST_FEATURE("bmi2")
  TAKT_TEST_FEATURE("avx512f")
  TAKT_TEST_FEATURE("avx512vl")
  TAKT_TEST_FEATURE("avx512bw")
  TAKT_TEST_FEATURE("avx512dq")
  TAKT_TEST_FEATURE("avx512cd")
  TAKT_TEST_FEATURE("avx512ifma")
  TAKT_TEST_FEATURE("avx512vbmi")
  TAKT_TEST_FEATURE("avx512vbmi2")
  TAKT_TEST_FEATURE("avx512vnni")
  TAKT_TEST_FEATURE("avx512bitalg")
  TAKT_TEST_FEATURE("avx512vpopcntdq")
  TAKT_TEST_FEATURE("avx512bf16")
  TAKT_TEST_FEATURE("gfni")
  TAKT_TEST_FEATURE("vpclmulqdq")
  TAKT_TEST_FEATURE("f16c")
  TAKT_TEST_FEATURE("lzcnt")
  TAKT_TEST_FEATURE("movbe")
  TAKT_TEST_FEATURE("sha")
  TAKT_TEST_FEATURE("aes")
  TAKT_TEST_FEATURE("pclmul")
  TAKT_TEST_FEATURE("vaes")
  TAKT_TEST_FEATURE("fma4")
  TAKT_TEST_FEATURE("xop")
  TAKT_TEST_FEATURE("avxvnni")
  TAKT_TEST_FEATURE("avx512fp16")
  TAKT_TEST_FEATURE("avx512vp2intersect")
  TAKT_TEST_FEATURE("amx-tile")
  TAKT_TEST_FEATURE("amx-int8")
  TAKT_TEST_FEATURE("amx-bf16")
#undef TAKT_TEST_FEATURE
  return true;
}
#else
bool isSupported(std::string_view) { return true; }
#endif

} // namespace

Status checkCpuFeatures(const std::string &features,
                        const std::string &targetCpu) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  std::string missing;
  std::string_view rest = features;
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    if (item.size() > 1 && item[0] == '+' && !isSupported(item.substr(1)))
      missing += (missing.empty() ? "" : ", ") + std::string(item.substr(1));
  }
  if (missing.empty())
    return Status();
  return environmentError("this processor lacks ", missing,
                          ", which the bundle was compiled for (target '",
                          targetCpu, "'); compile the model for this machine");
}

} // namespace takt::runtime
