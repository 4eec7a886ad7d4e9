"""What commands print at a terminal of 100 columns, word for word, in both languages."""

import pytest

from tests.golden.write_command_line import FOLDER, RUNS, Run, printed


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_command_prints_what_is_on_file(
    run: Run, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(request.config.rootpath)
    expected = (FOLDER / run.name).read_text(encoding="utf-8")
    assert printed(run) == expected, "python tests/golden/write_command_line.py writes the file again"


def test_no_file_is_left_over() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {run.name for run in RUNS}


@pytest.mark.parametrize(
    "run", [run for run in RUNS if not run.typed and "--json" not in run.arguments], ids=lambda run: run.name
)
def test_no_line_is_wider_than_the_terminal(run: Run) -> None:
    for line in (FOLDER / run.name).read_text(encoding="utf-8").splitlines():
        assert len(line) <= 100, line
