"""The client for asyncio, against the real program and against agents that misbehave."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import unittest
from typing import Any, List

from parley_agent import AgentGone, AsyncClient, ParleyError, RpcError
from parley_agent._async_commands import AsyncCommands
from parley_agent._commands import Commands

from .support import ASK_FIRST, TELL_ANSWERS, Place, texts


class Case(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.place = Place()
        self.addCleanup(self.place.close)

    async def scripted(self, body: str, **options: Any) -> AsyncClient:
        client = AsyncClient(**{**self.place.agent(body), **options})
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        return client


class TheProgram(Case):
    async def test_holds_a_conversation_and_goes(self) -> None:
        async with AsyncClient(**self.place.parley()) as client:
            heard: List[str] = []

            async def listen() -> None:
                async for event in client.events():
                    heard.append(event["type"])

            listening = asyncio.ensure_future(listen())
            with open(os.path.join(self.place.path, "notes.txt"), "w", encoding="utf-8") as file:
                file.write("the quick brown fox\n")
            messages = await client.prompt_and_wait("What files are here?")
            self.assertIn("notes.txt", texts(messages[-1]))
            await client.set_session_name("greeting")
            self.assertEqual((await client.get_state())["sessionName"], "greeting")
            with self.assertRaisesRegex(RpcError, "Unknown command: fly"):
                await client.call("fly")
            await client.wait_for_idle()
            self.assertEqual((await client.close()).exit_code, 0)
            await asyncio.wait_for(listening, 60)
            self.assertEqual((heard[0], heard[-1]), ("agent_start", "agent_settled"))

    async def test_hundred_calls_at_once(self) -> None:
        async with AsyncClient(**self.place.parley()) as client:
            results = await asyncio.gather(*(client.bash(f"printf {n}") for n in range(100)))
            self.assertEqual([result["output"] for result in results], [str(n) for n in range(100)])


class Calls(Case):
    def test_the_same_methods_as_with_threads(self) -> None:
        def methods(cls: type) -> Any:
            return {
                name: list(inspect.signature(member).parameters)
                for name, member in vars(cls).items()
                if inspect.isfunction(member)
            }

        self.assertEqual(methods(AsyncCommands), methods(Commands))

    async def test_not_started(self) -> None:
        client = AsyncClient(["/nowhere/parley"])
        with self.assertRaisesRegex(ParleyError, "The agent is not running"):
            await client.get_state()
        with self.assertRaisesRegex(ParleyError, "Cannot start /nowhere/parley"):
            await client.start()

    async def test_long_lines_and_odd_letters(self) -> None:
        client = await self.scripted("reply(frame, frame['text'])")
        text = "\u2028\u2029\x85é🙂" + "x" * 1_000_000
        self.assertEqual(await client.call("echo", {"text": text}), text)

    async def test_time_is_up_or_the_task_is_cancelled(self) -> None:
        client = await self.scripted(
            """
            if frame["type"] == "prompt": reply(frame); say({"type": "agent_start"})
            if frame["type"] == "abort": say({"type": "notice", "level": "info", "message": "aborted"}); reply(frame)
            """
        )
        events = client.events()
        with self.assertRaisesRegex(TimeoutError, "did not answer prompt within 0.1 s"):
            await client.prompt_and_wait("x", timeout=0.1)
        self.assertEqual([(await events.__anext__())["type"] for _ in range(2)], ["agent_start", "notice"])
        task = asyncio.ensure_future(client.prompt_and_wait("y"))
        self.assertEqual((await events.__anext__())["type"], "agent_start")
        task.cancel()
        self.assertEqual((await events.__anext__())["type"], "notice")
        with self.assertRaises(asyncio.CancelledError):
            await task

    async def test_a_prompt_that_fails_after_it_was_accepted(self) -> None:
        client = await self.scripted('reply(frame); reply(frame, success=False, error="The disk is full")')
        with self.assertRaisesRegex(RpcError, "The disk is full"):
            await client.prompt_and_wait("x")


class Death(Case):
    async def test_everything_that_waits_fails_with_its_last_words(self) -> None:
        client = await self.scripted(
            """
            if frame["type"] == "prompt": reply(frame)
            if frame["type"] == "die": die(9, "no more")
            """
        )

        async def read() -> None:
            async for _ in client.events():
                pass

        waits = [client.prompt_and_wait("x"), client.get_state(), client.wait_for_idle(), read(), client.call("die")]
        for outcome in await asyncio.gather(*waits, return_exceptions=True):
            self.assertIsInstance(outcome, AgentGone)
            self.assertEqual((outcome.exit_code, outcome.stderr), (9, "no more"))

    async def test_one_that_leaves_someone_behind_who_holds_the_pipes(self) -> None:
        client = await self.scripted(
            """
            if frame["type"] == "one":
                child = subprocess.Popen(["sleep", "600"])
                reply(frame, child.pid)
                die(5, "bye")
            """
        )
        left = await client.call("one")
        self.addCleanup(os.kill, left, 9)
        with self.assertRaises(AgentGone) as gone:
            await client.call("two", timeout=60)
        self.assertEqual((gone.exception.exit_code, gone.exception.stderr), (5, "bye"))

    async def test_one_that_does_not_heed_the_stop_is_killed(self) -> None:
        client = await self.scripted("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); reply(frame)")
        await client.call("x")
        self.assertEqual((await client.stop(grace=0.1)).signal, "SIGKILL")


class Listening(Case):
    async def test_listeners_and_handlers_may_be_coroutines(self) -> None:
        body = """
            if frame["type"] == "extension_ui_response":
                say({"type": "notice", "level": "info", "message": json.dumps(frame)})
            else:
                say({"type": "never_heard_of"})
                for n, method in enumerate(["input", "confirm", "juggle"]):
                    say({"type": "extension_ui_request", "id": str(n), "method": method, "title": method})
                reply(frame)
        """

        async def handler(question: Any) -> Any:
            await asyncio.sleep(0)
            return "text" if question["method"] == "input" else True

        client = await self.scripted(body, on_ask=handler)
        others: List[Any] = []

        async def other(frame: Any) -> None:
            others.append(frame["type"])

        client.on_other(other)
        events = client.events()
        await client.call("ask")
        told = [json.loads((await events.__anext__())["message"]) for _ in range(3)]
        answers = {frame["id"]: {k: v for k, v in frame.items() if k not in ("id", "type")} for frame in told}
        self.assertEqual(answers, {"0": {"value": "text"}, "1": {"confirmed": True}, "2": {"cancelled": True}})
        self.assertEqual(others, ["never_heard_of", "extension_ui_request"])

    async def test_questions_before_the_first_call_wait_for_a_handler(self) -> None:
        client = AsyncClient(**self.place.agent(TELL_ANSWERS, ASK_FIRST))
        others: "asyncio.Queue[Any]" = asyncio.Queue()
        client.on_other(others.put_nowait)
        events = client.events()
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        self.assertEqual(await asyncio.wait_for(others.get(), 60), {"type": "asked"})
        client.on_ask(lambda question: True)
        answer = json.loads((await events.__anext__())["message"])
        self.assertEqual((answer["id"], answer["confirmed"]), ("first", True))

    async def test_the_first_call_dismisses_questions_without_a_handler(self) -> None:
        client = AsyncClient(**self.place.agent(TELL_ANSWERS, ASK_FIRST))
        events = client.events()
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        await client.call("hello")
        self.assertEqual(json.loads((await events.__anext__())["message"])["cancelled"], True)
