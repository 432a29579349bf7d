// RUN: not takt-opt %s -takt-plan="tensor=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not takt-opt %s -takt-plan="pipeline=3 tensor=1,2" 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not takt-opt %s -takt-plan="pipeline=-1" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not takt-opt %s -takt-plan="cluster=%S/Inputs/missing.json" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not takt-opt %s -takt-plan="cluster=%S/Inputs/small-memory.json" 2>&1 | FileCheck %s --check-prefix=MEMORY

// ZERO:   error: option tensor is 0, expected 1 to 65536
// LIST:   error: option tensor lists 2 numbers, expected one or one for each of 3 stages
// STAGES: error: option pipeline is -1, expected 1 to 65536
// FILE:   error: {{.*}}missing.json
// MEMORY: error: 'func.func' op cannot be cut into stages
module {
  takt.weight @w : tensor<8x8xf32> #takt.source<"w.bin", 0, 256>
  func.func @main(%x: tensor<4x8xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "8"]>})
      -> (tensor<4x8xf32> {takt.name = "y"}) {
    %w = takt.weight_read @w : tensor<8x8xf32>
    %y = takt.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}
