# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Started by an interpreter that need not have kvlint: answers what kvlint asks.

Usage: ``python FOLDER REQUESTS ANSWERS PATH ...``. FOLDER is that of this file, the
next two are descriptors, and the paths are put before ``sys.path``.
"""

import importlib.util
import os
import sys

_NAME = "_kvlint_programs"


def _begin() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.version_info < (3, 10):  # noqa: UP036
        told = '{"error": {"old": "%d.%d"}}\n' % tuple(sys.version_info[:2])  # noqa: UP031
        os.write(int(sys.argv[2]), told.encode())
        os._exit(0)
    # A name of its own, so that nothing of the project's is hidden.
    spec = importlib.util.spec_from_file_location(
        _NAME,
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)
    requests, answers = int(sys.argv[1]), int(sys.argv[2])
    sys.path[:1] = sys.argv[3:]
    sys.argv[:] = [""]
    importlib.import_module(_NAME + ".child").main(requests, answers)


_begin()
