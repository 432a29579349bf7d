//===- PlanReport.h - a plan as people and programs read it ---------------===//
#ifndef TAKT_LIB_PIPELINE_PLANREPORT_H
#define TAKT_LIB_PIPELINE_PLANREPORT_H

#include "GridSearch.h"

#include "takt/Pipeline/Compile.h"
#include "takt/Transforms/PlanAttributes.h"

#include "takt.pb.h"

namespace takt {

/// The plan of a module after the plan phase, as the files have it: with the
/// names of the nodes that each stage computes. Fails with a diagnostic.
mlir::FailureOr<proto::Plan> planMessage(mlir::ModuleOp module);

/// The plan alone, without the nodes.
proto::Plan planMessage(const ModulePlan &plan);

/// Adds the names of the model's nodes that the ops below `scope` come from,
/// each once; \p stage: only ops of that stage, or -1.
void addNodeNames(mlir::Operation *scope, int64_t stage,
                  proto::PlanStage &message);

/// Prints a table, or the message as JSON with `taktSeconds` and
/// `latencySeconds` beside it. \p candidates: what the plan was chosen from,
/// best first; empty where its degrees were given.
void printPlan(const proto::Plan &plan,
               llvm::ArrayRef<GridCandidate> candidates, llvm::StringRef model,
               bool asJson, llvm::raw_ostream &os);

} // namespace takt

#endif
