//===- TensorInstances.cpp - instances of the takt dialect's ops ----------===//
#include "OpInstances.h"

static std::vector<OpInstance> movementInstances() {
  return {
      {"takt.reshape split",
       {"tensor<?x144xf32>"},
       R"(takt.reshape %a to <["n", "12", "12"]> : tensor<?x144xf32> -> tensor<?x12x12xf32>)",
       "tensor<?x12x12xf32>",
       {},
       0,
       3},
      {"takt.reshape merge",
       {"tensor<12x?x4xi64>"},
       R"(takt.reshape %a to <["12*n", "4"]> : tensor<12x?x4xi64> -> tensor<?x4xi64>)",
       "tensor<?x4xi64>",
       {},
       0,
       4},
      {"takt.broadcast",
       {"tensor<1x12xf32>"},
       R"(takt.broadcast %a dims [0, 2] to <["n", "12", "12"]> : tensor<1x12xf32> -> tensor<?x12x12xf32>)",
       "tensor<?x12x12xf32>",
       {},
       0,
       4},
      {"takt.transpose",
       {"tensor<12x?x24xf32>"},
       "takt.transpose %a [2, 0, 1] : tensor<12x?x24xf32> -> "
       "tensor<24x12x?xf32>",
       "tensor<24x12x?xf32>",
       {},
       0,
       4},
      {"takt.slice",
       {"tensor<12x24xf32>"},
       R"(takt.slice %a from <["0", "23"]> sizes <["12", "12"]> strides [1, -2] : tensor<12x24xf32> -> tensor<12x12xf32>)",
       "tensor<12x12xf32>",
       {},
       0,
       3},
      {"takt.slice dynamic",
       {"tensor<?x12xi64>"},
       R"(takt.slice %a from <["1", "0"]> sizes <["n - 1", "12"]> strides [1, 1] : tensor<?x12xi64> -> tensor<?x12xi64>)",
       "tensor<?x12xi64>",
       {},
       0,
       3},
      {"takt.concat",
       {"tensor<12x?x2xf32>", "tensor<12x?x6xf32>"},
       "takt.concat %a, %b axis 2 : tensor<12x?x2xf32>, tensor<12x?x6xf32> -> "
       "tensor<12x?x8xf32>",
       "tensor<12x?x8xf32>",
       {},
       0,
       3},
      {"takt.concat same",
       {"tensor<12x12xf32>", "tensor<12x12xf32>"},
       "takt.concat %a, %b axis 0 : tensor<12x12xf32>, tensor<12x12xf32> -> "
       "tensor<24x12xf32>",
       "tensor<24x12xf32>",
       {},
       0,
       3},
  };
}

static std::vector<OpInstance> indexInstances() {
  // Indices beyond both ends: negative ones count from the end, then clamp.
  return {
      {"takt.gather rows",
       {"tensor<12x24xf32>", "tensor<?x12xi64>"},
       "takt.gather %a[%b] axis 0 : tensor<12x24xf32>, tensor<?x12xi64> -> "
       "tensor<?x12x24xf32>",
       "tensor<?x12x24xf32>",
       {{-9, 9}, {-15, 15}},
       0,
       5},
      {"takt.gather columns",
       {"tensor<12x24xi64>", "tensor<12xi32>"},
       "takt.gather %a[%b] axis 1 : tensor<12x24xi64>, tensor<12xi32> -> "
       "tensor<12x12xi64>",
       "tensor<12x12xi64>",
       {{-9, 9}, {-30, 30}},
       0,
       5},
      {"takt.gather scalar",
       {"tensor<12x24xf32>", "tensor<i64>"},
       "takt.gather %a[%b] axis 0 : tensor<12x24xf32>, tensor<i64> -> "
       "tensor<24xf32>",
       "tensor<24xf32>",
       {{-9, 9}, {-12, 11}},
       0,
       4},
      {"takt.gather_nd",
       {"tensor<12x12x6xf32>", "tensor<?x12x2xi64>"},
       "takt.gather_nd %a[%b] batch_dims 0 : tensor<12x12x6xf32>, "
       "tensor<?x12x2xi64> -> tensor<?x12x6xf32>",
       "tensor<?x12x6xf32>",
       {{-9, 9}, {-12, 11}},
       0,
       4},
      {"takt.gather_nd batch",
       {"tensor<12x6x12xf32>", "tensor<12x12x1xi64>"},
       "takt.gather_nd %a[%b] batch_dims 1 : tensor<12x6x12xf32>, "
       "tensor<12x12x1xi64> -> tensor<12x12x12xf32>",
       "tensor<12x12x12xf32>",
       {{-9, 9}, {-6, 5}},
       0,
       5},
      {"takt.iota",
       {},
       R"(takt.iota "n" step 2 sizes <["12"]> : tensor<12xi64>)",
       "tensor<12xi64>"},
      {"takt.size_tensor",
       {},
       R"(takt.size_tensor <["n", "12"]> : tensor<2xi64>)",
       "tensor<2xi64>"},
  };
}

static std::vector<OpInstance> contractionInstances() {
  return {
      {"takt.matmul",
       {"tensor<12x24xf32>", "tensor<24x36xf32>"},
       "takt.matmul %a, %b : tensor<12x24xf32>, tensor<24x36xf32> -> "
       "tensor<12x36xf32>",
       "tensor<12x36xf32>",
       {},
       0,
       6},
      {"takt.matmul shared",
       {"tensor<?x12x12xf32>", "tensor<12x12xf32>"},
       "takt.matmul %a, %b : tensor<?x12x12xf32>, tensor<12x12xf32> -> "
       "tensor<?x12x12xf32>",
       "tensor<?x12x12xf32>",
       {},
       0,
       6},
      {"takt.matmul batch",
       {"tensor<12x?x6x12xf32>", "tensor<12x?x12x12xf32>"},
       "takt.matmul %a, %b transpose_rhs : tensor<12x?x6x12xf32>, "
       "tensor<12x?x12x12xf32> -> tensor<12x?x6x12xf32>",
       "tensor<12x?x6x12xf32>",
       {},
       0,
       7},
      {"takt.attention",
       {"tensor<?x12x4x2xf32>", "tensor<?x12x6x2xf32>",
        "tensor<?x12x6x12xf32>"},
       "takt.attention %a, %b, %c scale 0.5 : tensor<?x12x4x2xf32>, "
       "tensor<?x12x6x2xf32>, tensor<?x12x6x12xf32> -> tensor<?x12x4x12xf32>",
       "tensor<?x12x4x12xf32>",
       {},
       4,
       4},
      {"takt.attention mask",
       {"tensor<12x12x6x2xf32>", "tensor<12x12x?x2xf32>",
        "tensor<12x12x?x4xf32>", "tensor<12x1x6x?xf32>"},
       "takt.attention %a, %b, %c mask %d : tensor<12x1x6x?xf32> scale 0.5 "
       "masked_rows_zero : tensor<12x12x6x2xf32>, tensor<12x12x?x2xf32>, "
       "tensor<12x12x?x4xf32> -> tensor<12x12x6x4xf32>",
       "tensor<12x12x6x4xf32>",
       {},
       4,
       5},
      {"takt.pool max",
       {"tensor<?x7x7x12xf32>"},
       "takt.pool \"max\" %a kernel [3, 3] strides [2, 2] pads [1, 1], [1, 1] "
       ": tensor<?x7x7x12xf32> -> tensor<?x4x4x12xf32>",
       "tensor<?x4x4x12xf32>",
       {},
       0,
       2},
      {"takt.pool average",
       {"tensor<12x8x12xf32>"},
       "takt.pool \"average_include_pad\" %a kernel [4] strides [4] pads [0], "
       "[0] : tensor<12x8x12xf32> -> tensor<12x2x12xf32>",
       "tensor<12x2x12xf32>",
       {},
       0,
       4},
      {"takt.conv",
       {"tensor<12x5x5x12xf32>", "tensor<24x12x3x3xf32>"},
       "takt.conv %a, %b strides [2, 2] dilations [1, 1] pads [1, 1], [1, 1] "
       "groups 1 : tensor<12x5x5x12xf32>, tensor<24x12x3x3xf32> -> "
       "tensor<12x3x3x24xf32>",
       "tensor<12x3x3x24xf32>",
       {},
       0,
       6},
      {"takt.conv grouped",
       {"tensor<?x6x24xf32>", "tensor<12x2x2xf32>"},
       "takt.conv %a, %b strides [1] dilations [2] pads [1], [0] groups 12 : "
       "tensor<?x6x24xf32>, tensor<12x2x2xf32> -> tensor<?x5x12xf32>",
       "tensor<?x5x12xf32>",
       {},
       0,
       4},
  };
}

static std::vector<OpInstance> reductionInstances() {
  auto reduce = [](const std::string &kind, const std::string &type,
                   const std::string &element, int strategies) -> OpInstance {
    std::string in = "tensor<12x?x12x" + type + ">";
    std::string out = "tensor<12x" + type + ">";
    return {"takt.reduce " + kind + " " + type,
            {in},
            "takt.reduce \"" + kind + "\" %a axes [1, 2] : " + in + " -> " +
                out,
            out,
            {{element == "small" ? 1 : -3, element == "small" ? 2 : 3}},
            0,
            strategies};
  };
  return {
      reduce("sum", "f32", "any", 4),
      reduce("sum", "i64", "any", 4),
      reduce("max", "f32", "any", 2),
      reduce("min", "i64", "any", 2),
      reduce("prod", "i64", "small", 2),
      {"takt.softmax",
       {"tensor<12x?x12xf32>"},
       "takt.softmax %a axis 2 : tensor<12x?x12xf32> -> tensor<12x?x12xf32>",
       "tensor<12x?x12xf32>",
       {},
       4,
       2},
      {"takt.layer_norm",
       {"tensor<12x?x12xf32>", "tensor<12xf32>", "tensor<12xf32>"},
       "takt.layer_norm %a scale %b bias %c epsilon 1.0e-5 : "
       "tensor<12x?x12xf32>, tensor<12xf32>, tensor<12xf32> -> "
       "tensor<12x?x12xf32>",
       "tensor<12x?x12xf32>",
       {},
       4,
       2},
      {"takt.layer_norm no_bias",
       {"tensor<?x24x12xf32>", "tensor<12xf32>"},
       "takt.layer_norm %a scale %b epsilon 1.0e-5 : tensor<?x24x12xf32>, "
       "tensor<12xf32> -> tensor<?x24x12xf32>",
       "tensor<?x24x12xf32>",
       {},
       4,
       2},
      {"takt.reinterpret",
       {"tensor<?x12xui8>"},
       "takt.reinterpret %a : tensor<?x12xui8> -> tensor<?x12xi8>",
       "tensor<?x12xi8>",
       {{0, 255}},
       0,
       2},
      {"takt.gelu",
       {"tensor<?x12xf32>"},
       "takt.gelu %a : tensor<?x12xf32> -> tensor<?x12xf32>",
       "tensor<?x12xf32>",
       {},
       0,
       2},
      {"takt.gelu tanh",
       {"tensor<12x12xf32>"},
       "takt.gelu %a tanh : tensor<12x12xf32> -> tensor<12x12xf32>",
       "tensor<12x12xf32>",
       {},
       0,
       3},
  };
}

std::vector<OpInstance> tensorInstances() {
  std::vector<OpInstance> all = movementInstances();
  for (auto instances :
       {indexInstances(), contractionInstances(), reductionInstances()})
    all.insert(all.end(), instances.begin(), instances.end());
  return all;
}

std::vector<OpInstance> allOpInstances() {
  std::vector<OpInstance> all = elementwiseInstances();
  for (OpInstance &instance : tensorInstances())
    all.push_back(instance);
  return all;
}
