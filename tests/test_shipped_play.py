"""The solved play that comes with the code: it fits the throws, and no opponent gains from it."""

import functools
import shutil
from pathlib import Path

import numpy as np
import pytest

from cribodds.sim import rules
from cribodds.sim.discards import compile_discards
from cribodds.sim.equilibrium import best_response
from cribodds.sim.equilibrium.policy import priors_digest
from cribodds.sim.equilibrium.rounds import (
    Equilibrium,
    load_equilibrium,
    policy_for,
)
from cribodds.sim.sources import SHIPPED, SOLVED_FILES
from cribodds.tables.build import strategy_of
from cribodds.tables.config import load_config

# Points a deal that a best response may gain, both seats together.
EXPLOITABLE = 0.001


@functools.cache
def shipped() -> Equilibrium:
    rounds = strategy_of(load_config("reference")).discard_rounds
    return load_equilibrium(SHIPPED / f"equilibrium-{rounds}")


@functools.cache
def own_keeps() -> np.ndarray:
    """How often the throws of the shipped strategy keep what: over all hands, with this code."""
    _, own = compile_discards(shipped().opponent, shipped().worth)
    return own.keeps


def test_it_is_solved_for_the_keeps_that_its_throws_leave() -> None:
    assert shipped().policy.provenance.priors == priors_digest(*own_keeps())
    other = own_keeps().copy()
    other[rules.DEALER, 7] += 1
    assert shipped().policy.provenance.priors != priors_digest(*other)


def test_no_opponent_gains_from_it() -> None:
    """Both best responses, exact; the figures that are stored are those measured here."""
    policy = shipped().policy
    play = policy.on_tree()
    found = best_response.exploitability(best_response.game(*own_keeps()), play, play)
    assert 0 <= found.total <= EXPLOITABLE
    made = policy.provenance
    assert found == pytest.approx((made.value, made.pone_gain, made.dealer_gain), abs=1e-6)


def test_play_for_other_keeps_is_not_handed_out() -> None:
    rounds = strategy_of(load_config("reference")).discard_rounds
    assert policy_for(rounds, priors_digest(*own_keeps())).provenance == shipped().policy.provenance
    with pytest.raises(ValueError, match="leave other keeps"):
        policy_for(rounds, "0" * 64)


def test_what_was_there_stays_when_the_new_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "equilibrium-3"
    shipped().save(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert set(before) == set(SOLVED_FILES)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if target == folder and self.name != "before":
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(KeyboardInterrupt):
        shipped().save(folder)
    assert [each.name for each in tmp_path.iterdir()] == [folder.name]
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_stray_files_beside_the_solved_play_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = strategy_of(load_config("reference"))
    key = strategy._key()
    tree = tmp_path / "sim" / "equilibrium" / "data"
    shutil.copytree(SHIPPED, tree)
    monkeypatch.setattr("cribodds.sim.sources.SHIPPED", tree)
    monkeypatch.setattr("cribodds.sim.sources.ROOT", tmp_path)
    folder = tree / f"equilibrium-{strategy.discard_rounds}"
    (folder / "before").mkdir()
    (folder / "policy.npz~").write_bytes(b"an editor's")
    assert strategy._key() == key
    with (folder / "policy.npz").open("ab") as file:
        file.write(b"more")
    assert strategy._key() != key


def test_each_round_moved_less_than_the_one_before() -> None:
    rounds = shipped().rounds
    assert len(rounds) == strategy_of(load_config("reference")).discard_rounds
    moved = [each["throws_moved"] for each in rounds]
    assert moved == sorted(moved, reverse=True)
    assert all(each["exploitability"] <= EXPLOITABLE for each in rounds)
