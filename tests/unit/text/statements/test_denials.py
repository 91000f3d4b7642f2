"""Denials and deeds: what is denied, and how much of it somebody did."""

from __future__ import annotations

import pytest

from recollect.text.denial import denies
from recollect.text.statements.denials import deeds, denied_share

TOLD = {
    "en": ("I've never used Terraform on Azure.", "I set up Terraform for Azure last week."),
    "de": (
        "Ich habe noch nie mit Terraform in Azure gearbeitet.",
        "Ich habe letzte Woche Terraform für Azure eingerichtet.",
    ),
    "es": ("Nunca he usado Terraform con Azure.", "Configuré Terraform para Azure el lunes."),
    "fr": (
        "Je n’ai jamais utilisé Terraform avec Azure.",
        "J’ai installé Terraform pour Azure la semaine dernière.",
    ),
    "pt": (
        "Nunca usei o Terraform com o Azure.",
        "Configurei o Terraform para o Azure na semana passada.",
    ),
    "zh": ("我从来没有用过Terraform和Azure。", "我上周用Terraform部署了Azure的集群。"),
    "ja": ("TerraformでAzureを使ったことがありません。", "先週TerraformでAzureを設定しました。"),
    "ko": ("저는 Terraform으로 Azure를 써 본 적이 없어요.", "Terraform으로 Azure를 설정했어요."),
}


def share(denial: str, deed: str) -> float:
    """Return the most that a text tells of what another one denies."""
    pairs = [(one, other) for one in deeds(denial) for other in deeds(deed)]
    return max((denied_share(*pair) for pair in pairs), default=0.0)


@pytest.mark.parametrize("language", TOLD)
def test_each_language_denies_what_was_done(language: str) -> None:
    """And not the other way round."""
    denial, deed = TOLD[language]
    assert (denies(denial), denies(deed)) == (True, False)
    assert share(denial, deed) > 0.5
    assert share(deed, denial) == share(denial, denial) == 0


@pytest.mark.parametrize(
    "other",
    [
        "Have I used Zotero to manage citations?",
        "I use Zotero for my citations",
        "I've managed to sleep",
        "```\nI've used Zotero for citations\n```",
    ],
)
def test_what_is_asked_quoted_or_of_something_else_was_not_done(other: str) -> None:
    """Code is the words of nobody, and a habit tells of no deed."""
    assert share("I've never used Zotero to manage citations", other) == 0


def test_a_name_alone_counts_where_it_is_half_of_what_is_denied() -> None:
    """Of a sentence with more in it, it may be about something else."""
    assert share("I have never used Flask-Login", "I implemented Flask-Login last week") == 1
    assert share("I've never tested the form with any API integration", "I've read the API") == 0


def test_a_rule_denies_nothing() -> None:
    """It is for somebody else."""
    assert not denies("Never push to main. Nunca hagas push. Nie auf main pushen.")
