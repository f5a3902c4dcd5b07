"""An untrusted ONNX policy, run in a confined process: on one thread, with a time limit for each step."""

import time
from typing import Any, Final

import numpy as np

from agbench.untrusted import onnx_graph
from agbench.untrusted.refusal import RefusedError

RUNNER: Final = "agbench.untrusted.onnx_runner:answer"
START_SECONDS: Final = 10.0  # of processor time that a policy has on top of
STEP_SECONDS: Final = 0.02  # so much a step


class _Running:
    """The policy that the process holds, its states, and the time that it took."""

    def __init__(self, graph: onnx_graph.CheckedGraph) -> None:
        self._graph = graph
        self._session = _session(graph.content)
        self._outputs = [onnx_graph.OUTPUT, *(f"{onnx_graph.NEXT}{name}" for name in graph.states)]
        self._steps, self._seconds = 0, 0.0
        self.reset()

    def reset(self) -> None:
        """Set all states to 0."""
        self._states = {n: np.zeros(shape, dtype) for n, (shape, dtype) in self._graph.states.items()}

    def act(self, observation: bytes) -> list[float]:
        """Return the outputs for one observation (float64), and keep the states."""
        seen = np.frombuffer(observation, np.float64)[None].astype(self._graph.dtype)
        started = time.process_time()
        result = _run(self._session, self._outputs, {onnx_graph.INPUT: seen, **self._states})
        self._states = dict(zip(self._graph.states, result[1:], strict=True))
        self._steps += 1
        self._seconds += time.process_time() - started
        if self._seconds > START_SECONDS + STEP_SECONDS * self._steps:
            raise RefusedError(
                "",
                "time",
                f"{self._seconds:.0f} s of processor time for {self._steps:,} steps; "
                f"at most {START_SECONDS:g} s and {STEP_SECONDS:g} s a step.",
            )
        outputs: list[float] = result[0][0].astype(np.float64).tolist()
        return outputs


_running: _Running | None = None


def prepare() -> None:
    """Import the libraries, and let them open whatever they open, while files can still be opened."""
    import onnx
    from onnx import TensorProto, helper

    seen = helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", 1])
    out = helper.make_tensor_value_info("action", TensorProto.FLOAT, ["batch", 1])
    graph = helper.make_graph([helper.make_node("Tanh", ["observation"], ["action"])], "warm", [seen], [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    _Running(onnx_graph.check(model.SerializeToString(), 1, 1)).act(np.zeros(1).tobytes())


def answer(question: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Check a policy (`load`), start an episode (`reset`), or return its outputs (`act`).

    `made_for` returns what a file says that it was made for; nothing of it is run.
    """
    global _running
    if question["do"] == "made_for":
        return onnx_graph.made_for(content)
    if question["do"] == "load":
        _running = None
        graph = onnx_graph.check(content, question["inputs"], question["outputs"])
        _running = _Running(graph)
        return {"precision": graph.dtype}
    if _running is None:
        raise RefusedError("", "", "it broke down before.")
    if question["do"] == "reset":
        _running.reset()
        return {}
    return {"outputs": _running.act(content)}


def _session(content: bytes) -> Any:
    """Return the graph made ready: one thread, nothing rewritten, nothing folded."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.use_deterministic_compute = True
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return _guarded(
        lambda: onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    )


def _run(session: Any, outputs: list[str], feeds: dict[str, Any]) -> Any:
    return _guarded(lambda: session.run(outputs, feeds))


def _guarded(work: Any) -> Any:
    """Return what the runtime gives; its error for want of memory becomes Python's."""
    try:
        return work()
    except Exception as error:
        if "alloc" in str(error).lower():
            raise MemoryError from None
        raise
