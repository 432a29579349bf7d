// The executable as users run it: files in, files out, exit codes.
#include "BundleBuilder.h"
#include "runtime/core/Npy.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace takt::runtime::test {
namespace {

class CommandTest : public ::testing::Test {
protected:
  void SetUp() override {
    builder.write(bundle.path());
    writeNpy(file("x.npy"), {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  }

  std::string file(const std::string &name) {
    return directory.path() + "/" + name;
  }

  /// Runs with `arguments`; output and errors go to `text`.
  int run(const std::string &arguments, const std::string &prefix = "") {
    std::string command = prefix + "'" TAKT_TEST_RUN "' --bundle '" +
                          bundle.path() + "' " + arguments + " > '" +
                          file("log") + "' 2>&1";
    int status = std::system(command.c_str());
    text = readFile(file("log"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  }

  std::vector<float> readOutput(const std::string &path,
                                std::vector<int64_t> shape) {
    Result<NpyArray> array = readNpy(path);
    EXPECT_TRUE(array.ok()) << array.status().getText();
    if (!array.ok())
      return {};
    EXPECT_EQ(array->shape, shape);
    std::vector<float> data(size_t(array->bytes) / 4);
    std::memcpy(data.data(), array->data, size_t(array->bytes));
    return data;
  }

  size_t countFiles(const std::string &path) {
    std::filesystem::directory_iterator entries(path), end;
    return size_t(std::distance(entries, end));
  }

  BundleBuilder builder;
  TemporaryDirectory bundle, directory;
  std::string text;
};

TEST_F(CommandTest, RunsOneRequest) {
  EXPECT_EQ(run("--input x=" + file("x.npy") + " --output " + file("o")), 0)
      << text;
  EXPECT_EQ(readOutput(file("o/out_0.npy"), {2, 2, 4}),
            expectedOutput({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(countFiles(file("o")), 1u);
}

TEST_F(CommandTest, RunsDirectoriesOfRequests) {
  for (int i = 0; i < 9; ++i)
    writeNpy(file("in/r" + std::to_string(i) + "/x.npy"), {1, 4},
             {float(i), 0, 0, 1});
  EXPECT_EQ(
      run("--requests " + file("in") + " --repeat 3 --output " + file("o")), 0)
      << text;
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(
        readOutput(file("o/r" + std::to_string(i) + "/out_0.npy"), {1, 2, 4}),
        expectedOutput({float(i), 0, 0, 1}));
}

TEST_F(CommandTest, RunsStackedRequests) {
  writeNpy(file("s.npy"), {3, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(
      run("--stacked --input x=" + file("s.npy") + " --output " + file("o")), 0)
      << text;
  EXPECT_EQ(readOutput(file("o/out_0.npy"), {3, 1, 2, 4}),
            expectedOutput({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(CommandTest, ExitCodesTellTheCause) {
  std::string output = " --output " + file("o");
  std::string good = "--input x=" + file("x.npy") + output;
  EXPECT_EQ(run("--nonsense"), 2);
  EXPECT_EQ(run("--input x=" + file("x.npy")), 2);
  EXPECT_EQ(run("--input y=" + file("x.npy") + output), 4);
  EXPECT_NE(text.find("there is no input 'y'; the model has 'x'"),
            std::string::npos);
  EXPECT_EQ(run("--input x=" + file("absent.npy") + output), 4);
  EXPECT_EQ(run("--stacked " + good), 4) << text;
  EXPECT_EQ(run("--help"), 0);
  EXPECT_EQ(run("--version"), 0);
  EXPECT_EQ(run("--info"), 0);
  EXPECT_NE(text.find("input   x  float32 [batch, 4]"), std::string::npos);
  writeFile(bundle.path() + "/manifest.json", "{}");
  EXPECT_EQ(run(good), 5);
}

TEST_F(CommandTest, StopsWhenARankFailsOrHangs) {
  std::string good = "--input x=" + file("x.npy") + " --output " + file("o");
  builder.manifest["stages"][1]["entry"] = "shift_fail";
  builder.write(bundle.path());
  EXPECT_EQ(run(good), 75);
  EXPECT_NE(text.find("error: rank 3"), std::string::npos) << text;
  builder.manifest["stages"][1]["entry"] = "shift_sleep";
  builder.write(bundle.path());
  EXPECT_EQ(run("--deadline 0.2 " + good), 75);
  EXPECT_NE(text.find("made no progress for 0.2 s"), std::string::npos) << text;
  EXPECT_EQ(countFiles(file("o")), 0u);
}

TEST_F(CommandTest, LeavesNoPartialFileWhenTheDiskIsFull) {
  // A limit on file sizes fails like a full disk, for any user.
  std::vector<float> x(4 * 100000);
  writeNpy(file("big.npy"), {100000, 4}, x);
  EXPECT_EQ(run("--input x=" + file("big.npy") + " --output " + file("o"),
                "trap '' XFSZ; ulimit -f 100; "),
            6)
      << text;
  EXPECT_NE(text.find("cannot write"), std::string::npos) << text;
  EXPECT_EQ(countFiles(file("o")), 0u);
}

TEST_F(CommandTest, MeasuresAsJson) {
  EXPECT_EQ(run("--bench --json --quiet --repeat 50 --dim batch=5"), 0);
  nlohmann::json result = nlohmann::json::parse(text, nullptr, false);
  ASSERT_TRUE(result.is_object()) << text;
  EXPECT_EQ(result["requests"], 50);
  EXPECT_GT(result["requestsPerSecond"].get<double>(), 0);
  EXPECT_LE(result["latencySeconds"]["p50"].get<double>(),
            result["latencySeconds"]["p99"].get<double>());
  EXPECT_EQ(result["stages"].size(), 2u);
  EXPECT_EQ(result["ranks"][0]["weightBytes"], 16);
}

TEST_F(CommandTest, EndsOnSignals) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stderr);
    (void)!freopen("/dev/null", "w", stdout);
    execl(TAKT_TEST_RUN, "run", "--bundle", bundle.path().c_str(), "--bench",
          "--repeat", "100000000", nullptr);
    _exit(99);
  }
  usleep(500000);
  kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 143);
}

} // namespace
} // namespace takt::runtime::test
