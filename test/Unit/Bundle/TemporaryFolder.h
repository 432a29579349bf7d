//===- TemporaryFolder.h - a folder for one test --------------------------===//
#ifndef TAKT_TEST_UNIT_BUNDLE_TEMPORARYFOLDER_H
#define TAKT_TEST_UNIT_BUNDLE_TEMPORARYFOLDER_H

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        std::filesystem::temp_directory_path() / "takt-bundle-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(path);
  }

  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }

  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return *this / name;
  }

  /// All files below `name`, hidden ones too, with their bytes.
  std::map<std::string, std::string> files(const std::string &name = "") const {
    std::map<std::string, std::string> result;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(path / name))
      if (entry.is_regular_file())
        result[std::filesystem::relative(entry, path / name)] =
            read(entry.path());
    return result;
  }

  static std::string read(const std::string &file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

private:
  std::filesystem::path path;
};

#endif
