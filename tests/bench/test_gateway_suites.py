from bench.gateway.chaos import play as play_chaos
from bench.gateway.fuzz import find_owed, mutate
from bench.suites.gateway_fuzz import failed
from bench.suites.gateway_fuzz import play as play_frames


async def test_mutated_frames_are_answered_where_they_have_an_id_and_nothing_dies():
    found = await play_frames(20_000, seed=7)

    assert failed(found) == ""
    assert found["owed"] > 2_000


async def test_a_server_that_comes_to_harm_makes_no_write_twice_and_nobody_waits(tmp_path):
    found = await play_chaos(12, tmp_path, seed=3)

    assert (found["duplicates"], found["hung"], found["zombies"]) == (0, 0, 0)
    assert found["written"] > 0


def test_frames_are_mutated_the_same_way_from_the_same_seed():
    frames = list(mutate(200, seed=1))

    assert frames == list(mutate(200, seed=1))
    assert 20 < sum(find_owed(frame) is not None for frame in frames) < 180
