"""Tests of the thread client with the real program and with scripted agents that misbehave."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
import unittest
from typing import Any, List

import parley_agent
from parley_agent import AgentExitedError, Client, ParleyError, RpcError

from .support import DIALOG_AT_START, ECHO_ANSWERS, ROOT, Sandbox, texts


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    def start(self, **options: Any) -> Client:
        client = Client(**options)
        self.addCleanup(client.stop, grace=0.1)
        return client

    def start_script(self, body: str, **options: Any) -> Client:
        return self.start(**{**self.sandbox.agent(body), **options})


class RealProgram(Case):
    def test_prompts_and_exits_on_close(self) -> None:
        client = self.start(**self.sandbox.parley())
        received: List[str] = []
        client.on_event(lambda event: received.append(event["type"]))
        with open(os.path.join(self.sandbox.path, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("the quick brown fox\n")
        messages = client.prompt_and_wait("What files are here?")
        self.assertEqual([m["role"] for m in messages], ["user", "assistant", "toolResult", "assistant"])
        self.assertIn("notes.txt", texts(messages[-1]))
        client.set_session_name("greeting")
        client.set_interrupt_mode("wait")
        state = client.get_state()
        self.assertEqual((state["sessionName"], state["interruptMode"]), ("greeting", "wait"))
        self.assertEqual(client.bash("echo hi; exit 3")["exitCode"], 3)
        client.wait_for_idle()
        exit_info = client.close()
        self.assertEqual((exit_info.exit_code, exit_info.stderr), (0, ""))
        self.assertEqual((received[0], *received[-2:]), ("agent_start", "agent_settled", "session_settled"))
        with self.assertRaisesRegex(AgentExitedError, "exited with code 0 before it answered get_state"):
            client.get_state()

    def test_rpc_error_has_the_error_text_of_the_agent(self) -> None:
        client = self.start(**self.sandbox.parley())
        with self.assertRaisesRegex(RpcError, "Session name cannot be empty") as refused:
            client.set_session_name(" ")
        self.assertEqual((refused.exception.command, refused.exception.id), ("set_session_name", "req_1"))
        with self.assertRaisesRegex(RpcError, "Unknown command: fly"):
            client.call("fly")

    def test_first_call_reports_a_wrong_flag(self) -> None:
        client = self.start(**self.sandbox.parley("--dialect", "klingon"))
        with self.assertRaisesRegex(AgentExitedError, "Unknown dialect: klingon") as exited:
            client.get_state()
        self.assertEqual(exited.exception.exit_code, 2)

    def test_dialog_of_an_extension_reaches_the_handler(self) -> None:
        gate = str(ROOT / "examples" / "extensions" / "permission-gate.ts")
        client = self.start(**self.sandbox.parley("-e", gate))
        dialogs: List[Any] = []

        def answer(dialog: Any) -> Any:
            dialogs.append(dialog)
            return dialog["options"][-1] if dialog["method"] == "select" else False

        client.on_dialog(answer)
        client.prompt_and_wait("Run `rm -rf nothing-here`")
        self.assertEqual(len(dialogs), 1, dialogs)

    def test_pending_calls_fail_when_the_agent_is_killed(self) -> None:
        client = self.start(**self.sandbox.parley())
        client.get_state()
        os.kill(client.pid, 19)
        outcomes: List[BaseException] = []

        def ask() -> None:
            try:
                client.get_state()
            except AgentExitedError as exited:
                outcomes.append(exited)

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        while len(client._connection._pending) < 20:
            time.sleep(0.001)
        os.kill(client.pid, 9)
        for thread in threads:
            thread.join(60)
        self.assertEqual({exited.signal for exited in outcomes if isinstance(exited, AgentExitedError)}, {"SIGKILL"})
        self.assertEqual(len(outcomes), 20)


# pi's names of branch and get_branch_messages. The Python client has no methods for them.
PI_NAMES = {"fork", "get_fork_messages"}


class Calls(Case):
    def test_every_command_has_a_method(self) -> None:
        schema = json.loads((ROOT / "schema" / "omp.json").read_text(encoding="utf-8"))["definitions"]
        client = self.start_script("reply(frame, frame)")
        count = 0
        for definition in schema.values():
            type = definition.get("properties", {}).get("type", {}).get("const")
            if type in PI_NAMES or not definition.get("description") or f"{pascal_case(type)}Command" not in schema:
                continue
            required = [name for name in definition["required"] if name != "type"]
            sent = client.call(type)
            getattr(client, type)(*["x" for _ in required])
            self.assertEqual(sent["type"], type)
            count += 1
        self.assertGreaterEqual(count, 34)

    def test_arguments_get_their_wire_names_and_none_is_left_out(self) -> None:
        client = self.start_script("reply(frame, frame)")
        self.assertEqual(
            client.compact(custom_instructions="short"),
            {"customInstructions": "short", "id": "req_1", "type": "compact"},
        )
        self.assertEqual(client.compact(), {"id": "req_2", "type": "compact"})

    def test_calls_of_many_threads_get_their_own_replies(self) -> None:
        client = self.start_script("reply(frame, frame['n'])")
        differences: List[int] = []
        threads = [threading.Thread(target=lambda n=n: differences.append(client.call("n", {"n": n}) - n)) for n in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(differences, [0] * 50)

    def test_call_times_out(self) -> None:
        client = self.start_script("pass")
        with self.assertRaisesRegex(TimeoutError, "did not answer get_state within 0.05 s"):
            client.get_state(timeout=0.05)
        with self.assertRaises(TimeoutError):
            client.wait_for_idle(timeout=0.05)

    def test_prompt_that_times_out_is_aborted(self) -> None:
        client = self.start_script(
            """
            if frame["type"] == "prompt": reply(frame); send({"type": "agent_start"})
            if frame["type"] == "abort": send({"type": "notice", "level": "info", "message": "aborted"}); reply(frame)
            """
        )
        events = client.events()
        with self.assertRaises(TimeoutError):
            client.prompt_and_wait("x", timeout=0.2)
        self.assertEqual([next(events)["type"], next(events)["type"]], ["agent_start", "notice"])

    def test_long_lines_and_unusual_characters(self) -> None:
        client = self.start_script("reply(frame, frame['text'])")
        text = "\u2028\u2029\x85é🙂" + "x" * 1_000_000
        self.assertEqual(client.call("echo", {"text": text}), text)

    def test_prompt_that_fails_after_acceptance(self) -> None:
        client = self.start_script(
            'reply(frame); reply(frame, success=False, error="The disk is full")',
        )
        with self.assertRaisesRegex(RpcError, "The disk is full"):
            client.prompt_and_wait("x")


class Exit(Case):
    def test_every_waiting_call_fails_with_exit_code_and_stderr(self) -> None:
        client = self.start_script(
            """
            if frame["type"] == "prompt": reply(frame)
            if frame["type"] == "exit": exit_with(9, "no more")
            """
        )
        outcomes: List[Any] = []

        def wait(call: Any) -> None:
            try:
                call()
            except AgentExitedError as exited:
                outcomes.append((exited.exit_code, exited.stderr))

        waits = [lambda: client.prompt_and_wait("x"), client.get_state, client.wait_for_idle, lambda: list(client.events())]
        threads = [threading.Thread(target=wait, args=(call,)) for call in waits]
        for thread in threads:
            thread.start()
        while len(client._connection._pending) < 2 or not client._readers or not client._connection._observers:
            time.sleep(0.001)
        with self.assertRaises(AgentExitedError):
            client.call("exit")
        for thread in threads:
            thread.join(60)
        self.assertEqual(outcomes, [(9, "no more")] * 4)

    def test_exit_is_detected_while_a_child_holds_the_pipes(self) -> None:
        client = self.start_script(
            """
            if frame["type"] == "one":
                child = subprocess.Popen(["sleep", "600"])
                reply(frame, child.pid)
                exit_with(5, "bye")
            """
        )
        child_pid = client.call("one")
        self.addCleanup(os.kill, child_pid, 9)
        with self.assertRaises(AgentExitedError) as exited:
            client.call("two")
        self.assertEqual((exited.exception.exit_code, exited.exception.stderr), (5, "bye"))

    def test_agent_that_ignores_sigterm_is_killed(self) -> None:
        client = self.start_script('import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); reply(frame)')
        client.call("x")
        self.assertEqual(client.stop(grace=0.1).signal, "SIGKILL")

    def test_missing_program(self) -> None:
        with self.assertRaisesRegex(ParleyError, "Cannot start /nowhere/parley"):
            Client(["/nowhere/parley"])


class Listeners(Case):
    EVENTS = """
        send({"type": "notice", "level": "info", "message": "a"})
        send({"type": "unknown_event", "n": 1})
        send({"type": "extension_ui_request", "id": "d", "method": "notify", "message": "shown"})
        send({"type": "extension_ui_request", "id": "e", "method": "open_url", "url": "https://example.com"})
        send({"type": "extension_ui_request", "id": "f", "method": "cancel", "targetId": "q"})
        send("no frame")
        reply(frame)
    """

    def test_frames_reach_listeners_of_their_kind_also_when_one_listener_raises(self) -> None:
        client = self.start_script(self.EVENTS)
        received: List[Any] = []
        errors: List[str] = []
        hook, threading.excepthook = threading.excepthook, lambda args: errors.append(str(args.exc_value))
        self.addCleanup(setattr, threading, "excepthook", hook)

        def fails(_: Any) -> None:
            raise RuntimeError("bad listener")

        client.on_event(fails)
        stop = client.on_event(lambda event: received.append(event["message"]))
        client.on_display(lambda shown: received.append(shown.get("message", shown["method"])))
        client.on_unhandled(lambda other: received.append(other if isinstance(other, str) else other["n"]))
        last = threading.Event()
        client.on_unhandled(lambda other: last.set() if other == "no frame" else None)
        client.call("x")
        # Listeners run on another thread: the call may return before they get the frames sent before its reply.
        self.assertTrue(last.wait(60))
        stop()
        client.call("x")
        client.close()
        rest = [1, "shown", "open_url", "cancel", "no frame"]
        self.assertEqual(received, ["a", *rest, *rest])
        self.assertEqual(errors, ["bad listener", "bad listener"])

    def test_close_waits_until_slow_listeners_have_got_all_events(self) -> None:
        client = self.start_script('[send({"type": "unknown_event", "n": n}) for n in range(200)]; reply(frame)')
        received: List[int] = []
        begin = threading.Event()

        def slow(other: Any) -> None:
            begin.wait(60)
            received.append(other["n"])

        def begin_after_exit() -> None:
            client._closed.wait(60)
            begin.set()

        client.on_unhandled(slow)
        client.call("x")
        threading.Thread(target=begin_after_exit).start()
        self.assertEqual(received, [])
        client.close()
        self.assertEqual(received, list(range(200)))

    def test_listener_may_close_the_client(self) -> None:
        client = self.start_script(self.EVENTS)
        ended: "queue.Queue[Any]" = queue.Queue()
        client.on_display(lambda _: ended.put(client.close().exit_code))
        client.call("x")
        self.assertEqual(ended.get(timeout=60), 0)

    def test_listener_may_make_calls(self) -> None:
        client = self.start_script(self.EVENTS)
        done = threading.Event()
        client.on_display(lambda _: (client.get_state(timeout=60), done.set()) if not done.is_set() else None)
        client.call("x")
        self.assertTrue(done.wait(60))

    def test_every_dialog_is_answered(self) -> None:
        body = """
            if frame["type"] == "extension_ui_response":
                send({"type": "notice", "level": "info", "message": json.dumps(frame)})
            else:
                for n, method in enumerate(["input", "confirm", "select", "editor", "juggle", "select", "select"]):
                    send({"type": "extension_ui_request", "id": str(n), "method": method, "title": str(n), "options": ["a"]})
                reply(frame)
        """
        answers: Any = {"input": "text", "confirm": True, "select": None}

        def handler(dialog: Any) -> Any:
            if dialog["method"] == "editor":
                raise RuntimeError("no editor")
            if dialog["title"] == "5":
                return {"value": "deny", "message": "use pnpm"}
            return {"message": "no value"} if dialog["title"] == "6" else answers[dialog["method"]]

        hook, threading.excepthook = threading.excepthook, lambda args: None
        self.addCleanup(setattr, threading, "excepthook", hook)
        client = self.start_script(body, on_dialog=handler)
        events = client.events()
        client.call("ask")
        answers_sent = sorted((json.loads(next(events)["message"]) for _ in range(7)), key=lambda frame: frame["id"])
        for frame in answers_sent:
            del frame["type"]
        self.assertEqual(
            answers_sent,
            [
                {"id": "0", "value": "text"},
                {"id": "1", "confirmed": True},
                {"id": "2", "cancelled": True},
                {"id": "3", "cancelled": True},
                {"id": "4", "cancelled": True},
                {"id": "5", "value": "deny", "message": "use pnpm"},
                {"id": "6", "cancelled": True},
            ],
        )

    def test_dialogs_before_the_first_call_wait_for_a_handler(self) -> None:
        client = self.start(**self.sandbox.agent(ECHO_ANSWERS, DIALOG_AT_START))
        events = client.events()
        deadline = time.monotonic() + 60
        while [dialog["id"] for dialog in client._dialogs._buffered] != ["first"] and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual([dialog["id"] for dialog in client._dialogs._buffered], ["first"])
        client.on_dialog(lambda dialog: True)
        answer = json.loads(next(events)["message"])
        self.assertEqual((answer["id"], answer["confirmed"]), ("first", True))

    def test_first_call_dismisses_dialogs_without_a_handler(self) -> None:
        client = self.start(**self.sandbox.agent(ECHO_ANSWERS, DIALOG_AT_START))
        events = client.events()
        client.call("hello")
        self.assertEqual(json.loads(next(events)["message"])["cancelled"], True)


def pascal_case(name: Any) -> str:
    return "".join(part.capitalize() for part in str(name).split("_"))
