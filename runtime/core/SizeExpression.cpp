#include "runtime/core/SizeExpression.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace takt::runtime {
namespace {

using Opcode = SizeExpression::Opcode;
using Step = SizeExpression::Step;

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool isNamePart(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) ||
         c == '.';
}

/// Recursive descent; the depth of nesting is bounded, so is the stack.
class Parser {
public:
  Parser(std::string_view text, const std::vector<std::string> &dims,
         std::vector<Step> &steps)
      : text(text), dims(dims), steps(steps) {}

  bool run() {
    if (!parseSum(0))
      return false;
    return peek().empty() || fail("unexpected text");
  }
  const std::string &getError() const { return error; }

private:
  /// The next word, number or punctuation mark; empty at the end.
  std::string_view peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    size_t end = position;
    if (end < text.size()) {
      if (isNameStart(text[end]))
        while (end < text.size() && isNamePart(text[end]))
          ++end;
      else if (std::isdigit(static_cast<unsigned char>(text[end])))
        while (end < text.size() &&
               std::isdigit(static_cast<unsigned char>(text[end])))
          ++end;
      else
        ++end;
    }
    return text.substr(position, end - position);
  }
  bool accept(std::string_view token) {
    if (peek() != token)
      return false;
    position += token.size();
    return true;
  }
  bool expect(std::string_view token) {
    return accept(token) || fail(join("'", token, "' expected"));
  }
  bool fail(std::string message) {
    if (error.empty())
      error = join(message, " at character ", position);
    return false;
  }

  void emit(Opcode opcode, int64_t operand = 0) {
    steps.push_back({opcode, operand});
    if (opcode == Opcode::Constant || opcode == Opcode::Dim)
      ++depth;
    else if (opcode != Opcode::Negate)
      --depth;
    deepest = std::max(deepest, depth);
  }

  bool parseSum(int nesting) {
    if (!parseProduct(nesting))
      return false;
    while (true) {
      Opcode opcode;
      if (accept("+"))
        opcode = Opcode::Add;
      else if (accept("-"))
        opcode = Opcode::Subtract;
      else
        return true;
      if (!parseProduct(nesting))
        return false;
      emit(opcode);
    }
  }

  bool parseProduct(int nesting) {
    if (!parseFactor(nesting))
      return false;
    while (true) {
      Opcode opcode;
      if (accept("*"))
        opcode = Opcode::Multiply;
      else if (accept("floordiv"))
        opcode = Opcode::FloorDiv;
      else if (accept("ceildiv"))
        opcode = Opcode::CeilDiv;
      else if (accept("mod"))
        opcode = Opcode::Mod;
      else
        return true;
      if (!parseFactor(nesting))
        return false;
      emit(opcode);
    }
  }

  bool parseFactor(int nesting) {
    if (nesting > 100 || deepest >= SizeExpression::maxDepth)
      return fail("nesting is too deep");
    if (accept("-")) {
      if (!parseFactor(nesting + 1))
        return false;
      emit(Opcode::Negate);
      return true;
    }
    if (accept("("))
      return parseSum(nesting + 1) && expect(")");
    std::string_view token = peek();
    if (token.empty())
      return fail("size expected");
    if (token == "min" || token == "max") {
      position += token.size();
      if (!expect("(") || !parseSum(nesting + 1) || !expect(",") ||
          !parseSum(nesting + 1) || !expect(")"))
        return false;
      emit(token == "min" ? Opcode::Min : Opcode::Max);
      return true;
    }
    return parseLeaf(token);
  }

  bool parseLeaf(std::string_view token) {
    if (std::isdigit(static_cast<unsigned char>(token[0]))) {
      int64_t value = 0;
      auto [end, code] =
          std::from_chars(token.data(), token.data() + token.size(), value);
      if (code != std::errc() || end != token.data() + token.size())
        return fail(join("number '", token, "' exceeds 64 bits"));
      emit(Opcode::Constant, value);
    } else {
      auto found = std::find(dims.begin(), dims.end(), token);
      if (found == dims.end())
        return fail(join("unknown dimension '", token, "'"));
      emit(Opcode::Dim, found - dims.begin());
    }
    position += token.size();
    return true;
  }

  std::string_view text;
  const std::vector<std::string> &dims;
  std::vector<Step> &steps;
  size_t position = 0;
  size_t depth = 0;
  size_t deepest = 0;
  std::string error;
};

int64_t floorDivide(int64_t left, int64_t right) {
  int64_t quotient = left / right;
  return quotient - (left % right < 0);
}

/// Applies a binary operation; false on overflow or a divisor below 1.
bool apply(Opcode opcode, int64_t left, int64_t right, int64_t &value) {
  switch (opcode) {
  case Opcode::Add:
    return !__builtin_add_overflow(left, right, &value);
  case Opcode::Subtract:
    return !__builtin_sub_overflow(left, right, &value);
  case Opcode::Multiply:
    return !__builtin_mul_overflow(left, right, &value);
  case Opcode::Min:
    value = std::min(left, right);
    return true;
  case Opcode::Max:
    value = std::max(left, right);
    return true;
  default:
    break;
  }
  if (right <= 0)
    return false;
  if (opcode == Opcode::FloorDiv)
    value = floorDivide(left, right);
  else if (opcode == Opcode::CeilDiv)
    value = floorDivide(left, right) + (left % right != 0);
  else
    value = left % right + (left % right < 0 ? right : 0);
  return true;
}

} // namespace

Result<SizeExpression>
SizeExpression::parse(std::string_view text,
                      const std::vector<std::string> &dims) {
  SizeExpression expression;
  expression.text = text;
  Parser parser(text, dims, expression.steps);
  if (!parser.run())
    return bundleError("size expression '", text, "': ", parser.getError());
  return expression;
}

Status SizeExpression::evaluate(const int64_t *dims, int64_t &value) const {
  int64_t stack[maxDepth + 1];
  size_t top = 0;
  for (const Step &step : steps) {
    bool fine = true;
    if (step.opcode == Opcode::Constant)
      stack[top++] = step.operand;
    else if (step.opcode == Opcode::Dim)
      stack[top++] = dims[step.operand];
    else if (step.opcode == Opcode::Negate)
      fine =
          !__builtin_sub_overflow(int64_t(0), stack[top - 1], &stack[top - 1]);
    else {
      --top;
      fine = apply(step.opcode, stack[top - 1], stack[top], stack[top - 1]);
    }
    if (!fine)
      return inputError("size '", text, "' overflows 64 bits or divides by ",
                        "a number below 1 for this request's shapes");
  }
  value = stack[0];
  return Status();
}

int SizeExpression::getBareDim() const {
  return steps.size() == 1 && steps[0].opcode == Opcode::Dim
             ? static_cast<int>(steps[0].operand)
             : -1;
}

bool SizeExpression::isConstant() const {
  return std::none_of(steps.begin(), steps.end(), [](const Step &step) {
    return step.opcode == Opcode::Dim;
  });
}

bool SizeExpression::mentions(int dim) const {
  return std::any_of(steps.begin(), steps.end(), [dim](const Step &step) {
    return step.opcode == Opcode::Dim && step.operand == dim;
  });
}

Result<int64_t> checkedBytes(const std::vector<int64_t> &factors,
                             int64_t elementBytes) {
  int64_t bytes = elementBytes;
  bool empty = false;
  for (int64_t factor : factors) {
    if (factor < 0)
      return inputError("a tensor's size is negative (", factor, ")");
    empty |= factor == 0;
  }
  if (empty)
    return int64_t(0);
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(bytes, factor, &bytes) ||
        bytes > (int64_t(1) << 62))
      return inputError("a tensor's size exceeds 2^62 bytes");
  return bytes;
}

} // namespace takt::runtime
