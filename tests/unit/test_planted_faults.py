"""Each fault that planted_faults.py plants has a place in the code as it is now."""

from __future__ import annotations

import pytest

from tests.planted_faults import FAULTS, ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_stands_exactly_once(fault):
    assert fault.place(ROOT).is_file()
    assert fault.new != fault.old


def test_faults_have_names_of_their_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
