//===- SizeExprParse.cpp - a SizeExpr from its text -----------------------===//
#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/StringExtras.h"

using namespace takt;

namespace {
class Parser {
public:
  explicit Parser(llvm::StringRef text) : text(text), rest(text.ltrim()) {}

  llvm::Expected<SizeExpr> parse() {
    SizeExpr result = expression();
    if (error.empty() && !rest.empty())
      fail("expected an operator or the end");
    if (error.empty() && result.isUndefined())
      fail("the expression divides by 0, leaves 64 bits or has too many terms");
    if (!error.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
    return result;
  }

private:
  SizeExpr fail(llvm::StringRef message) {
    if (error.empty())
      error = ("size expression '" + text + "', offset " +
               llvm::Twine(text.size() - rest.size()) + ": " + message)
                  .str();
    return SizeExpr::undefined();
  }

  bool consume(llvm::StringRef token) {
    if (!rest.consume_front(token))
      return false;
    rest = rest.ltrim();
    return true;
  }

  llvm::StringRef peekWord() const {
    return rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  }

  bool consumeWord(llvm::StringRef word) {
    return peekWord() == word && consume(word);
  }

  SizeExpr expression() {
    // Deep nesting must not overflow the stack.
    if (++depth > 256)
      return fail("more than 256 nested parentheses");
    SizeExpr result = term();
    while (error.empty()) {
      if (consume("+"))
        result = result + term();
      else if (consume("-"))
        result = result - term();
      else
        break;
    }
    --depth;
    return result;
  }

  SizeExpr term() {
    SizeExpr result = factor();
    while (error.empty()) {
      if (consume("*"))
        result = result * factor();
      else if (consumeWord("floordiv"))
        result = SizeExpr::floorDiv(result, factor());
      else if (consumeWord("ceildiv"))
        result = SizeExpr::ceilDiv(result, factor());
      else if (consumeWord("mod"))
        result = SizeExpr::mod(result, factor());
      else
        break;
    }
    return result;
  }

  SizeExpr factor() {
    bool negative = false;
    while (consume("-"))
      negative = !negative;
    SizeExpr result = primary();
    return negative ? -result : result;
  }

  SizeExpr primary() {
    llvm::StringRef word = peekWord();
    if (consume("(")) {
      SizeExpr result = expression();
      return consume(")") ? result : fail("expected ')'");
    }
    if (consumeWord("min"))
      return extreme(/*isMin=*/true);
    if (consumeWord("max"))
      return extreme(/*isMin=*/false);
    if (SizeExpr::isValidName(word)) {
      consume(word);
      return SizeExpr::symbol(word);
    }
    int64_t value = 0;
    if (word.empty() || word.getAsInteger(10, value) || value < 0)
      return fail("expected an integer of 64 bits, a name, '(', min or max");
    consume(word);
    return SizeExpr(value);
  }

  SizeExpr extreme(bool isMin) {
    if (!consume("("))
      return fail("expected '('");
    SizeExpr lhs = expression();
    if (!consume(","))
      return fail("expected ','");
    SizeExpr rhs = expression();
    if (!consume(")"))
      return fail("expected ')'");
    return isMin ? SizeExpr::min(lhs, rhs) : SizeExpr::max(lhs, rhs);
  }

  llvm::StringRef text, rest;
  std::string error;
  unsigned depth = 0;
};
} // namespace

llvm::Expected<SizeExpr> SizeExpr::parse(llvm::StringRef text) {
  return Parser(text).parse();
}
