"""Runs the Python blocks of the documents. The `output` block after one is its expected output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest

from .support import PROGRAM, ROOT, Sandbox

FENCE = re.compile(r"^```(\w*)( run)?\n(.*?)^```$", re.M | re.S)


class Pages(unittest.TestCase):
    def run_blocks(self, page: str) -> int:
        fences = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
        count = 0
        for index, (language, run, code) in enumerate(fences):
            if language != "python" or not run:
                continue
            sandbox = Sandbox()
            self.addCleanup(sandbox.close)
            os.symlink(PROGRAM, os.path.join(sandbox.path, "parley"))
            env = {"HOME": sandbox.path, "PARLEY_DIR": sandbox.path, "PYTHONPATH": str(ROOT / "clients" / "python")}
            env["PATH"] = sandbox.path + os.pathsep + os.environ["PATH"]
            ran = subprocess.run([sys.executable, "-c", code], cwd=sandbox.path, env=env, capture_output=True, text=True, timeout=150)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), code)
            following = fences[index + 1] if index + 1 < len(fences) else ("", "", "")
            for line in following[2].splitlines() if following[0] == "output" else []:
                self.assertIn(line, ran.stdout)
            count += 1
        return count

    def test_embedding(self) -> None:
        self.assertGreaterEqual(self.run_blocks("docs/embedding.md"), 1)

    def test_readme(self) -> None:
        self.assertGreaterEqual(self.run_blocks("clients/python/README.md"), 2)
