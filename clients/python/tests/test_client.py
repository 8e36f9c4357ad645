"""The client for threads, against the real program and against agents that misbehave."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
import unittest
from typing import Any, List

from parley_agent import AgentGone, Client, ParleyError, RpcError

from .support import ASK_FIRST, ROOT, TELL_ANSWERS, Place, texts


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Place()
        self.addCleanup(self.place.close)

    def started(self, **options: Any) -> Client:
        client = Client(**options)
        self.addCleanup(client.stop, grace=0.1)
        return client

    def scripted(self, body: str, **options: Any) -> Client:
        return self.started(**{**self.place.agent(body), **options})


class TheProgram(Case):
    def test_holds_a_conversation_and_goes(self) -> None:
        client = self.started(**self.place.parley())
        heard: List[str] = []
        client.on_event(lambda event: heard.append(event["type"]))
        with open(os.path.join(self.place.path, "notes.txt"), "w", encoding="utf-8") as file:
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
        farewell = client.close()
        self.assertEqual((farewell.exit_code, farewell.stderr), (0, ""))
        self.assertEqual((heard[0], heard[-1]), ("agent_start", "agent_settled"))
        with self.assertRaisesRegex(AgentGone, "exited with code 0 before it answered get_state"):
            client.get_state()

    def test_refusals_are_its_own_sentences(self) -> None:
        client = self.started(**self.place.parley())
        with self.assertRaisesRegex(RpcError, "Session name cannot be empty") as refused:
            client.set_session_name(" ")
        self.assertEqual((refused.exception.command, refused.exception.id), ("set_session_name", "req_1"))
        with self.assertRaisesRegex(RpcError, "Unknown command: fly"):
            client.call("fly")

    def test_wrong_flags_are_told_by_the_first_call(self) -> None:
        client = self.started(**self.place.parley("--dialect", "klingon"))
        with self.assertRaisesRegex(AgentGone, "Unknown dialect: klingon") as gone:
            client.get_state()
        self.assertEqual(gone.exception.exit_code, 2)

    def test_a_question_of_an_extension_reaches_the_handler(self) -> None:
        gate = str(ROOT / "examples" / "extensions" / "permission-gate.ts")
        client = self.started(**self.place.parley("-e", gate))
        asked: List[Any] = []

        def answer(question: Any) -> Any:
            asked.append(question)
            return question["options"][-1] if question["method"] == "select" else False

        client.on_ask(answer)
        client.prompt_and_wait("Run `rm -rf nothing-here`")
        self.assertEqual(len(asked), 1, asked)

    def test_killed_with_calls_pending(self) -> None:
        client = self.started(**self.place.parley())
        client.get_state()
        os.kill(client.pid, 19)
        outcomes: List[BaseException] = []

        def ask() -> None:
            try:
                client.get_state()
            except AgentGone as gone:
                outcomes.append(gone)

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        while len(client._connection._waiting) < 20:
            time.sleep(0.001)
        os.kill(client.pid, 9)
        for thread in threads:
            thread.join(60)
        self.assertEqual({gone.signal for gone in outcomes if isinstance(gone, AgentGone)}, {"SIGKILL"})
        self.assertEqual(len(outcomes), 20)


# What hosts of pi call by another name; here they are branch and get_branch_messages.
PI_NAMES = {"fork", "get_fork_messages"}


class Calls(Case):
    def test_every_command_has_a_method(self) -> None:
        schema = json.loads((ROOT / "schema" / "omp.json").read_text(encoding="utf-8"))["definitions"]
        client = self.scripted("reply(frame, frame)")
        seen = 0
        for definition in schema.values():
            type = definition.get("properties", {}).get("type", {}).get("const")
            if type in PI_NAMES or not definition.get("description") or f"{pascal(type)}Command" not in schema:
                continue
            needed = [name for name in definition["required"] if name != "type"]
            sent = client.call(type)
            getattr(client, type)(*["x" for _ in needed])
            self.assertEqual(sent["type"], type)
            seen += 1
        self.assertGreaterEqual(seen, 34)

    def test_arguments_are_spelled_as_on_the_wire_and_left_out_when_none(self) -> None:
        client = self.scripted("reply(frame, frame)")
        self.assertEqual(
            client.compact(custom_instructions="short"),
            {"customInstructions": "short", "id": "req_1", "type": "compact"},
        )
        self.assertEqual(client.compact(), {"id": "req_2", "type": "compact"})

    def test_many_threads(self) -> None:
        client = self.scripted("reply(frame, frame['n'])")
        got: List[int] = []
        threads = [threading.Thread(target=lambda n=n: got.append(client.call("n", {"n": n}) - n)) for n in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [0] * 50)

    def test_time_is_up(self) -> None:
        client = self.scripted("pass")
        with self.assertRaisesRegex(TimeoutError, "did not answer get_state within 0.05 s"):
            client.get_state(timeout=0.05)
        with self.assertRaises(TimeoutError):
            client.wait_for_idle(timeout=0.05)

    def test_a_prompt_whose_time_is_up_is_aborted(self) -> None:
        client = self.scripted(
            """
            if frame["type"] == "prompt": reply(frame); say({"type": "agent_start"})
            if frame["type"] == "abort": say({"type": "notice", "level": "info", "message": "aborted"}); reply(frame)
            """
        )
        events = client.events()
        with self.assertRaises(TimeoutError):
            client.prompt_and_wait("x", timeout=0.2)
        self.assertEqual([next(events)["type"], next(events)["type"]], ["agent_start", "notice"])

    def test_long_lines_and_odd_letters(self) -> None:
        client = self.scripted("reply(frame, frame['text'])")
        text = "\u2028\u2029\x85é🙂" + "x" * 1_000_000
        self.assertEqual(client.call("echo", {"text": text}), text)

    def test_a_prompt_that_fails_after_it_was_accepted(self) -> None:
        client = self.scripted(
            'reply(frame); reply(frame, success=False, error="The disk is full")',
        )
        with self.assertRaisesRegex(RpcError, "The disk is full"):
            client.prompt_and_wait("x")


class Death(Case):
    def test_everything_that_waits_fails_with_its_last_words(self) -> None:
        client = self.scripted(
            """
            if frame["type"] == "prompt": reply(frame)
            if frame["type"] == "die": die(9, "no more")
            """
        )
        outcomes: List[Any] = []

        def wait(call: Any) -> None:
            try:
                call()
            except AgentGone as gone:
                outcomes.append((gone.exit_code, gone.stderr))

        waits = [lambda: client.prompt_and_wait("x"), client.get_state, client.wait_for_idle, lambda: list(client.events())]
        threads = [threading.Thread(target=wait, args=(call,)) for call in waits]
        for thread in threads:
            thread.start()
        while len(client._connection._waiting) < 2 or not client._readers or not client._connection._taps:
            time.sleep(0.001)
        with self.assertRaises(AgentGone):
            client.call("die")
        for thread in threads:
            thread.join(60)
        self.assertEqual(outcomes, [(9, "no more")] * 4)

    def test_one_that_leaves_someone_behind_who_holds_the_pipes(self) -> None:
        client = self.scripted(
            """
            if frame["type"] == "one":
                child = subprocess.Popen(["sleep", "600"])
                reply(frame, child.pid)
                die(5, "bye")
            """
        )
        left = client.call("one")
        self.addCleanup(os.kill, left, 9)
        with self.assertRaises(AgentGone) as gone:
            client.call("two")
        self.assertEqual((gone.exception.exit_code, gone.exception.stderr), (5, "bye"))

    def test_one_that_does_not_heed_the_stop_is_killed(self) -> None:
        client = self.scripted('import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); reply(frame)')
        client.call("x")
        self.assertEqual(client.stop(grace=0.1).signal, "SIGKILL")

    def test_a_program_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(ParleyError, "Cannot start /nowhere/parley"):
            Client(["/nowhere/parley"])


class Listening(Case):
    EVENTS = """
        say({"type": "notice", "level": "info", "message": "a"})
        say({"type": "never_heard_of", "n": 1})
        say({"type": "extension_ui_request", "id": "d", "method": "notify", "message": "shown"})
        say({"type": "extension_ui_request", "id": "e", "method": "open_url", "url": "https://example.com"})
        say({"type": "extension_ui_request", "id": "f", "method": "cancel", "targetId": "q"})
        say("no frame")
        reply(frame)
    """

    def test_each_kind_has_its_listeners_and_one_that_fails_silences_nobody(self) -> None:
        client = self.scripted(self.EVENTS)
        heard: List[Any] = []
        problems: List[str] = []
        hook, threading.excepthook = threading.excepthook, lambda args: problems.append(str(args.exc_value))
        self.addCleanup(setattr, threading, "excepthook", hook)

        def fails(_: Any) -> None:
            raise RuntimeError("bad listener")

        client.on_event(fails)
        stop = client.on_event(lambda event: heard.append(event["message"]))
        client.on_show(lambda shown: heard.append(shown.get("message", shown["method"])))
        client.on_other(lambda other: heard.append(other if isinstance(other, str) else other["n"]))
        last = threading.Event()
        client.on_other(lambda other: last.set() if other == "no frame" else None)
        client.call("x")
        # Listeners have a thread of their own: the call may return before they have heard what came with it.
        self.assertTrue(last.wait(60))
        stop()
        client.call("x")
        client.close()
        rest = [1, "shown", "open_url", "cancel", "no frame"]
        self.assertEqual(heard, ["a", *rest, *rest])
        self.assertEqual(problems, ["bad listener", "bad listener"])

    def test_at_the_farewell_slow_listeners_have_heard_everything(self) -> None:
        client = self.scripted('[say({"type": "never_heard_of", "n": n}) for n in range(200)]; reply(frame)')
        heard: List[int] = []
        begin = threading.Event()

        def slow(other: Any) -> None:
            begin.wait(60)
            heard.append(other["n"])

        def begin_when_the_agent_is_gone() -> None:
            client._closed.wait(60)
            begin.set()

        client.on_other(slow)
        client.call("x")
        threading.Thread(target=begin_when_the_agent_is_gone).start()
        self.assertEqual(heard, [])
        client.close()
        self.assertEqual(heard, list(range(200)))

    def test_a_listener_may_end_the_agent(self) -> None:
        client = self.scripted(self.EVENTS)
        ended: "queue.Queue[Any]" = queue.Queue()
        client.on_show(lambda _: ended.put(client.close().exit_code))
        client.call("x")
        self.assertEqual(ended.get(timeout=60), 0)

    def test_a_listener_may_make_calls(self) -> None:
        client = self.scripted(self.EVENTS)
        done = threading.Event()
        client.on_show(lambda _: (client.get_state(timeout=60), done.set()) if not done.is_set() else None)
        client.call("x")
        self.assertTrue(done.wait(60))

    def test_questions_are_always_answered(self) -> None:
        body = """
            if frame["type"] == "extension_ui_response":
                say({"type": "notice", "level": "info", "message": json.dumps(frame)})
            else:
                for n, method in enumerate(["input", "confirm", "select", "editor", "juggle"]):
                    say({"type": "extension_ui_request", "id": str(n), "method": method, "title": method, "options": ["a"]})
                reply(frame)
        """
        answers: Any = {"input": "text", "confirm": True, "select": None}

        def handler(question: Any) -> Any:
            if question["method"] == "editor":
                raise RuntimeError("no editor")
            return answers[question["method"]]

        hook, threading.excepthook = threading.excepthook, lambda args: None
        self.addCleanup(setattr, threading, "excepthook", hook)
        client = self.scripted(body, on_ask=handler)
        events = client.events()
        client.call("ask")
        told = sorted((json.loads(next(events)["message"]) for _ in range(5)), key=lambda frame: frame["id"])
        for frame in told:
            del frame["type"]
        self.assertEqual(
            told,
            [
                {"id": "0", "value": "text"},
                {"id": "1", "confirmed": True},
                {"id": "2", "cancelled": True},
                {"id": "3", "cancelled": True},
                {"id": "4", "cancelled": True},
            ],
        )

    def test_questions_before_the_first_call_wait_for_a_handler(self) -> None:
        client = self.started(**self.place.agent(TELL_ANSWERS, ASK_FIRST))
        events = client.events()
        deadline = time.monotonic() + 60
        while [question["id"] for question in client._kept or []] != ["first"] and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual([question["id"] for question in client._kept or []], ["first"])
        client.on_ask(lambda question: True)
        answer = json.loads(next(events)["message"])
        self.assertEqual((answer["id"], answer["confirmed"]), ("first", True))

    def test_the_first_call_dismisses_questions_without_a_handler(self) -> None:
        client = self.started(**self.place.agent(TELL_ANSWERS, ASK_FIRST))
        events = client.events()
        client.call("hello")
        self.assertEqual(json.loads(next(events)["message"])["cancelled"], True)


def pascal(name: Any) -> str:
    return "".join(part.capitalize() for part in str(name).split("_"))
