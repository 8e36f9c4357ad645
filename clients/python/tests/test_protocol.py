"""The types fit what the real program says. They are generated; this shows that they mean what Python takes them for."""

from __future__ import annotations

import os
import typing
import unittest
from typing import Any, Dict, List, Literal, Union

from parley_agent import Client, protocol

from .support import Place

NAMES = vars(protocol)


def misfit(value: Any, hint: Any, where: str = "value") -> str:
    """Why a value is not of a type; nothing when it is."""
    if isinstance(hint, str):
        hint = NAMES[hint]
    if isinstance(hint, typing.ForwardRef):
        hint = NAMES[hint.__forward_arg__]
    origin = typing.get_origin(hint)
    if hint is Any:
        return ""
    if origin is Union:
        misfits = [misfit(value, option, where) for option in typing.get_args(hint)]
        return "" if "" in misfits else f"{where} is none of {hint}: {min(misfits, key=len)}"
    if origin is Literal:
        return "" if value in typing.get_args(hint) else f"{where} is {value!r}, not {hint}"
    if origin is list:
        return next(filter(None, (misfit(each, *typing.get_args(hint), f"{where}[]") for each in value)), "")
    if origin is dict:
        return "" if isinstance(value, dict) else f"{where} is no object"
    if hasattr(hint, "__required_keys__"):
        return misfit_of_fields(value, hint, where)
    wanted = (int, float) if hint is float else hint
    return "" if isinstance(value, wanted) else f"{where} is {value!r}, not {hint}"


def misfit_of_fields(value: Any, hint: Any, where: str) -> str:
    if not isinstance(value, dict):
        return f"{where} is no object"
    hints: Dict[str, Any] = typing.get_type_hints(hint)
    missing = hint.__required_keys__ - value.keys()
    unknown = value.keys() - hints.keys()
    if missing or unknown:
        return f"{where} as {hint.__name__}: missing {sorted(missing)}, unknown {sorted(unknown)}"
    return next(filter(None, (misfit(each, hints[key], f"{where}.{key}") for key, each in value.items())), "")


class Types(unittest.TestCase):
    def test_every_type_can_be_resolved(self) -> None:
        records = [each for each in NAMES.values() if hasattr(each, "__required_keys__")]
        self.assertGreater(len(records), 100)
        for record in records:
            typing.get_type_hints(record)

    def test_events_and_results_of_the_program_are_what_the_types_say(self) -> None:
        place = Place()
        self.addCleanup(place.close)
        seen: List[Any] = []
        with open(os.path.join(place.path, "a.txt"), "w", encoding="utf-8") as file:
            file.write("hello\n")
        with Client(**place.parley()) as client:
            client.on_event(seen.append)
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
        self.assertGreater(len({event["type"] for event in seen}), 8)
        for event in seen:
            self.assertEqual(misfit(event, protocol.AgentEvent, event["type"]), "")
        for name, result in results.items():
            self.assertEqual(misfit(result, name, name), "")

    def test_the_check_itself(self) -> None:
        self.assertIn("missing ['level', 'message']", misfit({"type": "notice"}, "NoticeEvent"))
        wrong = {"type": "notice", "level": "loud", "message": ""}
        self.assertIn("value.level is 'loud'", misfit(wrong, "NoticeEvent"))
