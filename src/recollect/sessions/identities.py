"""Identities: the people behind the accounts, linked while programs run.

A link acts with the next read, in every process; the index is not rebuilt. What was said stays
with the account that said it, so that unlinking separates two people again without loss.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.audience.account import Account, escaped, parse_account
from recollect.audience.owner import OWNER_ID, Owner
from recollect.audience.people import LinkedRow, People, linked_rows, replace_link
from recollect.core.checks import checked
from recollect.core.decoding import convert_value
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.events import IdentityLinked, IdentityUnlinked
from recollect.core.scope import Scope
from recollect.sessions.proposals import IdentityProposal, answer_proposal, open_proposals
from recollect.sessions.record.access import SessionAccess
from recollect.store.audit import record_audit
from recollect.store.columns import blob, listed, text
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

LinkedBy: TypeAlias = Literal["settings", "resolved", "operator", "code"]
"""``resolved``: the account was seen, and is a person of its own until it is linked."""
CODE_MS = 600_000
"""How long a one-time code is valid."""
WRONG_TRIES = 5
"""Wrong codes of a tenant that end all of its open ones."""

_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Of codes: none is mistaken for another."""
_CODE_LETTERS = 8
_ADD_CODE: LiteralString = """
    INSERT OR REPLACE INTO identity_codes (tenant, account, hash, expires_at) VALUES (?, ?, ?, ?)
"""
_CODES: LiteralString = """
    SELECT account, hash FROM identity_codes WHERE tenant = ? AND expires_at > ? ORDER BY account
"""
_FAIL: LiteralString = "UPDATE identity_codes SET tries = tries + 1 WHERE tenant = ?"
_END: LiteralString = """
    DELETE FROM identity_codes WHERE tenant = ? AND (tries >= ? OR expires_at <= ?)
"""
_USED: LiteralString = "DELETE FROM identity_codes WHERE tenant = ? AND account = ?"
_DROP_MIXED: LiteralString = """
    DELETE FROM compactions WHERE session_id IN (
        SELECT session_id FROM messages
        WHERE tenant = ? AND turn_sender IN (SELECT value FROM json_each(?))
        GROUP BY session_id HAVING count(DISTINCT turn_sender) > 1)
"""


class LinkedAccount(msgspec.Struct, frozen=True, kw_only=True):
    """An account of a person.

    Attributes:
        account: ``channel:id``, or ``channel:network:id``.
        made_by: Who linked it.
        linked_at: Ms UTC; None: the settings name it.
    """

    account: str
    made_by: LinkedBy
    linked_at: int | None = None


class LinkedPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person, with the accounts that are theirs.

    Attributes:
        user_id: The name; ``owner`` for the owner of the home.
        accounts: In alphabetical order.
    """

    user_id: str
    accounts: tuple[LinkedAccount, ...] = ()


class LinkCode(msgspec.Struct, frozen=True, kw_only=True):
    """A one-time code; it is stored nowhere.

    Attributes:
        code: Eight letters and digits.
        expires_at: Ms UTC.
    """

    code: str
    expires_at: int


@checked
class Identities:
    """Resolves accounts to people, and links accounts; `memory.identities` is one of these.

    Args:
        access: The records. A scope that is only a part of its tenant is refused with `Denied`.
        people: Who is linked to whom.
    """

    def __init__(self, access: SessionAccess, people: People) -> None:
        self._access = access
        self._people = people

    def resolve(self, channel: str, channel_user_id: str) -> str:
        """Return the user id of the person behind an account; a new one where it is not linked.

        Args:
            channel: Where: ``telegram``.
            channel_user_id: The id of the user there; with the network before it where ids are
                unique only within a network: ``libera:bob``.

        Raises:
            InvalidInput: they are not an account.
        """
        who, tenant = _account(channel, channel_user_id), self._tenant()
        person = self._access.database.read(lambda tx: _person(self._people.at(tx, tenant), who))
        if person is not None:
            return person
        now, user_id = self._access.clock.now_ms(), self._access.ids.new()

        def add(tx: Transaction) -> str:
            person = _person(self._people.at(tx, tenant), who)
            if person is None:
                row = LinkedRow(str(who), user_id, None, now, "resolved")
                replace_link(tx, tenant, None, row)
            return person or user_id

        return self._access.database.write(add)

    def link(self, user_id: str, channel: str, channel_user_id: str) -> LinkedPerson:
        """Link an account to a person, and return the person.

        Where the account was a person of its own, that name is another one of this person's.

        Args:
            user_id: The person: a name of `resolve` or of the settings, ``owner``, or a new one.
            channel: As for `resolve`.
            channel_user_id: As for `resolve`.

        Raises:
            InvalidInput: they are not an account, or the name cannot be one.
            Conflict: the account is another person's: by the settings, or with other accounts.
        """
        who, tenant = _account(channel, channel_user_id), self._tenant()
        return self._access.database.write(
            lambda tx: self._link(tx, tenant, _name(user_id), who, "operator")
        )

    def unlink(self, channel: str, channel_user_id: str) -> LinkedAccount:
        """Unlink an account from its person; it is the person again that it was before.

        Args:
            channel: As for `resolve`.
            channel_user_id: As for `resolve`.

        Returns:
            The account, as it was linked.

        Raises:
            InvalidInput: they are not an account.
            NotFound: the account is not linked.
            Conflict: the settings link it; or it is the one that others were linked to.
        """
        who, tenant = _account(channel, channel_user_id), self._tenant()
        now = self._access.clock.now_ms()

        def remove(tx: Transaction) -> LinkedAccount:
            rows = linked_rows(tx, tenant)
            row = next((each for each in rows if each.account == str(who)), None)
            if _person(self._people.configured, who) is not None:
                hint = "change sessions.identity_links or sessions.owner"
                raise Conflict("the settings link this account", hint=hint)
            if row is None or _is_alone(row, rows):
                hint = "list those that are with `recollect identities list`"
                raise NotFound("the account is not linked", hint=hint)
            if row.made_by == "resolved":
                hint = "unlink the other accounts of the person instead"
                raise Conflict("the person has the name of this account", hint=hint)
            before = LinkedRow(row.account, row.was or "", None, now, "resolved")
            replace_link(tx, tenant, row, None if row.was is None else before)
            theirs = [each.account for each in rows if each.user_id == row.user_id]
            tx.execute(_DROP_MIXED, (tenant, listed(theirs)))
            scope = Scope(tenant=tenant, user=row.user_id)
            record_event(tx, IdentityUnlinked(scope=scope, at=now))
            record_audit(tx, Scope(tenant=tenant), "identity.unlink", now, target=row.user_id)
            return _linked(row)

        return self._access.database.write(remove)

    def list(self, user_id: str | None = None) -> list[LinkedPerson]:
        """Return the people with linked accounts, by user id.

        Args:
            user_id: Only this person; another name of the person's is one, too.
        """
        tenant = self._tenant()
        return self._access.database.read(
            lambda tx: _each_identity(self._people, tx, tenant, user_id)
        )

    def code(self, channel: str, channel_user_id: str) -> LinkCode:
        """Return a one-time code for an account, to be shown to its user there and nowhere else.

        Whoever enters it from another account within ten minutes is the same person, see `confirm`.

        Args:
            channel: As for `resolve`.
            channel_user_id: As for `resolve`.

        Raises:
            InvalidInput: they are not an account.
        """
        who, tenant = _account(channel, channel_user_id), self._tenant()
        code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LETTERS))
        expires_at = self._access.clock.now_ms() + CODE_MS
        row = (tenant, str(who), _digest(tenant, code), expires_at)
        self._access.database.write(lambda tx: tx.execute(_ADD_CODE, row))
        return LinkCode(code=code, expires_at=expires_at)

    def confirm(self, channel: str, channel_user_id: str, code: str) -> LinkedPerson:
        """Link an account to the person of another one, whose code its user has typed.

        Args:
            channel: As for `resolve`: the account in which the code was typed.
            channel_user_id: As for `resolve`.
            code: Of `code` for the other account; capitals do not matter.

        Returns:
            The person.

        Raises:
            InvalidInput: they are not an account; or the code is wrong, used, too old, or of this
                account itself. After five wrong ones all open codes are void.
            Conflict: as for `link`.
        """
        who, tenant = _account(channel, channel_user_id), self._tenant()
        now, digest = self._access.clock.now_ms(), _digest(tenant, code.strip().upper())

        def take(tx: Transaction) -> str | None:
            tx.execute(_END, (tenant, WRONG_TRIES, now))
            codes = [
                (text(name), blob(code_digest))
                for name, code_digest in tx.all(_CODES, (tenant, now))
            ]
            names = [
                name for name, code_digest in codes if hmac.compare_digest(code_digest, digest)
            ]
            if not names or names[0] == str(who):
                tx.execute(_FAIL, (tenant,))
                tx.execute(_END, (tenant, WRONG_TRIES, now))
                return None
            tx.execute(_USED, (tenant, names[0]))
            return names[0]

        other = self._access.database.write(take)
        if other is None:
            hint = "ask for a new code in the other account"
            raise InvalidInput("the code is wrong, or no longer valid", hint=hint)
        first = parse_account(other)
        person = self.resolve(first.channel or "", _id_of(first))
        return self._access.database.write(lambda tx: self._link(tx, tenant, person, who, "code"))

    def proposals(self) -> tuple[IdentityProposal, ...]:
        """Return the open claims of people in chats to have another account, the newest first.

        They are found in the background, and link nothing: the owner accepts or dismisses them.
        Accounts that are linked already are left out, and so are claims that the owner has answered
        for the same account.
        """
        tenant = self._tenant()

        def look(tx: Transaction) -> tuple[IdentityProposal, ...]:
            owner = self._people.at(tx, tenant)
            proposals = open_proposals(tx, tenant)
            return tuple(each for each in proposals if not _is_linked(owner, each))

        return self._access.database.read(look)

    def accept(
        self, number: int, channel: str | None = None, channel_user_id: str | None = None
    ) -> LinkedPerson:
        """Link the account of a proposal and the claimed one, as `link` does; return the person.

        The person is that of the claimed account where it has one, else that of who claims it.

        Args:
            number: Of the proposal.
            channel: The claimed account, as for `resolve`, where the claim names it not as the
                messages do: a handle for an id.
            channel_user_id: As for `resolve`; given with ``channel``.

        Raises:
            NotFound: no open proposal has this number.
            InvalidInput: the claim names no channel, and no account is given.
            Conflict: as for `link`.
        """
        proposal, tenant = self._proposal(number), self._tenant()
        if channel is not None or channel_user_id is not None:
            other = _account(channel or "", channel_user_id or "")
        elif ":" in proposal.claimed:
            other = parse_account(proposal.claimed)
        else:
            hint = "give the channel, and the id of the user there"
            raise InvalidInput("the claim names no channel", hint=hint)

        mine = parse_account(proposal.account)
        person = self._access.database.read(lambda tx: _person(self._people.at(tx, tenant), other))
        linked = mine
        if person is None or mine.channel is None:
            person = mine.id if mine.channel is None else self.resolve(mine.channel, _id_of(mine))
            linked = other

        def accept(tx: Transaction) -> LinkedPerson:
            answer_proposal(tx, tenant, proposal, self._access.clock.now_ms())
            return self._link(tx, tenant, person, linked, "operator")

        return self._access.database.write(accept)

    def dismiss(self, number: int) -> IdentityProposal:
        """Dismiss a proposal; the same claim of the same account is not listed again.

        Raises:
            NotFound: no open proposal has this number.
        """
        proposal, tenant = self._proposal(number), self._tenant()
        now = self._access.clock.now_ms()
        self._access.database.write(lambda tx: answer_proposal(tx, tenant, proposal, now))
        return proposal

    def _proposal(self, number: int) -> IdentityProposal:
        for each in self.proposals():
            if each.number == number:
                return each
        hint = "list them with `recollect identities proposals`"
        raise NotFound(f"no open proposal has the number {number}", hint=hint)

    def _tenant(self) -> str:
        self._access.scope.require_tenant("an identity")
        return self._access.scope.tenant

    def _link(
        self, tx: Transaction, tenant: str, user_id: str, who: Account, made_by: LinkedBy
    ) -> LinkedPerson:
        """Link an account, unless it has that link already."""
        owner, now = self._people.at(tx, tenant), self._access.clock.now_ms()
        user_id = _known_as(owner, user_id)
        if _person(owner, who) != user_id:
            configured = _person(self._people.configured, who)
            rows = [] if configured is not None else linked_rows(tx, tenant)
            old = next((each for each in rows if each.account == str(who)), None)
            if configured is not None or (old is not None and not _is_alone(old, rows)):
                hint = "unlink it first; links of the settings are changed there"
                raise Conflict("the account is another person's", hint=hint)
            was = None if old is None else old.user_id
            row = LinkedRow(str(who), user_id, was, now, made_by)
            replace_link(tx, tenant, old, row)
            record_event(tx, IdentityLinked(scope=Scope(tenant=tenant, user=user_id), at=now))
            record_audit(tx, Scope(tenant=tenant), "identity.link", now, target=user_id)
        return _each_identity(self._people, tx, tenant, user_id)[0]


def _is_linked(owner: Owner, proposal: IdentityProposal) -> bool:
    """Return whether the claimed account is linked already."""
    mine = parse_account(proposal.account)
    person = mine.id if mine.channel is None else _person(owner, mine)
    is_account = ":" in proposal.claimed
    return is_account and person == _person(owner, parse_account(proposal.claimed)) is not None


def _each_identity(
    people: People, tx: Transaction, tenant: str, user_id: str | None
) -> list[LinkedPerson]:
    """Return the people of the settings and of the records; or one of them, by any name."""
    configured, by_person = people.configured, dict[str, list[LinkedAccount]]()
    accounts = [*configured.accounts, *configured.links.people]
    accounts += [Account(None, None, id_) for id_ in configured.links.anywhere]
    for account in dict.fromkeys(accounts):
        linked = LinkedAccount(account=str(account), made_by="settings")
        by_person.setdefault(_person(configured, account) or "", []).append(linked)
    for row in linked_rows(tx, tenant):
        if _person(configured, parse_account(row.account)) is None:
            by_person.setdefault(row.user_id, []).append(_linked(row))
    if user_id is not None:
        user_id = _known_as(people.at(tx, tenant), user_id)
        by_person = {user_id: by_person[user_id]} if user_id in by_person else {}
    return [
        LinkedPerson(
            user_id=name, accounts=tuple(sorted(by_person[name], key=lambda each: each.account))
        )
        for name in sorted(by_person)
    ]


def _account(channel: str, channel_user_id: str) -> Account:
    """Return the account of a user of a channel.

    Raises:
        InvalidInput: they are not an account.
    """
    if not channel.strip() or not channel_user_id.strip():
        hint = "give a channel such as telegram, and the id of the user there"
        raise InvalidInput("an account must have a channel and an id", hint=hint)
    return parse_account(f"{escaped(channel.strip())}:{channel_user_id}")


def _id_of(account: Account) -> str:
    """Return the id of a user as `resolve` takes it."""
    parts = (account.network, account.id)
    return ":".join(escaped(part) for part in parts if part is not None)


def _is_alone(row: LinkedRow, rows: Sequence[LinkedRow]) -> bool:
    """Return whether an account is a person of its own, to whom no other one was linked."""
    is_one = sum(each.user_id == row.user_id for each in rows) == 1
    return is_one and row.made_by == "resolved"


def _name(user_id: str) -> str:
    """Return the name of a person.

    Raises:
        InvalidInput: it is empty, an account, or cannot be shown.
    """
    hint = "give a name such as ann, or a user id of `resolve`"
    try:
        name = parse_account(user_id)
    except InvalidInput:
        raise InvalidInput("the user id must be the name of a person", hint=hint) from None
    if name.channel is not None:
        raise InvalidInput("the user id must not be an account", hint=hint)
    return name.id


def _person(owner: Owner, account: Account) -> str | None:
    """Return the user id of an account; None where it is not linked."""
    return OWNER_ID if owner.owns(account) else owner.links.person(account)


def _known_as(owner: Owner, user_id: str) -> str:
    """Return the user id of a person who may have had another one before."""
    return owner.links.people.get(Account(None, None, user_id), user_id)


def _linked(row: LinkedRow) -> LinkedAccount:
    made_by = convert_value(row.made_by, LinkedBy)
    return LinkedAccount(account=row.account, made_by=made_by, linked_at=row.linked_at)


def _digest(tenant: str, code: str) -> bytes:
    encodable = code.encode("utf-8", "replace").decode()
    return hashlib.sha256(msgspec.json.encode((tenant, encodable))).digest()
