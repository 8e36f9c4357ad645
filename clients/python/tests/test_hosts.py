"""A host that uses plain JSON lines instead of the client, and starts the program under several names."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from typing import Any, Dict, Iterator

from .support import OFFLINE, PROGRAM, Sandbox


class JsonLines(unittest.TestCase):
    def run_prompt(self, name: str, message: str) -> str:
        sandbox = Sandbox()
        self.addCleanup(sandbox.close)
        os.symlink(PROGRAM, os.path.join(sandbox.path, name))
        env = {**os.environ, "HOME": sandbox.path, "PARLEY_DIR": sandbox.path}
        env["PATH"] = sandbox.path + os.pathsep + env["PATH"]
        agent = subprocess.Popen(
            [name, "--mode", "rpc", "--no-session", *OFFLINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=sandbox.path,
            env=env,
        )
        assert agent.stdin and agent.stdout

        def events() -> Iterator[Dict[str, Any]]:
            assert agent.stdout
            for line in agent.stdout:
                yield json.loads(line)

        agent.stdin.write(json.dumps({"type": "prompt", "message": message}) + "\n")
        agent.stdin.flush()
        text = ""
        for event in events():
            if event["type"] == "message_update":
                update = event["assistantMessageEvent"]
                if update["type"] == "text_delta":
                    text += update["delta"]
            if event["type"] == "agent_end":
                break
        agent.stdin.close()
        self.assertEqual(agent.wait(120), 0)
        agent.stdout.close()
        return text

    def test_program_works_under_every_name(self) -> None:
        for name in ("parley", "omp", "pi", "pisces"):
            with self.subTest(name):
                self.assertIn(name, self.run_prompt(name, "What files are here?"))
