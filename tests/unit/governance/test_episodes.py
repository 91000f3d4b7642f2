"""Episodes: whatever a person said leaves something, before the messages are removed."""

from __future__ import annotations

import pytest

from recollect.audience.identity_links import read_links
from recollect.audience.owner import Owner, read_owner
from recollect.audience.visibility import Speakers, visibility_group_of
from recollect.core.events import MessagesPruned, SessionPruned
from recollect.core.scope import Scope
from recollect.sessions.context.episode import Episode, episodes_of, hearers_of
from recollect.store.journal import events_since
from tests.unit.governance.kept_home import KeptHome


def _pruned(home: KeptHome, *said: tuple[str, str], tokens: int = 300) -> list[Episode]:
    """Say something, let all of it go, and return what stays."""
    session = home.sessions.create().id
    home.sessions.append_many(session, said)
    home.clock.now += 3 * 86_400_000
    home.retention(days=1, episode_tokens=tokens).prune()
    return home.records.read(lambda tx: episodes_of(tx, Scope(), session))


def _last_event(home: KeptHome) -> object:
    return [found.event for found in home.records.read(lambda tx: events_since(tx, 0))][-1]


@pytest.mark.parametrize(
    "said",
    [
        "We decided to call the zebra project Nightjar. Remember it.",
        "ok",
        "Мы решили назвать проект «Козодой».",
        "我们决定把项目叫做夜鹰。",
        "プロジェクト名はヨタカにします。",
        "قررنا تسمية المشروع طائر الليل",
        "ตกลงเรียกโครงการว่านกตบยุง",
        "x" * 5_000,
        "夜" * 5_000,
    ],
)
def test_a_short_talk_leaves_what_was_said(home: KeptHome, said: str) -> None:
    """In every language, and of a long word its beginning."""
    (episode,) = _pruned(home, ("user", said), ("assistant", "Fine."))
    assert said[:40] in episode.summary
    event = _last_event(home)
    assert isinstance(event, SessionPruned)
    assert event.has_episode


def test_the_first_and_last_line_decisions_and_what_must_last_stay(home: KeptHome) -> None:
    """However much was said between them."""
    talk = [("user", f"Small talk number {n}, is it?") for n in range(200)]
    talk[0] = ("user", "tere, alustame")
    talk[70] = ("assistant", "Decided: the release is called Nightjar.")
    talk[90] = ("user", "Remember that the cellar key hangs behind the door.")
    talk[-1] = ("user", "head aega")
    (episode,) = _pruned(home, *talk)
    lines = episode.summary.splitlines()
    assert "tere, alustame" in lines[0]
    assert "head aega" in lines[-1]
    assert "Nightjar" in episode.summary
    assert "cellar key" in episode.summary


def test_what_a_tool_never_answered_is_not_told_as_done(home: KeptHome) -> None:
    """What the agent said while it asked is; so is who answered another call."""

    def call(name: str, said: str) -> dict[str, object]:
        asked = {"type": "tool_use", "id": name, "name": name, "input": {}}
        return {"role": "assistant", "content": [{"type": "text", "text": said}, asked]}

    session = home.sessions.create().id
    home.sessions.append_many(
        session,
        [
            ("user", "Book the flight to Tartu, please, and the hotel."),
            call("book_hotel", "Decided: the hotel is booked for 14 May."),
            {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "book_hotel"}]},
            call("book_flight", "Decided: the flight is booked for 14 May at 9:40."),
        ],
    )
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    (episode,) = home.records.read(lambda tx: episodes_of(tx, Scope(), session))
    hotel, flight = (
        next(line for line in episode.summary.splitlines() if word in line)
        for word in ("the hotel is", "the flight is")
    )
    assert " assistant: Decided" in hotel
    assert " no result of book_flight (assistant): Decided" in flight


def test_where_no_person_spoke_nothing_stays_and_the_event_says_so(home: KeptHome) -> None:
    """It goes all the same."""
    assert _pruned(home, ("assistant", "")) == []
    event = _last_event(home)
    assert isinstance(event, SessionPruned)
    assert not event.has_episode


def test_episodes_can_be_switched_off(home: KeptHome) -> None:
    """Then the event says that none stays."""
    assert _pruned(home, ("user", "We decided to use tea."), tokens=0) == []
    event = _last_event(home)
    assert isinstance(event, SessionPruned)
    assert not event.has_episode


def test_a_session_that_is_cut_leaves_what_was_cut(home: KeptHome) -> None:
    """One line is enough."""
    session = home.sessions.create().id
    home.sessions.append_many(session, [("user", "We call it Nightjar."), ("assistant", "Fine.")])
    home.sessions.append_many(session, [("user", "And now?"), ("assistant", "Tea.")])
    home.retention(max_messages=2).prune()
    (episode,) = home.records.read(lambda tx: episodes_of(tx, Scope(), session))
    assert "Nightjar" in episode.summary
    event = _last_event(home)
    assert isinstance(event, MessagesPruned)
    assert event.has_episode


def _heard(home: KeptHome, session: str, owner: Owner) -> dict[str, str]:
    """Return what each visibility group hears in the episodes of a session."""
    told: dict[str, str] = {}
    for episode in home.records.read(lambda tx: episodes_of(tx, Scope(), session)):
        group = hearers_of(episode, owner).name
        told[group] = told.get(group, "") + episode.summary
    return told


def test_in_a_shared_session_each_hears_of_their_own_turns(home: KeptHome) -> None:
    """As of its messages; who the owner is and who is linked is asked when it is heard."""
    session = home.sessions.open("agent:main:main").id
    for sender, fruit in ((None, "apple"), ("telegram:43", "plum"), ("slack:a:U7", "fig")):
        said = {"role": "user", "content": f"We decided on the {fruit}.", "sender": sender}
        home.sessions.append_many(session, [said, ("assistant", f"{fruit}, then.")])
    home.sessions.compact(session, keep_messages=1)
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()

    links = read_links(["ann=telegram:43"])
    for owner, owners in (
        (Owner(), {"apple"}),
        (read_owner(["telegram:43"], links), {"apple", "plum"}),
    ):
        heard = _heard(home, session, owner)
        mine = visibility_group_of(Speakers(agent="main"), owner).name
        fruits = {
            group: {fruit for fruit in ("apple", "plum", "fig") if fruit in said}
            for group, said in heard.items()
        }
        assert fruits.pop(mine) == owners
        assert sorted(map(sorted, fruits.values())) == sorted(
            [fruit] for fruit in {"apple", "plum", "fig"} - owners
        )


def test_a_group_hears_the_episode_of_all_that_was_said_in_it(home: KeptHome) -> None:
    """Whoever said it."""
    session = home.sessions.open("agent:main:telegram:group:-100").id
    for sender, fruit in (("telegram:42", "apple"), ("telegram:43", "plum")):
        said = {"role": "user", "content": f"We decided on the {fruit}.", "sender": sender}
        home.sessions.append_many(session, [said, ("assistant", "Fine.")])
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    ((group, told),) = _heard(home, session, Owner()).items()
    assert "apple" in told
    assert "plum" in told
    assert group.startswith('["place"')


def test_an_episode_of_before_is_the_owners_alone(home: KeptHome) -> None:
    """It may mix what several people said."""
    session = home.sessions.open("telegram:43").id
    home.sessions.append_many(session, [("user", "We decided on tea."), ("assistant", "Fine.")])
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    (group,) = _heard(home, session, Owner())
    assert "telegram" in group
    home.records.write(lambda tx: tx.execute("UPDATE episodes SET speakers = NULL"))
    (group,) = _heard(home, session, Owner())
    assert group == visibility_group_of(Speakers(agent="main"), Owner()).name


def test_what_a_compaction_heard_of_others_is_in_nobodys_episode(home: KeptHome) -> None:
    """Where their turns went before, only the summary still has them."""
    session = home.sessions.open("agent:main:main").id
    for sender, fruit in (("telegram:44", "plum"), ("telegram:43", "fig"), ("telegram:43", "kiwi")):
        said = {"role": "user", "content": f"We decided on the {fruit}.", "sender": sender}
        home.sessions.append_many(session, [said, ("assistant", "Fine.")])
    home.sessions.compact(session, keep_messages=1)
    home.records.write(lambda tx: tx.execute("UPDATE compactions SET summary = 'plum and fig'"))
    home.retention(max_messages=4).prune()
    home.clock.now += 3 * 86_400_000
    home.retention(days=1).prune()
    heard = _heard(home, session, Owner())
    (fig,) = (said for said in heard.values() if "kiwi" in said)
    assert "plum" not in fig
