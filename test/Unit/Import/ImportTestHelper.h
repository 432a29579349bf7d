//===- ImportTestHelper.h - models in a scratch folder --------------------===//
#ifndef TAKT_TEST_UNIT_IMPORT_IMPORTTESTHELPER_H
#define TAKT_TEST_UNIT_IMPORT_IMPORTTESTHELPER_H

#include "takt/Import/Import.h"

#include "llvm/Support/raw_ostream.h"

#include "mlir/IR/Diagnostics.h"

#include "onnx/defs/parser.h"
#include "onnx/onnx_pb.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace takt::test {

/// Each test has a folder of its own, into which it writes models and files.
class ImportFixture : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(::testing::TempDir()) /
             (std::string("takt-import-") + info->test_suite_name() + "-" +
              info->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    options.spoolFile = (folder / "spool").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string &name, const std::string &bytes) {
    std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  /// Imports a file; `error` and `messages` say why the result is empty.
  std::string importFile(const std::string &path) {
    mlir::MLIRContext context;
    messages.clear();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      messages += d.str() + "\n";
      return mlir::success();
    });
    auto module = importOnnx(context, path, options, &error);
    std::string text;
    llvm::raw_string_ostream os(text);
    if (module)
      module->print(os);
    return text;
  }

  /// Imports a graph in ONNX text; the head is added.
  std::string importText(const std::string &graph, int opset = 20) {
    return importFile(
        write("model.onnxtxt", "<ir_version: 10, opset_import: [\"\" : " +
                                   std::to_string(opset) + "]>\n" + graph));
  }

  /// Parses ONNX text, to be changed in ways that text cannot say.
  static onnx::ModelProto parse(const std::string &graph) {
    onnx::ModelProto model;
    std::string text = "<ir_version: 10, opset_import: [\"\" : 20]>\n" + graph;
    onnx::OnnxParser parser(text.c_str());
    auto status = parser.Parse(model);
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    return model;
  }

  std::string importModel(const onnx::ModelProto &model) {
    return importFile(write("model.onnx", model.SerializeAsString()));
  }

  std::filesystem::path folder;
  ImportOptions options;
  ImportError error = ImportError::None;
  std::string messages;
};

/// Succeeds if \p text contains \p part.
inline ::testing::AssertionResult has(const std::string &text,
                                      const std::string &part) {
  if (text.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

} // namespace takt::test

#endif // TAKT_TEST_UNIT_IMPORT_IMPORTTESTHELPER_H
