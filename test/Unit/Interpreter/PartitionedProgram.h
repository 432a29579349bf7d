//===- PartitionedProgram.h - a small program on 2 x 2 ranks --------------===//
#ifndef TAKT_TEST_UNIT_INTERPRETER_PARTITIONEDPROGRAM_H
#define TAKT_TEST_UNIT_INTERPRETER_PARTITIONEDPROGRAM_H

#include <string>

inline const char *originalProgram = R"(
  func.func @main(%x: tensor<?x2xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "2"]>})
      -> (tensor<?x2xf32> {takt.name = "y"}) {
    %w0 = arith.constant dense<[[1.0, -2.0, 3.0, 4.0], [5.0, 6.0, -7.0, 8.0]]> : tensor<2x4xf32>
    %w1 = arith.constant dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0], [-7.0, 8.0]]> : tensor<4x2xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zeros = takt.broadcast %zero dims [] to <["n", "4"]> : tensor<f32> -> tensor<?x4xf32>
    %0 = takt.matmul %x, %w0 : tensor<?x2xf32>, tensor<2x4xf32> -> tensor<?x4xf32>
    %1 = arith.maximumf %0, %zeros : tensor<?x4xf32>
    %2 = takt.matmul %1, %w1 : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
    %3 = arith.addf %2, %x : tensor<?x2xf32>
    return %3 : tensor<?x2xf32>
  })";

/// Value 7 is the hidden activation, of which shard i of the first stage sends
/// its part to shard i of the second; value 8 passes the input on. Channels
/// 0 and 1 carry value 7, channels 2 and 3 value 8.
inline std::string partitionedProgram(int depth) {
  std::string text = R"(
  takt.dim @n {minimum = 1 : i64}
  takt.guard "n" equals "n" : "the rows agree"
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    takt.weight @w0 : tensor<2x2xf32> {
      %0 = arith.constant dense<[[1.0, -2.0, 3.0, 4.0], [5.0, 6.0, -7.0, 8.0]]> : tensor<2x4xf32>
      %1 = takt.slice %0 from <["0", "2*shard"]> sizes <["2", "2"]> strides [1, 1]
        : tensor<2x4xf32> -> tensor<2x2xf32>
      takt.yield %1 : tensor<2x2xf32>
    }
    func.func @forward(%x: tensor<?x2xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "2"]>})
        -> (tensor<?x2xf32> {takt.channel = 7 : i64}, tensor<?x2xf32> {takt.channel = 8 : i64}) {
      %w0 = takt.weight_read @w0 : tensor<2x2xf32>
      %zero = arith.constant dense<0.0> : tensor<f32>
      %zeros = takt.broadcast %zero dims [] to <["n", "2"]> : tensor<f32> -> tensor<?x2xf32>
      %0 = takt.matmul %x, %w0 : tensor<?x2xf32>, tensor<2x2xf32> -> tensor<?x2xf32>
      %1 = arith.maximumf %0, %zeros : tensor<?x2xf32>
      return %1, %x : tensor<?x2xf32>, tensor<?x2xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 2 : i64} {
    takt.weight @w1 : tensor<2x2xf32> {
      %0 = arith.constant dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0], [-7.0, 8.0]]> : tensor<4x2xf32>
      %1 = takt.slice %0 from <["2*shard", "0"]> sizes <["2", "2"]> strides [1, 1]
        : tensor<4x2xf32> -> tensor<2x2xf32>
      takt.yield %1 : tensor<2x2xf32>
    }
    func.func @forward(%h: tensor<?x2xf32> {takt.channel = 7 : i64, takt.shape = #takt.shape<["n", "2"]>},
                       %x: tensor<?x2xf32> {takt.channel = 8 : i64, takt.shape = #takt.shape<["n", "2"]>})
        -> (tensor<?x2xf32> {takt.name = "y"}) {
      %w1 = takt.weight_read @w1 : tensor<2x2xf32>
      %1 = takt.matmul %h, %w1 : tensor<?x2xf32>, tensor<2x2xf32> -> tensor<?x2xf32>
      %2 = takt.all_reduce %1 ways 2 : tensor<?x2xf32> -> tensor<?x2xf32>
      %3 = arith.addf %2, %x : tensor<?x2xf32>
      return %3 : tensor<?x2xf32>
    }
  }
  takt.channel 0 value 7 from 0 to 2 depth DEPTH
  takt.channel 1 value 7 from 1 to 3 depth DEPTH
  takt.channel 2 value 8 from 0 to 2 depth DEPTH
  takt.channel 3 value 8 from 1 to 3 depth DEPTH
  takt.rank 0 replica 0 stage 0 shard 0 ["forward", "send 0", "send 2"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward", "send 1", "send 3"]
  takt.rank 2 replica 0 stage 1 shard 0 ["receive 0", "receive 2", "forward", "free 0", "free 2"]
  takt.rank 3 replica 0 stage 1 shard 1 ["receive 1", "receive 3", "forward", "free 1", "free 3"]
  takt.rank 4 replica 0 stage -1 shard 0 []
)";
  for (size_t at; (at = text.find("DEPTH")) != std::string::npos;)
    text.replace(at, 5, std::to_string(depth));
  return text;
}

#endif
