"""A folder as tools that can be taken back: `file_tools(m, root)`."""

from mulligan_packs.files.tools import FileTools, file_tools, prune_kept

__all__ = ["FileTools", "file_tools", "prune_kept"]
