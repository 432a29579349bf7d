# The lit suite: every .mlir, .onnxtxt and .test file below test/ is a test.
import os

import lit.formats

config.name = "Takt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".onnxtxt", ".test"]
config.excludes = ["Inputs", "Unit", "Models", "Execution"]
config.test_source_root = os.path.join(config.takt_source_root, "test")
config.test_exec_root = os.path.join(config.takt_binary_root, "test")

# FileCheck, not, count and split-file come from LLVM's tools package.
tools = [os.path.join(config.takt_binary_root, "bin"), config.llvm_tools]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
config.environment["NO_COLOR"] = "1"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# %models: the folder of the models that tools/setup made.
dependencies = os.environ.get("TAKT_DEPS") or os.path.join(config.takt_source_root, ".deps")
config.substitutions.append(("%models", os.path.join(dependencies, "models")))
config.substitutions.append(("%test", config.test_source_root))
