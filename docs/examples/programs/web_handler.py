"""A web handler: one conversation for each user, and no thread waits for a disk."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import recollect


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Open the memory once, and close it when the server ends."""
    async with recollect.open_async() as memory, AsyncOpenAI() as client:
        yield {"memory": memory, "client": client}


async def chat(request: Request) -> JSONResponse:
    """Answer one message."""
    said, sessions = await request.json(), request.state.memory.sessions
    session = await sessions.open(f"web:{said['user']}")
    await sessions.append(session.id, "user", said["text"], event_id=said["id"])
    prompt = (await sessions.view(session.id, budget_tokens=8_000)).as_openai("Be brief.")
    answer = await request.state.client.chat.completions.create(model="gpt-5", messages=prompt)
    stored = await sessions.append(session.id, answer.choices[0].message)
    return JSONResponse({"text": stored.text, "seq": stored.seq})


app = Starlette(routes=[Route("/chat", chat, methods=["POST"])], lifespan=lifespan)
