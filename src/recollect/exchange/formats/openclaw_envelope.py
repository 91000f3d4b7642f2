"""The envelope that OpenClaw up to 2026.2 put around the words of people, with their names.

``[Telegram Ann (@ann) id:42 +5m 2026-02-10 10:00 UTC] Hello.`` in a direct chat; in a group the
brackets name the group, and ``Ann (@ann) id:42: `` or ``Ann (42): `` opens the words. Where
a label is the id, as a telephone number is, it is not repeated.
"""

from __future__ import annotations

import re

from recollect.audience.account import NO_CHANNEL, account

_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CHANNELS = (
    r"(?:BlueBubbles|Discord|Feishu|Google ?Chat|iMessage|IRC|LINE|Matrix|Mattermost|(?:MS ?)?Teams"
    r"|Nextcloud Talk|Nostr|Signal|Slack|Telegram|Tlon|Twitch|WebChat|WhatsApp|Zalo)"
)
_ENVELOPE = re.compile(
    # Facts of the conversation, the sender, quotes: a line and a block of JSON.
    r"\s*(?:[A-Z][^\n(]{0,60} \(untrusted[^)\n]*\):[ \t]*\n```(?:json)?\n.*?\n```[ \t]*(?:\n|$)"
    r"|[^\n]*\u27e6openclaw:ctx\u27e7[ \t]*(?:\n|$)"
    r"|System: \[[^\]\n]*\d\d:\d\d[^\]\n]*\][^\n]*(?:\n|$)"
    r"|\[Chat messages since your last reply - for context\]\n.*?"
    r"\n\[Current message - respond to this\][ \t]*(?:\n|$)"
    rf"|\[{_DAY} \d{{4}}-\d\d-\d\d \d\d:\d\d[^\]\n]*\][ \t]?"
    rf"|\[(?P<channel>{_CHANNELS})\b(?P<facts>[^\]\n]*)"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]*\][ \t]?)",
    re.DOTALL,
)
"""The text that older versions put before the words of a person."""
_FOOT = re.compile(r"\n\[message_id: [^\]\n]+\]\s*$")
_ID = re.compile(r"(?:^|.* )id:([^\s\]]+)")
"""The last one: a name may hold what looks like it."""
_ELAPSED = re.compile(r" \+\d+[smhd]\b.*")
_USERNAME = re.compile(r" \(@[^()\s]+\)$")
_SECOND = re.compile(r"[^\n]*\d\d:\d\d[^\]\n]*\]")
_NUMBER = re.compile(r"\+\d{6,15}")
_SPEAKER = re.compile(
    r"(?P<name>[^\n:]{0,80}?)(?: \(@[^()\s]+\))?"
    r"(?: ?\bid:(?P<id>[^\s:]+)| \((?P<number>\+?\d{3,20}|[UW][A-Z0-9]{6,14})\)): "
)
"""The speaker in a group."""
_SPEAKER_ID = re.compile(r"\bid:[^\s:]+: ")
_HYPHENATED = {"nextcloudtalk": "nextcloud-talk", "teams": "msteams"}


def as_typed(text: str) -> str:
    """Return a text as a person wrote it, without what the program put around it."""
    while (match := _ENVELOPE.match(text)) is not None:
        text = text[match.end() :].lstrip()
    return _FOOT.sub("", text)


def envelope_sender(content: object, key: str | None) -> tuple[str | None, str | None]:
    """Return the name and the account of the author of a message, as far as its envelope has them.

    Only the first one counts: what follows may have been written by the person. Where two could be
    meant it is a guest of that channel: a made-up name makes no one the owner.

    Args:
        content: Of the message, as it is stored there.
        key: Of its session.

    >>> envelope_sender("[Telegram Ann (@ann) id:42 2026-02-10 10:00 UTC] Hello.", None)
    ('Ann', 'telegram:42')
    >>> envelope_sender("[Telegram Crew id:-100 2026-02-10 10:00] Bo id:7: Hello.", None)
    ('Bo', 'telegram:7')
    """
    if isinstance(content, list):
        texts = (block.get("text") for block in content if isinstance(block, dict))
        content = next((each for each in texts if isinstance(each, str)), None)
    match = _first_of_channel(content) if isinstance(content, str) else None
    if match is None:
        return None, None
    channel = match["channel"].lower().replace(" ", "")
    channel = _HYPHENATED.get(channel, channel)
    name, user = _labelled(match["facts"].strip())
    if _is_group(user or name, key):
        name, user = _speaker(match.string[match.end() :])
    if user and _SECOND.match(match.string, match.end()):
        user = NO_CHANNEL  # one of the two is made up, and it may be a name that ends the first
    return name or None, str(account(channel, None, user)) if user else None


def _labelled(label: str) -> tuple[str, str | None]:
    """Return the name and the id in a label: ``Ann (@ann) id:42 +5m``."""
    match = _ID.match(label)
    name = label[: match.start(1) - 3] if match else _ELAPSED.sub("", label)
    user = match[1] if match else name if _NUMBER.fullmatch(name) else None
    return _USERNAME.sub("", name.strip()), user


def _speaker(label: str) -> tuple[str, str | None]:
    """Return the name and id of the speaker in a group; neither if the label may be a name's."""
    line = label.partition("\n")[0]
    match = _SPEAKER.match(line)
    if match is None or len(_SPEAKER_ID.findall(line)) > 1:
        return "", None
    return match["name"].strip(), match["id"] or match["number"]


def _first_of_channel(content: str) -> re.Match[str] | None:
    """Return the envelope that a channel made, which only others of the program may precede."""
    offset = 0
    while (match := _ENVELOPE.match(content, offset)) is not None:
        if match["channel"] is not None:
            return match
        offset = match.end()
    return None


def _is_group(chat: str, key: str | None) -> bool:
    in_key = key is not None and not {"group", "channel"}.isdisjoint(key.split(":"))
    return in_key or chat.startswith(("-", "group:", "#")) or chat.endswith("@g.us")
