//===- StageRunner.cpp - compiles a stage's text and runs it --------------===//
#include "StageRunner.h"

#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <functional>

using namespace takt;
using namespace takt::test;

/// `format(port)` for each, with commas.
static std::string
list(const std::vector<Port> &ports,
     const std::function<std::string(const Port &)> &format) {
  std::string text;
  for (const Port &port : ports)
    text += (text.empty() ? "" : ", ") + format(port);
  return text;
}

std::string takt::test::oneDispatch(const std::string &kind,
                                    std::vector<Port> inputs,
                                    std::vector<Port> outputs,
                                    const std::string &body) {
  auto shape = [](const Port &port) {
    return "#takt.shape<[" + port.sizes + "]>";
  };
  auto type = [](const Port &port) { return port.type; };
  auto value = [](const Port &port) { return "%" + port.name; };
  auto argument = [](const Port &port) { return "%in_" + port.name; };
  std::string results, numbered, count = std::to_string(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    numbered += (i ? ", %r#" : "%r#") + std::to_string(i);
  return "module @stage0 attributes {takt.stage = 0 : i64} {\n"
         "func.func @forward(" +
         list(inputs,
              [&](const Port &port) {
                return argument(port) + ": " + port.type + " {takt.name = \"" +
                       port.name + "\", takt.shape = " + shape(port) + "}";
              }) +
         ") -> (" +
         list(outputs,
              [&](const Port &port) {
                return port.type + " {takt.name = \"" + port.name + "\"}";
              }) +
         ") {\n%r:" + count + " = takt.dispatch \"" + kind + "\"(" +
         list(inputs, argument) + ") sizes [" + list(inputs, shape) + "] -> [" +
         list(outputs, shape) + "] : (" + list(inputs, type) + ") -> (" +
         list(outputs, type) + ") {\n^bb0(" +
         list(inputs,
              [&](const Port &port) {
                return "%" + port.name + ": " + port.type;
              }) +
         "):\n" + body + "\ntakt.yield " + list(outputs, value) + " : " +
         list(outputs, type) + "\n}\nreturn " + numbered + " : " +
         list(outputs, type) + "\n}\n}\n";
}

StageRunner::StageRunner(const std::string &text,
                         std::map<std::string, int64_t> dims, bool reference)
    : dims(std::move(dims)) {
  compile(text, reference);
  if (failure.empty())
    load();
}

StageRunner::~StageRunner() {
  if (library)
    dlclose(library);
}

void StageRunner::compile(const std::string &text, bool reference) {
  mlir::DialectRegistry registry;
  registry
      .insert<TaktDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
              mlir::math::MathDialect, mlir::tensor::TensorDialect>();
  registerElementwiseModels(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    failure = "does not parse: " + text;
    return;
  }
  // A lone nested module is unwrapped by the parser.
  mlir::ModuleOp stage = *module;
  if (!stage.getName())
    stage = *stage.getOps<mlir::ModuleOp>().begin();
  TargetOptions options;
  options.reference = reference;
  llvm::Expected<StageObject> compiled = compileStage(stage, values, options);
  if (!compiled) {
    failure = llvm::toString(compiled.takeError());
    return;
  }
  object = std::move(*compiled);
}

void StageRunner::load() {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("takt-stage", directory));
  std::string path = directory.str().str() + "/stage.o";
  std::string shared = directory.str().str() + "/stage.so";
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << object.object;
  ASSERT_FALSE(code);
  llvm::Error error = linkStage({path}, shared);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  library = dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  llvm::sys::fs::remove_directories(directory);
  auto version = reinterpret_cast<TaktStageVersionFn>(
      dlsym(library, TAKT_STAGE_VERSION_SYMBOL));
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version(), uint32_t(TAKT_ABI_VERSION));
  forward = reinterpret_cast<TaktStageForwardFn>(
      dlsym(library, object.program.entry().c_str()));
  ASSERT_NE(forward, nullptr) << object.program.entry();

  for (const std::string &text : values.all()) {
    auto value =
        llvm::cantFail(SizeExpr::parse(text))
            .evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
              auto it = dims.find(name.str());
              if (it == dims.end())
                return std::nullopt;
              return it->second;
            });
    ASSERT_TRUE(value.has_value()) << text;
    valueTable.push_back(*value);
  }
  for (const proto::Buffer &buffer : object.program.buffers()) {
    size_t size = byteSize(*parseDType(buffer.dtype()));
    for (int32_t index : buffer.shape())
      size *= valueTable[index];
    bytes.push_back(size);
    // Garbage, so that what is not written shows.
    storage.emplace_back(size / 8 + 8, 0xABABABABABABABABull);
  }
}

int32_t StageRunner::find(const std::string &name) const {
  for (int32_t i = 0; i < object.program.buffers_size(); ++i)
    if (object.program.buffers(i).name() == name)
      return i;
  ADD_FAILURE() << "no buffer " << name;
  return 0;
}

int32_t StageRunner::output(const std::string &name) const {
  for (const proto::StageOutput &output : object.program.outputs())
    if (output.name() == name)
      return output.buffer();
  ADD_FAILURE() << "no output " << name;
  return 0;
}

void StageRunner::setBytes(int32_t buffer, const void *data, size_t size) {
  ASSERT_EQ(size, bytes[buffer]);
  if (size)
    std::memcpy(storage[buffer].data(), data, size);
}

/// output = epilogues(lhs * rhs); f32.
void StageRunner::contract(const proto::Contraction &c) {
  auto data = [&](int32_t buffer) {
    return reinterpret_cast<float *>(storage[buffer].data());
  };
  int64_t m = valueTable[c.m()], n = valueTable[c.n()], k = valueTable[c.k()];
  for (int64_t b = 0; b < valueTable[c.batch()]; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        const float *lhs = data(c.lhs()) + b * m * k;
        const float *rhs = data(c.rhs()) + (c.rhs_shared() ? 0 : b * k * n);
        for (int64_t l = 0; l < k; ++l)
          sum += double(lhs[c.transpose_lhs() ? l * m + i : i * k + l]) *
                 rhs[c.transpose_rhs() ? j * k + l : l * n + j];
        if (c.scale() != 0)
          sum *= c.scale();
        int64_t place = (b * m + i) * n + j;
        for (const proto::Epilogue &epilogue : c.epilogues()) {
          if (epilogue.kind() == proto::Epilogue::BIAS)
            sum += data(epilogue.buffer())[j];
          else if (epilogue.kind() == proto::Epilogue::ADD)
            sum += data(epilogue.buffer())[place];
          else if (epilogue.kind() == proto::Epilogue::RELU)
            sum = std::max(sum, 0.0);
          else
            sum = sum * 0.5 * (1 + std::erf(sum * M_SQRT1_2));
        }
        data(c.output())[place] = float(sum);
      }
}

int32_t StageRunner::callLibrary(int32_t operation) {
  calls.push_back("library " + std::to_string(operation));
  const proto::Operation &described = object.program.operations(operation);
  if (described.has_contraction())
    contract(described.contraction());
  return injectedStatus;
}

int32_t StageRunner::run() {
  static const auto runner = [](const TaktFrame *frame) {
    return reinterpret_cast<StageRunner *>(frame->rank);
  };
  TaktApi api;
  api.version = TAKT_ABI_VERSION;
  api.size = sizeof(TaktApi);
  api.libraryCall = [](const TaktFrame *frame, int32_t operation) {
    return runner(frame)->callLibrary(operation);
  };
  api.collectiveStart = [](const TaktFrame *frame,
                           int32_t operation) -> int32_t {
    runner(frame)->calls.push_back("start " + std::to_string(operation));
    return 0;
  };
  api.collectiveWait = [](const TaktFrame *frame,
                          int32_t operation) -> int32_t {
    StageRunner *self = runner(frame);
    self->calls.push_back("wait " + std::to_string(operation));
    const auto &collective =
        self->object.program.operations(operation).collective();
    // One rank: the sum is the input.
    std::memcpy(self->storage[collective.output()].data(),
                self->storage[collective.input()].data(),
                self->bytes[collective.input()]);
    return 0;
  };
  std::vector<void *> buffers;
  for (auto &buffer : storage)
    buffers.push_back(buffer.data());
  TaktFrame frame{valueTable.data(), buffers.data(),
                  reinterpret_cast<TaktRank *>(this)};
  return forward(&api, &frame);
}
