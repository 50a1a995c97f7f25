# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""An interpreter that has what vLLM's own module imports, made once and kept."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import venv
from pathlib import Path

from corpus import cache_folder

# What the module imports. The newest torch would be one for CUDA, of several GB.
REQUIREMENTS = ["torch==2.13.0", "numpy", "regex", "psutil", "packaging"]
# What the planner, the scheduler and the workers of 0.33.0 import beside it.
REQUIREMENTS += [
    "aiohttp",
    "cachetools",
    "cbor2",
    "cloudpickle",
    "einops",
    "fastapi",
    "llguidance",
    "msgspec",
    "openai",
    "openai-harmony",
    "partial-json-parser",
    "pillow",
    "prometheus-client",
    "py-cpuinfo",
    "pybase64",
    "pydantic",
    "pyyaml",
    "pyzmq",
    "requests",
    "transformers",
    "uvicorn",
    "uvloop",
    "xgrammar",
]


def interpreter() -> Path:
    """Return the interpreter, with torch for the CPU.

    Of several test processes that find none, one makes it and the others wait.
    """
    tag = "{}.{}".format(*sys.version_info)
    folder = cache_folder() / f"vllm-environment-{tag}"
    python = folder / "bin" / "python"
    complete = folder / "complete.txt"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.is_file() or complete.read_text().split() != REQUIREMENTS:
            venv.create(folder, clear=True, with_pip=True)
            install = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([python, *install, *REQUIREMENTS], check=True)
            complete.write_text("\n".join(REQUIREMENTS))
    return python
