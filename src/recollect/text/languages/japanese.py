"""The data of Japanese."""

from __future__ import annotations

from recollect.text.languages.language import (
    ASKS,
    ASSISTANT,
    DAY_NUMBER,
    DECIDED,
    DESIGNED,
    EVENING_HOURS,
    EVENT,
    FAILED,
    FIRST_PERSON,
    FIXED,
    HAPPENED,
    HELD,
    LASTING,
    MONTH,
    MORNING_HOURS,
    NIGHT_HOURS,
    NOON_HOURS,
    NOW,
    OPEN,
    PAST,
    PAST_TENSE,
    STATE,
    YEAR,
    Language,
    Table,
)

_DAYS = "月火水木金土日"

_TIMES: Table = {
    "X": {day + ending: number for number, day in enumerate(_DAYS) for ending in ("曜日", "曜")},
    "J": {
        "今週": ("week", 0),
        "先週": ("week", -1),
        "先々週": ("week", -2),
        "来週": ("week", 1),
        "今月": ("month", 0),
        "先月": ("month", -1),
        "先々月": ("month", -2),
        "来月": ("month", 1),
        "今年": ("year", 0),
        "去年": ("year", -1),
        "昨年": ("year", -1),
        "一昨年": ("year", -2),
        "おととし": ("year", -2),
        "来年": ("year", 1),
        "先週末": ("weekend", -1),
        "今週末": ("weekend", 0),
    },
    "D": {
        "今日": 0,
        "きょう": 0,
        "昨日": -1,
        "きのう": -1,
        "一昨日": -2,
        "おととい": -2,
        "明日": 1,
    },
    "T": {
        **dict.fromkeys(("昨夜", "昨晩", "ゆうべ"), (NIGHT_HOURS, -1)),
        **dict.fromkeys(("今夜", "今晩"), (NIGHT_HOURS, 0)),
        "今朝": (MORNING_HOURS, 0),
    },
    "R": {"過去": -1, "この": 0, "この前": -1},
    "U": {
        **dict.fromkeys(("日", "日間"), "day"),
        **dict.fromkeys(("週間", "週"), "week"),
        **dict.fromkeys(("か月", "ヶ月", "カ月", "ヵ月", "ケ月", "箇月"), "month"),
        "年": "year",
        "年間": "year",
        "時間": "hour",
        "分": "minute",
    },
    "P": {
        **dict.fromkeys(("朝", "午前"), MORNING_HOURS),
        **dict.fromkeys(("午後", "昼"), NOON_HOURS),
        **dict.fromkeys(("夕方", "夜", "晩"), EVENING_HOURS),
        "深夜": NIGHT_HOURS,
    },
    "K": {"春": 3, "夏": 6, "秋": 9, "冬": 12},
    "N": {"数": 3},
    "A": {"前": None},
    "F": {"の": None},
    "s": {"以来": None},
    "e": {"毎": None, "毎週": None, "毎月": None},
}


LANGUAGE = Language(
    code="ja",
    letters=r"[\u3040-\u30ff]",
    times=_TIMES,
    date_signs={YEAR: "年", MONTH: "月(?![前間])", DAY_NUMBER: "日(?![前間以之])"},
    function_signs=(
        "なぜ|どうして|どうやって|どのよう[にな]|どこ|いつ(?!も)|だれ|誰|どれ|どの|何|ですか|でしたか|ましたか"
        "|ますか|でしょうか|について|教えて"
    ),
    stop_words="""
        する した して です ます でし した こと もの ため から まで より など これ それ あれ
        この その どこ いつ なに どう なぜ だれ ある いる ない
    """,
    question_kinds={
        EVENT: (
            r"なぜ|どうして|なんで|何で(?![すし])|いつから|何があ|何日前|最後に|どうだった|どうでした"
            r"|どのくらいかか|どれくらいかか|いつ[^？?]*(?<!でし)(?<!だっ)た(?:か|の|っけ|んだっけ|のですか)?$"
        ),
        PAST: (
            r"以前|(?<![名人午目板])前[はの]|昔|かつて|元々|もともと|元の|当初|当時|旧|古い"
            r"|最初[はの]|初め[はの]|初期|それまで|これまで|先代|前任|前職|元(?=彼|上司|妻|夫|カレ)"
            r"|前に[^？?]*(?:でした|いました|て[いた]?た)|[てで](?:い(?:まし)?)?た(?!ら)"
            r"|[たる]頃|ころは|(?:まで|前)は?[^？?]*(?:でした|だった)"
            r"|(?:でした|だった)(?!っけ)"
        ),
        PAST_TENSE: (
            r"(?:まし|[ぁ-ん一-龥](?<!ま))た(?:か|の|のか|んです|のです|んだっけ|んだ|っけ)?か?$"
            r"(?<!でしたっけ)(?<!だったっけ)(?<!なんだっけ)|[んい]だ(?:か|の|んです|のです)か?$"
            r"|(?:でし|だっ)た(?:か|の)?$|たの[はが]|昨日"
        ),
        HAPPENED: (
            r"言いました|言った|言って|話し|勧め|買いました|買った|行きました|行った|会いました|会った"
            r"|決めま|決めた|起き|引っ越しました|引っ越した|変えた|変えま|もらった|たの[はが]"
        ),
        HELD: (r"住んで|働いて|使って|勤めて|通って|乗って|飼って|借りて|払って|でした|だった"),
        STATE: r"今[はのも、]|(?<![ぁ-ん])いま(?![すし])|現在|まだ|最新|最近の",
        ASKS: (r"です|ます|いる|ある|何|なん|どこ|誰|だれ|どれ|どの|いくら|いつ|教えて|[はが]$"),
    },
    cue_patterns={
        ASSISTANT: (
            r"(?:あなた|君)[がは].{0,30}(?:言|教え|勧め|薦め|提案|説明|話)"
            r"|(?:あなた|君)の(?:提案|おすすめ|お勧め|説明|回答|答え|意見)"
            r"|(?:教えて|勧めて|薦めて|提案して|説明して|言って|話して)(?:くれた|くれまし|もらった|もらいまし)"
        ),
        NOW: r"今[はもの]|まだ|現在",
        FIRST_PERSON: r"[私僕俺]",
    },
    statements={
        LASTING: (
            "覚えて|忘れないで|必ず|ければならない|絶対|決して|いつも|常に|好き|好み|締め切り|締切"
            "|期限|誕生日|アレルギー|名前は|と申します|住んで"
        ),
        DECIDED: "決め|合意",
        OPEN: "未定|次の|保留|未解決",
        FAILED: "エラー|失敗|例外",
        FIXED: "直し|修正",
        DESIGNED: "アーキテクチャ",
    },
)
