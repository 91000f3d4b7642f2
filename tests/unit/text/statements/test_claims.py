"""Claims of accounts in messages, in eight languages."""

from __future__ import annotations

import pytest

from recollect.text.statements.claims import claims

CLAIMED = {
    "I'm also @john": "@john",
    "Hey, I am also known as @john on Telegram.": "telegram:john",
    "By the way, I’m @john on Slack as well": "slack:john",
    "@john is me too, I mean @john is also me": "@john",
    "On Discord I'm @john.doe": "discord:john.doe",
    "That's also me: @john": "@john",
    "My other account is @john on WhatsApp": "whatsapp:john",
    "My Telegram id is 42": "telegram:42",
    "I'm also slack:U7": "slack:U7",
    "I'm also @bob:example.org": "matrix:@bob:example.org",
    "das bin auch ich, @john auf Telegram": "telegram:john",
    "Übrigens: ich bin auch @john": "@john",
    "@john auf Slack bin auch ich": "slack:john",
    "Mein Telegram-Name ist @john": "telegram:john",
    "también soy @john": "@john",
    "@john en Telegram también soy yo": "telegram:john",
    "Mi otra cuenta es @john": "@john",
    "je suis aussi @john": "@john",
    "@john sur Telegram, c'est aussi moi": "telegram:john",
    "Mon autre compte est @john": "@john",
    "eu também sou o @john": "@john",
    "@john no Telegram também sou eu": "telegram:john",
    "Minha outra conta é @john": "@john",
    "我也是@john": "@john",
    "Telegram上的@john也是我": "telegram:john",
    "我在微信上叫@john": "wechat:john",
    "テレグラムの@johnも私です": "telegram:john",
    "私は@johnでもあります": "@john",
    "別のアカウントは@johnです": "@john",
    "저는 @john이기도 합니다": "@john",
    "텔레그램의 @john도 저예요": "telegram:john",
    "제 다른 계정은 @john입니다": "@john",
}
NOTHING = (
    "Am I also @john?",
    "Maybe I'm also @john",
    "If I'm also @john, what then",
    "Bob said I'm also @john",
    'The page says "I\'m also @john on Telegram", funny.',
    "> I'm also @john on Telegram",
    "```\nI'm also @john\n```",
    "Here is the mail:\nI'm also @john on Telegram",
    "I'm not @john",
    "I'm also not @john",
    "I'm also @john's brother",
    "I'm also there, @john",
    "That's me, @john!",
    "I'm also back on Signal",
    "Also, @john is late; tell me",
    "My mail is john@example.org, and I'm also john@example.org",
    "@property\ndef me(self): return self.also",
    "Bist du auch @john?",
    "vielleicht bin ich auch @john",
    "ich schreibe auch @john auf Telegram",
    "también escribo a @john",
    "je suis aussi avec @john",
    "我也喜欢@john",
    "@johnも来ますか",
    "@john도 와요",
)


@pytest.mark.parametrize(("text", "claimed"), CLAIMED.items(), ids=lambda text: text)
def test_who_speaks_says_who_they_are_elsewhere(text: str, claimed: str) -> None:
    """In each language, with and without a channel."""
    found = claims(text)
    assert [each.claimed for each in found] == [claimed]
    assert all("john" in text[each.start : each.end] for each in found if "john" in claimed)


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_asked_guessed_or_quoted_claims_nothing(text: str) -> None:
    """Nor what speaks of somebody else."""
    assert claims(text) == []
