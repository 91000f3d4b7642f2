"""The course of a conversation: what was decided, what came of it, what is open, and its tone.

Read beside a summary, in the same pass over the utterances; only words of people and of the agent.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator

from recollect.text.languages.language import FIXED
from recollect.text.statements import kept, sentences
from recollect.text.statements.sentences import statements, states
from recollect.text.summary.tone import Tone, prevailing, tones_in
from recollect.text.turns import Utterance

_MOST = 8
"""Decisions, and open ends, of an episode: the newest."""
_BETWEEN = re.compile(r"(?<!\b\w\.)(?<=[.!?…])\s+|(?<=[。！？])")
"""The end of a sentence; a short message is one statement, whatever it has."""
_ASKS = ("?", "？", "؟", ";", "՞")


class Course:
    """Watches a conversation, message by message."""

    def __init__(self) -> None:
        self.last: Utterance | None = None
        """The last one that says something."""
        self._decisions: deque[str] = deque(maxlen=_MOST)
        self._open: deque[str] = deque(maxlen=_MOST)
        self._reported, self._repaired = "", ""
        self._tones: Counter[Tone] = Counter()

    def watching(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances, taking note of each."""
        for each in utterances:
            if each.text.strip():
                self.last = each
                self._note(each)
            yield each

    def resume(self, summary: str) -> None:
        """Take note of the lines of an earlier summary."""
        for line in summary.splitlines():
            self._keep(line.split(": ", 1)[-1], is_agents=True)

    @property
    def decisions(self) -> tuple[str, ...]:
        """The newest decisions, oldest first, in the words of who said them."""
        return tuple(dict.fromkeys(self._decisions))

    @property
    def outcome(self) -> str:
        """The agent's last report, of a repair if there was one; empty if it only asked."""
        return self._repaired or self._reported

    @property
    def open_ends(self) -> tuple[str, ...]:
        """The open points, and the agent's last question if it was not answered."""
        questions = [sentence for sentence in _sentences(self.question) if sentence.endswith(_ASKS)]
        return tuple(dict.fromkeys([*self._open, *questions[-1:]]))

    @property
    def question(self) -> str:
        """The agent's last question; empty without one, and where a person spoke last."""
        if self.last is None or self.last.role != "assistant":
            return ""
        questions = [
            sentence for sentence in statements(self.last.text) if sentence.endswith(_ASKS)
        ]
        return questions[-1] if questions else ""

    @property
    def tone(self) -> Tone:
        """How people spoke."""
        return prevailing(self._tones)

    def _note(self, utterance: Utterance) -> None:
        is_agents = utterance.role == "assistant"
        if not is_agents:
            self._tones.update(tones_in(utterance.text))
        reported = ""
        for sentence in _sentences(utterance.text):
            if (
                not self._keep(sentence, is_agents=is_agents)
                and is_agents
                and not sentence.endswith(_ASKS)
            ):
                reported = sentence
                if states(sentence, FIXED):
                    self._repaired = sentence
        self._reported = reported or self._reported

    def _keep(self, sentence: str, *, is_agents: bool) -> bool:
        """Note a decision or an open end; return whether it is one."""
        judge = sentences if is_agents else kept
        if judge.is_decision(sentence):
            self._decisions.append(sentence)
        elif judge.is_open_point(sentence):
            self._open.append(sentence)
        else:
            return False
        return True


def _sentences(text: str) -> Iterator[str]:
    for statement in statements(text):
        yield from filter(None, _BETWEEN.split(statement))
