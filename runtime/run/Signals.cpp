#include "runtime/run/Signals.h"
#include "runtime/core/Status.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace takt::runtime {
namespace {

// Never destroyed: the signal thread may use them while the process ends.
std::mutex &mutex = *new std::mutex;
std::vector<std::string> &temporaries = *new std::vector<std::string>;

/// The handler of SIGBUS asks the signal thread with this one.
int endSignal() { return SIGRTMIN; }

void handleSignals(sigset_t signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) != 0)
    return;
  // Kept locked, so that no temporary file is made after this.
  mutex.lock();
  for (const std::string &path : temporaries)
    unlink(path.c_str());
  _exit(signal == endSignal() ? static_cast<int>(Code::Environment)
                              : 128 + signal);
}

/// Only what a handler may do: no lock, no memory. Several ranks may meet the
/// end of the file at once; one of them says so.
void handleBusError(int) {
  static std::atomic_flag isReported = ATOMIC_FLAG_INIT;
  while (isReported.test_and_set())
    pause();
  constexpr char text[] = "error: a file in use (an input or a part of the "
                          "bundle) was cut short or cannot be read (exit 6)\n";
  (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
  kill(getpid(), endSignal());
  while (true)
    pause();
}

void removeAll() {
  for (const std::string &path : temporaries)
    unlink(path.c_str());
  temporaries.clear();
}

} // namespace

void installSignalHandling() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, handleBusError);
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, endSignal()})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(handleSignals, signals).detach();
}

int openTemporary(const std::string &path) {
  std::lock_guard<std::mutex> lock(mutex);
  temporaries.push_back(path);
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

size_t renameTemporaries(
    const std::vector<std::pair<std::string, std::string>> &files) {
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = 0; i < files.size(); ++i) {
    if (std::rename(files[i].first.c_str(), files[i].second.c_str()) == 0)
      continue;
    int error = errno;
    for (size_t done = 0; done < i; ++done)
      unlink(files[done].second.c_str());
    removeAll();
    errno = error;
    return i;
  }
  temporaries.clear();
  return files.size();
}

void removeTemporaries() {
  std::lock_guard<std::mutex> lock(mutex);
  removeAll();
}

} // namespace takt::runtime
