/* The only header that a stage library and the runtime share: plain C, no
 * dependency. A runtime refuses a library whose version differs. */
#ifndef TAKT_RUNTIME_ABI_ABI_H
#define TAKT_RUNTIME_ABI_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_ABI_VERSION 2

/* Most ranks of a bundle, and most shards of one stage. */
#define TAKT_MAX_RANKS 65536
#define TAKT_MAX_SHARDS 4096

struct TaktRank;

/* One execution of a stage on one micro-batch. */
typedef struct TaktFrame {
  /* Sizes: Manifest.values evaluated for this micro-batch. */
  const int64_t *values;
  /* StageProgram.buffers resolved: arena, weights, inputs, channel slots. */
  void *const *buffers;
  /* The rank that runs it; opaque to the library. */
  struct TaktRank *rank;
} TaktFrame;

/* What the runtime offers to a stage library. `operation` is an index into
 * StageProgram.operations. Each call returns 0, or non-zero after it has
 * recorded the error in the rank; the caller returns at once then. */
typedef struct TaktApi {
  uint32_t version;
  uint32_t size;
  /* Contraction, convolution or pooling by the vendor's library. */
  int32_t (*libraryCall)(const TaktFrame *frame, int32_t operation);
  /* A collective among the stage's ranks. Its input must not be written and
   * its output not be read between start and wait. */
  int32_t (*collectiveStart)(const TaktFrame *frame, int32_t operation);
  int32_t (*collectiveWait)(const TaktFrame *frame, int32_t operation);
} TaktApi;

/* Exported by each stage library. */
typedef uint32_t (*TaktStageVersionFn)(void);
typedef int32_t (*TaktStageForwardFn)(const TaktApi *api,
                                      const TaktFrame *frame);
#define TAKT_STAGE_VERSION_SYMBOL "takt_stage_abi_version"

#ifdef __cplusplus
}
#endif
#endif
