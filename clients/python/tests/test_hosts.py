"""A host without our client: it finds the program by its name, writes JSON lines, and reads until agent_end."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from typing import Any, Dict, Iterator

from .support import OFFLINE, PROGRAM, Place


class JsonLines(unittest.TestCase):
    def converse(self, name: str, message: str) -> str:
        place = Place()
        self.addCleanup(place.close)
        os.symlink(PROGRAM, os.path.join(place.path, name))
        env = {**os.environ, "HOME": place.path, "PARLEY_DIR": place.path}
        env["PATH"] = place.path + os.pathsep + env["PATH"]
        agent = subprocess.Popen(
            [name, "--mode", "rpc", "--no-session", *OFFLINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=place.path,
            env=env,
        )
        assert agent.stdin and agent.stdout

        def events() -> Iterator[Dict[str, Any]]:
            assert agent.stdout
            for line in agent.stdout:
                yield json.loads(line)

        agent.stdin.write(json.dumps({"type": "prompt", "message": message}) + "\n")
        agent.stdin.flush()
        said = ""
        for event in events():
            if event["type"] == "message_update":
                update = event["assistantMessageEvent"]
                if update["type"] == "text_delta":
                    said += update["delta"]
            if event["type"] == "agent_end":
                break
        agent.stdin.close()
        self.assertEqual(agent.wait(120), 0)
        agent.stdout.close()
        return said

    def test_under_every_name(self) -> None:
        for name in ("parley", "omp", "pi", "pisces"):
            with self.subTest(name):
                self.assertIn(name, self.converse(name, "What files are here?"))
