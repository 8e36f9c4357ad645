"""Tests of the asyncio client with the real program and with scripted agents that misbehave."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import unittest
from typing import Any, List

from parley_agent import AgentExitedError, AsyncClient, ParleyError, RpcError
from parley_agent._async_commands import AsyncCommands
from parley_agent._commands import Commands

from .support import DIALOG_AT_START, ECHO_ANSWERS, Sandbox, texts


class Case(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    async def start_script(self, body: str, **options: Any) -> AsyncClient:
        client = AsyncClient(**{**self.sandbox.agent(body), **options})
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        return client


class RealProgram(Case):
    async def test_prompts_and_exits_on_close(self) -> None:
        async with AsyncClient(**self.sandbox.parley()) as client:
            received: List[str] = []

            async def listen() -> None:
                async for event in client.events():
                    received.append(event["type"])

            listening = asyncio.ensure_future(listen())
            with open(os.path.join(self.sandbox.path, "notes.txt"), "w", encoding="utf-8") as file:
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
            self.assertEqual((received[0], *received[-2:]), ("agent_start", "agent_settled", "session_settled"))

    async def test_hundred_concurrent_calls(self) -> None:
        async with AsyncClient(**self.sandbox.parley()) as client:
            results = await asyncio.gather(*(client.bash(f"printf {n}") for n in range(100)))
            self.assertEqual([result["output"] for result in results], [str(n) for n in range(100)])


class Calls(Case):
    def test_methods_are_the_same_as_of_the_thread_client(self) -> None:
        def methods(cls: type) -> Any:
            return {
                name: list(inspect.signature(member).parameters)
                for name, member in vars(cls).items()
                if inspect.isfunction(member)
            }

        self.assertEqual(methods(AsyncCommands), methods(Commands))

    async def test_calls_before_start_fail(self) -> None:
        client = AsyncClient(["/nowhere/parley"])
        with self.assertRaisesRegex(ParleyError, "The agent is not running"):
            await client.get_state()
        with self.assertRaisesRegex(ParleyError, "Cannot start /nowhere/parley"):
            await client.start()

    async def test_long_lines_and_unusual_characters(self) -> None:
        client = await self.start_script("reply(frame, frame['text'])")
        text = "\u2028\u2029\x85é🙂" + "x" * 1_000_000
        self.assertEqual(await client.call("echo", {"text": text}), text)

    async def test_prompt_is_aborted_on_timeout_and_on_task_cancellation(self) -> None:
        client = await self.start_script(
            """
            if frame["type"] == "prompt": reply(frame); send({"type": "agent_start"})
            if frame["type"] == "abort": send({"type": "notice", "level": "info", "message": "aborted"}); reply(frame)
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

    async def test_prompt_that_fails_after_acceptance(self) -> None:
        client = await self.start_script('reply(frame); reply(frame, success=False, error="The disk is full")')
        with self.assertRaisesRegex(RpcError, "The disk is full"):
            await client.prompt_and_wait("x")


class Exit(Case):
    async def test_every_waiting_call_fails_with_exit_code_and_stderr(self) -> None:
        client = await self.start_script(
            """
            if frame["type"] == "prompt": reply(frame)
            if frame["type"] == "exit": exit_with(9, "no more")
            """
        )

        async def read() -> None:
            async for _ in client.events():
                pass

        waits = [client.prompt_and_wait("x"), client.get_state(), client.wait_for_idle(), read(), client.call("exit")]
        for outcome in await asyncio.gather(*waits, return_exceptions=True):
            self.assertIsInstance(outcome, AgentExitedError)
            self.assertEqual((outcome.exit_code, outcome.stderr), (9, "no more"))

    async def test_exit_is_detected_while_a_child_holds_the_pipes(self) -> None:
        client = await self.start_script(
            """
            if frame["type"] == "one":
                child = subprocess.Popen(["sleep", "600"])
                reply(frame, child.pid)
                exit_with(5, "bye")
            """
        )
        child_pid = await client.call("one")
        self.addCleanup(os.kill, child_pid, 9)
        with self.assertRaises(AgentExitedError) as exited:
            await client.call("two", timeout=60)
        self.assertEqual((exited.exception.exit_code, exited.exception.stderr), (5, "bye"))

    async def test_agent_that_ignores_sigterm_is_killed(self) -> None:
        client = await self.start_script("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); reply(frame)")
        await client.call("x")
        self.assertEqual((await client.stop(grace=0.1)).signal, "SIGKILL")


class Listeners(Case):
    async def test_listeners_and_handlers_may_be_coroutines(self) -> None:
        body = """
            if frame["type"] == "extension_ui_response":
                send({"type": "notice", "level": "info", "message": json.dumps(frame)})
            else:
                send({"type": "unknown_event"})
                for n, method in enumerate(["input", "confirm", "juggle"]):
                    send({"type": "extension_ui_request", "id": str(n), "method": method, "title": method})
                reply(frame)
        """

        async def handler(dialog: Any) -> Any:
            await asyncio.sleep(0)
            return "text" if dialog["method"] == "input" else True

        client = await self.start_script(body, on_dialog=handler)
        unhandled: List[Any] = []

        async def listen(frame: Any) -> None:
            unhandled.append(frame["type"])

        client.on_unhandled(listen)
        events = client.events()
        await client.call("ask")
        answers_sent = [json.loads((await events.__anext__())["message"]) for _ in range(3)]
        answers = {frame["id"]: {k: v for k, v in frame.items() if k not in ("id", "type")} for frame in answers_sent}
        self.assertEqual(answers, {"0": {"value": "text"}, "1": {"confirmed": True}, "2": {"cancelled": True}})
        self.assertEqual(unhandled, ["unknown_event", "extension_ui_request"])

    async def test_dialogs_before_the_first_call_wait_for_a_handler(self) -> None:
        client = AsyncClient(**self.sandbox.agent(ECHO_ANSWERS, DIALOG_AT_START))
        unhandled: "asyncio.Queue[Any]" = asyncio.Queue()
        client.on_unhandled(unhandled.put_nowait)
        events = client.events()
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        self.assertEqual(await asyncio.wait_for(unhandled.get(), 60), {"type": "dialogs_sent"})
        client.on_dialog(lambda dialog: True)
        answer = json.loads((await events.__anext__())["message"])
        self.assertEqual((answer["id"], answer["confirmed"]), ("first", True))

    async def test_first_call_dismisses_dialogs_without_a_handler(self) -> None:
        client = AsyncClient(**self.sandbox.agent(ECHO_ANSWERS, DIALOG_AT_START))
        events = client.events()
        await client.start()
        self.addAsyncCleanup(client.stop, grace=0.1)
        await client.call("hello")
        self.assertEqual(json.loads((await events.__anext__())["message"])["cancelled"], True)
