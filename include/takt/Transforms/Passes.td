// Passes from the takt level to itself, in the order of the phases.
#ifndef TAKT_TRANSFORMS_PASSES_TD
#define TAKT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// ------------------------------------------------------------ legalize

def VerifyLegalizedPass : Pass<"takt-verify-legalized", "mlir::ModuleOp"> {
  let summary = "checks what holds after the legalize phase";
  let description = [{
    No op of the onnx dialect is left; every op of @main is a tensor op, a constant
    or a weight read; every size follows from the arguments' shapes and agrees with
    the types; ports have names and shapes.
  }];
}

// ------------------------------------------------------------ simplify

def FoldConstantsPass : Pass<"takt-fold-constants", "mlir::ModuleOp"> {
  let summary = "evaluates ops whose operands are small constants";
  let description = [{
    Results of at most 1 KiB that name no size of the request become constants. Each
    op is evaluated as the interpreter does. A broadcast stays, since it says how a
    constant is used: as a bias, as a number.
  }];
}

def RecognizeIdiomsPass : Pass<"takt-recognize-idioms", "mlir::ModuleOp"> {
  let summary = "turns written-out GELU, softmax, layer norm and attention into ops";
  let description = [{
    Matches ops of takt, arith and math, so the exporter does not matter. An idiom
    whose inner values are used elsewhere, or that computes something else in a
    corner, stays as it is. Linear layers also lose the reshapes that flatten their
    rows.
  }];
  let dependentDialects = ["::takt::TaktDialect"];
}

def PropagateTransposesPass : Pass<"takt-propagate-transposes", "mlir::ModuleOp"> {
  let summary = "keeps tensors channels last between convolutions and poolings";
  let description = [{
    Legalize puts a transpose before and behind each convolution and pooling. Here
    they move towards the results, through all that works on any layout (elementwise
    ops, reductions, concatenations, slices, reshapes that keep the moved dimensions
    apart), and cancel where they meet. A program without convolution or pooling is
    left alone.
  }];
  let dependentDialects = ["::takt::TaktDialect", "mlir::arith::ArithDialect"];
}

def FoldScalesPass : Pass<"takt-fold-scales", "mlir::ModuleOp"> {
  let summary = "multiplies per-channel scales into the weights before them";
  let description = [{
    Behind a convolution or a product by a weight, a multiplication by a vector of
    weights goes into the weight and the bias, and an addition into the bias: what
    is left of an inference batch norm or a layer scale.
  }];
  let dependentDialects = ["::takt::TaktDialect", "mlir::arith::ArithDialect"];
}

def HoistWeightsPass : Pass<"takt-hoist-weights", "mlir::ModuleOp"> {
  let summary = "moves what depends on weights alone into weights' initializers";
  let description = [{
    What the packer can compute once leaves @main: the result becomes a weight with
    an initializer region. Weights of one file range become one; unused weights are
    erased.
  }];
  let dependentDialects = ["::takt::TaktDialect"];
}

def VerifySimplifiedPass : Pass<"takt-verify-simplified", "mlir::ModuleOp"> {
  let summary = "checks what holds after the simplify phase";
  let description = [{
    What holds after legalize, and no op of @main but a broadcast computes from
    weights alone.
  }];
}

// ------------------------------------------------------------ plan

def PlanPass : Pass<"takt-plan", "mlir::ModuleOp"> {
  let summary = "chooses a stage for each op and a sharding for each value";
  let description = [{
    Shardings are the cheapest choice of one strategy per op, by the ops' rules and
    costs, with conversions between states paid once per value. Stages are the cut
    of least maximal load of the dispatches that the fuser will form, with the bytes
    that cross. Both are exact. An op whose rule allows no cut because a size does
    not divide stays replicated, with a remark; so do ranks that get no work.

    Each op gets `takt.stage`, `takt.operand_states` and `takt.result_states`, the
    module `takt.plan`. Ops that depend on no input of the model (weight reads,
    constants and what only moves their elements) are first copied, one per use.
  }];
  let options = [
    Option<"dataParallel", "data-parallel", "int64_t", "1",
           "replicas of the pipeline">,
    Option<"pipeline", "pipeline", "int64_t", "1", "stages">,
    ListOption<"tensor", "tensor", "int64_t",
               "ranks per stage: one number, or one per stage">,
    Option<"cluster", "cluster", "std::string", "\"\"",
           "cluster file (JSON of takt.proto.Cluster); default: a built-in one">,
  ];
  let dependentDialects = ["::takt::TaktDialect"];
}

def VerifyPlanPass : Pass<"takt-verify-plan", "mlir::ModuleOp"> {
  let summary = "checks what holds after the plan phase";
  let description = [{
    Every op has a stage of the plan, stages do not fall along a use, and the states
    of each op are those of a strategy that its rule allows, derived anew.
  }];
}

// ------------------------------------------------------------ stage

def SplitStagesPass : Pass<"takt-split-stages", "mlir::ModuleOp"> {
  let summary = "moves each stage into a module of its own";
  let description = [{
    Values cross stages through numbered channels, one per value and target stage,
    directly from the producing stage. A model input is an argument of each stage
    that reads it (of the first one if none does). Constants and weights are copied
    into each stage that reads them. The module keeps the order of the model's ports
    in `takt.inputs` and `takt.outputs`.
  }];
  let dependentDialects = ["::takt::TaktDialect", "mlir::func::FuncDialect"];
}

def VerifyStagesPass : Pass<"takt-verify-stages", "mlir::ModuleOp"> {
  let summary = "checks what holds after the stage phase";
  let description = [{
    Only stage modules, dimensions and guards are left; each channel has one result
    and one argument of equal type, in a later stage; each model output is returned
    once.
  }];
}

// ------------------------------------------------------------ partition

def PartitionPass : Pass<"takt-partition", "mlir::ModuleOp"> {
  let summary = "makes each stage the program of one of its ranks";
  let description = [{
    Types become those of a rank's part. Where a consumer wants another state than
    the producer leaves, one collective or slice converts the value, once per wanted
    state. A weight in a split state becomes a weight of its own whose initializer
    cuts the part of rank `shard`. A value crosses stages split where both sides
    agree on that, else whole. `takt.channel` and `takt.rank` ops state what each
    rank executes; they are proven free of deadlock.
  }];
  let dependentDialects = ["::takt::TaktDialect"];
}

def VerifyPartitionPass : Pass<"takt-verify-partition", "mlir::ModuleOp"> {
  let summary = "checks what holds after the partition phase";
  let description = [{
    No states are left on ops, sizes name only dimensions and `shard`, the shapes
    agree with the ops' shape functions, collectives join all ranks of their stage
    and stand under no condition that may differ between them, channels and ranks
    match the stages' ports.
  }];
}

// ------------------------------------------------------------ dispatch

def DecomposeAttentionPass : Pass<"takt-decompose-attention", "mlir::ModuleOp"> {
  let summary = "attention as two contractions around a softmax";
  let description = [{
    The form that a target without an attention kernel of its own runs: scores,
    scale and mask, softmax, product with the values. Scale, mask and softmax fuse
    to one kernel.
  }];
  let dependentDialects = ["::takt::TaktDialect", "mlir::arith::ArithDialect"];
}

def FormDispatchesPass : Pass<"takt-form-dispatches", "mlir::ModuleOp"> {
  let summary = "groups the ops of each stage into dispatches";
  let description = [{
    The groups are those of the fuser (takt/Analysis/Fuser.h), which the plan phase
    has asked for costs. Each becomes one `takt.dispatch`; cheap ops that several
    groups read are copied into each. Afterwards a stage holds weight reads,
    dispatches and the return.
  }];
  let dependentDialects = ["::takt::TaktDialect"];
}

def VerifyDispatchesPass : Pass<"takt-verify-dispatches", "mlir::ModuleOp"> {
  let summary = "checks what holds after the dispatch phase";
  let description = [{
    Only weight reads, dispatches and returns stand in a stage; a dispatch's kind
    is known and its region fits it; the operand sizes that it states are right.
  }];
}

#endif
