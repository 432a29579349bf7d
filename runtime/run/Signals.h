/// Temporary files and the ways in which the program ends.
#ifndef TAKT_RUNTIME_RUN_SIGNALS_H
#define TAKT_RUNTIME_RUN_SIGNALS_H

#include <string>
#include <utility>
#include <vector>

namespace takt::runtime {

/// Blocks SIGINT, SIGTERM and SIGHUP in this thread and those that it starts
/// later, and handles them in a thread of its own: temporary files are removed,
/// then the process ends with 128 + the signal's number. Reading a mapped file
/// that was cut short ends it with `Code::Environment`. Ignores SIGPIPE and
/// SIGXFSZ, so that writing fails instead.
void installSignalHandling();

/// Opens a file for writing that is removed should the process end early; -1
/// with errno on failure.
int openTemporary(const std::string &path);
/// Renames the temporary files (from, to): all, or none stays under either
/// name. Gives the index of the one that failed with errno, or their number.
size_t renameTemporaries(
    const std::vector<std::pair<std::string, std::string>> &files);
/// Removes the files that still have their temporary names.
void removeTemporaries();

} // namespace takt::runtime

#endif
