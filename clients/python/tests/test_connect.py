"""Tests of connections to a running agent, with scripted servers and with the real one."""

from __future__ import annotations

import asyncio
import queue
import socket
import struct
import unittest
from typing import Any, Callable, Dict, List

from parley_agent import (
    LEAVE_OPEN,
    AgentExitedError,
    Client,
    ConnectError,
    ParleyError,
    RpcError,
    connect,
    connect_async,
)
from parley_agent._address import WebAddress, parse_address

from .loopback import READY, Peer, Server, ServeProgram, attached, notice, web_frame
from .support import Sandbox, texts

QUESTION = {"type": "extension_ui_request", "id": "q1", "method": "confirm", "title": "Sure?", "message": ""}


def echo(peer: Peer) -> None:
    """Attaches a session and replies to each call with its own frame."""
    peer.accept()
    peer.send(READY, attached())
    while True:
        frame = peer.receive()
        if frame is None:
            return peer.close()
        peer.reply(frame, frame)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    def serve(self, is_web: bool, script: Callable[[Peer], None]) -> Server:
        server = Server(self.sandbox, is_web, script)
        self.addCleanup(server.close)
        return server

    def connect(self, url: str, **options: Any) -> Client:
        client = connect(url, **{"timeout": 60, **options})
        self.addCleanup(client.stop, grace=0.1)
        return client


class Connections(Case):
    def test_parameters_calls_and_the_end(self) -> None:
        for is_web in (True, False):
            with self.subTest(is_web=is_web), Sandbox() as sandbox:
                server = Server(sandbox, is_web, echo)
                self.addCleanup(server.close)
                with connect(server.url, session="s1", client="bot 1", cwd="/a b", timeout=60) as client:
                    assert client.attachment
                    self.assertEqual((client.attachment["sessionId"], client.pid), ("s1", None))
                    text = "ä" * 100_000
                    self.assertEqual(client.call("echo", {"text": text})["text"], text)
                    self.assertEqual(client.last_seq, 10)
                params = server.peers[0].params
                self.assertEqual([params[key] for key in ("dialect", "session", "client", "cwd")], ["omp", "s1", "bot 1", "/a b"])
                self.assertNotIn("token", params)
                if is_web:
                    self.assertEqual(server.peers[0].headers["authorization"], "Bearer secret")
                with self.assertRaisesRegex(AgentExitedError, "disconnected"):
                    client.get_state()

    def test_no_event_is_lost_or_repeated(self) -> None:
        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached(replay="events", seq=8), notice(6, "a"), notice(6, "a"), notice(8, "b", firstSeq=7))
            peer.send({"type": "agent_settled", "seq": 9})

        for is_web in (True, False):
            with self.subTest(is_web=is_web), Sandbox() as sandbox:
                server = Server(sandbox, is_web, script)
                self.addCleanup(server.close)
                client = self.connect(server.url, after=5)
                received = []
                for event in client.events():
                    received.append(event.get("seq"))
                    if event["type"] == "agent_settled":
                        break
                self.assertEqual(received, [6, 8, 9])
                self.assertEqual((client.last_seq, int(server.peers[0].params["after"])), (9, 5))

    def test_a_snapshot_sets_the_position(self) -> None:
        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached(replay="snapshot", seq=3), {"type": "session_snapshot", "seq": 3, "messages": []})
            peer.send(notice(4, "new"))
            peer.receive()

        snapshots: "queue.Queue[Any]" = queue.Queue()
        events: "queue.Queue[Any]" = queue.Queue()
        url = self.serve(True, script).url
        client = self.connect(url, after=1000, on_snapshot=snapshots.put, on_event=events.put)
        self.assertEqual(snapshots.get(timeout=60)["seq"], 3)
        self.assertEqual(events.get(timeout=60)["message"], "new")
        self.assertEqual(client.last_seq, 4)

    def test_a_lost_connection_fails_the_calls(self) -> None:
        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached())
            peer.receive()
            peer.send_bytes(web_frame(8, struct.pack("!H", 1012) + b"the server ends"))

        client = self.connect(self.serve(True, script).url)
        with self.assertRaisesRegex(AgentExitedError, r"disconnected \(the server ends\) before it answered get_state") as lost:
            client.get_state()
        self.assertEqual(lost.exception.exit_info.close_code, 1012)


class Dialogs(Case):
    def test_without_a_handler_they_stay_open(self) -> None:
        received: "queue.Queue[Any]" = queue.Queue()

        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached(), QUESTION, {**QUESTION, "id": "q2"}, {**QUESTION, "id": "q3"})
            while True:
                frame = peer.receive()
                if frame is None:
                    return
                received.put(frame)
                if frame["type"] == "get_state":
                    peer.send({"type": "extension_ui_request", "id": "c", "method": "cancel", "targetId": "q2"})
                    peer.reply(frame, {})

        client = self.connect(self.serve(True, script).url)
        client.get_state()
        self.assertEqual(received.get(timeout=60)["type"], "get_state")
        client.get_state()
        self.assertEqual(received.get(timeout=60)["type"], "get_state")
        client.on_dialog(lambda dialog: LEAVE_OPEN if dialog["id"] == "q1" else True)
        answer = received.get(timeout=60)
        self.assertEqual((answer["id"], answer["confirmed"]), ("q3", True))
        self.assertTrue(received.empty())


class Refusals(Case):
    def test_addresses(self) -> None:
        for url in ("ftp://x", "ftp://x:1", "nowhere", "unix:", "http://h:99999", "http://h:x", "http://[::1"):
            with self.subTest(url=url), self.assertRaisesRegex(ParleyError, "address"):
                connect(url)
        with self.assertRaisesRegex(ConnectError, "Cannot connect to http://a..b:80: "):
            connect("http://a..b")

    def test_a_token_with_a_newline_at_its_end_as_a_file_has(self) -> None:
        address = parse_address("http://127.0.0.1:1", "from-a-file\n", {})
        self.assertIsInstance(address, WebAddress)
        self.assertEqual(getattr(address, "token"), "from-a-file")
        for token in ("a b", "a\r\nX-Other: b", "ä"):
            with self.subTest(token=token), self.assertRaisesRegex(ParleyError, "characters that a token cannot have"):
                connect("http://127.0.0.1:1", token=token)

    def test_no_server(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/?token=secret"
            with self.assertRaisesRegex(ConnectError, r"^Cannot connect to http://127\.0\.0\.1:\d+: ") as refused:
                connect(url)
            self.assertNotIn("secret", str(refused.exception))
        with self.assertRaisesRegex(ConnectError, "^Cannot connect to unix:/nowhere.sock: "):
            connect("unix:/nowhere.sock")

    def test_a_refused_token(self) -> None:
        def script(peer: Peer) -> None:
            peer.read_request()
            body = b'{"error":{"code":"unauthorized","message":"Unknown token."}}'
            peer.send_bytes(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\n\r\n" % len(body))
            peer.send_bytes(body)

        with self.assertRaisesRegex(ConnectError, "refused the token: Unknown token.") as refused:
            connect(self.serve(True, script).url)
        self.assertEqual(refused.exception.status, 401)

    def test_a_session_that_does_not_exist(self) -> None:
        def web(peer: Peer) -> None:
            peer.accept()
            peer.send_bytes(web_frame(8, struct.pack("!H", 4404) + b"Session not found: x"))
            peer.receive()

        with self.assertRaisesRegex(ConnectError, "refused the connection: Session not found: x") as refused:
            connect(self.serve(True, web).url)
        self.assertEqual(refused.exception.close_code, 4404)

        def lines(peer: Peer) -> None:
            peer.accept()
            peer.send({"type": "connect_error", "code": "not_found", "message": "Session not found: x"})
            peer.close()

        with self.assertRaisesRegex(ConnectError, "refused the connection: Session not found: x"):
            connect(self.serve(False, lines).url)

    def test_other_servers(self) -> None:
        def no_parley(peer: Peer) -> None:
            peer.read_request()
            peer.send_bytes(b"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: wrong\r\n\r\n")

        def ends(peer: Peer) -> None:
            peer.read_request()
            peer.close()

        def silent(peer: Peer) -> None:
            peer.accept()
            peer.receive()

        for script, message in (
            (no_parley, "is not a WebSocket server"),
            (ends, "closed the connection during the handshake"),
            (silent, "did not attach a session in time"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(ConnectError, message):
                connect(self.serve(True, script).url, connect_timeout=2 if script is not silent else 0.1)


class Frames(Case):
    def receive(self, *parts: bytes) -> List[Any]:
        """What a client receives when the server sends these bytes after the handshake, and then a last notice."""

        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached())
            for part in parts:
                peer.send_bytes(part)
            while peer.receive():
                pass

        client = self.connect(self.serve(True, script).url)
        messages = []
        try:
            for event in client.events():
                messages.append(event.get("message"))
                if event.get("message") == "last":
                    break
        except AgentExitedError as error:
            messages.append((error.exit_info.close_code, error.exit_info.reason))
        return messages

    def test_fragments_pings_and_split_bytes(self) -> None:
        text = b'{"type":"notice","level":"info","message":"one"}'
        last = b'{"type":"notice","level":"info","message":"last"}'
        fragments = [web_frame(1, text[:5], False), web_frame(9, b"ping"), web_frame(0, text[5:20], False), web_frame(0, text[20:])]
        single_bytes = [bytes([byte]) for byte in web_frame(1, last)]
        self.assertEqual(self.receive(*fragments, *single_bytes), ["one", "last"])

    def test_violations(self) -> None:
        for frame, code in (
            (web_frame(0, b"x"), 1002),
            (web_frame(2, b"x"), 1002),
            (b"\xc1\x00", 1002),
            (b"\x81\x80\x00\x00\x00\x00", 1002),
            (web_frame(9, b"x" * 126), 1002),
            (web_frame(1, b"\xff"), 1007),
            (b"\x81\x7f" + struct.pack("!Q", 2**40), 1009),
        ):
            with self.subTest(frame=frame[:4]):
                self.assertEqual([entry[0] for entry in self.receive(frame)], [code])


class RealServer(Case):
    def setUp(self) -> None:
        super().setUp()
        self.server = ServeProgram(self.sandbox)
        self.addCleanup(self.server.close)

    def test_several_clients_of_one_session(self) -> None:
        writer = self.connect(self.server.url, client="writer")
        assert writer.attachment
        session = writer.attachment["sessionId"]
        events: "queue.Queue[Any]" = queue.Queue()
        reader = self.connect(f"unix:{self.server.socket}", session=session, client="reader", access="read", on_event=events.put)
        messages = writer.prompt_and_wait("say hello")
        self.assertEqual(texts(messages[-1]), "hello")
        received: List[Dict[str, Any]] = []
        while not received or received[-1]["type"] != "agent_settled":
            received.append(events.get(timeout=60))
        users = [event for event in received if event["type"] == "message_end" and event["message"]["role"] == "user"]
        self.assertEqual([event["client"] for event in users], ["writer"])
        with self.assertRaisesRegex(RpcError, "needs full access"):
            reader.prompt("no")
        self.assertEqual(reader.get_last_assistant_text()["text"], "hello")

    def test_continues_after_the_last_event(self) -> None:
        first = self.connect(self.server.url)
        first.prompt_and_wait("say one")
        assert first.attachment
        session, after = first.attachment["sessionId"], first.last_seq
        first.stop()
        other = self.connect(self.server.url, session=session)
        other.prompt_and_wait("say two")
        second = self.connect(self.server.url, session=session, after=after)
        numbers = []
        for event in second.events():
            numbers.append(event.get("seq"))
            if event["type"] == "agent_settled":
                break
        assert after is not None
        self.assertEqual(numbers[0], after + 1)
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(ConnectError, "refused the token") as refused:
            connect(self.server.url, token="wrong")
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaisesRegex(ConnectError, "(?i)not found"):
            connect(self.server.url, session="nothing")
        with self.assertRaisesRegex(ConnectError, "(?i)not found"):
            connect(f"unix:{self.server.socket}", session="nothing")


class Asyncio(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)

    def serve(self, is_web: bool, script: Callable[[Peer], None]) -> Server:
        server = Server(self.sandbox, is_web, script)
        self.addCleanup(server.close)
        return server

    async def test_calls_over_both_kinds_of_sockets(self) -> None:
        for is_web in (True, False):
            with self.subTest(is_web=is_web), Sandbox() as sandbox:
                server = Server(sandbox, is_web, echo)
                self.addCleanup(server.close)
                async with connect_async(server.url, session="s1", timeout=60) as client:
                    text = "ä" * 100_000
                    results = await asyncio.gather(*(client.call("echo", {"text": text, "n": n}) for n in range(5)))
                    self.assertEqual([result["n"] for result in results], list(range(5)))
                    self.assertEqual(results[0]["text"], text)
                with self.assertRaisesRegex(AgentExitedError, "disconnected"):
                    await client.get_state()

    async def test_no_event_is_lost(self) -> None:
        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached(replay="events"), notice(6, "a"), notice(7, "b"), notice(7, "b"), notice(8, "c"))
            peer.receive()

        async with connect_async(self.serve(True, script).url, after=5) as client:
            await asyncio.sleep(0)
            received = []
            async for event in client.events():
                received.append(event.get("seq"))
                if event.get("seq") == 8:
                    break
            self.assertEqual(received, [6, 7, 8])

    def test_the_error_of_an_invalid_address_has_no_token(self) -> None:
        with self.assertRaisesRegex(ParleyError, r"agent: ftp://x/\?…\. Use") as caught:
            connect("ftp://x/?token=secret")
        self.assertNotIn("secret", str(caught.exception))

    async def test_refusals(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.accept()
            peer.send({"type": "connect_error", "code": "not_found", "message": "Session not found: x"})
            peer.close()

        def silent(peer: Peer) -> None:
            peer.accept()
            peer.receive()

        with self.assertRaisesRegex(ConnectError, "Session not found: x"):
            await connect_async(self.serve(False, refuse).url).start()
        with self.assertRaisesRegex(ConnectError, "did not attach a session in time"):
            # Opening the connection counts, too.
            await connect_async(self.serve(True, silent).url, connect_timeout=2).start()
        for url in ("unix:/nowhere.sock", "http://a..b"):
            with self.subTest(url=url), self.assertRaisesRegex(ConnectError, "Cannot connect"):
                await connect_async(url).start()

    async def test_dialogs_without_a_handler_stay_open(self) -> None:
        received: "queue.Queue[Any]" = queue.Queue()

        def script(peer: Peer) -> None:
            peer.accept()
            peer.send(READY, attached(), QUESTION)
            while True:
                frame = peer.receive()
                if frame is None:
                    return
                received.put(frame["type"])
                if frame["type"] == "get_state":
                    peer.reply(frame, {})

        async with connect_async(self.serve(True, script).url, timeout=60) as client:
            await client.get_state()
            await client.get_state()
            client.on_dialog(lambda _: True)
            await client.get_state()
        self.assertEqual([received.get(timeout=60) for _ in range(4)].count("extension_ui_response"), 1)

    async def test_the_real_server(self) -> None:
        server = ServeProgram(self.sandbox)
        self.addCleanup(server.close)
        for url in (server.url, f"unix:{server.socket}"):
            async with connect_async(url, client="bot", timeout=60) as client:
                messages = await client.prompt_and_wait("say hello")
                self.assertEqual(texts(messages[-1]), "hello")
                self.assertGreater(client.last_seq or 0, 0)
