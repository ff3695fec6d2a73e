"""Our SQL, written once for all databases, and the words in which each of them wants it.

Queries stand in `sql`, tables in `schema`. A file that is named after a database has what only that
one has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from msgspec import Struct, field


class Dialect(Struct, frozen=True, kw_only=True):
    """How a database says what SQL has no one word for; each stands in braces in our SQL."""

    now_us: str
    """Microseconds since 1970, by its own clock."""
    greatest: str
    least: str
    each: str
    """The texts of a JSON list, as rows with a `value`."""
    add_counts: str
    """Two columns of counts, added up bucket by bucket."""
    rows: str
    """Rows of positional values, to be inserted; in our queries with their types."""
    value: str
    """One of these values, by its type."""
    bytewise: str
    """A text in the order of its bytes, whatever its column is ordered by."""
    set_number: str
    """Makes a column count on from where the rows of its table end."""
    numbered: str = ""
    """An insertion says the numbers itself that the table would count."""
    having_rare_word: str
    """Lessons with one of the words that few have, by the index of words."""
    unlocked: str = ""
    """Only rows that no other transaction holds; a file has one writer at a time."""
    by_key: str = ""
    """A table whose rows lie in the tree of its key."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Its names of types, where they are not those of our tables."""

    def translate(self, query: str) -> str:
        """A query in this database's words."""
        return _WORD.sub(self._say, query)

    def read_tables(self, name: str) -> str:
        """Some of our tables, in its words."""
        text = self.translate(_read("schema", name))
        for ours, its in self.types.items():
            text = text.replace(ours, its)
        return text

    def load_queries(self, *names: str) -> dict[str, str]:
        """The queries of the named files; a later file replaces what an earlier one named."""
        found: dict[str, str] = {}
        for file in names:
            parts = _NAME.split(_read("sql", file))[1:]
            for name, query in zip(parts[::2], parts[1::2], strict=True):
                found[name] = self.translate(query.strip().rstrip(";"))
        return found

    def _say(self, found: re.Match[str]) -> str:
        word, given = found[1], found[2].split()
        if word == "rows":
            given = [", ".join(map(self.value.format, given))]
        said: str = getattr(self, word).format(*given)
        return said


_WORDS = {*Dialect.__struct_fields__} - {"value", "types"}
_WORD = re.compile(rf"\{{({'|'.join(_WORDS)})\b([^{{}}]*)\}}")
_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)

SQLITE = Dialect(
    now_us="cast(unixepoch('subsec') * 1000000 as integer)",
    greatest="max",
    least="min",
    each="select value from json_each({})",
    add_counts="add_counts({}, {})",
    rows="values ({})",
    value="?",
    bytewise="{}",
    set_number="select 1",
    having_rare_word="""select id, version, tool, words from rare
  cross join lesson_word on lesson_word.word = rare.word
  cross join lesson on id = lesson where {{where}}""",
    by_key="without rowid",
    types={
        ' collate "C"': "",
        "bigint generated always as identity": "integer",
        "bigint": "integer",
        "smallint": "integer",
        "bytea": "blob",
        "double precision": "real",
    },
)
POSTGRES = Dialect(
    now_us="(extract(epoch from clock_timestamp()) * 1000000)::bigint",
    greatest="greatest",
    least="least",
    each="select json_array_elements_text(cast({} as json)) as value",
    add_counts="""(
    select coalesce(json_object_agg(bucket, calls)::text, '{{}}') from (
      select bucket, sum(calls::float8) as calls from (
        select * from json_each_text({}::json) union all select * from json_each_text({}::json)
      ) as each_count (bucket, calls) group by bucket
    ) as total
  )""",
    rows="select * from unnest({})",
    bytewise='{} collate "C"',
    set_number="""select setval(
    pg_get_serial_sequence('mulligan.{0}', '{1}'), coalesce(max({1}), 0) + 1, false
  ) from {0}""",
    numbered="overriding system value",
    # The limits keep the planner from reading the whole tables instead.
    having_rare_word="""select fit.* from rare cross join lateral (
    select lesson from lesson_word as held where held.word = rare.word limit :near
  ) as holder cross join lateral (
    select id, version, tool, words from lesson where id = holder.lesson and {{where}} limit 1
  ) as fit""",
    unlocked="for update skip locked",
    value="?::{}[]",
)


def _read(folder: str, name: str) -> str:
    return files("mulligan.stores").joinpath(folder, f"{name}.sql").read_text("utf-8")
