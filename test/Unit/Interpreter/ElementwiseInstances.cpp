//===- ElementwiseInstances.cpp - instances of arith and math ops ---------===//
#include "OpInstances.h"

namespace {
const std::string f32 = "tensor<?x12xf32>";
const std::string i64 = "tensor<?x12xi64>";
const std::string i32 = "tensor<?x12xi32>";
const std::string i1 = "tensor<?x12xi1>";

/// The dynamic dimension is never cut; the other one is, in one strategy.
constexpr int parallel = 2;

OpInstance unary(const std::string &name, const std::string &type,
                 int strategies, std::pair<int64_t, int64_t> range = {-3, 3}) {
  return {name, {type}, name + " %a : " + type, type, {range}, 0, strategies};
}

OpInstance binary(const std::string &name, const std::string &type,
                  int strategies, std::pair<int64_t, int64_t> second = {-3, 3},
                  std::pair<int64_t, int64_t> first = {-3, 3}) {
  return {name, {type, type}, name + " %a, %b : " + type, type, {first, second},
          0,    strategies};
}

OpInstance cast(const std::string &name, const std::string &from,
                const std::string &to, int strategies) {
  return {name, {from},    name + " %a : " + from + " to " + to, to, {{0, 100}},
          0,    strategies};
}
} // namespace

static std::vector<OpInstance> arithInstances() {
  OpInstance divide = binary("arith.divf", f32, parallel + 1, {1, 4});
  divide.ulps = 4; // a sum of rounded quotients
  return {
      binary("arith.addf", f32, parallel + 1),
      binary("arith.subf", f32, parallel + 1),
      binary("arith.mulf", f32, parallel + 2),
      divide,
      binary("arith.remf", f32, parallel, {1, 4}),
      binary("arith.maximumf", f32, parallel),
      binary("arith.minimumf", f32, parallel),
      unary("arith.negf", f32, parallel + 1),
      binary("arith.addi", i64, parallel + 1),
      binary("arith.subi", i32, parallel + 1),
      binary("arith.muli", i64, parallel + 2),
      binary("arith.divsi", i64, parallel, {1, 4}),
      binary("arith.remsi", i64, parallel, {1, 4}),
      binary("arith.floordivsi", i64, parallel, {-4, -1}),
      binary("arith.divui", i64, parallel, {1, 4}, {0, 9}),
      binary("arith.remui", i64, parallel, {1, 4}, {0, 9}),
      binary("arith.maxui", i64, parallel),
      binary("arith.minui", i64, parallel),
      binary("arith.shli", i64, parallel, {0, 4}),
      binary("arith.shrui", i64, parallel, {0, 4}),
      binary("arith.maxsi", i64, parallel),
      binary("arith.minsi", i64, parallel),
      binary("arith.andi", i1, parallel, {0, 1}, {0, 1}),
      binary("arith.ori", i1, parallel, {0, 1}, {0, 1}),
      binary("arith.xori", i1, parallel, {0, 1}, {0, 1}),
      {"arith.cmpi",
       {i64, i64},
       "arith.cmpi slt, %a, %b : " + i64,
       i1,
       {},
       0,
       parallel},
      {"arith.cmpf",
       {f32, f32},
       "arith.cmpf oge, %a, %b : " + f32,
       i1,
       {},
       0,
       parallel},
      {"arith.select",
       {i1, f32, f32},
       "arith.select %a, %b, %c : " + i1 + ", " + f32,
       f32,
       {{0, 1}},
       0,
       parallel + 1},
      cast("arith.extsi", i32, i64, parallel),
      cast("arith.extui", i1, i64, parallel),
      cast("arith.trunci", i64, i32, parallel),
      cast("arith.sitofp", i64, f32, parallel),
      cast("arith.uitofp", i1, f32, parallel),
      cast("arith.fptosi", f32, i64, parallel),
      cast("arith.extf", "tensor<?x12xf16>", f32, parallel + 1),
      cast("arith.truncf", "tensor<?x12xf64>", f32, parallel),
  };
}

static std::vector<OpInstance> mathInstances() {
  return {
      unary("math.exp", f32, parallel),
      unary("math.log", f32, parallel, {1, 9}),
      unary("math.sqrt", f32, parallel, {0, 9}),
      unary("math.rsqrt", f32, parallel, {1, 9}),
      unary("math.tanh", f32, parallel),
      unary("math.erf", f32, parallel),
      unary("math.sin", f32, parallel),
      unary("math.cos", f32, parallel),
      unary("math.absf", f32, parallel),
      unary("math.floor", f32, parallel),
      unary("math.ceil", f32, parallel),
      unary("math.roundeven", f32, parallel),
      binary("math.powf", f32, parallel, {0, 3}, {1, 3}),
      unary("math.absi", i64, parallel),
  };
}

std::vector<OpInstance> elementwiseInstances() {
  std::vector<OpInstance> all = arithInstances();
  for (OpInstance &instance : mathInstances())
    all.push_back(instance);
  return all;
}
