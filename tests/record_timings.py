"""Write down the timings of a search on a device, for tests/unit/test_search.py.

    python tests/record_timings.py DEVICE TRAITS N BATCH FILE

TRAITS is the name of the device's in tests/recorded_traits.py: what is tried follows from them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pyclfft.files import atomic_write
from pyclfft.planning.lookup import Workclass
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.runtime import choice, describe, queues
from pyclfft.tuning.measure import DeviceMeasure
from pyclfft.tuning.search import Search
from pyclfft.tuning.space import Task
from tests.recorded_traits import RECORDED


class Recording(DeviceMeasure):
    """Measures, and remembers times by the values of their candidates, in turns with the best."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.ms: dict[str, float] = {}

    def __call__(self, candidates):
        timings = super().__call__(candidates)
        keys = [json.dumps(each.values, sort_keys=True) for each in candidates]
        scale = self.ms.get(keys[0], timings[0].ms) / timings[0].ms
        for key, timing in zip(keys, timings, strict=True):
            self.ms.setdefault(key, round(timing.ms * scale, 6))
        return timings


def main(spec: str, name: str, n: str, batch: str, path: str) -> None:
    device = choice.select_device(spec)
    problem = make_problem((int(batch), int(n)), "c8", 1)
    task = Task(problem, RECORDED[name], parameters_for(RECORDED[name]))
    measure = Recording(queues.context_of(device), problem)
    found = Search(task, measure).run()
    document = {
        "device": describe.device_label(device),
        "problem": str(Workclass.of(problem)),
        "traits": name,
        "axes": 1,
        "best": dict(found.values),
        "gain": round(found.default_ms / found.ms, 3),
        "ms": measure.ms,
    }
    with atomic_write(path) as file:
        file.write((json.dumps(document, indent=1) + "\n").encode())
    print(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
