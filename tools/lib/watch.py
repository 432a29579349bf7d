"""Watches the memory of a program while it runs."""

import subprocess
import threading
import time
from pathlib import Path


class AnonymousMemory:
    """Samples a process's anonymous resident memory (bytes) until it ends."""

    def __init__(self, pid, seconds=0.01):
        self.samples, self.pid, self.seconds = [], pid, seconds
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()

    def sample(self):
        while True:
            try:
                status = Path(f"/proc/{self.pid}/status").read_text()
            except OSError:
                return
            found = [line for line in status.splitlines() if line.startswith("RssAnon")]
            if not found:  # it has ended
                return
            self.samples.append(int(found[0].split()[1]) * 1024)
            time.sleep(self.seconds)

    @property
    def peak(self):
        return max(self.samples, default=0)

    def growth(self):
        """From a quarter of the time on to the end: what was not warm-up."""
        later = self.samples[len(self.samples) // 4 :]
        return later[-1] - later[0] if later else 0


def run_watched(command, seconds=1800):
    """(seconds that a program took, its AnonymousMemory); raises where it fails."""
    start = time.monotonic()
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    memory = AnonymousMemory(process.pid)
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    taken = time.monotonic() - start
    memory.thread.join()
    if process.returncode:
        raise RuntimeError(f"'{command[0]}' ended with exit code {process.returncode}: {errors}")
    return taken, memory
