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

/// The first key that an object holds twice; empty if none. The text is valid
/// JSON, so a string before a colon is a key.
static std::string repeatedKey(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringSet<>> objects;
  while (!text.empty()) {
    if (text.front() == '"') {
      llvm::StringRef string = text.take_front(stringLength(text));
      text = text.drop_front(string.size());
      if (!text.ltrim().starts_with(":"))
        continue;
      std::string key = string.drop_front().drop_back().lower();
      llvm::erase(key, '_');
      if (!objects.back().insert(key).second)
        return string.str();
      continue;
    }
    if (text.front() == '{')
      objects.emplace_back();
    else if (text.front() == '}')
      objects.pop_back();
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
  if (std::string key = repeatedKey(text); !key.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + ": the key " + key +
                                       " occurs twice in one object");
  return llvm::Error::success();
}
