#include "runtime/core/RankRunner.h"

namespace takt::runtime {

void RankRunner::recordError(Status status) {
  if (error.ok())
    error = std::move(status);
}

Status RankRunner::checkOperation(int32_t operation, bool isCollective) const {
  if (operation < 0 ||
      operation >= static_cast<int32_t>(stage.operations.size()))
    return bundleError("the stage library calls operation ", operation, " of ",
                       stage.operations.size());
  if ((stage.operations[operation].kind == OperationKind::Collective) !=
      isCollective)
    return bundleError("the stage library calls operation ", operation,
                       ", which is of another kind");
  return Status();
}

Status RankRunner::runLibraryCall(int32_t operation,
                                  void *const *frameBuffers) {
  TAKT_RETURN_IF_ERROR(checkOperation(operation, false));
  progress.operation.store(operation);
  TAKT_RETURN_IF_ERROR(plan->calls[operation]->run(frameBuffers, device));
  monitor.noteProgress(rank.replica);
  return Status();
}

Status RankRunner::startCollective(int32_t operation,
                                   void *const *frameBuffers) {
  TAKT_RETURN_IF_ERROR(checkOperation(operation, true));
  progress.operation.store(operation);
  const CollectiveSpec &spec = stage.operations[operation].collective;
  return group.start(operation, rank.shard, frameBuffers[spec.input],
                     plan->collectives[operation]);
}

Status RankRunner::waitCollective(int32_t operation,
                                  void *const *frameBuffers) {
  TAKT_RETURN_IF_ERROR(checkOperation(operation, true));
  progress.operation.store(operation);
  const CollectiveSpec &spec = stage.operations[operation].collective;
  TAKT_RETURN_IF_ERROR(
      group.wait(operation, rank.shard, frameBuffers[spec.output], waited));
  monitor.noteProgress(rank.replica);
  return Status();
}

namespace {

/// Stage libraries are C: no exception may pass through them.
template <class Call> int32_t guard(const TaktFrame *frame, Call call) {
  RankRunner &runner = *frame->rank->runner;
  try {
    Status status = call(runner);
    if (status.ok())
      return 0;
    runner.recordError(std::move(status));
  } catch (const std::exception &exception) {
    runner.recordError(rankError("a library failed: ", exception.what()));
  }
  return 1;
}

int32_t libraryCall(const TaktFrame *frame, int32_t operation) {
  return guard(frame, [&](RankRunner &runner) {
    return runner.runLibraryCall(operation, frame->buffers);
  });
}

int32_t collectiveStart(const TaktFrame *frame, int32_t operation) {
  return guard(frame, [&](RankRunner &runner) {
    return runner.startCollective(operation, frame->buffers);
  });
}

int32_t collectiveWait(const TaktFrame *frame, int32_t operation) {
  return guard(frame, [&](RankRunner &runner) {
    return runner.waitCollective(operation, frame->buffers);
  });
}

} // namespace

const TaktApi &getStageApi() {
  static const TaktApi api = {TAKT_ABI_VERSION, sizeof(TaktApi), libraryCall,
                              collectiveStart, collectiveWait};
  return api;
}

} // namespace takt::runtime
