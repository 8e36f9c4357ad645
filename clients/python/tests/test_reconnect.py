"""Tests of clients that connect again: broken connections, pending calls, dialogs, and the end of all attempts."""

from __future__ import annotations

import asyncio
import queue
import random
import struct
import threading
import unittest
from typing import Any, Callable, Dict, List, cast
from unittest import mock

from parley_agent import (
    AgentExitedError,
    Client,
    ConnectionLostError,
    ConnectionState,
    ParleyError,
    ReconnectOptions,
    connect,
    connect_async,
)
from parley_agent._dialogs import OpenDialogs
from parley_agent._reconnect import ReconnectPolicy, SilenceCheck
from parley_agent.errors import ExitInfo

from .loopback import READY, Peer, Proxy, Server, ServeProgram, attached, notice, web_frame
from .support import Sandbox, texts

FAST = ReconnectOptions(initial_delay=0.001, max_delay=0.005)
QUESTION = {"type": "extension_ui_request", "id": "q1", "method": "confirm", "title": "Sure?", "message": ""}
SNAPSHOT = {"type": "session_snapshot", "reason": "unknown_position", "seq": 3, "messages": [], "state": {"isSettled": True}}
Script = Callable[[Peer, int], None]


def serve_calls(peer: Peer) -> None:
    """Replies to each call with its own frame."""
    while True:
        frame = peer.receive()
        if frame is None:
            return peer.close()
        if frame["type"] != "extension_ui_response":
            peer.reply(frame, frame)


def lose_first(may_attach: threading.Event, serve: Callable[[Peer], None]) -> Script:
    """Closes the first connection after a call. The next one is attached when `may_attach` is set, and then served."""

    def script(peer: Peer, number: int) -> None:
        peer.accept()
        if number == 1:
            peer.send(READY, attached())
            peer.reply(peer.receive() or {})
            return peer.close()
        may_attach.wait(60)
        peer.send(READY, attached())
        serve(peer)

    return script


def lose_dialogs(answers: "queue.Queue[Any]") -> Script:
    """Two dialogs are open when the first connection is lost. One of them is sent again on the second connection."""

    def script(peer: Peer, number: int) -> None:
        peer.accept()
        dialogs = {1: [QUESTION, {**QUESTION, "id": "q2"}], 2: [QUESTION]}
        peer.send(READY, attached(), *dialogs.get(number, []))
        while True:
            frame = peer.receive()
            if frame is None or frame["type"] == "cut":
                return peer.close()
            if frame["type"] == "extension_ui_response":
                answers.put((number, frame["id"], frame["confirmed"]))
            else:
                peer.reply(frame)

    return script


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    def serve(self, script: Script, is_web: bool = True) -> Server:
        """`script` gets the number of the connection, beginning with 1."""
        server = Server(self.sandbox, is_web, lambda peer: script(peer, server.peers.index(peer) + 1))
        self.addCleanup(server.close)
        return server

    def connect(self, url: str, **options: Any) -> Client:
        client = connect(url, **{"timeout": 60, "reconnect": FAST, **options})
        self.addCleanup(client.stop, grace=0.1)
        return client


class Policy(unittest.TestCase):
    def test_delays_grow_and_are_shortened_at_random(self) -> None:
        def delays(value: float, count: int) -> List[float]:
            policy = ReconnectPolicy(ReconnectOptions(initial_delay=1, max_delay=5), lambda: value)
            states = [policy.next_attempt("x") for _ in range(count)]
            return [state.delay for state in states if state]

        self.assertEqual(delays(0, 4), [1, 2, 4, 5])
        self.assertEqual(delays(1, 4), [0.5, 1, 2, 2.5])
        self.assertEqual(delays(0, 2000)[-1], 5)

    def test_a_success_begins_again_and_attempts_are_limited(self) -> None:
        policy = ReconnectPolicy(ReconnectOptions(max_attempts=2))
        for _ in range(2):
            policy.confirm()
            self.assertEqual([getattr(policy.next_attempt("x"), "attempt", None) for _ in range(3)], [1, 2, None])

    def test_only_a_confirmed_connection_is_replaced(self) -> None:
        policy = ReconnectPolicy(ReconnectOptions())
        lost = ExitInfo(None, reason="x", close_code=1006)
        self.assertFalse(policy.can_reconnect(lost, None))
        policy.confirm()
        self.assertTrue(policy.can_reconnect(lost, None))
        self.assertFalse(policy.can_reconnect(ExitInfo(None, close_code=4404), None))
        unwanted = ReconnectPolicy(None)
        unwanted.confirm()
        self.assertFalse(unwanted.can_reconnect(lost, None))


TOTAL = 400


def send_log(seed: int) -> Script:
    """Sends the events that the client has not got. Breaks every connection but the last after a random number of bytes."""
    generator = random.Random(seed)

    def script(peer: Peer, number: int) -> None:
        # The handshake, too. The first connection must attach a session.
        peer.budget = None if number == 1 else generator.randrange(0, 4000)
        peer.accept()
        after = int(peer.params.get("after", 0))
        peer.send(READY, attached(seq=TOTAL, replay="events"))
        if number == 1:
            peer.budget = generator.randrange(0, 4000)
        for seq in range(after + 1, TOTAL + 1):
            peer.send(notice(seq, "x" * generator.randrange(0, 60)))
        peer.budget = None
        serve_calls(peer)

    return script


class RandomBreaks(Case):
    def test_no_event_is_lost_or_repeated(self) -> None:
        for is_web in (True, False):
            for seed in range(5):
                with self.subTest(is_web=is_web, seed=seed), Sandbox() as self.sandbox:
                    server = self.serve(send_log(seed), is_web)
                    client = self.connect(server.url, after=0)
                    received = []
                    for event in client.events():
                        received.append(event.get("seq"))
                        if event.get("seq") == TOTAL:
                            break
                    self.assertEqual(received, list(range(1, TOTAL + 1)))
                    self.assertGreater(len(server.peers), 5)
                    self.assertEqual(client.get_state()["type"], "get_state")
                    client.stop()


class Calls(Case):
    def test_pending_calls_fail_unless_they_only_read(self) -> None:
        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            if number == 1:
                peer.receive()
                peer.receive()
                return peer.close()
            serve_calls(peer)

        server = self.serve(script)
        client = self.connect(server.url, client="bot")
        outcomes: "queue.Queue[str]" = queue.Queue()

        def call(command: str) -> None:
            try:
                outcomes.put(client.call(command)["type"])
            except ConnectionLostError as error:
                outcomes.put(f"{error.command}: {error}")

        for command in ("get_state", "prompt"):
            threading.Thread(target=call, args=(command,)).start()
        received = {outcomes.get(timeout=60) for _ in range(2)}
        lost = "The connection was lost (the connection was closed) before prompt was answered. It may have been executed."
        self.assertEqual(received, {"get_state", f"prompt: {lost}"})
        params = server.peers[1].params
        self.assertEqual([params[key] for key in ("session", "after", "client")], ["s1", "10", "bot"])

    def test_a_call_whose_frame_is_too_large_is_not_sent_again(self) -> None:
        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            if number == 1:
                peer.receive()
                peer.send_bytes(web_frame(8, struct.pack("!H", 1009) + b"frame too large"))
                return
            serve_calls(peer)

        client = self.connect(self.serve(script).url)
        with self.assertRaisesRegex(ConnectionLostError, "frame too large"):
            client.get_state()
        self.assertEqual(client.get_state()["type"], "get_state")

    def test_calls_without_a_connection_wait_and_keep_their_order(self) -> None:
        received: "queue.Queue[str]" = queue.Queue()
        may_attach = threading.Event()

        def serve(peer: Peer) -> None:
            while True:
                frame = peer.receive()
                if frame is None:
                    return
                received.put(frame["type"])
                if "id" in frame:
                    peer.reply(frame, frame)

        states: "queue.Queue[ConnectionState]" = queue.Queue()
        client = self.connect(self.serve(lose_first(may_attach, serve)).url, on_connection_state=states.put)
        client.call("set_event_filter", {"events": ["notice"]})
        self.assertEqual(states.get(timeout=60).status, "reconnecting")
        client.send({"type": "one"})
        client.send({"type": "two"})
        worker = threading.Thread(target=client.call, args=("three",))
        worker.start()
        may_attach.set()
        worker.join(60)
        names = [received.get(timeout=60) for _ in range(4)]
        self.assertEqual(names[:3], ["set_event_filter", "one", "two"])
        self.assertIn(names[3], ("three", "get_state"))
        self.assertEqual(states.get(timeout=60).status, "connected")
        self.assertEqual(client.connection_state.status, "connected")

    def test_closing_while_held_calls_are_sent_is_no_error_of_their_thread(self) -> None:
        may_attach = threading.Event()
        states: "queue.Queue[ConnectionState]" = queue.Queue()
        senders: "queue.Queue[threading.Thread]" = queue.Queue()
        errors: List[Any] = []
        client = self.connect(self.serve(lose_first(may_attach, serve_calls)).url, on_connection_state=states.put)
        write_line = client._write_line

        def close_before_held_lines(line: bytes, link: Any) -> None:
            thread = threading.current_thread()
            if "send_held" not in thread.name:
                return write_line(line, link)
            senders.put(thread)
            raise ParleyError("The client is closed and accepts no more calls")

        with mock.patch.object(threading, "excepthook", errors.append):
            with mock.patch.object(client, "_write_line", close_before_held_lines):
                client.call("get_state")
                self.assertEqual(states.get(timeout=60).status, "reconnecting")
                client.send({"type": "one"})
                may_attach.set()
                senders.get(timeout=60).join(60)
        self.assertEqual(errors, [])

    def test_a_prompt_that_was_accepted_continues(self) -> None:
        def script(peer: Peer, number: int) -> None:
            peer.accept()
            if number == 1:
                peer.send(READY, attached())
                peer.reply(peer.receive() or {})
                peer.send({"type": "agent_start", "seq": 11})
                return peer.close()
            peer.send(READY, attached(seq=13, replay="events"))
            peer.send({"type": "agent_end", "messages": [{"role": "assistant"}], "seq": 12}, {"type": "agent_settled", "seq": 13})
            serve_calls(peer)

        self.assertEqual(self.connect(self.serve(script).url).prompt_and_wait("x"), [{"role": "assistant"}])

    def test_waits_end_when_a_snapshot_says_that_the_session_is_idle(self) -> None:
        for awaited in ("prompt", "idle"):

            def script(peer: Peer, number: int) -> None:
                peer.accept()
                if number == 1:
                    peer.send(READY, attached(replay="snapshot"), SNAPSHOT)
                    peer.reply(peer.receive() or {}, {"isSettled": False})
                    return peer.close()
                peer.send(READY, attached(seq=3, replay="snapshot"), SNAPSHOT)
                serve_calls(peer)

            with self.subTest(awaited), Sandbox() as self.sandbox:
                client = self.connect(self.serve(script).url, after=0)
                if awaited == "idle":
                    client.wait_for_idle()
                else:
                    with self.assertRaisesRegex(ConnectionLostError, "events were missed: unknown_position"):
                        client.prompt_and_wait("x")
                client.stop()


class Dialogs(Case):
    def test_an_open_dialog_is_shown_once_and_one_that_was_answered_is_withdrawn(self) -> None:
        answers: "queue.Queue[str]" = queue.Queue()

        def script(peer: Peer, number: int) -> None:
            peer.accept()
            if number == 1:
                peer.send(READY, attached(), QUESTION, {**QUESTION, "id": "q2"})
                peer.reply(peer.receive() or {})
                return peer.close()
            peer.send(READY, attached(), QUESTION)
            while True:
                frame = peer.receive()
                if frame is None:
                    return
                if frame["type"] == "extension_ui_response":
                    answers.put(frame["id"])
                else:
                    peer.reply(frame)

        shown: "queue.Queue[str]" = queue.Queue()
        may_answer = threading.Event()

        def answer(dialog: Any) -> bool:
            shown.put(dialog["id"])
            return may_answer.wait(60)

        displays: "queue.Queue[Any]" = queue.Queue()
        client = self.connect(self.serve(script).url, on_dialog=answer)
        client.on_display(displays.put)
        client.on_event(lambda _: None)
        self.assertEqual({shown.get(timeout=60) for _ in range(2)}, {"q1", "q2"})
        client.call("anything")
        self.assertEqual(displays.get(timeout=60)["targetId"], "q2")
        may_answer.set()
        self.assertEqual(answers.get(timeout=60), "q1")
        client.get_state()
        self.assertTrue(answers.empty() and shown.empty())


    def test_an_answer_during_a_loss_is_sent_once_when_the_dialog_is_sent_again(self) -> None:
        answers: "queue.Queue[Any]" = queue.Queue()
        shown: "queue.Queue[str]" = queue.Queue()
        displays: "queue.Queue[Any]" = queue.Queue()
        is_lost = threading.Event()
        finished = threading.Semaphore(0)

        def answer(dialog: Any) -> bool:
            shown.put(dialog["id"])
            return is_lost.wait(60)

        def handle_state(state: ConnectionState) -> None:
            if state.status == "reconnecting" and not is_lost.is_set():
                is_lost.set()
                # The connection is restored on another thread; the dialogs are not dispatched before this listener returns.
                for _ in range(2):
                    finished.acquire(timeout=60)

        with mock.patch("parley_agent._dialogs.OpenDialogs.finish", report_finish(finished)):
            client = self.connect(self.serve(lose_dialogs(answers)).url, on_dialog=answer)
            client.on_display(displays.put)
            client.on_connection_state(handle_state)
            client.on_event(lambda _: None)
            self.assertEqual({shown.get(timeout=60) for _ in range(2)}, {"q1", "q2"})
            client.send({"type": "cut"})
            self.assertEqual(answers.get(timeout=60), (2, "q1", True))
            client.get_state()
            client.send({"type": "cut"})
            client.get_state()
        self.assertTrue(answers.empty() and shown.empty() and displays.empty())


def report_finish(finished: threading.Semaphore) -> Any:
    """OpenDialogs.finish, which then releases the semaphore."""
    finish = OpenDialogs.finish

    def report(self: OpenDialogs, *arguments: Any) -> bool:
        is_awaited = finish(self, *arguments)
        finished.release()
        return is_awaited

    return report


class Ends(Case):
    def lose(self, refuse: Callable[[Peer], None], is_web: bool = True, **options: Any) -> AgentExitedError:
        """The error of a call after the first connection is lost, and the other ones are refused."""

        def script(peer: Peer, number: int) -> None:
            if number > 1:
                return refuse(peer)
            peer.accept()
            peer.send(READY, attached())
            peer.receive()
            peer.close()

        states: List[ConnectionState] = []
        self.server = self.serve(script, is_web)
        client = self.connect(self.server.url, on_connection_state=states.append, **options)
        with self.assertRaises(AgentExitedError) as lost:
            client.get_state()
        with self.assertRaises(AgentExitedError):
            list(client.events())
        client.stop()
        self.assertEqual((states[-1].status, states[-1].reason), ("closed", lost.exception.exit_info.reason))
        return lost.exception

    def test_a_refused_token(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.read_request()
            body = b'{"error":{"message":"Unknown token."}}'
            peer.send_bytes(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        error = self.lose(refuse)
        self.assertIn("refused the token: Unknown token.", str(error))
        self.assertNotIn("secret", str(error))
        self.assertEqual(len(self.server.peers), 2)

    def test_a_session_that_is_gone(self) -> None:
        def close(peer: Peer) -> None:
            peer.accept()
            peer.send_bytes(web_frame(8, struct.pack("!H", 4404) + b"Session not found: s1"))
            peer.receive()

        def refuse(peer: Peer) -> None:
            peer.accept()
            peer.send({"type": "connect_error", "code": "not_found", "message": "Session not found: s1"})

        for script, is_web in ((close, True), (refuse, False)):
            with self.subTest(is_web=is_web), Sandbox() as self.sandbox:
                self.assertIn("Session not found: s1", str(self.lose(script, is_web)))
                self.assertEqual(len(self.server.peers), 2)

    def test_the_last_attempt(self) -> None:
        def busy(peer: Peer) -> None:
            peer.read_request()
            peer.send_bytes(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")

        error = self.lose(busy, reconnect=ReconnectOptions(0.001, 0.005, max_attempts=3))
        self.assertIn("refused the connection (503)", str(error))
        self.assertEqual(len(self.server.peers), 4)

    def test_stopping_ends_the_wait_for_the_next_attempt_and_its_calls(self) -> None:
        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            peer.receive()
            peer.close()

        states: "queue.Queue[ConnectionState]" = queue.Queue()
        client = self.connect(self.serve(script).url, reconnect=ReconnectOptions(3600, 3600), on_connection_state=states.put)
        failures: "queue.Queue[BaseException]" = queue.Queue()

        def call() -> None:
            try:
                client.get_state()
            except AgentExitedError as error:
                failures.put(error)

        threading.Thread(target=call).start()
        self.assertEqual(states.get(timeout=60).attempt, 1)
        client.stop()
        self.assertIn("before it answered get_state", str(failures.get(timeout=60)))
        self.assertEqual(states.get(timeout=60).status, "closed")


class SilentServers(Case):
    def silent(self, peer: Peer, number: int) -> None:
        peer.accept()
        peer.send(READY, attached(), notice(10 + number, str(number)))
        if number == 1:
            # Reads nothing and answers no ping, as a proxy that has lost the server.
            self.done.wait(60)
        else:
            serve_calls(peer)

    def test_a_connection_that_is_dead_is_replaced(self) -> None:
        self.done = threading.Event()
        self.addCleanup(self.done.set)
        states: "queue.Queue[ConnectionState]" = queue.Queue()
        with mock.patch("parley_agent._links.SilenceCheck", side_effect=short_check_once()):
            client = self.connect(self.serve(self.silent).url, on_connection_state=states.put)
            client.on_event(lambda _: None)
            self.assertEqual(states.get(timeout=60).reason, "the server does not answer")
            self.assertEqual(states.get(timeout=60).status, "connected")
            self.assertEqual(client.get_state()["type"], "get_state")

    def test_a_server_that_answers_pings_is_not_dead(self) -> None:
        pings = threading.Semaphore(0)

        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            while True:
                opcode, payload = peer.receive_frame()
                if opcode is None or opcode == 8:
                    return peer.close()
                if opcode == 9:
                    pings.release()
                    peer.send_bytes(web_frame(10, payload))

        server = self.serve(script)
        with mock.patch("parley_agent._links.SilenceCheck", PatientCheck):
            client = self.connect(server.url)
            client.on_event(lambda _: None)
            for _ in range(5):
                self.assertTrue(pings.acquire(timeout=60))
        self.assertEqual(len(server.peers), 1)

    def test_closing_does_not_wait_for_a_silent_server(self) -> None:
        self.done = threading.Event()
        self.addCleanup(self.done.set)
        self.connect(self.serve(self.silent).url).close(timeout=30)


def short_check(_interval: float, attach_deadline: float) -> SilenceCheck:
    return SilenceCheck(0.05, attach_deadline)


def short_check_once() -> Callable[[float, float], SilenceCheck]:
    """A short interval for the first connection. Those after it must not end, however slow the machine is."""
    checks = iter([short_check])
    return lambda interval, attach_deadline: next(checks, SilenceCheck)(interval, attach_deadline)


class PatientCheck(SilenceCheck):
    """Sends pings often, and waits long for their replies."""

    def get_timeout(self, now: float) -> float:
        return 60 if self._ping_sent else 0.05


class Asyncio(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    serve = Case.serve

    async def test_no_event_is_lost_or_repeated(self) -> None:
        for is_web in (True, False):
            for seed in range(5):
                with self.subTest(is_web=is_web, seed=seed), Sandbox() as self.sandbox:
                    server = self.serve(send_log(seed), is_web)
                    async with connect_async(server.url, after=0, reconnect=FAST, timeout=60) as client:
                        received = []
                        async for event in client.events():
                            received.append(event.get("seq"))
                            if event.get("seq") == TOTAL:
                                break
                        self.assertEqual(received, list(range(1, TOTAL + 1)))
                        self.assertEqual((await client.get_state())["type"], "get_state")
                    self.assertGreater(len(server.peers), 5)

    async def test_pending_calls_waiting_calls_and_states(self) -> None:
        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            if number == 1:
                peer.receive()
                peer.receive()
                return peer.close()
            serve_calls(peer)

        states: List[str] = []
        client = connect_async(self.serve(script).url, reconnect=FAST, timeout=60)
        client.on_connection_state(lambda state: states.append(state.status))
        async with client:
            read, prompt = await asyncio.gather(client.get_state(), client.prompt("x"), return_exceptions=True)
            self.assertEqual(read["type"], "get_state")
            self.assertIsInstance(prompt, ConnectionLostError)
            self.assertEqual((await client.call("anything"))["type"], "anything")
        self.assertEqual(states, ["reconnecting", "connected", "closed"])

    async def test_dialogs_and_permanent_failures(self) -> None:
        received: "queue.Queue[Any]" = queue.Queue()

        def script(peer: Peer, number: int) -> None:
            peer.accept()
            if number == 3:
                peer.send_bytes(web_frame(8, struct.pack("!H", 4404) + b"Session not found: s1"))
                return
            peer.send(READY, attached(), QUESTION)
            while True:
                frame = peer.receive()
                if frame is None or frame["type"] == "cut":
                    return peer.close()
                received.put(frame["type"])
                if "id" in frame and frame["type"] != "extension_ui_response":
                    peer.reply(frame, {})

        shown: List[str] = []
        may_answer = asyncio.Event()

        async def answer(dialog: Any) -> bool:
            shown.append(dialog["id"])
            await may_answer.wait()
            return True

        async with connect_async(self.serve(script).url, reconnect=FAST, timeout=60, on_dialog=answer) as client:
            await client.call("one")
            await client.send({"type": "cut"})
            await client.get_state()
            may_answer.set()
            await client.get_state()
            names = [received.get(timeout=60) for _ in range(2)]
            while "extension_ui_response" not in names:
                names.append(received.get(timeout=60))
            self.assertEqual(shown, ["q1"])
            await client.send({"type": "cut"})
            with self.assertRaisesRegex(AgentExitedError, "Session not found: s1"):
                await client.get_state()
            self.assertEqual(client.connection_state.status, "closed")

    async def test_an_answer_during_a_loss_is_sent_once_when_the_dialog_is_sent_again(self) -> None:
        answers: "queue.Queue[Any]" = queue.Queue()
        shown: List[str] = []
        displays: List[Any] = []
        is_lost = asyncio.Event()

        async def answer(dialog: Any) -> bool:
            shown.append(dialog["id"])
            await is_lost.wait()
            return True

        client = connect_async(self.serve(lose_dialogs(answers)).url, reconnect=FAST, timeout=60, on_dialog=answer)
        client.on_display(displays.append)
        client.on_connection_state(lambda state: is_lost.set() if state.status == "reconnecting" else None)
        async with client:
            await client.call("one")
            await client.send({"type": "cut"})
            await client.get_state()
            await client.send({"type": "cut"})
            await client.get_state()
        self.assertEqual(answers.get(timeout=60), (2, "q1", True))
        self.assertEqual((sorted(shown), displays), (["q1", "q2"], []))
        self.assertTrue(answers.empty())

    async def test_silent_servers_and_closing_while_waiting(self) -> None:
        done = threading.Event()
        self.addCleanup(done.set)

        def script(peer: Peer, number: int) -> None:
            peer.accept()
            peer.send(READY, attached())
            done.wait(60)

        reasons: "asyncio.Queue[str]" = asyncio.Queue()
        client = connect_async(self.serve(script).url, reconnect=ReconnectOptions(3600, 3600), timeout=60)
        client.on_connection_state(lambda state: reasons.put_nowait(state.reason))
        client.on_event(lambda _: None)
        with mock.patch("parley_agent._aio_links.SilenceCheck", short_check):
            await client.start()
            self.assertEqual(await asyncio.wait_for(reasons.get(), 60), "the server does not answer")
        pending = asyncio.ensure_future(client.get_state())
        # Starts the call.
        await asyncio.sleep(0)
        await client.stop()
        with self.assertRaises(AgentExitedError):
            await pending


class RealServer(Case):
    def start_server(self, *args: str) -> None:
        self.server = ServeProgram(self.sandbox, *args)
        self.addCleanup(self.server.close)

    def test_breaks_at_random_bytes(self) -> None:
        generator = random.Random(1)
        # Enough for the handshake of the first connection.
        proxy = Proxy(lambda number: generator.randrange(*((2000, 9000) if number == 1 else (200, 9000))))
        self.addCleanup(proxy.close)
        self.start_server("--set", f'serve.allowedHosts=["127.0.0.1:{proxy.port}"]')
        proxy.target_port = self.server.port
        direct = self.connect(self.server.url, client="direct")
        assert direct.attachment
        session = direct.attachment["sessionId"]
        broken = self.connect(f"http://127.0.0.1:{proxy.port}", token=self.server.token, session=session, stream="delta")
        events = {"direct": direct.events(), "broken": broken.events()}
        for count in range(4):
            direct.prompt_and_wait("say " + " ".join(f"word{n}" for n in range(150)))
        got: Dict[str, List[Any]] = {name: [] for name in events}
        received = {name: "" for name in events}
        for name, iterator in events.items():
            ends = 0
            for event in iterator:
                # The server folds deltas, for each client in its own way.
                if event["type"] == "message_update":
                    received[name] += cast(Any, event["assistantMessageEvent"]).get("delta", "")
                else:
                    got[name].append((event.get("seq"), event["type"]))
                ends += event["type"] == "agent_settled"
                if ends == 4:
                    break
        self.assertEqual(got["broken"], got["direct"])
        self.assertEqual(received["broken"], received["direct"])
        self.assertIn("word149", received["direct"])
        self.assertGreater(proxy.count, 3)

    def test_a_server_that_was_killed_and_started_again(self) -> None:
        self.start_server()
        for url in (self.server.url, f"unix:{self.server.socket}"):
            with self.subTest(url=url.split("?")[0]):
                snapshots: "queue.Queue[Any]" = queue.Queue()
                states: "queue.Queue[ConnectionState]" = queue.Queue()
                client = self.connect(url, on_snapshot=snapshots.put, on_connection_state=states.put)
                client.prompt_and_wait("say one")
                self.server.close()
                self.assertEqual(states.get(timeout=60).status, "reconnecting")
                self.server.start()
                self.assertEqual(texts(client.prompt_and_wait("say two")[-1]), "two")
                self.assertEqual(snapshots.get(timeout=60)["totalMessages"], 2)
                client.stop()

    def test_a_session_that_was_deleted(self) -> None:
        self.start_server()
        client = self.connect(self.server.url)
        client.prompt_and_wait("say one")
        assert client.attachment
        session = client.attachment["sessionId"]
        with self.connect(self.server.url) as other:
            other.call("delete_session", {"sessionId": session})
        with self.assertRaises(AgentExitedError):
            for _ in client.events():
                pass
