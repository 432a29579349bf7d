// The executable as users run it: files in, files out, exit codes.
#include "BundleBuilder.h"
#include "runtime/core/Npy.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace takt::runtime::test {
namespace {

#if defined(__has_feature)
constexpr bool hasAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool hasAddressSanitizer = false;
#endif

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

TEST_F(CommandTest, WritesAllFilesOfARequestOrNone) {
  // The second output's name is taken by a directory.
  nlohmann::json second = builder.manifest["outputs"][0];
  second["name"] = "zzz";
  builder.manifest["outputs"].push_back(second);
  builder.manifest["stages"][1]["outputs"].push_back(
      {{"name", "zzz"}, {"buffer", 3}});
  builder.write(bundle.path());
  std::filesystem::create_directories(file("o/zzz.npy"));
  EXPECT_EQ(run("--input x=" + file("x.npy") + " --output " + file("o")), 6);
  EXPECT_NE(text.find("zzz.npy': Is a directory"), std::string::npos) << text;
  EXPECT_EQ(countFiles(file("o")), 1u);
}

TEST_F(CommandTest, RefusesWhatIsNoFileWithoutWaiting) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0666), 0);
  EXPECT_EQ(run("--input x=" + file("pipe") + " --output " + file("o"),
                "timeout 20 "),
            4)
      << text;
  EXPECT_NE(text.find("is not a regular file"), std::string::npos) << text;
}

TEST_F(CommandTest, RefusesMoreThreadsThanTheSystemGives) {
  if (hasAddressSanitizer)
    GTEST_SKIP() << "it needs more address space than a limit leaves";
  EXPECT_EQ(run("--threads-per-rank 1024 --input x=" + file("x.npy") +
                    " --output " + file("o"),
                "ulimit -v 4000000; "),
            6)
      << text;
  EXPECT_NE(text.find("refuses 4096 threads (4 ranks x 1024)"),
            std::string::npos)
      << text;
}

TEST_F(CommandTest, MissesNoRequest) {
  writeNpy(file("in/a/x.npy"), {1, 4}, {0, 0, 0, 1});
  std::filesystem::create_symlink("nowhere", file("in/b"));
  std::string requests = "--requests " + file("in") + " --output ";
  EXPECT_EQ(run(requests + file("o")), 4);
  EXPECT_NE(text.find("in/b': No such file"), std::string::npos) << text;
  std::filesystem::remove(file("in/b"));
  EXPECT_EQ(run(requests + file("in")), 2);
  EXPECT_NE(text.find("directory of the requests"), std::string::npos) << text;
}

TEST_F(CommandTest, SaysErrorsOnOneLine) {
  EXPECT_EQ(
      run("--input 'a\nb\x1b=" + file("x.npy") + "' --output " + file("o")), 4);
  EXPECT_NE(text.find("there is no input 'a b '"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
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

/// A run that goes on for ever, looked at from outside.
class SignalTest : public CommandTest {
protected:
  void start(std::vector<std::string> more = {}) {
    child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)!freopen(file("log").c_str(), "w", stderr);
      (void)!freopen("/dev/null", "w", stdout);
      std::vector<std::string> words = {"run",      "--bundle", bundle.path(),
                                        "--quiet",  "--bench",  "--repeat",
                                        "100000000"};
      words.insert(words.end(), more.begin(), more.end());
      std::vector<char *> raw;
      for (std::string &word : words)
        raw.push_back(word.data());
      raw.push_back(nullptr);
      execv(TAKT_TEST_RUN, raw.data());
      _exit(99);
    }
    usleep(500000);
  }

  int finish() {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    text = readFile(file("log"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  }

  pid_t child = -1;
};

TEST_F(SignalTest, EndsWithTheSignalsCode) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    start();
    kill(child, signal);
    EXPECT_EQ(finish(), 128 + signal);
  }
}

TEST_F(SignalTest, BeingStoppedIsNoRanksFault) {
  start({"--deadline", "1"});
  kill(child, SIGSTOP);
  usleep(2500000);
  kill(child, SIGCONT);
  usleep(500000);
  kill(child, SIGTERM);
  EXPECT_EQ(finish(), 143) << text;
}

TEST_F(SignalTest, SaysThatAnInputWasCutShort) {
  writeNpy(file("big.npy"), {10000, 4}, std::vector<float>(40000));
  start({"--input", "x=" + file("big.npy")});
  std::filesystem::resize_file(file("big.npy"), 0);
  EXPECT_EQ(finish(), 6);
  EXPECT_NE(text.find("error: a file in use"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

} // namespace
} // namespace takt::runtime::test
