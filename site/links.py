"""Pages speak of files beside them, such as a module or an example: the site has those too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
_OUTSIDE = re.compile(r"\]\(((?:\.\./)+)([^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, files: Files, config: Any) -> str:
    """Let what leads out of the folder of pages lead to a copy of the file."""
    depth = page.file.src_uri.count("/")

    def lead(found: re.Match[str]) -> str:
        up, path = found[1], found[2]
        target = ROOT / path
        if up.count("../") != depth + 1 or not target.is_file():
            return found[0]
        kept = f"source/{path}.txt"
        if files.get_file_from_path(kept) is None:
            text = target.read_text(encoding="utf-8")
            files.append(File.generated(config, kept, content=text))
        return f"]({'../' * depth}{kept})"

    return _OUTSIDE.sub(lead, markdown)
