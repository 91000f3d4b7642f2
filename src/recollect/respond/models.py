"""The models that answer: that of the settings, and those that sessions have instead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from recollect.models.language.model import LanguageModel

Make = Callable[[], LanguageModel | None]


class AnsweringModels:
    """Models that sessions chose, each made once; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[Hashable, LanguageModel | None] = {}

    def get(self, about: Hashable, make: Make) -> LanguageModel | None:
        """Return a model; None where it lacks a key or a program.

        Args:
            about: Its name, and the settings that it is made with.
            make: Makes it.
        """
        with self._lock:
            if about not in self._models:
                self._models[about] = make()
            return self._models[about]

    def close(self) -> None:
        """Close them."""
        with self._lock:
            models = [each for each in self._models.values() if each is not None]
            self._models.clear()
        for model in models:
            model.close()
