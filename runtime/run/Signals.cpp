#include "runtime/run/Signals.h"

#include <csignal>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace takt::runtime {
namespace {

// Never destroyed: the signal thread may use them while the process ends.
std::mutex &mutex = *new std::mutex;
std::vector<std::string> &temporaries = *new std::vector<std::string>;

void handleSignals(sigset_t signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) != 0)
    return;
  // Kept locked, so that no temporary file is made after this.
  mutex.lock();
  for (const std::string &path : temporaries)
    unlink(path.c_str());
  _exit(128 + signal);
}

} // namespace

void installSignalHandling() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(handleSignals, signals).detach();
}

void rememberTemporary(const std::string &path) {
  std::lock_guard<std::mutex> lock(mutex);
  temporaries.push_back(path);
}

void removeTemporaries() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::string &path : temporaries)
    unlink(path.c_str());
  temporaries.clear();
}

void forgetTemporaries() {
  std::lock_guard<std::mutex> lock(mutex);
  temporaries.clear();
}

} // namespace takt::runtime
