/// Makes bundles for tests: two stages of two shards. With x [batch, 4]:
///   stage 0: y = x * (w0 + w1), w0 = 1 2 3 4, w1 = 10 20 30 40
///   stage 1: out[:, s, :] = y + (10 for shard 0, 20 for shard 1)
#ifndef TAKT_TEST_UNIT_RUNTIME_BUNDLEBUILDER_H
#define TAKT_TEST_UNIT_RUNTIME_BUNDLEBUILDER_H

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace takt::runtime::test {

/// A directory that is removed with its contents.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string &path() const { return directory; }

private:
  std::string directory;
};

class BundleBuilder {
public:
  /// `replicas` copies of the four ranks.
  explicit BundleBuilder(int replicas = 1);

  /// To be changed by tests before `write`.
  nlohmann::json manifest;
  std::string stageLibrary;

  /// Writes files, digests and manifest below `directory`.
  void write(const std::string &directory);

private:
  void addRanks(int replica);
};

/// x * (w0 + w1) + shift, [batch, 2, 4].
std::vector<float> expectedOutput(const std::vector<float> &x);

void writeFile(const std::string &path, const std::string &text);
std::string readFile(const std::string &path);
/// An NPY file of float32.
void writeNpy(const std::string &path, const std::vector<int64_t> &shape,
              const std::vector<float> &data);

} // namespace takt::runtime::test

#endif
