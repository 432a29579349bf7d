//===- ImportErrorTest.cpp - models that are refused ----------------------===//
#include "ImportTestHelper.h"

using namespace takt;
using namespace takt::test;

namespace {
class ImportErrorTest : public ImportFixture {
protected:
  void expectRefused(const std::string &text, ImportError kind,
                     const std::string &message) {
    EXPECT_TRUE(text.empty()) << text;
    EXPECT_EQ(error, kind) << messages;
    EXPECT_TRUE(has(messages, message));
  }
};
} // namespace

TEST_F(ImportErrorTest, MissingFile) {
  expectRefused(importFile((folder / "absent.onnx").string()),
                ImportError::File, "cannot be read: No such file");
}

TEST_F(ImportErrorTest, FolderInsteadOfFile) {
  expectRefused(importFile(folder.string()), ImportError::File,
                "is no regular file");
}

TEST_F(ImportErrorTest, EmptyFile) {
  expectRefused(importFile(write("m.onnx", "")), ImportError::BadModel,
                "is empty");
}

TEST_F(ImportErrorTest, OtherFormat) {
  expectRefused(importFile(write("m.onnx", "PK\3\4 this is no model at all")),
                ImportError::BadModel, "cannot be parsed as an ONNX protobuf");
}

TEST_F(ImportErrorTest, Truncated) {
  auto model = parse("g (float[2] x) => (float[2] y) { y = Relu (x) }");
  std::string bytes = model.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    importFile(write("m.onnx", bytes.substr(0, size)));
    EXPECT_NE(error, ImportError::None) << "cut at " << size;
  }
}

TEST_F(ImportErrorTest, BadText) {
  expectRefused(importFile(write("m.onnxtxt", "<ir_version: 10> g (")),
                ImportError::BadModel, "is not valid ONNX text");
}

TEST_F(ImportErrorTest, DeepText) {
  expectRefused(importFile(write("m.onnxtxt", std::string(100000, '('))),
                ImportError::BadModel, "brackets nest 100000 deep");
}

TEST_F(ImportErrorTest, DeepProtobuf) {
  onnx::ModelProto model =
      parse("g (float[2] x) => (float[2] y) { y = Relu (x) }");
  for (int i = 0; i < 60; ++i) {
    onnx::GraphProto inner = model.graph();
    auto *node = model.mutable_graph()->add_node();
    node->set_op_type("If");
    auto *attribute = node->add_attribute();
    attribute->set_name("then_branch");
    *attribute->mutable_g() = inner;
    model.mutable_graph()->mutable_node()->DeleteSubrange(0, 1);
  }
  expectRefused(importModel(model), ImportError::BadModel, "nest graphs more");
}

TEST_F(ImportErrorTest, OldOpsetAndFutureOpset) {
  std::string graph = "g (float[2] x) => (float[2] y) { y = Relu (x) }";
  expectRefused(importText(graph, 6), ImportError::Unsupported,
                "imports opset 6, expected 7 to");
  expectRefused(importText(graph, 999), ImportError::Unsupported,
                "imports opset 999");
}

TEST_F(ImportErrorTest, StaticShapesThatContradict) {
  expectRefused(
      importText(R"(g (float[2, 3] a, float[4, 5] b) => (float[2, 5] y) {
                  [mm] y = MatMul (a, b) })"),
      ImportError::BadModel, "MatMul");
}

TEST_F(ImportErrorTest, RequiredInputEmpty) {
  expectRefused(
      importText(R"(g (float[2] a) => (float[2] y) { y = Add (a, "") })"),
      ImportError::BadModel, "input 1 is marked single");
}

TEST_F(ImportErrorTest, UnsortedGraph) {
  expectRefused(importText(R"(g (float[2] a) => (float[2] y) {
                  y = Relu (t)  t = Neg (a) })"),
                ImportError::BadModel, "topologically sorted");
}

TEST_F(ImportErrorTest, NameDefinedTwice) {
  expectRefused(importText(R"(g (float[2] a) => (float[2] y) {
                  y = Relu (a)  y = Neg (a) })"),
                ImportError::BadModel,
                "'y' has been used as output names multiple");
}

TEST_F(ImportErrorTest, InputListedTwice) {
  expectRefused(
      importText(
          R"(g (float[2] a, float[2] a) => (float[2] y) { y = Relu (a) })"),
      ImportError::BadModel, "graph input \"a\" is listed twice");
}

TEST_F(ImportErrorTest, UnknownOperatorsAreReportedTogether) {
  std::string text = importText(R"(g (float[2] a) => (float[2] y) {
    [one] t = Frobnicate (a)  [two] y = Defenestrate (t) })");
  expectRefused(text, ImportError::Unsupported, "Frobnicate node \"one\"");
  EXPECT_TRUE(has(messages, "Defenestrate node \"two\""));
}

TEST_F(ImportErrorTest, OwnDomainIsReserved) {
  expectRefused(importFile(write("m.onnxtxt", R"(
    <ir_version: 10, opset_import: ["" : 20, "takt.import" : 1]>
    g (float[2] x) => (float[2] y) { y = takt.import.Weight <index = 7> (x) })")),
                ImportError::BadModel, "this importer's own");
}

TEST_F(ImportErrorTest, StringsWhereTheyAreUsed) {
  auto model = parse(
      "g (float[2] x) => (float[2] y) { s = Identity (t)  y = Relu (x) }");
  auto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name("t");
  tensor->set_data_type(onnx::TensorProto::STRING);
  tensor->add_string_data("hello");
  expectRefused(importModel(model), ImportError::Unsupported,
                "initializer \"t\" has element type string");
}

TEST_F(ImportErrorTest, SequenceInput) {
  expectRefused(
      importText("g (seq(float[2]) x) => (int64 y) { y = SequenceLength (x) }"),
      ImportError::Unsupported, "graph input \"x\" is no tensor");
}

TEST_F(ImportErrorTest, UnknownDimOption) {
  options.dims["bach"] = 8;
  expectRefused(
      importText("g (float[batch] x) => (float[batch] y) { y = Relu (x) }"),
      ImportError::BadOption,
      "no dimension named \"bach\"; its dimensions are: batch");
}

TEST_F(ImportErrorTest, NegativeDimOption) {
  options.dims["batch"] = -1;
  expectRefused(
      importText("g (float[batch] x) => (float[batch] y) { y = Relu (x) }"),
      ImportError::BadOption,
      "becomes -1 with the given dimension sizes, expected 0 to");
}

TEST_F(ImportErrorTest, HugeDimensions) {
  options.dims["batch"] = int64_t(1) << 62;
  expectRefused(
      importText("g (float[batch] x) => (float[batch] y) { y = Relu (x) }"),
      ImportError::BadOption, "expected 0 to 281474976710656");
  options.dims.clear();
  expectRefused(importText("g (float[9223372036854775807] x) => (y) { y = "
                           "Relu (x) }"),
                ImportError::BadModel,
                "has an input dimension of 9223372036854775807");
}

TEST_F(ImportErrorTest, SpoolMissing) {
  options.spoolFile.clear();
  options.smallTensorBytes = 0;
  expectRefused(
      importText(R"(g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> {
                  y = Add (x, w) })"),
      ImportError::BadOption, "spool file");
}

TEST_F(ImportErrorTest, EinsumEquations) {
  auto import = [&](const std::string &equation) {
    return importText("g (float[2] a, float[2, 3, 4] b) => (y) { y = Einsum "
                      "<equation = \"" +
                      equation + "\"> (a, b) }");
  };
  expectRefused(import("i...,i...->..."), ImportError::BadModel,
                "ellipsis stands for 0 dimensions and for 2");
  expectRefused(import("i,ijk->ijx"), ImportError::BadModel,
                "output index 'x'");
  expectRefused(import("i,ijk->...i"), ImportError::BadModel,
                "ellipsis that no input has");
  expectRefused(import("i,i*k->i"), ImportError::BadModel, "holds '*'");
  expectRefused(import("ijk->i"), ImportError::BadModel,
                "1 terms for 2 inputs");
  EXPECT_TRUE(has(import("i,i...->..."), "-> tensor<3x4xf32>"));
}

// ------------------------------------------------------------- functions

namespace {
std::string withFunctions(const std::string &functions) {
  return "<ir_version: 10, opset_import: [\"\" : 20, \"l\" : 1]>\n"
         "g (bool c, float[2] x) => (float[2] y) { y = l.f (x) }\n" +
         functions;
}
const char *head = "<domain: \"l\", opset_import: [\"\" : 20, \"l\" : 1]>\n";
} // namespace

TEST_F(ImportErrorTest, FunctionThatCallsItself) {
  expectRefused(
      importFile(write(
          "m.onnxtxt",
          withFunctions(head + std::string("f (X) => (Y) { Y = l.f (X) }")))),
      ImportError::BadModel, "calls itself");
}

TEST_F(ImportErrorTest, FunctionThatCallsItselfInABranch) {
  expectRefused(
      importFile(
          write("m.onnxtxt", withFunctions(head + std::string(R"(f (X) => (Y) {
                      c = Constant <value = bool {1}> ()
                      Y = If (c) <then_branch = t () => (a) { a = l.f (X) },
                                  else_branch = e () => (b) { b = Neg (X) }> })")))),
      ImportError::BadModel, "calls itself");
}

TEST_F(ImportErrorTest, FunctionsThatExplode) {
  std::string functions;
  for (int i = 0; i < 40; ++i) {
    std::string name = i ? "f" + std::to_string(i) : "f";
    std::string callee = i == 39 ? "Relu" : "l.f" + std::to_string(i + 1);
    functions += std::string(head) + name + " (X) => (Y) { t = " + callee +
                 " (X)  Y = " + callee + " (t) }\n";
  }
  expectRefused(importFile(write("m.onnxtxt", withFunctions(functions))),
                ImportError::BadModel, "expand to more than");
}

TEST_F(ImportErrorTest, FunctionOfAnotherOpset) {
  expectRefused(importFile(write(
                    "m.onnxtxt",
                    withFunctions("<domain: \"l\", opset_import: [\"\" : 11]>\n"
                                  "f (X) => (Y) { Y = Softmax (X) }"))),
                ImportError::Unsupported, "version 11 of domain \"\"");
}

TEST_F(ImportErrorTest, FunctionDefinedTwice) {
  std::string f = head + std::string("f (X) => (Y) { Y = Neg (X) }\n");
  expectRefused(importFile(write("m.onnxtxt", withFunctions(f + f))),
                ImportError::BadModel, "is defined twice");
}
