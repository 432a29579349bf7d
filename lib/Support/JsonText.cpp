//===- JsonText.cpp - checks that protobuf's JSON reader leaves out -------===//
#include "takt/Support/JsonText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace takt;

/// Length of the string that starts at the quote \p text begins with.
static size_t stringLength(llvm::StringRef text) {
  size_t i = 1;
  while (i < text.size() && text[i] != '"')
    i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

namespace {
/// An object or array that the scan is inside of.
struct Container {
  bool isArray;
  size_t index = 0;            // of the current element
  llvm::StringRef key = {};    // of the current member
  llvm::StringSet<> keys = {}; // seen
};
} // namespace

/// Where an object lies: `nodes[1].link`.
static std::string pathOf(llvm::ArrayRef<Container> containers) {
  std::string path;
  for (const Container &container : containers.drop_back())
    path += container.isArray ? "[" + std::to_string(container.index) + "]"
                              : (path.empty() ? "" : ".") + container.key.str();
  return path;
}

/// The first key that an object holds twice, and where; empty if none. The text
/// is valid JSON, so a string before a colon is a key.
static std::string repeatedKey(llvm::StringRef text) {
  llvm::SmallVector<Container> containers;
  while (!text.empty()) {
    if (text.front() == '"') {
      llvm::StringRef string = text.take_front(stringLength(text));
      text = text.drop_front(string.size());
      if (!text.ltrim().starts_with(":"))
        continue;
      containers.back().key = string.drop_front().drop_back();
      std::string key = containers.back().key.lower();
      llvm::erase(key, '_');
      if (containers.back().keys.insert(key).second)
        continue;
      std::string path = pathOf(containers);
      return string.str() + " occurs twice in " +
             (path.empty() ? "one object" : path);
    }
    if (text.front() == '{' || text.front() == '[')
      containers.push_back({text.front() == '['});
    else if (text.front() == '}' || text.front() == ']')
      containers.pop_back();
    else if (text.front() == ',')
      ++containers.back().index;
    text = text.drop_front();
  }
  return "";
}

llvm::Error takt::checkStrictJson(llvm::StringRef text, llvm::StringRef what) {
  // llvm::json recurses; real files nest a handful of levels.
  size_t depth = 0, deepest = 0;
  for (char c : text) {
    depth += c == '{' || c == '[';
    depth -= depth > 0 && (c == '}' || c == ']');
    deepest = std::max(deepest, depth);
  }
  if (deepest > 100)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": nested more than 100 deep");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        what + ": not valid JSON: " + llvm::toString(value.takeError()));
  if (std::string repeated = repeatedKey(text); !repeated.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": the key " + repeated +
                                       "; remove one");
  return llvm::Error::success();
}
