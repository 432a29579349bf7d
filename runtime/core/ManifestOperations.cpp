#include "runtime/core/ManifestOperations.h"

namespace takt::runtime {
namespace {

void readEpilogue(JsonFields &fields, EpilogueSpec &epilogue) {
  int kind = 0;
  fields.read("kind", kind,
              {"BIAS", "RELU", "GELU_ERF", "GELU_TANH", "ADD", "CLIP"});
  epilogue.kind = static_cast<EpilogueKind>(kind);
  fields.read("buffer", epilogue.buffer);
  fields.read("high", epilogue.high);
}

void readContraction(JsonFields &fields, ContractionSpec &contraction) {
  fields.read("lhs", contraction.lhs);
  fields.read("rhs", contraction.rhs);
  fields.read("output", contraction.output);
  fields.read("batch", contraction.batch);
  fields.read("m", contraction.m);
  fields.read("n", contraction.n);
  fields.read("k", contraction.k);
  fields.read("transposeLhs", contraction.transposeLhs);
  fields.read("transposeRhs", contraction.transposeRhs);
  fields.read("rhsShared", contraction.rhsShared);
  fields.read("scale", contraction.scale);
  fields.list("epilogues", contraction.epilogues, readEpilogue);
}

void readWindow(JsonFields &fields, WindowSpec &window) {
  fields.read("input", window.input);
  fields.read("output", window.output);
  fields.read("inputShape", window.inputShape);
  fields.read("outputShape", window.outputShape);
  fields.read("kernel", window.kernel);
  fields.read("strides", window.strides);
  fields.read("padsBegin", window.padsBegin);
  fields.read("padsEnd", window.padsEnd);
}

void readConvolution(JsonFields &fields, ConvolutionSpec &convolution) {
  readWindow(fields, convolution);
  fields.read("dilations", convolution.dilations);
  fields.read("weight", convolution.weight);
  fields.read("groups", convolution.groups);
  fields.list("epilogues", convolution.epilogues, readEpilogue);
}

void readPool(JsonFields &fields, PoolSpec &pool) {
  int kind = 0;
  fields.read("kind", kind, {"MAX", "AVERAGE", "AVERAGE_INCLUDE_PAD"});
  pool.kind = static_cast<PoolKind>(kind);
  readWindow(fields, pool);
  pool.dilations.assign(pool.kernel.size(), 1);
}

void readCollective(JsonFields &fields, CollectiveSpec &collective,
                    Status &status) {
  int kind = 0;
  fields.read("kind", kind, {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER"});
  collective.kind = static_cast<CollectiveKind>(kind);
  std::string reduction;
  fields.read("reduction", reduction);
  if (reduction == "max")
    collective.reduction = Reduction::Max;
  else if (reduction == "min")
    collective.reduction = Reduction::Min;
  else if (status.ok() && reduction != "sum" &&
           (!reduction.empty() || collective.kind != CollectiveKind::AllGather))
    status = bundleError("manifest: unknown reduction '", reduction,
                         "'; sum, max or min expected");
  fields.read("input", collective.input);
  fields.read("output", collective.output);
  fields.read("dtype", collective.dtype);
  fields.read("outer", collective.outer);
  fields.read("part", collective.part);
  fields.read("inner", collective.inner);
}

} // namespace

const std::vector<EpilogueSpec> *OperationSpec::getEpilogues() const {
  if (kind == OperationKind::Contraction)
    return &contraction.epilogues;
  return kind == OperationKind::Convolution ? &convolution.epilogues : nullptr;
}

int32_t OperationSpec::getOutput() const {
  switch (kind) {
  case OperationKind::Contraction:
    return contraction.output;
  case OperationKind::Convolution:
    return convolution.output;
  case OperationKind::Pool:
    return pool.output;
  case OperationKind::Collective:
    break;
  }
  return collective.output;
}

std::vector<int32_t> OperationSpec::getReads() const {
  std::vector<int32_t> reads;
  switch (kind) {
  case OperationKind::Contraction:
    reads = {contraction.lhs, contraction.rhs};
    break;
  case OperationKind::Convolution:
    reads = {convolution.input, convolution.weight};
    break;
  case OperationKind::Pool:
    reads = {pool.input};
    break;
  case OperationKind::Collective:
    reads = {collective.input};
    break;
  }
  if (const std::vector<EpilogueSpec> *epilogues = getEpilogues())
    for (const EpilogueSpec &epilogue : *epilogues)
      if (epilogue.hasOperand())
        reads.push_back(epilogue.buffer);
  return reads;
}

void readOperation(JsonFields &fields, OperationSpec &operation,
                   Status &status) {
  fields.read("name", operation.name);
  int set = 0;
  auto mark = [&](OperationKind kind) {
    operation.kind = kind;
    ++set;
  };
  if (fields.message("contraction", [&](JsonFields &inner) {
        readContraction(inner, operation.contraction);
      }))
    mark(OperationKind::Contraction);
  if (fields.message("convolution", [&](JsonFields &inner) {
        readConvolution(inner, operation.convolution);
      }))
    mark(OperationKind::Convolution);
  if (fields.message(
          "pool", [&](JsonFields &inner) { readPool(inner, operation.pool); }))
    mark(OperationKind::Pool);
  if (fields.message("collective", [&](JsonFields &inner) {
        readCollective(inner, operation.collective, status);
      }))
    mark(OperationKind::Collective);
  if (status.ok() && set != 1)
    status = bundleError("manifest: operation '", operation.name, "' has ", set,
                         " descriptions, 1 expected");
}

} // namespace takt::runtime
