"""Runs a model in another engine; a process of its own for each round, so that it
starts as cold and is as alone as a bundle's program.

usage: peer.py ENGINE MODEL INPUTS.npz THREADS REPEAT [OUTPUTS.npz]

Prints the seconds of each of REPEAT runs, after a warm-up, as a JSON list. With
REPEAT 0, writes the outputs."""

import json
import sys
import time

import numpy as np

WARM_UP = 3


class OnnxRuntime:
    """Inputs and outputs are bound, so that no copy into Python is timed."""

    def __init__(self, path, inputs, threads):
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self.names = [output.name for output in self.session.get_outputs()]
        self.binding = self.session.io_binding()
        # The binding does not own these.
        self.values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in inputs.values()]
        for name, value in zip(inputs, self.values):
            self.binding.bind_ortvalue_input(name, value)
        for name in self.names:
            self.binding.bind_output(name, "cpu")

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        self.run()
        return dict(zip(self.names, self.binding.copy_outputs_to_cpu()))


class OpenVino:
    def __init__(self, path, inputs, threads):
        import openvino

        options = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
        }
        compiled = openvino.Core().compile_model(path, "CPU", options)
        self.names = [output.get_any_name() for output in compiled.outputs]
        self.request = compiled.create_infer_request()
        for name, value in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(value, shared_memory=True))

    def run(self):
        self.request.infer()

    def outputs(self):
        self.run()
        values = [
            self.request.get_output_tensor(index).data.copy() for index in range(len(self.names))
        ]
        return dict(zip(self.names, values))


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def main(engine, path, inputs, threads, repeat, outputs=None):
    runner = ENGINES[engine](path, dict(np.load(inputs)), int(threads))
    if outputs:
        np.savez(outputs, **runner.outputs())
        return
    for _ in range(WARM_UP):
        runner.run()
    seconds = []
    for _ in range(int(repeat)):
        start = time.perf_counter()
        runner.run()
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
