//===- OneLine.cpp - texts from strangers on one line ---------------------===//
#include "takt/Support/OneLine.h"

#include "llvm/ADT/StringExtras.h"

std::string takt::oneLine(llvm::StringRef text) {
  std::string line = text.trim().str();
  for (char &c : line)
    if (llvm::isASCII(c) && !llvm::isPrint(c))
      c = ' ';
  return line;
}
