"""takt when a signal ends it: the code of the signal, and nothing left."""

import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import env
import models


class SignalTest(unittest.TestCase):
    def compile_until(self, number, seconds):
        model = models.repository_models()[0].path
        with tempfile.TemporaryDirectory() as folder:
            command = [env.TAKT, "compile", model, "-o", Path(folder) / "x.takt"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            time.sleep(seconds)
            process.send_signal(number)
            code = process.wait()
            # Before its handlers stand, the signal itself ends takt; a machine
            # that is fast enough may be done.
            self.assertIn(code, (128 + number, -number, 0))
            self.assertEqual(list(Path(folder).iterdir()) if code else [], [])
            return code

    def test_code_tells_the_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            codes = {self.compile_until(number, 0.05 * step) for step in range(6)}
            self.assertIn(128 + number, codes)
