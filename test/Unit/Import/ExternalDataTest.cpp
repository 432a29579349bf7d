//===- ExternalDataTest.cpp - weights in other files ----------------------===//
#include "ImportTestHelper.h"

using namespace takt;
using namespace takt::test;
namespace fs = std::filesystem;

namespace {
class ExternalDataTest : public ImportFixture {
protected:
  void SetUp() override {
    ImportFixture::SetUp();
    options.smallTensorBytes = 8;
    write("w.bin", std::string(32, 'x'));
  }

  /// Imports a model whose weight of six floats has these entries.
  std::string import(std::vector<std::pair<std::string, std::string>> entries,
                     std::vector<int64_t> dims = {2, 3}) {
    auto model =
        parse("g (float[2, 3] x) => (float[2, 3] y) { y = Add (x, w) }");
    auto *tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t dim : dims)
      tensor->add_dims(dim);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    for (auto &[key, value] : entries) {
      auto *entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    return importModel(model);
  }

  void expectRefused(const std::string &text, const std::string &message,
                     ImportError kind = ImportError::BadModel) {
    EXPECT_TRUE(text.empty()) << text;
    EXPECT_EQ(error, kind) << messages;
    EXPECT_TRUE(has(messages, message));
  }
};
} // namespace

TEST_F(ExternalDataTest, RangeIsReferenced) {
  std::string text =
      import({{"location", "w.bin"}, {"offset", "8"}, {"length", "24"}});
  EXPECT_TRUE(has(
      text, "takt.weight @w : tensor<2x3xf32> #takt.source<\"w.bin\", 8, 24>"));
}

TEST_F(ExternalDataTest, OffsetAndLengthAreOptional) {
  EXPECT_TRUE(has(import({{"location", "w.bin"}}), "<\"w.bin\", 0, 24>"));
}

TEST_F(ExternalDataTest, SmallTensorIsRead) {
  options.smallTensorBytes = 1024;
  float values[6] = {1, 2, 3, 4, 5, 6};
  write("w.bin", std::string(reinterpret_cast<char *>(values), sizeof(values)));
  EXPECT_TRUE(has(import({{"location", "w.bin"}}),
                  "dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], "
                  "[4.000000e+00, 5.000000e+00, 6.000000e+00]]>"));
}

TEST_F(ExternalDataTest, MissingFile) {
  expectRefused(
      import({{"location", "gone.bin"}}),
      "external tensor \"w\" lies in file \"gone.bin\", which is not there",
      ImportError::File);
}

TEST_F(ExternalDataTest, MissingFileIsAllowedForPlanning) {
  options.allowMissingWeights = true;
  EXPECT_TRUE(has(
      import({{"location", "gone.bin"}, {"offset", "64"}}),
      "takt.weight @w : tensor<2x3xf32> #takt.source<\"gone.bin\", 64, 24>"));
}

TEST_F(ExternalDataTest, PastTheEnd) {
  expectRefused(
      import({{"location", "w.bin"}, {"offset", "16"}}),
      "needs 24 bytes at offset 16 of \"w.bin\", but the file has 32");
  expectRefused(
      import({{"location", "w.bin"}, {"offset", "9223372036854775800"}}),
      "but the file has 32");
}

TEST_F(ExternalDataTest, BadNumbers) {
  for (const char *offset : {"-8", "", "8x", "99999999999999999999", "0x8"})
    expectRefused(import({{"location", "w.bin"}, {"offset", offset}}),
                  "expected a decimal number");
  expectRefused(import({{"location", "w.bin"}, {"length", "20"}}),
                "has length 20, but its dims and type need 24");
}

TEST_F(ExternalDataTest, BadDims) {
  expectRefused(import({{"location", "w.bin"}}, {2, -3}), "dimension -3");
  expectRefused(import({{"location", "w.bin"}}, {1LL << 40, 1LL << 40}),
                "product does not fit");
}

TEST_F(ExternalDataTest, LocationsOutsideTheFolder) {
  for (std::string location :
       {"", "/etc/passwd", "../w.bin", "a/../../w.bin", "."})
    expectRefused(import({{"location", location}}),
                  location == "." ? "no regular file"
                                  : "expected a file in the model's",
                  location == "." ? ImportError::File : ImportError::BadModel);
  expectRefused(import({}), "expected a file in the model's");
}

TEST_F(ExternalDataTest, EntryTwice) {
  expectRefused(import({{"location", "w.bin"}, {"location", "v.bin"}}),
                "two entries for location");
}

TEST_F(ExternalDataTest, SymbolicLinks) {
  fs::create_symlink("w.bin", folder / "link.bin");
  expectRefused(import({{"location", "link.bin"}}), "symbolic link");
  fs::create_directories(folder / "real");
  fs::copy(folder / "w.bin", folder / "real" / "w.bin");
  fs::create_directory_symlink("real", folder / "linked");
  expectRefused(import({{"location", "linked/w.bin"}}), "symbolic link");
  EXPECT_TRUE(
      has(import({{"location", "real/w.bin"}}), "<\"real/w.bin\", 0, 24>"));
  options.allowLinks = true;
  EXPECT_TRUE(has(import({{"location", "link.bin"}}), "<\"link.bin\", 0, 24>"));
}

TEST_F(ExternalDataTest, HardLinks) {
  fs::create_hard_link(folder / "w.bin", folder / "hard.bin");
  expectRefused(import({{"location", "hard.bin"}}), "several hard links");
  options.allowLinks = true;
  EXPECT_TRUE(has(import({{"location", "hard.bin"}}), "<\"hard.bin\", 0, 24>"));
}

TEST_F(ExternalDataTest, ModelReachedThroughALink) {
  import({{"location", "w.bin"}});
  fs::create_directories(folder / "data");
  fs::rename(folder / "model.onnx", folder / "data" / "model.onnx");
  fs::rename(folder / "w.bin", folder / "data" / "w.bin");
  fs::create_directory_symlink("data", folder / "alias");
  EXPECT_TRUE(has(importFile((folder / "alias" / "model.onnx").string()),
                  "<\"w.bin\", 0, 24>"));
}
