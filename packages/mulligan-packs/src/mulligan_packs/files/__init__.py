"""A folder as tools that can be undone: `file_tools(m, root)`."""

from mulligan_packs.files.tools import FileTools, file_tools, prune_kept

__all__ = ["FileTools", "file_tools", "prune_kept"]
