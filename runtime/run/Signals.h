/// Temporary files and the ways in which the program ends.
#ifndef TAKT_RUNTIME_RUN_SIGNALS_H
#define TAKT_RUNTIME_RUN_SIGNALS_H

#include <string>

namespace takt::runtime {

/// Blocks SIGINT and SIGTERM in this thread and those that it starts later, and
/// handles them in a thread of its own: temporary files are removed, then the
/// process ends with 128 + the signal's number. Ignores SIGPIPE.
void installSignalHandling();

/// Files to remove should the process end early.
void rememberTemporary(const std::string &path);
/// Removes the files that are still remembered.
void removeTemporaries();
/// Forgets all: they have their final names.
void forgetTemporaries();

} // namespace takt::runtime

#endif
