//===- Diagnostics.cpp - what the user sees of MLIR's diagnostics ---------===//
#include "Diagnostics.h"

#include "takt/Support/OneLine.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace takt;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, bool quiet)
    : context(context), quiet(quiet),
      id(context.getDiagEngine().registerHandler(
          [this](Diagnostic &diagnostic) { return print(diagnostic); })) {}

DiagnosticPrinter::~DiagnosticPrinter() {
  context.getDiagEngine().eraseHandler(id);
}

/// The model's node that a location names, unless `text` names it too, or the
/// file.
static std::string placeOf(Location location, StringRef text) {
  if (auto name = dyn_cast<NameLoc>(location))
    return text.contains(("\"" + name.getName().getValue() + "\"").str())
               ? ""
               : ("node '" + name.getName().getValue() + "': ").str();
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (file.getFilename().getValue() + ": ").str();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string place = placeOf(part, text); !place.empty())
        return place;
  return "";
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "";
}

LogicalResult DiagnosticPrinter::print(Diagnostic &diagnostic) {
  if (quiet && diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  llvm::raw_ostream &os = llvm::errs();
  std::string text = diagnostic.str();
  os << severityName(diagnostic.getSeverity()) << ": "
     << oneLine(placeOf(diagnostic.getLocation(), text) + text) << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    // What MLIR adds by itself repeats the op in full; nobody reads that here.
    std::string added = note.str();
    if (!StringRef(added).starts_with("see current operation"))
      os << "  " << oneLine(added) << "\n";
  }
  return success();
}
