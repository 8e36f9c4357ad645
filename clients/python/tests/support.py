"""Starts the real program, or small scripted agents, for the tests."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "dist" / "cli.js"
# Selects the offline model, because the environment of the tests may contain a provider key.
OFFLINE = ("--provider", "parley", "--model", "offline")

_HELPERS = """
import json, os, subprocess, sys, time

def send(frame):
    sys.stdout.write((frame if isinstance(frame, str) else json.dumps(frame)) + "\\n")
    sys.stdout.flush()

def reply(frame, data=None, **more):
    send({"type": "response", "id": frame.get("id"), "command": frame["type"], "success": True, "data": data, **more})

def exit_with(code, text=""):
    sys.stderr.write(text)
    sys.stderr.flush()
    os._exit(code)

"""
_LOOP = """
for line in sys.stdin:
    frame = json.loads(line)
"""

DIALOG_AT_START = """
send({"type": "extension_ui_request", "id": "withdrawn", "method": "confirm", "title": "Sure?", "message": ""})
send({"type": "extension_ui_request", "id": "no", "method": "cancel", "targetId": "withdrawn"})
send({"type": "extension_ui_request", "id": "first", "method": "confirm", "title": "Sure?", "message": ""})
send({"type": "dialogs_sent"})
"""
ECHO_ANSWERS = """
if frame["type"] == "extension_ui_response":
    send({"type": "notice", "level": "info", "message": json.dumps(frame)})
else:
    reply(frame)
"""


class Sandbox:
    """A temporary directory that is also HOME, so that no files of the machine are used."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="parley-test-")
        self.path = os.path.realpath(self._directory.name)

    def parley(self, *args: str) -> Dict[str, Any]:
        """Client options that start the real program."""
        env = {"HOME": self.path, "PARLEY_DIR": os.path.join(self.path, "home")}
        return {
            "command": ["node", str(PROGRAM)],
            "args": ["--no-session", *OFFLINE, *args],
            "cwd": self.path,
            "env": env,
            "timeout": 60,
        }

    def agent(self, body: str, first: str = "") -> Dict[str, Any]:
        """Client options that start a Python script: it runs `first` once, and `body` for every frame."""
        script = Path(self.path) / "agent.py"
        script.write_text(_HELPERS + textwrap.dedent(first) + _LOOP + textwrap.indent(textwrap.dedent(body), "    "), encoding="utf-8")
        return {"command": [sys.executable, "-u", str(script)], "timeout": 60}

    def close(self) -> None:
        self._directory.cleanup()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def texts(message: Any) -> str:
    content: List[Any] = message["content"]
    return "".join(part.get("text", "") for part in content)
