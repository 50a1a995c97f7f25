# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Code that is hostile or broken ends in one clear error and leaves no process."""

from __future__ import annotations

import os
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest

from kvlint.errors import KvlintError
from kvlint.verifying.process import Interpreter, Limits, Raised

_MARK = "KVLINT_TEST_MARK"
_LONG = Limits(seconds=20, memory=256 << 20, processes=12)
_SHORT = Limits(seconds=0.4, memory=256 << 20, processes=12)


def _marked(mark: str) -> list[int]:
    """The processes that have a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{_MARK}={mark}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _import(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, limits: Limits = _LONG
) -> object:
    """Import a module with this text; whatever comes of it, no process is left."""
    (folder / "hostile.py").write_text(textwrap.dedent(text), encoding="utf-8")
    mark = uuid.uuid4().hex
    monkeypatch.setenv(_MARK, mark)
    try:
        with Interpreter(Path(sys.executable), [folder], limits, folder) as one:
            one.call("starting", "begin", stand_ins=[])
            return one.call("importing hostile", "import", module="hostile")
    finally:
        end = time.monotonic() + 5
        while (left := _marked(mark)) and time.monotonic() < end:
            time.sleep(0.02)  # one that was killed may still be on its way out
        assert left == []


@pytest.mark.parametrize(
    ("text", "limits", "told"),
    [
        ("import sys; sys.exit(3)", _LONG, "SystemExit: 3 ("),
        ("raise ValueError('no\\nway')", _LONG, "ValueError: no way ("),
        ("def (", _LONG, "SyntaxError: invalid syntax"),
        ("import os; os._exit(4)", _LONG, "ended the interpreter with exit code 4"),
        ("import os; os.abort()", _LONG, "ended the interpreter by signal SIGABRT"),
        ("while True: pass", _SHORT, "did not end within 0.4 seconds (--timeout)"),
        (
            """
            import signal, time
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(600)
            """,
            _SHORT,
            "did not end within 0.4 seconds (--timeout)",
        ),
        (
            "held = [bytearray(20_000_000) for _ in range(1000)]",
            _LONG,
            "took more than 256 MB of memory (--memory-limit)",
        ),
        (
            # Each of them is within the limit, but all together are not.
            """
            import os, time
            for _ in range(4):
                if not os.fork():
                    held = bytearray(os.urandom(1) * 100_000_000)
                    time.sleep(600)
            time.sleep(600)
            """,
            _LONG,
            "took more than 256 MB of memory (--memory-limit)",
        ),
        (
            """
            import os
            while True:
                os.fork()
            """,
            _LONG,
            "started more than 12 processes",
        ),
        (
            """
            import os, signal, time
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
            """,
            _LONG,
            "ended the interpreter, and what watched over it",
        ),
        (
            """
            import os
            for each in range(3, 20):
                try:
                    os.write(each, b"hello\\n")
                except OSError:
                    pass
            """,
            _LONG,
            "the interpreter's answer makes no sense",
        ),
        (
            "import os, time; os.closerange(3, 20); time.sleep(600)",
            _LONG,
            "closed the descriptor that its answers go to",
        ),
    ],
)
def test_hostile_modules_end_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    limits: Limits,
    told: str,
) -> None:
    with pytest.raises(KvlintError) as error:
        _import(tmp_path, monkeypatch, text, limits)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "import os; print('x' * 300_000); os.write(2, b'y' * 300_000)",
        "import os; os.fork()",
        """
        import os, time
        if not os.fork():
            os.setsid()
            if not os.fork():
                time.sleep(600)
            os._exit(0)
        """,
        "import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)",
        """
        import threading, time
        threading.Thread(target=time.sleep, args=[600]).start()
        """,
    ],
)
def test_what_only_makes_noise_is_imported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    text: str,
) -> None:
    found = _import(tmp_path, monkeypatch, text)
    assert found == {"file": str(tmp_path / "hostile.py")}
    assert capfd.readouterr() == ("", "")


def test_interpreter_needs_none_of_kvlint(tmp_path: Path) -> None:
    (tmp_path / "kvlint.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "values.py").write_text("mine = True")
    with Interpreter(Path(sys.executable), [tmp_path], _LONG, tmp_path) as one:
        told = one.call("starting", "begin", stand_ins=["rebel"])
        assert told == {"version": list(sys.version_info[:3])}
        for module, file in ("values", str(tmp_path / "values.py")), ("rebel.a", None):
            assert one.call("", "import", module=module) == {"file": file}
        with pytest.raises(
            Raised, match="merging raised AttributeError: module 'values' has no"
        ):
            one.call("merging", "merge", layers=[{"class": "values:X", "fields": {}}])


def test_no_interpreter_is_an_error(tmp_path: Path) -> None:
    for name in ("false", "true"):
        with (
            Interpreter(Path("/bin") / name, [], _SHORT, tmp_path) as one,
            pytest.raises(KvlintError, match="starting ended the interpreter"),
        ):
            one.call("starting", "begin", stand_ins=[])


def test_an_interrupt_ends_what_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(_MARK, mark)
    with (
        pytest.raises(KeyboardInterrupt),
        Interpreter(Path(sys.executable), [tmp_path], _LONG, tmp_path) as one,
    ):
        one.call("starting", "begin", stand_ins=[])
        assert os.getpid() not in _marked(mark)
        assert _marked(mark)
        raise KeyboardInterrupt
    assert _marked(mark) == []
