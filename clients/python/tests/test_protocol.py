"""Checks events and results of the real program against the generated types."""

from __future__ import annotations

import os
import typing
import unittest
from typing import Any, Dict, List, Literal, Union

from parley_agent import Client, protocol

from .support import Sandbox

NAMES = vars(protocol)


def find_mismatch(value: Any, hint: Any, where: str = "value") -> str:
    """Says why a value does not have a type. Empty when it has."""
    if isinstance(hint, str):
        hint = NAMES[hint]
    if isinstance(hint, typing.ForwardRef):
        hint = NAMES[hint.__forward_arg__]
    origin = typing.get_origin(hint)
    if hint is Any:
        return ""
    if origin is Union:
        mismatches = [find_mismatch(value, option, where) for option in typing.get_args(hint)]
        return "" if "" in mismatches else f"{where} is none of {hint}: {min(mismatches, key=len)}"
    if origin is Literal:
        return "" if value in typing.get_args(hint) else f"{where} is {value!r}, not {hint}"
    if origin is list:
        return next(filter(None, (find_mismatch(each, *typing.get_args(hint), f"{where}[]") for each in value)), "")
    if origin is dict:
        return "" if isinstance(value, dict) else f"{where} is not an object"
    if hasattr(hint, "__required_keys__"):
        return find_field_mismatch(value, hint, where)
    expected = (int, float) if hint is float else hint
    return "" if isinstance(value, expected) else f"{where} is {value!r}, not {hint}"


def find_field_mismatch(value: Any, hint: Any, where: str) -> str:
    if not isinstance(value, dict):
        return f"{where} is not an object"
    hints: Dict[str, Any] = typing.get_type_hints(hint)
    missing = hint.__required_keys__ - value.keys()
    unknown = value.keys() - hints.keys()
    if missing or unknown:
        return f"{where} as {hint.__name__}: missing {sorted(missing)}, unknown {sorted(unknown)}"
    return next(filter(None, (find_mismatch(each, hints[key], f"{where}.{key}") for key, each in value.items())), "")


class Types(unittest.TestCase):
    def test_every_type_can_be_resolved(self) -> None:
        records = [each for each in NAMES.values() if hasattr(each, "__required_keys__")]
        self.assertGreater(len(records), 100)
        for record in records:
            typing.get_type_hints(record)

    def test_events_and_results_of_the_program_match_the_types(self) -> None:
        sandbox = Sandbox()
        self.addCleanup(sandbox.close)
        events: List[Any] = []
        with open(os.path.join(sandbox.path, "a.txt"), "w", encoding="utf-8") as file:
            file.write("hello\n")
        with Client(**sandbox.parley()) as client:
            client.on_event(events.append)
            client.prompt_and_wait("Read a.txt")
            client.prompt_and_wait("Run `echo hi`")
            results = {
                "SessionState": client.get_state(),
                "SessionStats": client.get_session_stats(),
                "GetMessagesResult": client.get_messages(),
                "GetAvailableModelsResult": client.get_available_models(),
                "GetEntriesResult": client.get_entries(),
                "BashResult": client.bash("true"),
            }
            client.close()
        self.assertGreater(len({event["type"] for event in events}), 8)
        for event in events:
            self.assertEqual(find_mismatch(event, protocol.AgentEvent, event["type"]), "")
        for name, result in results.items():
            self.assertEqual(find_mismatch(result, name, name), "")

    def test_find_mismatch(self) -> None:
        self.assertIn("missing ['level', 'message']", find_mismatch({"type": "notice"}, "NoticeEvent"))
        wrong = {"type": "notice", "level": "loud", "message": ""}
        self.assertIn("value.level is 'loud'", find_mismatch(wrong, "NoticeEvent"))
