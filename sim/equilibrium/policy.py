"""The solved play as something to ask: chances of each rank from what a player sees.

Chances are kept in 255ths, and only on a hand's own path: where it comes by its owner's
choices, whatever the other does. Off its path, where the policy itself would never have
come, it lays what look-ahead play lays; nobody can gain by that, as it never happens to
a player who follows the policy. Endings with one player left are solved on the spot.
"""

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import rules
from ..cardplay import LOOK_AHEAD, choose_seen
from ..numbering import KEEPS
from ..observation import Observation
from ..play import legal_cards
from .best_response import TreePlay, exploitability, game, points_of
from .cfr import Solution, keep_worth
from .endings import ORDERS, best_solo_order
from .multisets import MULTISETS
from .own_path import (
    SPREAD_SEED,
    WHOLE,
    all_books,
    book_action,
    check_books,
    packed,
    place_of_book,
    rounded,
    spread_books,
    unpacked,
)
from .public_tree import (
    CHILDREN,
    ENTRY,
    GO_CHILD,
    LEAST,
    LIMIT,
    MOVER,
    NO_CHILD,
    PublicTree,
    build_tree,
)

FORMAT = 1
# What numpy and zlib raise of a file that is not, or no longer, what was written.
UNREADABLE: Final = (
    OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


_NOT_LAID_SO: Final = "the cards cannot have been laid so under the rules of the play"


class PolicyError(ValueError):
    """A stored policy that cannot be used; the message says why and what to do."""


class Provenance(NamedTuple):
    """Where a policy comes from, and how good it is as stored; points a deal, exact.

    Attributes
    ----------
    format : int
        Version of the stored form and of the solver that made it.
    priors : str
        Digest of how often both seats keep what; see `priors_digest`.
    iterations : int
        Iterations of the solver.
    value : float
        What the dealer wins of the pone in the play.
    pone_points, dealer_points : float
        Mean points in the play.
    pone_gain, dealer_gain : float
        What the best answer in that seat can gain; together the exploitability.
    """

    format: int
    priors: str
    iterations: int
    value: float
    pone_points: float
    dealer_points: float
    pone_gain: float
    dealer_gain: float


class _Turn(NamedTuple):
    """An information set on the path: the first entry of the hand, the row width, and so on."""

    entry: int
    width: int
    cards: int
    node: int
    hand: int


def priors_digest(pone_prior: ArrayLike, dealer_prior: ArrayLike) -> str:
    """Return the sha256 of how often both seats make each of the 1,820 keeps."""
    digest = hashlib.sha256()
    for prior in (pone_prior, dealer_prior):
        digest.update(np.ascontiguousarray(prior, "<f8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Policy:
    """A policy for both seats.

    Attributes
    ----------
    chances : uint8[entries]
        In 255ths, by entry of the public tree; 0 throughout for a hand off its path.
    worth : float64[2][1820]
        By seat and own keep: own points less the other's in the play, expected.
    provenance : Provenance
    """

    chances: NDArray[np.uint8]
    worth: NDArray[np.float64]
    provenance: Provenance
    tree: PublicTree = field(default_factory=build_tree, repr=False, compare=False)

    def probabilities(self, seen: Observation) -> list[float]:
        """Return the chance that the player in turn lays each rank, from what he sees alone.

        Raises
        ------
        ValueError
            If the cards cannot have been laid so.
        """
        chances = [0.0] * rules.RANKS
        found = self._find(seen)
        if isinstance(found, int):
            chances[found] = 1.0
            return chances
        for place in range(found.cards):
            weight = int(self.chances[found.entry + place * found.width])
            chances[int(MULTISETS.ranks[found.cards, place, found.hand])] += weight / WHOLE
        return chances

    def choose(self, seen: Observation, book: int = 0, books: int = 1) -> int:
        """Return the rank that one of several pure books lays; as `playbooks.pair_events`.

        A book that would not have come here by itself chooses as if it had.

        Raises
        ------
        ValueError
            If there is no such book, or the cards cannot have been laid so.
        """
        check_books(books)
        if not 0 <= book < books:
            raise ValueError(f"expected a book's number below {books}, got {book}")
        mark = place_of_book(book, seen.seat, books)
        marks = all_books(books)
        for i, (seat, rank) in enumerate(seen.laid):
            if seat == seen.seat:
                before = self._find(Observation(seat, seen.keep, seen.laid[:i]))
                if not isinstance(before, int):
                    marks = self._marks_after(before, marks, rank)
        marks |= np.uint64(1 << mark)
        found = self._find(seen)
        if isinstance(found, int):
            return found
        place = book_action(self.chances, *found, mark, marks, SPREAD_SEED)
        return int(MULTISETS.ranks[found.cards, place, found.hand])

    def _marks_after(self, at: "_Turn", marks: np.uint64, rank: int) -> np.uint64:
        """Return which of the books that come to a turn lay a card of this rank."""
        passed = np.zeros(rules.KEPT, np.uint64)
        spread_books(self.chances, *at, marks, passed, SPREAD_SEED)
        ranks = MULTISETS.ranks[at.cards, : at.cards, at.hand]
        return np.uint64(passed[np.flatnonzero(ranks == rank)[0]])

    def on_tree(self) -> TreePlay:
        """Return the policy as a strategy to be measured."""
        return TreePlay(self.chances.astype(np.float32), self.tree.pool)

    def _find(self, seen: Observation) -> "int | _Turn":
        """Return the rank if chance has no part in it; else where the chances are.

        One card that may be laid, an opponent without cards, and a hand that the policy never
        holds here have one answer.
        """
        held = np.repeat(np.arange(rules.RANKS), seen.held)
        legal = legal_cards(held, seen.count)
        if not legal:
            raise ValueError("the player in turn must hold a card that he may lay")
        if len(legal) == 1:
            return int(legal[0])
        if seen.opponent_cards == 0:
            return _alone(seen, held)
        node = _node_of(self.tree, seen, legal[0])
        cards = len(held)
        hand = 0
        for size, rank in enumerate(held):
            hand = int(MULTISETS.insert[size, rank, hand])
        first = int(MULTISETS.start[cards, self.tree.state[node, LEAST + seen.seat]])
        width = int(MULTISETS.start[cards, self.tree.state[node, LIMIT]]) - first
        entry = int(self.tree.link[node, ENTRY]) + hand - first
        if not self.chances[entry : entry + cards * width : width].any():
            return choose_seen(LOOK_AHEAD, seen)
        return _Turn(entry, width, cards, node, hand)

    def save(self, path: Path) -> None:
        """Write the policy as a compressed ``.npz`` without pickles, in one step."""
        stream = packed(self.tree, self.chances)
        header = {
            **self.provenance._asdict(),
            "stream": hashlib.sha256(stream.tobytes()).hexdigest(),
        }
        text = json.dumps(header, sort_keys=True).encode()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(
                    file, header=np.frombuffer(text, np.uint8), stream=stream, worth=self.worth
                )
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def load(path: Path) -> Policy:
    """Read a policy that `Policy.save` wrote.

    Raises
    ------
    FileNotFoundError
        If there is none.
    PolicyError
        If it is damaged or of another version.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(file["header"].tobytes())
            stream = file["stream"]
            worth = file["worth"]
        digest = header.pop("stream")
        if header.get("format") != FORMAT:
            raise PolicyError(f"{path} has format {header.get('format')}, expected {FORMAT}")
        provenance = Provenance(**header)
        if hashlib.sha256(stream.tobytes()).hexdigest() != digest or worth.shape != (2, KEEPS):
            raise PolicyError(f"{path} is damaged: its digest does not fit")
        tree = build_tree()
        return Policy(unpacked(tree, stream), worth, provenance, tree)
    except FileNotFoundError:
        raise
    except PolicyError:
        raise
    except UNREADABLE as error:
        raise PolicyError(f"{path} is no stored policy: {error}") from error


def make_policy(solution: Solution, pone_prior: ArrayLike, dealer_prior: ArrayLike) -> Policy:
    """Return a solution rounded to 8 bits, measured as it will be stored."""
    played = game(pone_prior, dealer_prior)
    chances = rounded(played.tree, solution.play.weights)
    play = TreePlay(chances.astype(np.float32), played.tree.pool)
    found = exploitability(played, play, play)
    pone_points, dealer_points = points_of(played, play, play)
    provenance = Provenance(
        FORMAT,
        priors_digest(pone_prior, dealer_prior),
        solution.iterations,
        found.value,
        pone_points,
        dealer_points,
        found.pone_gain,
        found.dealer_gain,
    )
    return Policy(chances, keep_worth(played, play), provenance, played.tree)


def _alone(seen: Observation, held: NDArray[np.int64]) -> int:
    """Return the first card of the best order when the other has none left."""
    series = np.zeros(2 * rules.KEPT + 2, np.uint8)
    series[: len(seen.series)] = seen.series
    hand = held.astype(np.uint8)
    _, order = best_solo_order(series, len(seen.series), seen.count, hand, len(hand))
    return int(hand[ORDERS[len(hand) - 2, order, 0]])


def _node_of(tree: PublicTree, seen: Observation, least_legal: int) -> int:
    """Return the node at which the player in turn is to lay a card."""
    node = 0
    at = 0
    # At the end he is in turn with his least legal card: gos are followed up to there.
    for seat, rank in (*seen.laid, (seen.seat, least_legal)):
        at = node
        while at >= 0 and (tree.state[at, MOVER] != seat or rank >= tree.state[at, LIMIT]):
            at = int(tree.link[at, GO_CHILD])
        if at < 0 or rank < tree.state[at, LEAST + seat]:
            raise ValueError(_NOT_LAID_SO)
        node = int(tree.children[tree.link[at, CHILDREN] + rank - tree.state[at, LEAST + seat]])
        if node == NO_CHILD:
            raise ValueError(_NOT_LAID_SO)
    return at
