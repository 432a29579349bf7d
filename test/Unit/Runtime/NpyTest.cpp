// NPY and safetensors readers against good, damaged and hostile files.
#include "runtime/core/Npy.h"
#include "BundleBuilder.h"
#include "runtime/core/SafeTensors.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace takt::runtime::test {
namespace {

std::string npy(const std::string &dictionary, char version = 1) {
  std::string text("\x93NUMPY", 6);
  text += version;
  text += '\0';
  uint32_t length = uint32_t(dictionary.size());
  text.append(reinterpret_cast<const char *>(&length), version == 1 ? 2 : 4);
  return text + dictionary;
}

Result<NpyArray> read(const std::string &text) {
  TemporaryDirectory directory;
  writeFile(directory.path() + "/a.npy", text);
  return readNpy(directory.path() + "/a.npy");
}

TEST(Npy, ReadsWhatItWrites) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{}, {3}, {2, 0}, {2, 3, 1}}) {
    std::string text = makeNpyHeader(Dtype::I16, shape);
    EXPECT_EQ(text.size() % 64, 0u);
    Result<NpyHeader> header = parseNpyHeader(
        reinterpret_cast<const std::byte *>(text.data()), int64_t(text.size()));
    ASSERT_TRUE(header.ok()) << header.status().getText();
    EXPECT_EQ(header->shape, shape);
    EXPECT_EQ(header->dtype, Dtype::I16);
    EXPECT_EQ(header->dataOffset, int64_t(text.size()));
  }
}

TEST(Npy, ReadsBothVersionsAndNumpysSpelling) {
  std::string dictionary =
      "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }     \n";
  for (char version : {'\1', '\2'}) {
    Result<NpyArray> array =
        read(npy(dictionary, version) + "\1\0\1"[0] + std::string("\0\1", 2));
    ASSERT_TRUE(array.ok()) << array.status().getText();
    EXPECT_EQ(array->dtype, Dtype::Bool);
    EXPECT_EQ(array->shape, std::vector<int64_t>{3});
  }
}

TEST(Npy, RefusesWhatItCannotRead) {
  auto header = [](const char *descr, const char *order, const char *shape) {
    return npy(join("{'descr': '", descr, "', 'fortran_order': ", order,
                    ", 'shape': ", shape, "}"));
  };
  for (const std::string &text :
       {std::string(), std::string("abc"), npy(""), npy("{}"),
        header(">f4", "False", "(1,)") + "1234",
        header("<c8", "False", "(1,)") + "12345678",
        header("<f4", "True", "(1,)") + "1234",
        header("<f4", "Maybe", "(1,)") + "1234",
        header("<f4", "False", "(2,)") + "1234",  // too little data
        header("<f4", "False", "(1,)") + "12345", // too much
        header("<f4", "False", "(-1,)") + "1234",
        header("<f4", "False", "(1") + "1234",
        header("<f4", "False", "(9999999999999999999,)"),
        header("<f4", "False", "(4611686018427387904, 4)"),
        header("<f4", "False", "(4294967296, 4294967296)"),
        npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"),
        npy("{'descr': '<f4", 2), std::string("\x93NUMPY\x02\0\xff\xff", 10),
        std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12)}) {
    Result<NpyArray> array = read(text);
    EXPECT_FALSE(array.ok()) << text;
    EXPECT_EQ(array.status().getCode(), Code::Input);
  }
}

TEST(Npy, SurvivesDamagedHeaders) {
  std::string good = makeNpyHeader(Dtype::F32, {2, 3}) + std::string(24, 'x');
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text =
        good.substr(0, random() % 4 ? good.size() : random() % good.size());
    for (unsigned j = 0; j < 1 + random() % 4 && !text.empty(); ++j)
      text[random() % std::min<size_t>(text.size(), 90)] = char(random());
    // An exact-size copy, so that the address sanitizer sees every overrun.
    std::vector<std::byte> bytes(text.size());
    if (!text.empty())
      std::memcpy(bytes.data(), text.data(), text.size());
    Result<NpyHeader> header =
        parseNpyHeader(bytes.data(), int64_t(bytes.size()));
    if (header.ok())
      EXPECT_LE(header->dataOffset, int64_t(text.size()));
  }
}

TEST(SafeTensors, RefusesDamagedFiles) {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/w.safetensors";
  auto readText = [&](const std::string &json, uint64_t length) {
    std::string text(reinterpret_cast<const char *>(&length), 8);
    writeFile(path, text + json + "12345678");
    return readSafeTensors(path);
  };
  auto tensor = [](const char *dtype, const char *shape, const char *offsets) {
    return join("{\"w\":{\"dtype\":\"", dtype, "\",\"shape\":", shape,
                ",\"data_offsets\":", offsets, "}}");
  };
  std::string good = tensor("F32", "[2]", "[0,8]");
  Result<SafeTensorsFile> file = readText(good, good.size());
  ASSERT_TRUE(file.ok()) << file.status().getText();
  EXPECT_EQ(file->tensors.at("w").bytes, 8);

  EXPECT_FALSE(readText(good, good.size() + 100).ok());
  EXPECT_FALSE(readText(good, UINT64_MAX).ok());
  for (const std::string &json :
       {std::string("{"), std::string("[]"), std::string("{\"w\":1}"),
        tensor("F99", "[2]", "[0,8]"), tensor("F32", "[3]", "[0,8]"),
        tensor("F32", "[-2]", "[0,8]"), tensor("F32", "[2]", "[8,0]"),
        tensor("F32", "[2]", "[8,16]"), tensor("F32", "[2]", "[0]"),
        tensor("F32", "[4611686018427387904,4]", "[0,0]"),
        tensor("F32", "2", "[0,8]")})
    EXPECT_FALSE(readText(json, json.size()).ok()) << json;
  std::string half = R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})";
  std::string shared = good.substr(0, good.size() - 1) + ",\"v\":" + half + "}";
  EXPECT_EQ(readText(shared, shared.size()).status().getText(),
            "weight file '" + path + "': tensors 'w' and 'v' share bytes");
  writeFile(path, "1234");
  EXPECT_FALSE(readSafeTensors(path).ok());
}

} // namespace
} // namespace takt::runtime::test
