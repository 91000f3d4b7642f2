"""Updates of Telegram, and the messages that they are.

Source: https://core.telegram.org/bots/api#update. Offsets count UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.core.decoding import convert_value
from recollect.respond.channels.port import Address, ChannelParts
from recollect.respond.inbound import Inbound

MAX_UNITS = 4_096
"""UTF-16 units of one message."""
_GROUPS = frozenset({"group", "supergroup"})
_MEDIA = (
    "animation", "audio", "contact", "dice", "document", "location", "paid_media", "photo", "poll",
    "sticker", "story", "venue", "video", "video_note", "voice",
)  # fmt: skip


class User(msgspec.Struct, frozen=True):
    """A person or bot."""

    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""


class Chat(msgspec.Struct, frozen=True):
    """A chat with one person, or a group."""

    id: int
    type: str


class Entity(msgspec.Struct, frozen=True):
    """A part of a text, such as a mention or a command."""

    type: str
    offset: int
    length: int
    user: User | None = None


class RepliedTo(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """The message that another one replies to."""

    sender: User | None = None


class TelegramMessage(msgspec.Struct, frozen=True, kw_only=True, rename={"sender": "from"}):
    """A message; of media only whether there are any."""

    message_id: int
    chat: Chat
    date: int = 0
    sender: User | None = None
    text: str | None = None
    caption: str | None = None
    entities: tuple[Entity, ...] = ()
    caption_entities: tuple[Entity, ...] = ()
    reply_to_message: RepliedTo | None = None
    message_thread_id: int | None = None
    is_topic_message: bool = False

    @property
    def said(self) -> str | None:
        """The text, or what is written below media; None without either."""
        return self.caption if self.text is None else self.text


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened. Fields that are not asked for are ignored."""

    update_id: int
    message: dict[str, Any] | None = None
    edited_message: dict[str, Any] | None = None


class UpdateReader:
    """Reads messages off updates, for one bot.

    Args:
        me: The bot.
        parts: Of the channel: settings, and what makes session keys.
    """

    def __init__(self, me: User, parts: ChannelParts) -> None:
        self._me = me
        self._parts = parts
        self._groups = parts.settings.telegram.groups
        """Which messages of groups call the agent."""

    def read(self, update: Update) -> tuple[Inbound, Address] | None:
        """Return the message of an update and where its answer goes; None: it has none for us.

        The id of a message is its number in the chat; that of an edit has the update's as well.
        """
        raw = update.message or update.edited_message
        if raw is None:
            return None
        is_edit = update.message is None
        try:
            message = convert_value(raw, TelegramMessage)
        except msgspec.ValidationError:
            return None
        sender, is_group = message.sender, message.chat.type in _GROUPS
        is_ours = self._groups != "none" if is_group else message.chat.type == "private"
        # Without a text it is a service message, or, edited, a position that moves.
        says = message.said is not None or (not is_edit and not raw.keys().isdisjoint(_MEDIA))
        if sender is None or sender.is_bot or not is_ours or not says:
            return None
        thread = message.message_thread_id if message.is_topic_message else None
        event_id = f"m{message.message_id}"
        inbound = Inbound(
            key=self._key(message, is_group=is_group, thread=thread),
            text=self._text(message),
            sender=f"telegram:{sender.id}",
            event_id=f"{event_id}.u{update.update_id}" if is_edit else event_id,
            edits=event_id if is_edit else None,
            name=f"{sender.first_name} {sender.last_name}".strip() or None,
            at=message.date * 1_000 or None,
            reply_to_agent=is_group and (self._groups == "all" or self._is_called(message)),
        )
        reply_to = message.message_id if is_group else None
        return inbound, {"chat": message.chat.id, "thread": thread, "reply_to": reply_to}

    def _key(self, message: TelegramMessage, *, is_group: bool, thread: int | None) -> str:
        return self._parts.key_for(
            self._parts.settings.agent,
            "telegram",
            str(message.chat.id),
            account=self._parts.settings.telegram.account,
            chat_type="group" if is_group else "direct",
            thread=None if thread is None else str(thread),
        )

    def _text(self, message: TelegramMessage) -> str:
        """Return the text; of a command that names this bot without the name."""
        text = message.said or ""
        command, blank, rest = text.partition(" ")
        name = f"@{self._me.username}"
        if command.startswith("/") and command.casefold().endswith(name.casefold()):
            return command[: -len(name)] + blank + rest
        return text

    def _is_called(self, message: TelegramMessage) -> bool:
        """Return whether a message of a group names the bot, replies to it, or is a command."""
        replied = message.reply_to_message
        if replied is not None and replied.sender is not None and replied.sender.id == self._me.id:
            return True
        text = message.said or ""
        entities = message.entities or message.caption_entities
        return any(self._names_me(entity, text) for entity in entities)

    def _names_me(self, entity: Entity, text: str) -> bool:
        if entity.type == "text_mention":
            return entity.user is not None and entity.user.id == self._me.id
        units = text.encode("utf-16-le")
        start = entity.offset * 2
        part = units[start : start + entity.length * 2].decode("utf-16-le", "replace")
        name = f"@{self._me.username}".casefold()
        if entity.type == "bot_command":
            return "@" not in part or part.casefold().endswith(name)
        return entity.type == "mention" and part.casefold() == name


def parts_of(text: str, most: int = MAX_UNITS) -> list[str]:
    """Return a text in parts of so many UTF-16 units at most, cut after a paragraph, line or word.

    >>> parts_of("one two three", 8)
    ['one two', 'three']
    """
    return list(_parts(text.strip(), most))


def _parts(text: str, most: int) -> Iterator[str]:
    while text:
        units = text[:most].encode("utf-16-le", "replace")[: 2 * most]
        end = len(units.decode("utf-16-le", "ignore"))  # without the half of a pair
        if end < len(text):
            cuts = (text.rfind(mark, end // 2, end + 1) for mark in ("\n\n", "\n", " "))
            end = next((cut for cut in cuts if cut > 0), end)
        part, text = text[:end].rstrip(), text[end:].lstrip()
        if part:
            yield part
