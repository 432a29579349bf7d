//===- OpInstances.h - one or more instances of every tensor op -----------===//
#ifndef TAKT_TEST_UNIT_INTERPRETER_OPINSTANCES_H
#define TAKT_TEST_UNIT_INTERPRETER_OPINSTANCES_H

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

/// An op on arguments %a, %b, …; sizes are such that 2, 3, 4 and 6 divide some,
/// and others are dynamic.
struct OpInstance {
  /// As the op's name, with a word more where there are several instances.
  std::string name;
  /// Types of the arguments. A `?` is the dimension `n`, 5 in the test.
  std::vector<std::string> arguments;
  /// The op, and its result type.
  std::string op;
  std::string result;
  /// Ranges of the operands' whole numbers, [-3, 3] where there is none.
  std::vector<std::pair<int64_t, int64_t>> ranges = {};
  /// Units in the last place of f32 by which results may differ.
  double ulps = 0;
  /// The number of strategies on 2 ranks, replication included.
  int strategies = 1;
};

/// How GoogleTest prints an instance.
inline void PrintTo(const OpInstance &instance, std::ostream *os) {
  *os << instance.op;
}

/// All instances: elementwise ops and those of the takt dialect.
std::vector<OpInstance> allOpInstances();
std::vector<OpInstance> elementwiseInstances();
std::vector<OpInstance> tensorInstances();

#endif
