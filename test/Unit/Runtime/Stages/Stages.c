/* Stages whose results are known exactly. Buffers and values are in the order
 * of BundleBuilder.cpp. */
#include "runtime/abi/Abi.h"

#include <unistd.h>

enum { columns = 4 };

uint32_t takt_stage_abi_version(void) { return TAKT_ABI_VERSION; }

/* sum over shards of x * w. */
int32_t scale(const TaktApi *api, const TaktFrame *frame) {
  const float *x = frame->buffers[0];
  const float *w = frame->buffers[1];
  float *part = frame->buffers[2];
  for (int64_t i = 0; i < frame->values[0] * columns; ++i)
    part[i] = x[i] * w[i % columns];
  if (api->collectiveStart(frame, 0))
    return 1;
  return api->collectiveWait(frame, 0);
}

/* (y + shift of the shard), side by side for all shards. */
int32_t shift(const TaktApi *api, const TaktFrame *frame) {
  const float *y = frame->buffers[0];
  const float *amount = frame->buffers[1];
  float *part = frame->buffers[2];
  for (int64_t i = 0; i < frame->values[0] * columns; ++i)
    part[i] = y[i] + amount[0];
  if (api->collectiveStart(frame, 0))
    return 1;
  return api->collectiveWait(frame, 0);
}

/* Fails on the shard whose shift is 20. */
int32_t shift_fail(const TaktApi *api, const TaktFrame *frame) {
  const float *amount = frame->buffers[1];
  return amount[0] == 20 ? 7 : shift(api, frame);
}

/* Sleeps on the shard whose shift is 20. */
int32_t shift_sleep(const TaktApi *api, const TaktFrame *frame) {
  const float *amount = frame->buffers[1];
  if (amount[0] == 20)
    sleep(2);
  return shift(api, frame);
}

/* Calls an operation that does not exist. */
int32_t shift_stray(const TaktApi *api, const TaktFrame *frame) {
  return api->libraryCall(frame, 99);
}
