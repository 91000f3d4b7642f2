"""A program that passes messages on to the channel webhook, and gets the answers."""

# start
import hashlib
import hmac
import json
import time
from typing import Any

import httpx

SECRET = "a secret of 16 letters or more"


def ask(address: str, **message: str) -> Any:
    """Return the answer to a message, whose fields are event_id, sender and text."""
    body = json.dumps(message).encode()
    at = str(int(time.time()))
    digest = hmac.new(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "content-type": "application/json",
        "x-recollect-timestamp": at,
        "x-recollect-signature": f"v1={digest}",
    }
    answer = httpx.post(f"{address}/api/channels/webhook", content=body, headers=headers)
    answer.raise_for_status()
    return answer.json()


# end
