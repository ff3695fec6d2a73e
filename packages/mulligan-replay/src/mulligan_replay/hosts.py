"""Which framework wrote a trace, and the lines that add Mulligan to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from mulligan.types.display import escape
from mulligan.types.effect import Effect
from mulligan_replay.conversation import is_known
from mulligan_replay.files import SESSION, FileItem, read_items
from mulligan_replay.reading import ReadAccount, find_message, name_form, read_files
from mulligan_replay.rpc import find_rpc
from mulligan_replay.tools import TracedTools
from mulligan_replay.trace import TracedTool, TracedTurn

MOST_VALUES = 500
"""Of each file, that are looked at for the framework."""

HOSTS: Mapping[str, tuple[str, str]] = {
    "langchain": ("langchain", "agent = create_agent(…, middleware=[m.for_langchain()])"),
    "pydantic-ai": ("pydantic_ai", "agent = Agent(…, capabilities=[m.for_pydantic_ai()])"),
    "openai-agents": ("agents", "result = await m.for_openai_agents().run(agent, …)"),
    "fastmcp": ("fastmcp", "mcp.add_middleware(m.for_fastmcp())"),
    "strands": ("strands", "agent = Agent(…, hooks=[m.for_strands()])"),
    "google-adk": ("google.adk", "app = App(…, plugins=[m.for_google_adk()])"),
    "claude-agent": (
        "claude_agent_sdk",
        "options = ClaudeAgentOptions(…, hooks=m.for_claude_agent())",
    ),
}
"""Each framework by its extra, with its package and the line that adds Mulligan."""
_SCOPES = {
    "pydantic": "pydantic-ai",
    "langchain": "langchain",
    "langgraph": "langchain",
    "openai_agents": "openai-agents",
    "openai-agents": "openai-agents",
    "fastmcp": "fastmcp",
    "strands": "strands",
    "gcp.vertex.agent": "google-adk",
    "google_adk": "google-adk",
}
"""What stands in the name of an instrumentation, of a system, or of an attribute."""
_FORMS = {"LangChain messages": "langchain", "pydantic-ai messages": "pydantic-ai"}


def find_host(paths: Iterable[Path]) -> str:
    """The framework that most values speak of; empty where none is recognised."""
    seen: Counter[str] = Counter()
    for path in paths:
        for number, item in enumerate(read_items(path)):
            if number >= MOST_VALUES:
                break
            if isinstance(item, FileItem):
                session = "openai-agents" if item.where.startswith(SESSION) else ""
                seen.update(filter(None, [session or _find_in(item.value)]))
    return seen.most_common(1)[0][0] if seen else ""


def find_installed() -> list[str]:
    """The frameworks that are installed here."""
    return [name for name, (package, _) in HOSTS.items() if _is_installed(package)]


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _find_in(value: object) -> str:
    if isinstance(value, list):
        return next(filter(None, map(_find_in, value[:MOST_VALUES])), "")
    if not isinstance(value, dict):
        return ""
    if find_rpc(value) is not None:
        return "fastmcp"
    if "span_data" in value or value.get("object") in ("trace", "trace.span"):
        return "openai-agents"
    message = find_message(value)
    if message is not None and is_known(message):
        return _FORMS.get(name_form([message]), "")
    if isinstance(messages := value.get("messages"), list):
        return _find_in(messages)
    names = " ".join(_list_names(value)).lower()
    return next((host for sign, host in _SCOPES.items() if sign in names), "")


def _list_names(value: object, deep: int = 0) -> Iterator[str]:
    """Names of attributes and of what made a span, and what it calls its system."""
    if isinstance(value, dict):
        for name, held in value.items():
            if deep == 0 or name in ("scopeSpans", "scope_spans", "scope", "spans", "attributes"):
                yield from _list_names(held, deep + 1)
            if isinstance(held, str) and name in ("name", "key", "gen_ai.system", "stringValue"):
                yield held[:200]
            yield str(name)[:200]
        yield from _list_names(value.get("value"), deep + 1) if "key" in value else ()
    elif isinstance(value, list) and deep < _MOST_DEEP:
        for each in value[:20]:
            yield from _list_names(each, deep + 1)


_MOST_DEEP = 8


def list_lines(host: str, store: str, paths: Iterable[Path]) -> Iterator[str]:
    """A file that adds Mulligan to an agent; of a trace, with its irreversible tools in it."""
    if not _is_installed(HOSTS[host][0]):
        yield f'# pip install "mulligan[{host}]"'
    yield "from mulligan import Mulligan"
    yield ""
    yield f'm = Mulligan({store!r}, checks="standard")'
    for tool in _list_irreversible(paths):
        yield f'm.declare({escape(tool)!r}, effect="irreversible")  # held for approval: a guess'
    yield f"# Then, where your agent is made: {HOSTS[host][1]}"


def _list_irreversible(paths: Iterable[Path]) -> list[str]:
    tools = TracedTools()
    for found in read_files(paths, ReadAccount()):
        if isinstance(found, TracedTool):
            tools.add(found)
        elif isinstance(found, TracedTurn):
            for call in found.calls:
                tools.count(call.tool)
    return [
        name
        for name in sorted(tools.calls)
        if name.isidentifier() and tools.find_guess(name).effect is Effect.IRREVERSIBLE
    ]
