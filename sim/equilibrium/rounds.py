"""The equilibrium strategy: throws and card play that fit each other, found in rounds.

What a keep earns in the play decides the throws; how often a keep comes decides the play.
A round chooses both seats' best throws against the round before, then solves the play
between the keeps that these throws leave. The number of rounds is fixed and belongs to
the strategy; the first starts from an opponent who throws at random and plays one card
ahead.

Solving takes minutes, so the solved play of the reference strategy comes with the code,
in ``sim/equilibrium/data``. It is used only if the keeps it was solved for are, to the
last hand, those that this code's own throws leave; else the play is solved anew and kept
in the cache.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..book import share_moved
from ..cardplay import LOOK_AHEAD
from ..discards import UNIT, Opponent, compile_discards, random_opponent
from ..files import whole_folder
from ..jit import cache_root
from ..numbering import HANDS, KEEPS, PAIRS
from ..pairs import compile_pairs, worth_of_keeps
from ..sources import SHIPPED, digest_needed_by
from .cfr import solve
from .policy import UNREADABLE, Policy, PolicyError, load, make_policy, priors_digest

TARGET: Final = 0.0005  # exploitability, points a deal, at which the play counts as solved
MOST_ITERATIONS: Final = 200


@dataclass(frozen=True)
class Equilibrium:
    """Throws and card play that fit each other.

    Attributes
    ----------
    opponent : Opponent
        How the round before throws and keeps: the throws are best against it.
    worth : int64 array, shape (2, 1820)
        What each keep earns in the play of the round before, in ``discards.UNIT``.
    policy : Policy
        The play solved for the keeps that these throws leave.
    rounds : list of dict
        What each round moved and found.
    """

    opponent: Opponent
    worth: NDArray[np.int64]
    policy: Policy
    rounds: Sequence[dict[str, float]]

    def save(self, folder: Path) -> None:
        """Write everything to a folder, which appears whole or not at all."""
        with whole_folder(folder) as new:
            self.policy.save(new / "policy.npz")
            np.savez_compressed(
                new / "discards.npz",
                throws=self.opponent.throws,
                keeps=self.opponent.keeps,
                worth=self.worth,
            )
            made = {"policy": self.policy.provenance._asdict(), "rounds": list(self.rounds)}
            (new / "rounds.json").write_text(json.dumps(made, indent=1) + "\n")
            new.chmod(0o755)


def load_equilibrium(folder: Path) -> Equilibrium:
    """Read what ``Equilibrium.save`` wrote.

    Raises
    ------
    FileNotFoundError
        If there is none.
    PolicyError
        If it is damaged or of another version.
    """
    policy = load(folder / "policy.npz")
    try:
        rounds: dict[str, Any] = json.loads((folder / "rounds.json").read_text())
        with np.load(folder / "discards.npz", allow_pickle=False) as file:
            opponent = Opponent(file["throws"], file["keeps"])
            worth = file["worth"]
        shapes = opponent.throws.shape, opponent.keeps.shape, worth.shape
        if shapes != ((2, PAIRS), (2, KEEPS), (2, KEEPS)):
            raise PolicyError(f"{folder} is damaged: its arrays have shapes {shapes}")
        return Equilibrium(opponent, worth, policy, rounds["rounds"])
    except (FileNotFoundError, PolicyError):
        raise
    except UNREADABLE as error:
        raise PolicyError(f"{folder} is damaged: {error}") from error


def find_equilibrium(
    rounds: int,
    *,
    target: float = TARGET,
    max_iterations: int = MOST_ITERATIONS,
    progress: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Equilibrium:
    """Find throws and play that fit each other, in a fixed number of rounds.

    Parameters
    ----------
    rounds : int
        1 or more.
    target, max_iterations, progress : as ``cfr.solve``
    say : callable
        Is told, in one line a round, what moved.
    """
    opponent = random_opponent()
    worth = worth_of_keeps([compile_pairs(LOOK_AHEAD)], opponent.keeps)
    book = np.full(HANDS, 255, np.uint8)
    log: list[dict[str, float]] = []
    policy: Policy | None = None
    for number in range(1, rounds + 1):
        if policy is not None:
            worth = np.rint(policy.worth * UNIT).astype(np.int64)
        against, before = opponent, book
        book, opponent = compile_discards(against, worth)
        solution = solve(
            opponent.keeps[0],
            opponent.keeps[1],
            target=target,
            max_iterations=max_iterations,
            progress=progress,
        )
        earlier = policy
        policy = make_policy(solution, opponent.keeps[0], opponent.keeps[1])
        made = policy.provenance
        entry = {
            "throws_moved": share_moved(before, book),
            "value": made.value,
            "exploitability": made.pone_gain + made.dealer_gain,
            "iterations": made.iterations,
        }
        if earlier is not None:
            entry["worth_moved"] = _mean_move(earlier.worth, policy.worth, opponent.keeps)
        log.append(entry)
        say(f"round {number}: " + ", ".join(f"{name} {value:.6g}" for name, value in entry.items()))
    if policy is None:
        raise ValueError(f"expected 1 round or more, got {rounds}")
    return Equilibrium(against, worth, policy, log)


def _mean_move(
    before: NDArray[np.float64], after: NDArray[np.float64], keeps: NDArray[np.int64]
) -> float:
    """Return how far the worth of a keep moved, root mean square over keeps as they come."""
    weights = keeps / keeps.sum()
    return float(np.sqrt((weights * (after - before) ** 2).sum()))


def _fits(found: Equilibrium, keeps: NDArray[np.int64]) -> bool:
    return found.policy.provenance.priors == priors_digest(keeps[0], keeps[1])


def policy_for(rounds: int, priors: str) -> Policy:
    """Return the solved play between keeps of which the digest is known.

    If it comes with the code it is there at once, for no throws have to be chosen.

    Parameters
    ----------
    priors : str
        As ``priors_digest`` of the keeps.

    Raises
    ------
    ValueError
        If the throws of so many rounds leave other keeps.
    """
    try:
        policy = load(SHIPPED / f"equilibrium-{rounds}" / "policy.npz")
        if policy.provenance.priors == priors:
            return policy
    except (FileNotFoundError, PolicyError):
        pass
    policy = fitting_equilibrium(rounds)[0].policy
    if policy.provenance.priors != priors:
        raise ValueError("the books' throws leave other keeps than the play was solved for")
    return policy


def fitting_equilibrium(
    rounds: int, say: Callable[[str], None] = lambda line: None
) -> tuple[Equilibrium, NDArray[np.uint8], Opponent]:
    """Return the equilibrium strategy with its book of throws and how these throw and keep.

    It comes from ``sim/equilibrium/data``, else from the cache, else it is solved, which
    takes minutes.
    """
    code = digest_needed_by("sim/equilibrium/rounds.py")
    name = f"equilibrium-{rounds}"
    cached = cache_root() / "solved" / f"{name}-{code[:24]}"
    for folder in (SHIPPED / name, cached):
        try:
            found = load_equilibrium(folder)
        except FileNotFoundError:
            continue
        except PolicyError as error:
            say(f"{error}: not used")
            continue
        book, own = compile_discards(found.opponent, found.worth)
        if _fits(found, own.keeps):
            return found, book, own
    say("no solved play of this strategy is at hand: solving it takes some minutes")
    found = find_equilibrium(rounds, say=say)
    try:
        found.save(cached)
    except OSError as error:
        say(f"the solved play cannot be kept in {cached}: {error.strerror}")
    book, own = compile_discards(found.opponent, found.worth)
    return found, book, own
