from mulligan_gateway.protocol import LineCutter


def cut(*parts: bytes, longest: int = 10, blank: bool = False):
    lines: list[bytes] = []
    long: list[bytes] = []
    cutter = LineCutter(lines.append, longest=longest, on_too_long=long.append, blank=blank)
    for part in parts:
        cutter.take(part)
    cutter.finish()
    return lines, long


def test_lines_are_found_wherever_the_stream_is_cut():
    assert cut(b"ab", b"c\nd", b"", b"ef\n", b"\n \n", b"g")[0] == [b"abc", b"def", b"g"]


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read():
    lines, long = cut(b"x" * 8, b"x" * 8, b"x\nok\n")

    assert lines == [b"ok"]
    assert long == [b"x" * 16]


def test_empty_lines_count_where_they_mean_something():
    assert cut(b"a\n\nb\n", blank=True)[0] == [b"a", b"", b"b"]
