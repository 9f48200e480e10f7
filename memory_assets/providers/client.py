"""litellm, as every room that asks a model uses it.

It is imported when the first question is sent. No socket is opened but to the model that the settings name: its cost map is the
local one, callbacks and telemetry are off, no tokenizer is downloaded, and no redirect is followed. Keys come from the
environment, and from no ``.env`` file that happens to lie around.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from memory_assets.providers.retries import OutOfTimeError, is_unreached, redirect_of, status_of


@cache
def litellm_client() -> Any:
    """litellm, quiet and kept from every address but the model's and from every file but its own."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # these are read while it is imported
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else the .env of whatever folder it lies in is read into the environment
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import litellm

    for name in ("callbacks", "input_callback", "success_callback", "failure_callback", "service_callback"):
        setattr(litellm, name, [])
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_hf_tokenizer_download = True
    _follow_no_redirect(litellm)
    return litellm


def completion(
    talk: Sequence[Mapping[str, str]],
    *,
    model: str,
    api_base: str | None,
    max_tokens: int,
    timeout: float,
    optional: Mapping[str, Any],
    **streamed: bool,
) -> Any:
    """One request, sent once: whoever asks decides what is worth another, and counts what each costs.

    Args:
        timeout: in seconds, of the connection; a server that trickles needs a limit of its own (``retries.within``).
        optional: parameters that not every provider takes.
        streamed: ``stream`` where the reply is wanted in pieces.

    Raises:
        Exception: whatever litellm and the provider's client raise.
    """
    return litellm_client().completion(
        model=model,
        messages=[dict(message) for message in talk],
        api_base=api_base,
        max_tokens=max_tokens,
        timeout=timeout,
        drop_params=True,
        num_retries=0,
        max_retries=0,
        **streamed,
        **optional,
    )


def kind_of(error: Exception) -> str:
    """What kind of failure it was, in a few words that hold nothing of the request."""
    if isinstance(error, OutOfTimeError):
        return "no whole answer in time"
    if is_unreached(error):
        return "no connection"
    redirect = redirect_of(error)
    if redirect is not None:
        return f"it redirects elsewhere ({redirect}), which is not followed"
    status = status_of(error)
    return f"{type(error).__name__} ({status})" if status is not None else type(error).__name__


def is_served(model: str) -> bool:
    """Whether litellm knows a provider for a model of this name; for any other it answers itself, as if it had been asked."""
    try:
        litellm_client().get_llm_provider(model)
    except Exception:
        return False
    return True


def price_of(response: Any) -> float | None:
    """What a reply cost in dollars; None where the price of the model is not known."""
    try:
        return float(litellm_client().completion_cost(completion_response=response))
    except Exception:  # the price of most models is unknown, and litellm says so in many ways
        return None


def price_of_tokens(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """What so many tokens cost in dollars; None where the price of the model is not known."""
    try:
        prices = litellm_client().cost_per_token(model=model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        return float(sum(prices))
    except Exception:  # as above
        return None


def _follow_no_redirect(litellm: Any) -> None:
    """Send what is meant for one server to no other, whatever that one says: a redirect would take the whole request along.

    litellm follows redirects and has no setting for it. Whatever it asks over HTTP goes through one of its two handlers, or
    through OpenAI's client on ``client_session``.
    """
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, HTTPHandler

    for handler in (HTTPHandler, AsyncHTTPHandler):
        own: Any = handler.client
        # Where the client is used, not where it is made: some were made before this and are kept in caches.
        setattr(handler, "client", property(partial(_without_redirects, own.fget), own.fset))  # noqa: B010
    litellm.client_session = HTTPHandler().client


def _without_redirects(client_of: Callable[[Any], Any], handler: Any) -> Any:
    client = client_of(handler)
    client.follow_redirects = False
    return client
