"""The data of Korean. Particles are attached to their word, so it is read by signs."""

from __future__ import annotations

from recollect.text.languages.language import (
    ASKS,
    ASSISTANT,
    CAUSED,
    CHANGED,
    CURED,
    DAY_NUMBER,
    DECIDED,
    DONE,
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
    NAMED_TIME,
    NIGHT_HOURS,
    NOON_HOURS,
    NOW,
    OPEN,
    OTHER,
    PARTS,
    PAST,
    PAST_TENSE,
    PLANNED,
    RELATES,
    REPAIRS,
    REQUEST,
    SETTLED,
    STATE,
    TOTAL,
    TROUBLE,
    YEAR,
    Language,
    Table,
)

_DAYS = "월화수목금토일"
_LAST = ("지난", "저번")
_COUNTED = ("하루", "이틀", "사흘", "나흘", "닷새")

_TIMES: Table = {
    OTHER: dict.fromkeys(("그제야", "그제서야")),
    "X": {f"{day}요일": number for number, day in enumerate(_DAYS)},
    "J": {
        **dict.fromkeys(("작년", "지난해"), ("year", -1)),
        "재작년": ("year", -2),
        **dict.fromkeys(("올해", "금년"), ("year", 0)),
        "내년": ("year", 1),
        **dict.fromkeys(("지지난주", "지지난 주"), ("week", -2)),
        **dict.fromkeys(("일주일 전", "일주일전"), ("week", -1)),
        **dict.fromkeys(("이번주말", "이번 주말"), ("weekend", 0)),
    },
    "D": {
        "오늘": 0,
        "어제": -1,
        "그저께": -2,
        "그제": -2,
        "엊그제": -2,
        "내일": 1,
        "모레": 2,
        **{
            name + before: -days
            for days, name in enumerate(_COUNTED, 1)
            for before in ("전", " 전")
        },
    },
    "T": {
        **dict.fromkeys(("어젯밤", "간밤", "지난밤", "지난 밤"), (NIGHT_HOURS, -1)),
        **dict.fromkeys(("오늘밤", "오늘 밤"), (NIGHT_HOURS, 0)),
    },
    "R": {**dict.fromkeys((*_LAST, "최근"), -1), "이번": 0, "다음": 1},
    "U": {
        **dict.fromkeys(("일", "일간", "일 동안"), "day"),
        **dict.fromkeys(("주", "주일", "주간"), "week"),
        **dict.fromkeys(("달", "개월"), "month"),
        **dict.fromkeys(("년", "년간", "해"), "year"),
        "주말": "weekend",
        "시간": "hour",
        "분": "minute",
    },
    "P": {
        **dict.fromkeys(("아침", "오전"), MORNING_HOURS),
        **dict.fromkeys(("점심", "오후"), NOON_HOURS),
        "저녁": EVENING_HOURS,
        **dict.fromkeys(("밤", "새벽"), NIGHT_HOURS),
    },
    "K": {"봄": 3, "여름": 6, "가을": 9, "겨울": 12},
    "N": {"한": 1, "두": 2, "세": 3, "네": 4, "몇": 3},
    "A": {"전": None},
    "F": {"의": None},
    "s": {"이후": None},
    "e": dict.fromkeys(("매", "매주", "매월", "매일", "매년")),
}
_PAST_SYLLABLES = "".join(
    chr(code)
    for code in range(0xAC00, 0xD7A4)
    if (code - 0xAC00) % 28 == 20 and chr(code) not in "있겠"
)
"""Those that end in the sign of the past, but for "there is" and "will"."""


LANGUAGE = Language(
    code="ko",
    letters=r"[\uac00-\ud7a3]",
    times=_TIMES,
    date_signs={
        YEAR: "년",
        MONTH: "월(?!간)",
        DAY_NUMBER: "일(?! ?(?:간|동안|전에|전(?![가-힣])))",
    },
    function_signs=(
        "(?<![가-힣])(?:무엇[을이]?|무슨|뭐[라가를]?|뭘|언제|어디서?|어떻게|왜|누가|누구|어느|어떤)(?![가-힣])"
    ),
    stop_words="""
        것 거 등 수 때 곳 에서 에게 으로 까지 부터 처럼 보다 이나 그리고 하지만 그래서 무엇 언제
        어디 어떻게 왜 누가 우리 저는 나는 이것 그것 저것 있는 없는 했던 하는 한다 합니다 입니다
        어제 오늘
    """,
    question_kinds={
        REQUEST: (
            r"(?:요약|정리|설명|추천|제안|비교|번역|작성|도와|나열)(?:해|좀)? ?(?:줘|줄래|주세요"
            r"|주실|줄 수|달라)|도와 ?(?:줘|줄|주)|어떻게 [^?]*(?:하면|해야|할까|좋을까|될까|되나"
            r"|좋아|나을까|하지)|어떡|순서대로|시간 ?순|(?:방법|하는 ?법)을? ?(?:좀 )?(?:알려"
            r"|가르쳐)|조언|(?:추천|제안)할"
        ),
        TOTAL: (r"(?:지금까지|여태|현재까지|이제까지|오늘까지|벌써)[^?]*(?:몇(?! ?번)|얼마)"),
        EVENT: (
            rf"몇 ?번 [^?]{{0,8}}[{_PAST_SYLLABLES}](?:어|나|지|니|습|는|을)|(?:사이"
            r"|간격)[^?]*(?:며칠|몇 ?(?:일|주|달|개월|년))|(?:부터|에서)[^?]*까지[^?]*(?:며칠"
            r"|몇 ?(?:일|주|달|개월|년))|뭐래|뭐라|왜|이유|언제부터|얼마나 ?(?:걸|오래)"
            r"|무슨 ?(?:일|문제)|적 ?(?:이 ?)?있|마지막으로|어땠|어떻게 ?(?:됐|되었)"
            r"|언제 [^?]*(?:했|갔|왔|샀|됐|났|었|았|였)(?:어|나|지|니|습|는)(?<!언제였어)"
            r"|(?:[은는]|간|온|한|본|산|된|난|준|쓴) (?:게|건|것이|것은|날이|날은) ?(?:언제|며칠)"
        ),
        PAST: (
            r"예전|이전|첫 ?(?:상사|직장|회사|차|집|선생|전화)|전에는|옛|원래|당시|처음|최초|초기"
            r"|과거|그전|그 전|전엔|기존|^.*기 전|전까지|전 ?(?:직장|남편|아내|회사|여친|남친|주소"
            r"|번호)|(?<![를을])[가-힣] 때(?!문)|시절|던 (?!게)|작년|재작년|지난해|지난 ?달|(?:19"
            r"|20)\d\d년|^.*[가-힣] 전에?(?:는)? "
        ),
        PAST_TENSE: (
            rf"[{_PAST_SYLLABLES}](?:어|나|지|니|습|던|을|는|더|죠)"
            r"(?<!뭐였지)(?<!뭐였더)(?<!뭐였죠)(?<!뭐였나)(?<!어디였지)(?<!누구였지)(?<!언제였지)"
            r"(?<!얼마였지)(?<!뭐더)|어제"
        ),
        HAPPENED: (
            r"말했|라고 했|이야기|추천|샀|(?<!러 )갔|만났|결정|일어났|이사했|바꿨|바꾼|뭐 했|됐"
        ),
        HELD: (r"살았|살고 있었|살던|일했|다녔|썼|쓰던|사용했|였|이었|있었|살았지|담당했|불렀"),
        NAMED_TIME: r"\d월|[일이삼사오육칠팔구십]월|학기",
        STATE: r"남았|지금|현재|아직|여전|요즘|최신|최근",
        ASKS: (
            r"뭐|무엇|어디|누구|누가|어떤|어느|얼마|몇|언제|야|이야|어$|해$|나요|니까|가요"
            r"|알려 ?[줘주]"
        ),
    },
    cue_patterns={
        ASSISTANT: (
            r"(?:추천|제안|설명|말|얘기|이야기)해 ?(?:준|줬|주었|주셨)|알려 ?(?:준|줬|주었|주셨)"
            r"|(?:네가|당신이|너는|당신은) .{0,20}(?:추천|제안|설명|말)"
        ),
        NOW: r"지금|현재|아직|여전히|요즘|최신",
        FIRST_PERSON: r"(?<![가-힣])(?:저는|제가|저의|나는|내가|나의|우리|저희|내|제)(?![가-힣])",
    },
    denials=(
        ("없", "적[이은도]? ?없"),
        ("번도", "한 ?번도 [^,.]*(?:않|못|안 |없)"),
    ),
    statements={
        DONE: rf"[{_PAST_SYLLABLES}](?:어|습|다|는|고|지|던|네)",
        LASTING: (
            "기억해|잊지 ?마|중요|반드시|항상|언제나|절대|결코|앞으로는|선호|좋아하|좋아해|싫어"
            "|마감|기한|생일|알레르기|제 이름|내 이름|살고 있|거주|해야 (?:합|한|해)|지 마세요|근무"
        ),
        DECIDED: "결정|합의|정했|기로 했|기로 함",
        OPEN: "할 일|미정|다음 단계|보류|아직 안|미해결",
        FAILED: "오류|에러|실패|예외",
        FIXED: "수정했|고쳤|해결했|해결됐|해결되었|수정됐|원인은|원인이었|때문이었",
        REPAIRS: "수정|고침|고쳤|해결",
        PLANNED: "안|못|아직|만약",
        CAUSED: "때문|원인|탓",
        TROUBLE: (
            "오류|에러|실패|누락|빠져|크래시|누수|중복|두 번|만료|타임아웃|느려|느린"
            "|사라|깨졌|비어|충돌|덮어|문제|버그|[45]\\d\\d"
        ),
        CURED: ("이제 (?:됩|잘|정상)|정상(?:적으로)? (?:동작|작동)|해결됐|더 이상"),
        CHANGED: ("이제|제거했|옮겼|늘렸|바꿨|추가했|변경했|교체했|수정했|설정했"),
        SETTLED: "(?:결정|확정)[:：].{4,}|[ABC가나다]안으로 (?:갑|가|하)",
        RELATES: "호출|의존|담당|통해서만|계층|구조|아키텍처",
        PARTS: "계층|서비스|게이트웨이|모듈|프런트|백엔드|데이터베이스|큐|시스템",
    },
)
