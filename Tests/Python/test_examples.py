"""The examples of Docs/PYTHON.md."""

from __future__ import annotations

import contextlib
import io
import os
import re

from common import ROOT, Case

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


class Examples(Case):
    """The blocks of the page, run in order in a folder with the fixtures."""

    def test_each_prints_what_the_page_says(self) -> None:
        blocks = BLOCK.findall((ROOT / "Docs/PYTHON.md").read_text())
        self.assertGreater(len(blocks), 3)
        (self.folder / "Fixtures").symlink_to(ROOT / "Fixtures")
        names: dict[str, object] = {}
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            for code, output in blocks:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(code, "Docs/PYTHON.md", "exec"), names)
                self.assertEqual(printed.getvalue(), output)
        finally:
            os.chdir(before)
