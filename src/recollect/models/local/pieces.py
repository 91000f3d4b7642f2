"""The tokenizers of exports: BERT's word pieces are cut by our own code, others by `tokenizers`.

The package `tokenizers` is an extra, imported where a model needs it and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.models.local.export import Export
from recollect.models.local.wordpiece import WordPieces, read_vocabulary

PACKAGE_HINT = "install it with `pip install 'recollect[tokenizers]'`"

_CHARS_PER_PIECE = 32
"""Limits how much of a giant text is cut; pieces of real text have two to five characters."""
_PROBES = ("a", "b")


class _Part(msgspec.Struct):
    type: str | None = None
    unk_token: str | None = None
    continuing_subword_prefix: str | None = None
    clean_text: bool | None = None
    handle_chinese_chars: bool | None = None
    strip_accents: bool | None = None
    lowercase: bool | None = None
    vocab: msgspec.Raw = msgspec.Raw(b"null")


class _TokenizerFile(msgspec.Struct):
    model: _Part
    normalizer: _Part | None = None
    pre_tokenizer: _Part | None = None
    post_processor: _Part | None = None


class Pieces:
    """Cuts texts into the ids of a model's pieces. Safe to share between threads.

    Args:
        encode: Text and how many ids matter -> its ids, special ones left out.
        before: Ids at the beginning of each window.
        after: Ids at the end of each window.
        is_continuation: Whether a piece continues a word.
    """

    def __init__(
        self,
        encode: Callable[[str, int], list[int]],
        before: list[int],
        after: list[int],
        is_continuation: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self.encode = encode
        self.before = before
        self.after = after
        self.is_continuation = is_continuation

    def prefix(self, text: str) -> list[int]:
        """Return the ids of ``text``, independent of what follows it."""
        forms = [text.rstrip(), *(text + probe for probe in _PROBES)]
        columns = zip(*(self.encode(form, len(form)) for form in forms), strict=False)
        return [ids[0] for ids in takewhile(lambda ids: len({*ids}) == 1, columns)] if text else []


def open_pieces(path: Path, export: Export) -> Pieces:
    """Return the tokenizer of an export, whose file is at ``path``.

    Raises:
        ModelMissing: it needs the package `tokenizers`, which is not installed.
        EmbeddingError: the file is damaged.
        OSError: it cannot be read.
    """
    if path.suffix == ".txt":
        lowers = not export.is_cased
        return _word_pieces(
            WordPieces(read_vocabulary(path), lowers=lowers, strips=export.strips_accents)
        )
    content = path.read_bytes()
    try:
        description = decode_json(content, _TokenizerFile)
        ours = _ours(description)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _damaged(path) from error
    return _word_pieces(ours) if ours is not None else _library_pieces(path, content)


def _word_pieces(words: WordPieces) -> Pieces:
    return Pieces(words.encode, [words.cls_id], [words.sep_id], words.is_continuation)


def _ours(description: _TokenizerFile) -> WordPieces | None:
    """Return our own tokenizer if it gives the same result, else None."""
    model, words = description.model, description.normalizer
    kinds = [part.type if part else None for part in (words, description.pre_tokenizer)]
    is_bert = model.type == "WordPiece" and kinds == ["BertNormalizer", "BertPreTokenizer"]
    if words is None or not is_bert or not (words.clean_text and words.handle_chinese_chars):
        return None
    if (model.unk_token, model.continuing_subword_prefix) != ("[UNK]", "##"):
        return None
    ids = decode_json(model.vocab, dict[str, int])
    vocabulary = sorted(ids, key=ids.__getitem__)
    if sorted(ids.values()) != list(range(len(ids))) or not {"[CLS]", "[SEP]"} <= ids.keys():
        return None
    lowers = bool(words.lowercase)
    strips = lowers if words.strip_accents is None else words.strip_accents
    return WordPieces(vocabulary, lowers=lowers, strips=strips)


def _library_pieces(path: Path, content: bytes) -> Pieces:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelMissing(
            "the tokenizer of this model needs the package tokenizers", hint=PACKAGE_HINT
        ) from error
    try:
        tokenizer: Any = Tokenizer.from_buffer(content)
    except Exception as error:
        raise _damaged(path) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    before, after = _around(tokenizer, path)
    control = frozenset(before + after)

    def encode(text: str, limit: int) -> list[int]:
        start = text[: limit * _CHARS_PER_PIECE]
        ids = tokenizer.encode(start, add_special_tokens=False).ids
        # A text that spells a control piece must not become one.
        return [piece for piece in ids if piece not in control]

    return Pieces(encode, before, after)


def _around(tokenizer: Any, path: Path) -> tuple[list[int], list[int]]:
    """Return the special ids before and after a text."""
    plain = tokenizer.encode(_PROBES[0], add_special_tokens=False).ids
    whole = tokenizer.encode(_PROBES[0], add_special_tokens=True).ids
    for start in range(len(whole) - len(plain) + 1):
        if plain and whole[start : start + len(plain)] == plain:
            return whole[:start], whole[start + len(plain) :]
    raise _damaged(path)


def _damaged(path: Path) -> EmbeddingError:
    return EmbeddingError(
        f"{path.name} of the model cannot be read", hint="get the file again", path=str(path)
    )
