"""The settings of embeddings: which model, over which wire, at what cost."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class RemoteSettings(Struct, frozen=True, kw_only=True):
    """A provider that is asked over HTTP."""

    base_url: Annotated[
        str | None,
        "Address of the provider. Unset: its own. With it, openai speaks to anything compatible: "
        "Ollama, LM Studio, vLLM, a llama.cpp server.",
    ] = None
    api_key: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Key of the provider. Unset: OPENAI_API_KEY, GEMINI_API_KEY (or GOOGLE_API_KEY) or "
        "VOYAGE_API_KEY of the environment.",
    ] = None
    headers: Annotated[
        tuple[str, ...],
        Meta(max_length=50, extra={"secret": True}),
        "More headers of every request, such as `X-Team: search`.",
    ] = ()
    query_input_type: Annotated[
        str | None, "Sent as input_type with a question; voyage has its own."
    ] = None
    document_input_type: Annotated[
        str | None, "Sent as input_type with texts to index; voyage has its own."
    ] = None
    batch_tokens: Annotated[
        int,
        Meta(ge=64, le=1_000_000, extra={"unit": "estimated tokens"}),
        "Size of a request. 8,000 is OpenClaw's value; a longer text goes alone.",
    ] = 8_000
    concurrency: Annotated[
        int, Meta(ge=1, le=64, extra={"unit": "requests"}), "Requests under way at once."
    ] = 4
    timeout_s: Annotated[
        float,
        Meta(ge=0.1, le=600.0, extra={"unit": "s"}),
        "Longest a request for texts to index may take, from connecting to the last byte.",
    ] = 60.0
    query_timeout_s: Annotated[
        float,
        Meta(ge=0.1, le=600.0, extra={"unit": "s"}),
        "Longest a search waits for the vector of its question, tries included; then it answers by "
        "words and says so. OpenClaw waits 60 s.",
    ] = 3.0
    daily_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "Tokens sent to paid providers in one day (UTC) at most; then texts wait for the next day. "
        "0: no limit.",
    ] = 5_000_000
    price_per_million: Annotated[
        float | None,
        Meta(extra={"unit": "USD"}),
        "Price of a million tokens, for the cost that is shown before a large job. Unset: the list "
        "price where it is known.",
    ] = None


class BatchSettings(Struct, frozen=True, kw_only=True):
    """The providers' asynchronous batch interfaces: half the price, within a day."""

    enabled: Annotated[
        bool,
        "Use them for large amounts of text. openai, gemini and voyage have one. After two "
        "failures in a row texts are sent directly for a day.",
    ] = False
    wait: Annotated[
        bool, "A sync waits for the batch; otherwise a later one fetches the result."
    ] = True
    concurrency: Annotated[
        int, Meta(ge=1, le=16, extra={"unit": "batches"}), "Batches under way at once."
    ] = 2
    poll_interval_ms: Annotated[
        int,
        Meta(ge=10, le=3_600_000, extra={"unit": "ms"}),
        "How often to ask whether a batch is finished.",
    ] = 2_000
    timeout_minutes: Annotated[
        int,
        Meta(ge=1, le=1_440, extra={"unit": "minutes"}),
        "When a batch that is not finished is cancelled. What it did is used, the rest is tried "
        "once more; a second timeout counts as a failure.",
    ] = 60
    least_texts: Annotated[
        int,
        Meta(ge=1, le=50_000, extra={"unit": "texts"}),
        "Fewer waiting texts are sent directly: a batch takes minutes at best.",
    ] = 500


class CacheSettings(Struct, frozen=True, kw_only=True):
    """Vectors found by the hash of their text, so that none is made or paid for twice."""

    enabled: Annotated[bool, "Keep and look up."] = True
    max_entries: Annotated[
        int,
        Meta(ge=0, le=100_000_000, extra={"unit": "vectors"}),
        "Of vectors that no chunk has, such as those of the model before: beyond so many the "
        "oldest go; 0: no limit. OpenClaw counts all and keeps 50,000, fewer than a busy home has "
        "messages, so that its rebuilds pay again.",
    ] = 500_000


class EmbeddingSettings(Struct, frozen=True, kw_only=True):
    """Which model makes the vectors, and how much of the machine and of the money it may use."""

    provider: Annotated[
        str,
        Meta(min_length=1, max_length=200),
        "auto: the local model where it is installed, then a GGUF file, then openai, gemini or "
        "voyage where there is a key, else words only. Otherwise none, provider or provider:model, "
        "such as local:universal-sentence-encoder-multilingual or openai:text-embedding-3-small.",
    ] = "auto"
    fallback: Annotated[
        str,
        Meta(min_length=1, max_length=200),
        "Provider, or provider:model, that takes over when the first one cannot be used: its key "
        "is missing, refused or exhausted, or it stays away. none: words only.",
    ] = "none"
    confirm_paid: Annotated[
        bool,
        "Ask before a paid provider embeds what another embedder, or none, has indexed, and before "
        "auto sends anything to one only because a key lies in the environment: `recollect sync` "
        "asks, and in Python memory.reindex() is the answer; until then words are searched, or the "
        "old index serves. false: a sync does it.",
    ] = True
    sources: Annotated[
        tuple[Literal["memory", "sessions", "observations", "facts"], ...],
        "The kinds of memory that a paid provider gets: a new kind is added by hand, else it is "
        "found by its words alone. An embedder on this machine or network gets all.",
    ] = ("memory", "sessions")
    dimensions: Annotated[
        int,
        Meta(ge=0, le=8_192, extra={"unit": "values"}),
        "Size of the vectors to ask for, where a provider lets choose; 0: the model's own. A "
        "change re-embeds.",
    ] = 0
    gguf_path: Annotated[
        str | None,
        "A GGUF file for the provider gguf, which needs the package llama-cpp-python. Unset: "
        "embeddinggemma-300M-Q8_0.gguf in the models folder.",
    ] = None
    model_path: Annotated[
        str | None,
        "Folder that holds the files of the local model. Unset: its place in the models folder, "
        "which RECOLLECT_MODELS moves.",
    ] = None
    quantisation: Annotated[
        Literal["int8", "fp32"],
        "Weights of the local model. int8 is three times as fast and a quarter of the size; "
        "recall@10 on LoCoMo is the same (.420 against .419). A change re-embeds.",
    ] = "int8"
    threads: Annotated[
        int,
        Meta(ge=1, le=64, extra={"unit": "threads"}),
        "Threads of the local model; two leave a laptop usable.",
    ] = 2
    batch_size: Annotated[
        int,
        Meta(ge=1, le=512, extra={"unit": "texts"}),
        "Texts that a thread takes at once, and the step of the progress. The model reads them one "
        "by one, so that a vector depends on its text alone.",
    ] = 8
    max_windows: Annotated[
        int,
        Meta(ge=1, le=1_024, extra={"unit": "windows of the model"}),
        "A text longer than the model reads is embedded in this many windows at most. Bounds the "
        "cost of one giant text. A change re-embeds.",
    ] = 8
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    batch: BatchSettings = field(default_factory=BatchSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
