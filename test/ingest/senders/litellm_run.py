"""What a user of LiteLLM runs, with both of its callbacks; the models' answers are made up by LiteLLM itself."""

import asyncio
import sys

import litellm

litellm.success_callback = ["openmeter", "lago"]

MESSAGES = [{"role": "user", "content": "How much is a million tokens?"}]


def call(model: str, answer: str) -> dict:
    customer = sys.argv[1]
    # Where its proxy puts the user of a request, and the Lago callback looks for it.
    proxied = {"body": {"user": customer}}
    return dict(model=model, messages=MESSAGES, mock_response=answer, user=customer, proxy_server_request=proxied)


async def main() -> None:
    await litellm.acompletion(**call("gpt-4o", "That depends on the model."))
    await litellm.acompletion(**call("gpt-4o", "A million tokens of a small model cost less than a dollar, and of a large one ten."))
    await litellm.acompletion(**call("openai/a-model-of-ours", "Nobody knows."))
    await asyncio.to_thread(litellm.completion, **call("gpt-4o", "Asked without async."))
    print("asked", flush=True)
    # Callbacks run in the background, until who has started this has what they send.
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
