"""Questions that clients were handed for their person: each is answered once, for the same call.

In revisions in which a client asks again with the answer, nothing but what we have handed out tells
an answer to our question from one that nobody asked for.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict

from mulligan.codec.exact import encode_exact
from mulligan.core.runtime.dataclass import dataclass

MOST = 1_000
"""Questions that nobody has answered: the oldest is forgotten first, and is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionedCall:
    """The call that a person was asked about."""

    principal: str
    tool: str
    arguments: dict[str, object]

    def write(self) -> str:
        """What tells it from every other call."""
        said = encode_exact(self.arguments) or repr(self.arguments).encode()
        return "\0".join((self.principal, self.tool, said.decode()))


class Questions:
    """Those of all clients of a gateway, by names that nobody can guess."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._open: OrderedDict[str, str] = OrderedDict()

    def ask(self, call: QuestionedCall) -> str:
        """The name under which the answer will come."""
        name = secrets.token_urlsafe(24)
        self._open[name] = call.write()
        while len(self._open) > self._most:
            self._open.popitem(last=False)
        return name

    def take_answer(self, name: str, call: QuestionedCall) -> bool:
        """Whether this very call was asked about under that name, and was not answered yet."""
        if self._open.get(name) != call.write():
            return False
        del self._open[name]
        return True
