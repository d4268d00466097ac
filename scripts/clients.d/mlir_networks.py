"""The networks of the onnx package as MLIR: imported, lowered to linalg, bufferized, with each buffer freed after its last
use. The package carries their graphs without the weights.
"""

import pathlib

import onnx
from onnx import shape_inference, version_converter
from torch_mlir import ir
from torch_mlir.dialects import torch
from torch_mlir.extras import onnx_importer
from torch_mlir.passmanager import PassManager

# The importer refuses the operator sets that the graphs were written with.
OPERATOR_SET = 17

# The planner takes no function that returns a buffer, so results become arguments.
PIPELINE = """builtin.module(
  torch-onnx-to-torch-backend-pipeline,
  torch-backend-to-linalg-on-tensors-backend-pipeline,
  one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},
  buffer-results-to-out-params{modify-public-functions=true},
  ownership-based-buffer-deallocation,
  canonicalize,
  buffer-deallocation-simplification,
  bufferization-lower-deallocations,
  cse,
  canonicalize,
  func.func(optimize-allocation-liveness))"""


def texts():
    """The name of each network, and its module."""
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for path in sorted(folder.glob("light_*.onnx")):
        yield path.stem.removeprefix("light_"), import_network(path)


def import_network(path):
    model = version_converter.convert_version(onnx.load(path), OPERATOR_SET)
    info = onnx_importer.ModelInfo(shape_inference.infer_shapes(model))
    context = ir.Context()
    torch.register_dialect(context)
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with context:
        PassManager.parse(PIPELINE).run(module)
    return str(module)
