//===- DeadlockCheck.h - proof that a schedule ends -----------------------===//
#ifndef TAKT_ANALYSIS_DEADLOCKCHECK_H
#define TAKT_ANALYSIS_DEADLOCKCHECK_H

#include "takt/Analysis/Schedule.h"

#include "llvm/Support/Error.h"

namespace takt {

/// Checks that the lists fit together: channels used by their own ranks only,
/// as many sends as receives as frees with the same micro-batches in the same
/// order, each free after its receive, and equal sequences of Forwards in each
/// group.
llvm::Error checkPairing(const Schedule &schedule);

/// Proves that all lists run to their ends under every timing; fails with
/// checkPairing's message or with the shortest cycle of waits.
///
/// The proof: a graph of completions with edges for program order, from the
/// k-th send of a channel to its k-th receive, and from the k-th free to send k
/// + depth; the n-th Forwards of a group are one vertex. Since channels are
/// FIFOs of their own and no instruction chooses among messages, the lists end
/// for every timing if and only if this graph has no cycle (a marked graph).
llvm::Error proveNoDeadlock(const Schedule &schedule);

/// Both checks for an endless stream whose every micro-batch runs the given
/// lists: enough micro-batches are unrolled that every wait between them, at
/// most the greatest depth apart, occurs.
llvm::Error proveStream(const Schedule &step);

} // namespace takt

#endif // TAKT_ANALYSIS_DEADLOCKCHECK_H
