"""The data of Chinese, in simplified and traditional characters."""

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

_WEEK = ("周", "週", "星期", "礼拜", "禮拜")
_DAYS = (*enumerate("一二三四五六日"), (6, "天"))
_SHIFTS = {"上": -1, "上个": -1, "上個": -1, "上上": -2, "这": 0, "這": 0, "这个": 0, "這個": 0}
_LATER = {"本": 0, "下": 1, "下个": 1, "下個": 1}
_WEEKS = {shift + week: ("week", by) for shift, by in (_SHIFTS | _LATER).items() for week in _WEEK}

_TIMES: Table = {
    "X": {week + day: number for week in _WEEK for number, day in _DAYS},
    "V": {week + day: (by, number) for week, (_, by) in _WEEKS.items() for number, day in _DAYS},
    "J": {
        **_WEEKS,
        **{
            shift + unit: (kind, by)
            for shift, by in (_SHIFTS | _LATER).items()
            for unit, kind in (("月", "month"), ("周末", "weekend"), ("週末", "weekend"))
        },
        "今年": ("year", 0),
        "去年": ("year", -1),
        "前年": ("year", -2),
        "明年": ("year", 1),
    },
    "D": {"今天": 0, "昨天": -1, "昨日": -1, "前天": -2, "明天": 1},
    "T": {"今早": (MORNING_HOURS, 0), "昨晚": (NIGHT_HOURS, -1), "今晚": (NIGHT_HOURS, 0)},
    "R": {"最近": -1, "过去": -1, "過去": -1},
    "U": {
        **dict.fromkeys(("天", "日"), "day"),
        **dict.fromkeys((*_WEEK, *(f"个{w}" for w in _WEEK), *(f"個{w}" for w in _WEEK)), "week"),
        **dict.fromkeys(("个月", "個月"), "month"),
        **dict.fromkeys(("小时", "小時", "个小时", "個小時"), "hour"),
        "年": "year",
        "分钟": "minute",
        "分鐘": "minute",
    },
    "P": {
        **dict.fromkeys(("早上", "上午", "早晨"), MORNING_HOURS),
        **dict.fromkeys(("下午", "中午"), NOON_HOURS),
        **dict.fromkeys(("晚上", "傍晚"), EVENING_HOURS),
        "夜里": NIGHT_HOURS,
    },
    "K": {"春天": 3, "夏天": 6, "秋天": 9, "冬天": 12},
    "N": {"两": 2, "兩": 2, "几": 3},
    "A": {"前": None, "之前": None, "以前": None},
    "F": {"的": None},
    "S": {"自从": None, "自從": None},
    "s": {"以来": None, "以來": None},
    "e": {"每": None, "每个": None, "每個": None},
}


LANGUAGE = Language(
    code="zh",
    letters=r"[\u4e00-\u9fff]",
    times=_TIMES,
    date_signs={
        YEAR: "年",
        MONTH: "月份?(?![前間间])",
        DAY_NUMBER: "[日号號](?![前間间以之])",
    },
    function_signs=(
        "为什么|為什麼|什么时候|什麼時候|怎么样|怎麼樣|[怎什][么麼]|多少|多久|哪[里裡儿家个個天些]"
        "|现在|現在|目前|[我你您他她它咱][们們]?|[这這那][个個]|星期[几幾]|[几幾][点點]"
        "|[的了吗嗎呢吧啊谁誰几幾哪是在]"
    ),
    stop_words="""
        的 了 是 在 和 与 或 我 你 他 她 它 们 我们 你们 他们 这 那 这个 那个 什么 怎么 哪里
        哪个 为什么 吗 呢 吧 啊 就 也 都 很 到 把 被 给 让 从 有 没有 不 会 要 能 可以
    """,
    question_kinds={
        EVENT: (
            r"怎么说|怎麼說|为什么|為什麼|为何|為何|为啥|為啥|怎么回事|怎麼回事|发生|發生"
            r"|怎么样了|怎麼樣了"
            r"|(?:什么时候|什麼時候|何时|何時|哪[天年]|几号|幾號).*[^到几幾大][的了過过](?:吗|呢)?$"
            r"|(?:从|從|自).{0,3}(?:什么时候|什麼時候|何时|何時"
            r"|哪[天年])(?!.{0,2}开始$)(?!.{0,2}開始$)"
            r"|是(?:在哪.?|怎么|怎麼|什么时候|什麼時候|哪天).{1,6}的$"
            r"|(?:多久|几次|幾次|多少次)[了没沒前]|[了過过].{0,3}(?:多久|几次|幾次"
            r"|多少[次天小钱錢])"
            r"|上(?:次|一次)|最后一次|最後一次"
        ),
        PAST: (
            r"^.*?(?:以前|之前|(?:上学|上大学|大学|上學|小学|中学|年轻|单身)时"
            r"|(?<=[的年月])(?:时候|時候))(?<!什么时候)(?<!什麼時候)|原来|原來|原先|原本|原定"
            r"|从前|從前|过去|過去|当时|當時|曾经|曾經|当初|當初"
            r"|最初|最早|起初|开始时|一开始|一開始|旧|舊|前任|前一[个個任份家]"
            r"|老(?=地址|密码|密碼|号码|號碼|电话|電話|公司|房)"
            r"|前(?=老板|老闆|同事|妻|夫|女友|男友|公司|雇主)|上一?[个個任份家](?!月|星期|礼拜"
            r"|禮拜)"
            r"|去年|前年|上个月|上個月|上周|上週|那时|那時|那会儿|小时候|小時候"
            r"|(?:19|20)\d\d年|\d月(?!\d)"
            r"|.{1,8}(?<![目提当當眼])前(?![端台面后後途天任辈])"
        ),
        PAST_TENSE: (
            r"[了過过](?:什么|什麼|吗|嗎|没|呢|谁|誰|哪|多少|啥|几|幾)|[带拿买送借]回?来什么"
            r"|[帶買]回?來什麼|(?:谁|誰).+的[钱錢单單]$|昨天|前天"
            r"|(?<!多大)(?<!几岁)(?<!几点)(?<!幾點)[了過过]$"
            r"|[^对對为為除不得][了過过](?!敏|解)[^？?，]{1,12}$|(?:谁|誰|怎么|怎麼|哪里|哪裡"
            r"|在哪|什么时候"
            r"|什麼時候).+的$|(?:没有|沒有)[^？?]{0,6}过|[了去来完好出到过](?:没|沒)有?$"
            r"|是(?:哪[个位個]|谁|誰)[^？?]*[给把帮給幫][^？?]*的$|[了過过]吗$"
        ),
        HAPPENED: (
            r"[^对對][了過过](?!敏)|告诉|告訴|推荐|推薦|决定|決定|发生|發生|聊|讨论|討論|搬家$|搬到"
        ),
        HELD: (r"住|用(?![了過过]多少)|是|工作|上班|叫|负责|負責|管|放在"),
        STATE: (
            r"(?<![到至])现在|(?<![到至])現在|目前|如今|还[在是有能会]|還[在是有能會]|最新|最近的"
        ),
        ASKS: (r"是|在|住|用|有|叫|几|幾|多少|哪|谁|誰|什么|什麼|啥|多[大高长長重]"),
    },
    cue_patterns={
        ASSISTANT: (
            r"[你您](?:之前|上次|曾经|曾經|曾|刚才|剛才)?"
            r"(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴|讲|講)"
            r"|[你您]的(?:建议|建議|推荐|推薦|意见|意見|回答)"
        ),
        NOW: r"现在|現在|如今|目前|仍然|最新|还[在是有能会]|還[在是有能會]",
        FIRST_PERSON: r"[我咱]",
    },
    statements={
        LASTING: (
            "记住|记得|記得|别忘|別忘|重要|必须|必須|从不|從不|总是|總是|永远|偏好|喜欢|喜歡|截止"
            "|生日|过敏|過敏|我叫|我的名字|我住"
        ),
        DECIDED: "决定|決定|同意|商定",
        OPEN: "待办|待定|下一步|未解决",
        FAILED: "错误|失败|錯誤|失敗",
        FIXED: "修复|修正|修好",
        DESIGNED: "架构|架構",
    },
)
