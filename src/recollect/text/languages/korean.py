"""Korean: what is known of it."""

from __future__ import annotations

from recollect.text.languages.language import (
    Language,
)

LANGUAGE = Language(
    code="ko",
    stop_words="""
        것 거 등 수 때 곳 에서 에게 으로 까지 부터 처럼 보다 이나 그리고 하지만 그래서 무엇 언제
        어디 어떻게 왜 누가 우리 저는 나는 이것 그것 저것 있는 없는 했던 하는 한다 합니다 입니다
        어제 오늘
    """,
)
