//===- ExampleBundle.h - the input of a bundle on 2 x 2 ranks -------------===//
#ifndef TAKT_TEST_UNIT_BUNDLE_EXAMPLEBUNDLE_H
#define TAKT_TEST_UNIT_BUNDLE_EXAMPLEBUNDLE_H

#include "../Interpreter/PartitionedProgram.h"
#include "../TestContext.h"
#include "TemporaryFolder.h"

#include "takt/Bundle/BundleWriter.h"

namespace takt {

/// The partitioned program of the interpreter's tests, with stage libraries
/// that are only bytes.
struct ExampleBundle {
  ExampleBundle() {
    module = test.parse(partitionedProgram(2));
    EXPECT_TRUE(module);
    input.module = *module;
    input.model = "example.onnx";
    input.targetCpu = "x86-64-v3";
    input.targetFeatures = "+avx2";
    SizeExpr rows = SizeExpr::symbol("n");
    input.inputs = {{"x", DType::F32, {rows, 2}}};
    input.outputs = {{"y", DType::F32, {rows, 2}}};
    input.resolver = resolveBeside(folder / "");
    input.carriedFiles = {{folder.write("run-source", "#!run"), "run", true}};
    input.plan.set_data_parallel(1);
    for (auto stage : module->getOps<mlir::ModuleOp>())
      addStage(stage);
    input.stages[0].sentBuffers = {{7, 2}, {8, 0}};
    input.stages[1].receivedBuffers = {{7, 0}, {8, 1}};
  }

  void addStage(mlir::ModuleOp stage) {
    int64_t index = input.stages.size();
    input.stages.emplace_back();
    BundleStage &added = input.stages.back();
    added.module = stage;
    added.libraryBytes = "library " + std::to_string(index);
    proto::StageProgram &program = added.program;
    program.set_name("stage" + std::to_string(index));
    program.set_entry("takt_forward");
    program.set_tensor_parallel(2);
    using Buffer = proto::Buffer;
    if (index == 0) {
      addBuffer(program, Buffer::INPUT, "x", rowsBy2());
    } else {
      addBuffer(program, Buffer::CHANNEL, "", rowsBy2());
      addBuffer(program, Buffer::CHANNEL, "", rowsBy2());
    }
    addBuffer(program, Buffer::WEIGHT, "w" + std::to_string(index), {2, 2});
    addBuffer(program, Buffer::ARENA, "", rowsBy2());
    if (index == 1) {
      proto::StageOutput &output = *program.add_outputs();
      output.set_name("y");
      output.set_buffer(3);
    }
  }

  SymbolicShape rowsBy2() { return {SizeExpr::symbol("n"), 2}; }

  void addBuffer(proto::StageProgram &program, proto::Buffer::Kind kind,
                 const std::string &name, const SymbolicShape &shape) {
    proto::Buffer &buffer = *program.add_buffers();
    buffer.set_kind(kind);
    buffer.set_name(name);
    buffer.set_dtype("f32");
    for (const SizeExpr &size : shape)
      buffer.add_shape(input.values.index(size));
  }

  TestContext test;
  TemporaryFolder folder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  BundleInput input;
};

} // namespace takt

#endif
