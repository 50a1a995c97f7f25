# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The thread that checks, while another one listens to the editor."""

from __future__ import annotations

import gc
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from kvlint.looks import StaleError
from kvlint.server.session import Answer, Session

_STACK = 64 * 1024 * 1024
"""Bytes for a thread in which trees are walked by recursion."""
_Result = TypeVar("_Result")
logger = logging.getLogger(__name__)


class Worker:
    """Does what is asked of a session, one thing after the other.

    Args:
        session: The session, which nobody else may touch from then on.
        publish: Takes an answer; it is called in the thread of the worker.
        rest: Is called there, with the session, when there is nothing left to do.

    Attributes:
        is_idle: Whether there is nothing left to do.
    """

    def __init__(
        self,
        session: Session,
        publish: Callable[[Answer], None],
        rest: Callable[[Session], None],
    ) -> None:
        """Start."""
        self._session, self._publish, self._rest = session, publish, rest
        self.is_idle = True
        self._tasks: deque[Callable[[], None]] = deque()
        self._news = threading.Condition()
        former = threading.stack_size(_STACK)
        try:
            # Whatever it is at, nobody waits for it at the end.
            threading.Thread(target=self._run, name="kvlint", daemon=True).start()
        finally:
            threading.stack_size(former)

    def do(self, task: Callable[[Session], _Result]) -> Future[_Result]:
        """Do something with the session, as soon as may be.

        Args:
            task: What to do.

        Returns:
            What comes of it.
        """
        future: Future[_Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(task(self._session))
            except Exception as error:
                logger.exception("kvlint failed; please report this")
                future.set_exception(error)

        with self._news:
            self._tasks.append(run)
            self.is_idle = False
            self._news.notify()
        return future

    def _run(self) -> None:
        import kvlint.registry  # what is needed first is at hand when it is

        kvlint.registry.checks()
        is_fresh = True
        while True:
            with self._news:
                self._news.wait_for(lambda: self._tasks)
            while self._tasks:
                self._tasks.popleft()()
            try:
                for answer in self._session.work(lambda: bool(self._tasks)):
                    self._publish(answer)
            except StaleError:
                continue
            except Exception:
                logger.exception("kvlint failed; please report this")
                self._session.give_up()
            self._rest(self._session)
            with self._news:
                self.is_idle = not self._tasks
            if is_fresh:
                gc.freeze()  # most of what is known by now stays so
                is_fresh = False
