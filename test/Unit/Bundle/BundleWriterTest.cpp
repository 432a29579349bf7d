//===- BundleWriterTest.cpp - a bundle on disk ----------------------------===//
#include "ExampleBundle.h"

#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>

using namespace takt;
namespace fs = std::filesystem;

static std::pair<ExitCode, std::string> failureOf(const BundleInput &input,
                                                  const std::string &output) {
  llvm::Error error = writeBundle(input, output);
  EXPECT_TRUE(bool(error));
  return describeError(std::move(error));
}

static void expectNothingLeft(const ExampleBundle &example) {
  auto files = example.folder.files();
  files.erase("run-source");
  EXPECT_TRUE(files.empty()) << files.begin()->first;
}

TEST(BundleWriter, WritesAllFilesWithTheirDigests) {
  ExampleBundle example;
  if (llvm::Error error = writeBundle(example.input, example.folder / "b/"))
    FAIL() << describeError(std::move(error)).second;
  auto files = example.folder.files("b");
  std::string names;
  for (const auto &[name, bytes] : files)
    names += name + "\n";
  EXPECT_EQ(names, "manifest.json\nmanifest.json.sha256\nrun\n"
                   "stages/stage0.so\nstages/stage1.so\n"
                   "weights/stage0.shard0.safetensors\n"
                   "weights/stage0.shard1.safetensors\n"
                   "weights/stage1.shard0.safetensors\n"
                   "weights/stage1.shard1.safetensors\n");
  EXPECT_EQ(files["stages/stage1.so"], "library 1");
  EXPECT_EQ(files["manifest.json.sha256"],
            sha256Hex(files["manifest.json"]) + "\n");
  EXPECT_EQ(::access((example.folder / "b/run").c_str(), X_OK), 0);
  proto::Manifest manifest;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  files["manifest.json"], &manifest)
                  .ok());
  ASSERT_EQ(manifest.files_size(), 7);
  std::string last;
  for (const proto::FileDigest &file : manifest.files()) {
    EXPECT_LT(last, file.path());
    EXPECT_EQ(file.sha256(), sha256Hex(files[file.path()]));
    EXPECT_EQ(file.bytes(), int64_t(files[file.path()].size()));
    last = file.path();
  }
}

TEST(BundleWriter, LetsOthersReadWhatTheUmaskAllows) {
  ExampleBundle example;
  mode_t old = ::umask(022);
  ASSERT_FALSE(bool(writeBundle(example.input, example.folder / "b")));
  ::umask(old);
  for (const auto &entry :
       fs::recursive_directory_iterator(example.folder / "b")) {
    fs::perms wanted = fs::perms::others_read;
    if (entry.is_directory() || entry.path().filename() == "run")
      wanted |= fs::perms::others_exec;
    EXPECT_EQ(entry.status().permissions() & wanted, wanted) << entry.path();
  }
}

TEST(BundleWriter, GivesTheSameBytesAgain) {
  std::map<std::string, std::string> first;
  for (int i = 0; i < 2; ++i) {
    ExampleBundle example;
    ASSERT_FALSE(bool(writeBundle(example.input, example.folder / "b")));
    auto files = example.folder.files("b");
    if (i == 0)
      first = files;
    else
      EXPECT_TRUE(files == first);
  }
}

TEST(BundleWriter, ReplacesABundleOnly) {
  ExampleBundle example;
  std::string output = example.folder / "b";
  ASSERT_FALSE(bool(writeBundle(example.input, output)));
  std::ofstream(output + "/stale") << "old";
  example.input.stages[0].libraryBytes = "new";
  ASSERT_FALSE(bool(writeBundle(example.input, output)));
  EXPECT_FALSE(fs::exists(output + "/stale"));
  EXPECT_EQ(example.folder.files("b")["stages/stage0.so"], "new");
  for (const auto &entry : fs::directory_iterator(example.folder / ""))
    EXPECT_TRUE(entry.path().filename() == "b" ||
                entry.path().filename() == "run-source")
        << entry.path();
  fs::remove(output + "/manifest.json");
  auto [code, text] = failureOf(example.input, output);
  EXPECT_EQ(int(code), int(ExitCode::BadInput));
  EXPECT_EQ(text, "output path '" + output +
                      "' exists and is not a bundle (a directory with a "
                      "manifest.json); remove it or choose another path");
  EXPECT_TRUE(fs::exists(output + "/run")) << "it must not be touched";
}

TEST(BundleWriter, KeepsTheOldBundleIfTheNewOneFails) {
  ExampleBundle example;
  std::string output = example.folder / "b";
  ASSERT_FALSE(bool(writeBundle(example.input, output)));
  auto before = example.folder.files();
  example.input.carriedFiles.push_back({example.folder / "none", "lib/none"});
  auto [code, text] = failureOf(example.input, output);
  EXPECT_EQ(int(code), int(ExitCode::Environment));
  EXPECT_EQ(text, "cannot open '" + (example.folder / "none") +
                      "', which the bundle carries: No such file or directory");
  EXPECT_TRUE(example.folder.files() == before);
}

TEST(BundleWriter, RefusesPathsThatCannotBeWritten) {
  ExampleBundle example;
  auto [code, text] = failureOf(example.input, example.folder / "none/b");
  EXPECT_EQ(int(code), int(ExitCode::BadInput));
  EXPECT_NE(text.find("does not exist; create it"), std::string::npos) << text;
  EXPECT_EQ(int(failureOf(example.input, "").first), int(ExitCode::BadInput));
  EXPECT_EQ(int(failureOf(example.input, "..").first), int(ExitCode::BadInput));
}

TEST(BundleWriter, ReportsAReadOnlyDirectory) {
  ExampleBundle example;
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write to read-only directories";
  fs::permissions(example.folder / "",
                  fs::perms::owner_read | fs::perms::owner_exec);
  auto [code, text] = failureOf(example.input, example.folder / "b");
  EXPECT_EQ(int(code), int(ExitCode::Environment));
  EXPECT_NE(text.find("Permission denied; change"), std::string::npos) << text;
}

// /proc refuses new directories even to root.
TEST(BundleWriter, ReportsARefusingFileSystem) {
  ExampleBundle example;
  auto [code, text] = failureOf(example.input, "/proc/takt-bundle");
  EXPECT_EQ(int(code), int(ExitCode::Environment));
  EXPECT_EQ(text.find("cannot create a directory in '/proc': "), 0u) << text;
}

TEST(BundleWriter, LeavesNothingAfterABadWeight) {
  ExampleBundle example;
  example.input.stages[1].program.mutable_buffers(2)->set_name("absent");
  auto [code, text] = failureOf(example.input, example.folder / "b");
  EXPECT_EQ(int(code), int(ExitCode::BadInput));
  EXPECT_EQ(text, "the stage's program reads weight 'absent', which its module "
                  "lacks");
  expectNothingLeft(example);
}

TEST(BundleWriter, ReportsProgressAndCanBeInterrupted) {
  ExampleBundle example;
  int64_t last = 0, total = 0;
  example.input.progress = [&](int64_t done, int64_t all) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, all);
    last = done, total = all;
    return true;
  };
  ASSERT_FALSE(bool(writeBundle(example.input, example.folder / "b")));
  EXPECT_EQ(last, total);
  fs::remove_all(example.folder / "b");
  example.input.progress = [](int64_t, int64_t) { return false; };
  auto [code, text] = failureOf(example.input, example.folder / "b");
  EXPECT_EQ(int(code), int(ExitCode::Interrupted));
  expectNothingLeft(example);
}

TEST(BundleOutputFile, ReportsAFullDisk) {
  TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "full");
  // O_EXCL refuses the link: what exists is never written to.
  auto file = OutputFile::create(folder / "", "full");
  ASSERT_FALSE(bool(file));
  EXPECT_NE(describeError(file.takeError()).second.find("File exists"),
            std::string::npos);
  EXPECT_EQ(describeError(systemError("cannot write 'x'", ENOSPC)).second,
            "cannot write 'x': No space left on device; free space or choose "
            "another output path");
}

TEST(BundleCarriedFiles, AreFoundWithTheirLicences) {
  auto files = findCarriedFiles();
  ASSERT_TRUE(bool(files)) << describeError(files.takeError()).second;
  int libraries = 0, licences = 0;
  for (const CarriedFile &file : *files) {
    EXPECT_GT(fs::file_size(file.source), 100u) << file.source;
    libraries += file.path.rfind("lib/", 0) == 0;
    licences += file.path.rfind("licenses/", 0) == 0;
  }
  EXPECT_EQ(libraries, 5);
  EXPECT_GE(licences, 2);
}
