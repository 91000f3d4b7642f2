"""Irregular forms of English words, which no stemmer brings together: bought, buy; feet, foot.

Questions ask with the base form ("what did Ann buy?"), and what is found tells in the past ("I
bought …"). A form that is as common in another sense is left out, as rose, ground and wound are
(docs/experiments.md, irregular forms).
"""

from __future__ import annotations

_WORDS = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became,
    begin began begun, bend bent, bite bit bitten, bleed bled, blow blew blown, break broke broken,
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
    choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug,
    draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
    fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew flown,
    forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
    freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung,
    hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid,
    lead led, lean leant, leap leapt, learn learnt, leave left, lend lent, light lit, lose lost,
    make made, mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid,
    prove proven, rebuild rebuilt, rewrite rewrote rewritten, ride rode ridden, ring rang rung,
    rise risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn,
    shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung,
    sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, spend spent, spin spun,
    spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung,
    strike struck, strive strove, swear swore sworn, sweep swept, swim swam swum, swing swung,
    take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
    understand understood, undertake undertook undertaken, wake woke woken, wear wore worn,
    weave wove woven, weep wept, win won, withdraw withdrew withdrawn, write wrote written,
    calf calves, child children, foot feet, goose geese, half halves, knife knives, loaf loaves,
    man men, mouse mice, person people, shelf shelves, thief thieves, tooth teeth, wife wives,
    wolf wolves, woman women
"""

FORMS = {base: forms for base, *forms in map(str.split, _WORDS.split(","))}
"""The irregular forms of a word, by its base form."""
BASE_OF = {form: base for base, forms in FORMS.items() for form in forms}
"""The base form of an irregular one."""
