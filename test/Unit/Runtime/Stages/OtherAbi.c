/* A stage library of another version. */
#include "runtime/abi/Abi.h"

uint32_t takt_stage_abi_version(void) { return TAKT_ABI_VERSION + 1; }

int32_t scale(const TaktApi *api, const TaktFrame *frame) { return 0; }
int32_t shift(const TaktApi *api, const TaktFrame *frame) { return 0; }
