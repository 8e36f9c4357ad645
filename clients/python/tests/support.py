"""For the tests: the real program, and small agents that do as they are told."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "dist" / "cli.js"
# Named, because whoever runs the tests may have a provider's key in the environment.
OFFLINE = ("--provider", "parley", "--model", "offline")

_OPENING = """
import json, os, subprocess, sys, time

def say(frame):
    sys.stdout.write((frame if isinstance(frame, str) else json.dumps(frame)) + "\\n")
    sys.stdout.flush()

def reply(frame, data=None, **more):
    say({"type": "response", "id": frame.get("id"), "command": frame["type"], "success": True, "data": data, **more})

def die(code, words=""):
    sys.stderr.write(words)
    sys.stderr.flush()
    os._exit(code)

"""
_LOOP = """
for line in sys.stdin:
    frame = json.loads(line)
"""

ASK_FIRST = """
say({"type": "extension_ui_request", "id": "gone", "method": "confirm", "title": "Sure?", "message": ""})
say({"type": "extension_ui_request", "id": "no", "method": "cancel", "targetId": "gone"})
say({"type": "extension_ui_request", "id": "first", "method": "confirm", "title": "Sure?", "message": ""})
say({"type": "asked"})
"""
TELL_ANSWERS = """
if frame["type"] == "extension_ui_response":
    say({"type": "notice", "level": "info", "message": json.dumps(frame)})
else:
    reply(frame)
"""


class Place:
    """A directory of its own, with nothing of the machine that runs the tests."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="parley-test-")
        self.path = os.path.realpath(self._directory.name)

    def parley(self, *args: str) -> Dict[str, Any]:
        """What starts the real program."""
        env = {"HOME": self.path, "PARLEY_DIR": os.path.join(self.path, "home")}
        return {
            "command": ["node", str(PROGRAM)],
            "args": ["--no-session", *OFFLINE, *args],
            "cwd": self.path,
            "env": env,
            "timeout": 60,
        }

    def agent(self, body: str, first: str = "") -> Dict[str, Any]:
        """What starts an agent that does `first`, and then `body` with every frame."""
        script = Path(self.path) / "agent.py"
        script.write_text(_OPENING + textwrap.dedent(first) + _LOOP + textwrap.indent(textwrap.dedent(body), "    "), encoding="utf-8")
        return {"command": [sys.executable, "-u", str(script)], "timeout": 60}

    def close(self) -> None:
        self._directory.cleanup()


def texts(message: Any) -> str:
    content: List[Any] = message["content"]
    return "".join(part.get("text", "") for part in content)
