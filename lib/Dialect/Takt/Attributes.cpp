//===- Attributes.cpp - shapes, shardings and sources ---------------------===//
#include "takt/Dialect/Takt/Takt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace takt;

#define GET_ATTRDEF_CLASSES
#include "takt/Dialect/Takt/TaktAttributes.cpp.inc"

void TaktDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "takt/Dialect/Takt/TaktAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> sizes;
  auto parseSize = [&]() -> ParseResult {
    std::string text;
    if (parser.parseString(&text))
      return failure();
    sizes.push_back(StringAttr::get(parser.getContext(), text));
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ShapeAttr>(parser.getContext(), sizes);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getSizes(), printer,
                        [&](StringAttr size) { printer.printAttribute(size); });
  printer << "]>";
}

LogicalResult ShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> sizes) {
  for (StringAttr size : sizes) {
    llvm::Expected<SizeExpr> expr = SizeExpr::parse(size.getValue());
    if (!expr)
      return emitError() << "size '" << size.getValue()
                         << "': " << llvm::toString(expr.takeError());
  }
  return success();
}

SymbolicShape ShapeAttr::getExprs() const {
  SymbolicShape exprs;
  for (StringAttr size : getSizes())
    exprs.push_back(llvm::cantFail(SizeExpr::parse(size.getValue())));
  return exprs;
}

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<SizeExpr> exprs) {
  SmallVector<StringAttr> sizes;
  for (const SizeExpr &expr : exprs)
    sizes.push_back(StringAttr::get(context, expr.str()));
  return get(context, sizes);
}

//===----------------------------------------------------------------------===//
// ShardingAttr
//===----------------------------------------------------------------------===//

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  StringRef kind;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&kind))
    return {};
  State state = State::replicated();
  if (kind == "split") {
    int64_t dim;
    if (parser.parseInteger(dim))
      return {};
    state = State::split(dim);
  } else if (kind == "partial") {
    state = State::partial();
  } else if (kind != "replicated") {
    parser.emitError(loc) << "expected replicated, split or partial, found '"
                          << kind << "'";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), state);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<" << getState().str() << ">";
}
