//===- TensorDataTest.cpp - elements of tensors ---------------------------===//
#include "ImportTestHelper.h"

using namespace takt;
using namespace takt::test;
using onnx::TensorProto;

namespace {
class TensorDataTest : public ImportFixture {
protected:
  /// Imports a model that returns \p tensor.
  std::string import(TensorProto tensor) {
    auto model = parse("g (float[1] x) => (float[1] y) { z = Relu (x) }");
    tensor.set_name("y");
    auto *type = model.mutable_graph()
                     ->mutable_output(0)
                     ->mutable_type()
                     ->mutable_tensor_type();
    type->set_elem_type(tensor.data_type());
    type->mutable_shape()->clear_dim();
    for (int64_t dim : tensor.dims())
      type->mutable_shape()->add_dim()->set_dim_value(dim);
    *model.mutable_graph()->add_initializer() = tensor;
    return importModel(model);
  }

  static TensorProto raw(TensorProto::DataType type, int64_t size,
                         const std::string &bytes) {
    TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(size);
    tensor.set_raw_data(bytes);
    return tensor;
  }

  static TensorProto ints(TensorProto::DataType type, int64_t size,
                          std::vector<int32_t> values) {
    TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(size);
    for (int32_t value : values)
      tensor.add_int32_data(value);
    return tensor;
  }
};
} // namespace

TEST_F(TensorDataTest, RawElements) {
  EXPECT_TRUE(has(import(raw(TensorProto::INT16, 2, {"\x01\x00\xff\xff", 4})),
                  "dense<[1, -1]> : tensor<2xi16>"));
  EXPECT_TRUE(has(import(raw(TensorProto::UINT8, 2, {"\x01\xff", 2})),
                  "dense<[1, 255]> : tensor<2xui8>"));
  EXPECT_TRUE(has(import(raw(TensorProto::BOOL, 3, {"\1\0\1", 3})),
                  "dense<[true, false, true]> : tensor<3xi1>"));
  EXPECT_TRUE(has(import(raw(TensorProto::BFLOAT16, 1, {"\x80\x3f", 2})),
                  "dense<1.000000e+00> : tensor<1xbf16>"));
  EXPECT_TRUE(has(import(raw(TensorProto::FLOAT16, 1, {"\x00\x3c", 2})),
                  "dense<1.000000e+00> : tensor<1xf16>"));
}

TEST_F(TensorDataTest, NarrowElementsInInt32Data) {
  EXPECT_TRUE(has(import(ints(TensorProto::INT8, 2, {-128, 127})),
                  "dense<[-128, 127]> : tensor<2xi8>"));
  EXPECT_TRUE(has(import(ints(TensorProto::FLOAT16, 2, {0x3c00, 0xc000})),
                  "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf16>"));
  EXPECT_TRUE(has(import(ints(TensorProto::BOOL, 2, {0, 1})),
                  "dense<[false, true]> : tensor<2xi1>"));
}

TEST_F(TensorDataTest, FourBitElementsLowNibbleFirst) {
  EXPECT_TRUE(has(import(raw(TensorProto::INT4, 3, {"\xf1\x07", 2})),
                  "dense<[1, -1, 7]> : tensor<3xi4>"));
  EXPECT_TRUE(has(import(ints(TensorProto::UINT4, 3, {0xf1, 0x07})),
                  "dense<[1, 15, 7]> : tensor<3xui4>"));
}

TEST_F(TensorDataTest, ScalarsAndEmptyTensors) {
  TensorProto scalar;
  scalar.set_data_type(TensorProto::INT64);
  scalar.add_int64_data(-7);
  EXPECT_TRUE(has(import(scalar), "dense<-7> : tensor<i64>"));
  TensorProto empty;
  empty.set_data_type(TensorProto::FLOAT);
  empty.add_dims(0);
  empty.add_dims(3);
  EXPECT_TRUE(has(import(empty), "dense<> : tensor<0x3xf32>"));
}

TEST_F(TensorDataTest, NotANumberKeepsItsBits) {
  EXPECT_TRUE(has(import(raw(TensorProto::FLOAT, 1, {"\x01\x00\xc0\x7f", 4})),
                  "0x7FC00001"));
}

TEST_F(TensorDataTest, WrongAmountOfElements) {
  EXPECT_EQ(import(raw(TensorProto::FLOAT, 6, std::string(20, 0))), "");
  EXPECT_TRUE(has(messages, "\"y\" has 20 bytes of raw_data, but its dims and "
                            "type float need 24"));
  EXPECT_EQ(import(ints(TensorProto::INT8, 3, {1, 2})), "");
  EXPECT_TRUE(has(messages, "2 entries in int32_data, but its dims need 3"));
  EXPECT_EQ(import(ints(TensorProto::INT4, 8, {1})), "");
  EXPECT_TRUE(has(messages, "1 entries in int32_data, but its dims need 4"));
}

TEST_F(TensorDataTest, ElementsOutOfRange) {
  EXPECT_EQ(import(ints(TensorProto::INT8, 1, {300})), "");
  EXPECT_TRUE(has(messages, "holds 300 in int32_data, expected -128 to 127"));
}

TEST_F(TensorDataTest, ElementsTwice) {
  TensorProto tensor = raw(TensorProto::FLOAT, 1, std::string(4, 0));
  tensor.add_float_data(1);
  EXPECT_EQ(import(tensor), "");
  EXPECT_TRUE(has(messages, "holds its elements twice"));
}
