//===- DeadlockCheck.h - proof that a schedule ends -----------------------===//
#ifndef TAKT_ANALYSIS_DEADLOCKCHECK_H
#define TAKT_ANALYSIS_DEADLOCKCHECK_H

#include "takt/Analysis/Schedule.h"

#include "llvm/Support/Error.h"

namespace takt {

/// Checks that the lists fit together: channels used by their own ranks only,
/// as many sends as receives as frees (none at a rendezvous) with the same
/// micro-batches in the same order, each free after its receive, and equal
/// sequences of what meets in each group and each set of collectives.
llvm::Error checkPairing(const Schedule &schedule);

/// Proves that all lists run to their ends under every timing; fails with
/// checkPairing's message or with the shortest cycle of waits.
///
/// The proof: a graph of completions with edges for program order, from the
/// k-th send of a channel to its k-th receive, and from the k-th free to send k
/// + depth. What completes together is one vertex: the n-th compute
/// instructions of a group, the n-th Collectives of a set, both ends of a
/// rendezvous; instructions that start together wait for those before, not for
/// each other. Since channels are FIFOs of their own and no instruction chooses
/// among messages, the lists end for every timing if and only if this graph has
/// no cycle (a marked graph).
llvm::Error proveNoDeadlock(const Schedule &schedule);

/// Both checks for an endless stream whose every micro-batch runs the given
/// lists: enough micro-batches are unrolled that every wait between them, at
/// most the greatest depth apart, occurs.
llvm::Error proveStream(const Schedule &step);

} // namespace takt

#endif // TAKT_ANALYSIS_DEADLOCKCHECK_H
