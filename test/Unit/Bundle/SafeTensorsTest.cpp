//===- SafeTensorsTest.cpp - the bytes of weight files --------------------===//
#include "TemporaryFolder.h"

#include "takt/Bundle/SafeTensors.h"

using namespace takt;

static std::string message(llvm::Error error) {
  return describeError(std::move(error)).second;
}

static llvm::Expected<SafeTensorsWriter>
start(const TemporaryFolder &folder, std::vector<SafeTensorsEntry> entries) {
  auto file = OutputFile::create(folder / "", "w.safetensors");
  if (!file)
    return file.takeError();
  return SafeTensorsWriter::create(std::move(*file), std::move(entries));
}

TEST(BundleSafeTensors, HasExactlyTheseBytes) {
  TemporaryFolder folder;
  auto writer =
      start(folder, {{"a", DType::F32, {3}}, {"b", DType::Bool, {2, 1}}});
  ASSERT_TRUE(bool(writer)) << message(writer.takeError());
  uint8_t a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, b[2] = {1, 0};
  // In parts, as bands of a large weight come.
  ASSERT_FALSE(bool(writer->append(llvm::ArrayRef<uint8_t>(a).take_front(5))));
  ASSERT_FALSE(bool(writer->append(llvm::ArrayRef<uint8_t>(a).drop_front(5))));
  ASSERT_FALSE(bool(writer->endTensor()));
  ASSERT_FALSE(bool(writer->append(b)));
  ASSERT_FALSE(bool(writer->endTensor()));
  auto file = writer->close();
  ASSERT_TRUE(bool(file)) << message(file.takeError());
  std::string header =
      R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
      R"("takt.padding.0":{"dtype":"U8","shape":[52],"data_offsets":[12,64]},)"
      R"("b":{"dtype":"BOOL","shape":[2,1],"data_offsets":[64,66]}})";
  size_t length = (8 + header.size() + 63) / 64 * 64 - 8;
  header.resize(length, ' ');
  std::string expected{char(length), char(length >> 8), 0, 0, 0, 0, 0, 0};
  expected += header + std::string(a, a + 12) + std::string(52, '\0') +
              std::string(b, b + 2);
  std::string found = TemporaryFolder::read(folder / "w.safetensors");
  EXPECT_EQ(found, expected);
  EXPECT_EQ(file->path, "w.safetensors");
  EXPECT_EQ(file->bytes, int64_t(found.size()));
  EXPECT_EQ(file->sha256, sha256Hex(found));
}

TEST(BundleSafeTensors, AlignsEachTensorInTheFile) {
  TemporaryFolder folder;
  std::vector<SafeTensorsEntry> entries;
  for (int64_t i = 1; i < 70; ++i)
    entries.push_back({std::string(i, 'n'), DType::U8, {i}});
  auto writer = start(folder, entries);
  ASSERT_TRUE(bool(writer));
  for (int64_t i = 1; i < 70; ++i) {
    ASSERT_FALSE(bool(writer->append(std::vector<uint8_t>(i, uint8_t(i)))));
    ASSERT_FALSE(bool(writer->endTensor()));
  }
  ASSERT_TRUE(bool(writer->close()));
  std::string bytes = TemporaryFolder::read(folder / "w.safetensors");
  uint64_t length = 0;
  memcpy(&length, bytes.data(), 8);
  EXPECT_EQ((8 + length) % 64, 0u);
  size_t offset = 8 + length;
  for (int64_t i = 1; i < 70; offset += (i + 63) / 64 * 64, ++i)
    ASSERT_EQ(bytes.substr(offset, i), std::string(i, char(i))) << i;
}

TEST(BundleSafeTensors, MayHoldNothing) {
  TemporaryFolder folder;
  auto writer = start(folder, {});
  ASSERT_TRUE(bool(writer));
  ASSERT_TRUE(bool(writer->close()));
  EXPECT_EQ(TemporaryFolder::read(folder / "w.safetensors"),
            std::string("\x38\0\0\0\0\0\0\0{}", 10) + std::string(54, ' '));
}

TEST(BundleSafeTensors, RefusesMissingAndWrongTensors) {
  TemporaryFolder folder;
  auto writer = start(folder, {{"a", DType::I64, {2}}});
  ASSERT_TRUE(bool(writer));
  ASSERT_FALSE(bool(writer->append(std::vector<uint8_t>(15))));
  EXPECT_EQ(message(writer->endTensor()),
            "weight 'a' has 15 bytes, its type 16");
  EXPECT_EQ(message(writer->close().takeError()), "weight 'a' was not written");
}

TEST(BundleSafeTensors, RefusesNamesThatTheFormatReserves) {
  TemporaryFolder folder;
  EXPECT_EQ(
      message(start(folder, {{"__metadata__", DType::U8, {1}}}).takeError()),
      "weight '__metadata__' has a name that weight files reserve; "
      "rename it in the model");
}
