"""How strong a strategy's card play is, in points a deal: exact figures, nothing sampled.

A card play is laid on the public tree of the play; see ``sim.equilibrium.best_response``.
What a best answer could gain against it is its exploitability. The keeps come as often as
strategies keep them over all 20,358,520 hands.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.cardplay import KINDS
from ..sim.equilibrium.best_response import Game, TreePlay, difference, exploitability, points_of
from ..sim.equilibrium.multisets import MULTISETS
from ..sim.equilibrium.own_path import WHOLE, mixture
from ..sim.equilibrium.playbooks import mean_points, pair_events
from ..sim.equilibrium.public_tree import ENTRY, MOVER, PublicTree, build_tree
from ..sim.equilibrium.pure_play import lay_on_tree
from ..sim.equilibrium.rounds import fitting_equilibrium
from ..sim.numbering import KEEP_COUNTS, KEEPS
from ..sim.strategy import Strategy


class LaidPlay(NamedTuple):
    """The card play of both seats on the public tree, kept small.

    Attributes
    ----------
    chances : uint8[entries]
        In 255ths; 0 throughout for a hand off its owner's path.
    solo : int8[3][...]
        What is made of solo endings.
    """

    chances: NDArray[np.uint8]
    solo: NDArray[np.int8]

    def on_tree(self) -> TreePlay:
        """Return the play as one to be measured."""
        return TreePlay(self.chances.astype(np.float32), self.solo)


class CardPlay(NamedTuple):
    """How good a card play is against itself and against its best answer, points a deal.

    Attributes
    ----------
    play : str
        The name of the config, and what of it was measured.
    pone, dealer : float
        Mean points of each seat in the play.
    value : float
        What the dealer wins of the pone.
    pone_gain, dealer_gain : float
        What the best answer in that seat gains.
    exploitability : float
        Both together.
    """

    play: str
    pone: float
    dealer: float
    value: float
    pone_gain: float
    dealer_gain: float
    exploitability: float


class Leads(NamedTuple):
    """What a pone leads, by rank from the ace to the king.

    Attributes
    ----------
    play : str
        The name of the config.
    led : list of float
        The chance that he leads a rank.
    if_held : list of float
        The same if he holds it.
    """

    play: str
    led: list[float]
    if_held: list[float]


class BookCount(NamedTuple):
    """What it costs to spread a mixed play over so many pure books.

    Attributes
    ----------
    books : int
    value, pone, dealer : float
        How far the mean of the books' play is from the mixed play: the dealer's win, and
        the points of each seat; points a deal.
    exploitability : float
        Of a player who plays one of the books at random.
    """

    books: int
    value: float
    pone: float
    dealer: float
    exploitability: float


def lay_play(strategy: Strategy) -> LaidPlay:
    """Return a strategy's card play on the tree; a mixed one as its stored chances."""
    tree = build_tree()
    if strategy.card_play == "equilibrium":
        policy = fitting_equilibrium(strategy.discard_rounds)[0].policy
        return LaidPlay(policy.chances, tree.pool)
    play = lay_on_tree(tree, KINDS[strategy.card_play])
    return LaidPlay((play.weights * WHOLE).astype(np.uint8), play.solo)


def measure_play(name: str, played: Game, play: TreePlay) -> CardPlay:
    """Return how good a play is when both seats follow it, under the priors of a game."""
    pone, dealer = points_of(played, play, play)
    found = exploitability(played, play, play)
    return CardPlay(
        name, pone, dealer, found.value, found.pone_gain, found.dealer_gain, found.total
    )


def lead_chances(name: str, played: Game, laid: LaidPlay) -> Leads:
    """Return what the pone leads when keeps come as in a game."""
    entry = int(played.tree.link[0, ENTRY])
    chances = laid.chances[entry : entry + rules.KEPT * KEEPS].reshape(rules.KEPT, KEEPS)
    weights = played.priors[rules.PONE] * played.given[rules.PONE] / played.dealt
    led = np.bincount(
        MULTISETS.ranks[rules.KEPT, :, :KEEPS].reshape(-1),
        (chances * (weights / WHOLE)).reshape(-1),
        rules.RANKS,
    )
    held = (KEEP_COUNTS > 0).T @ weights
    return Leads(name, led.tolist(), (led / held).tolist())


def count_books(
    played: Game, laid: LaidPlay, keeps: NDArray[np.int64], counts: Sequence[int]
) -> list[BookCount]:
    """Return what spreading a mixed play over pure books costs, for several numbers of them.

    Both seats play by the same book in a deal, as the simulator does.

    Parameters
    ----------
    played : Game
        Of the same keeps.
    keeps : int64 array, shape (2, 1820)
        How often each seat keeps what.
    counts : numbers of books, 1 to 64
    """
    exact = points_of(played, laid.on_tree(), laid.on_tree())
    found = []
    for books in counts:
        events = pair_events(played.tree, laid.chances, books)
        each = np.array([mean_points(one, *keeps) for one in events])
        pone, dealer = each.mean(axis=0) - exact
        mixed = TreePlay(mixture(played.tree, laid.chances, books), laid.solo)
        total = exploitability(played, mixed, mixed).total
        found.append(BookCount(books, float(dealer - pone), float(pone), float(dealer), total))
    return found


def play_values(played: Game, plays: Sequence[LaidPlay]) -> NDArray[np.float64]:
    """Return what the dealer wins of the pone in the play, points a deal, exact.

    Returns
    -------
    float64 array, shape (plays, plays)
        By the pone's play and the dealer's.
    """
    values = np.empty((len(plays), len(plays)))
    for i, pone in enumerate(plays):
        on_tree = pone.on_tree()
        for j, dealer in enumerate(plays):
            values[i, j] = difference(played, on_tree, dealer.on_tree())
    return values


def seats_averaged(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each play wins of each other over both seats, from ``play_values``."""
    return (values.T - values) / 2


def dealers_entries(tree: PublicTree) -> NDArray[np.bool_]:
    """Return, for each strategy entry of the tree, whether the dealer is in turn there."""
    entry = tree.link[:, ENTRY]
    nodes = np.flatnonzero(entry >= 0)
    sizes = np.diff(np.append(entry[nodes], tree.entries))
    return np.repeat(tree.state[nodes, MOVER] == rules.DEALER, sizes)


def join_seats(dealers: NDArray[np.bool_], pone: LaidPlay, dealer: LaidPlay) -> NDArray[np.uint8]:
    """Return the chances of a table with one play in the pone's seat, one in the dealer's."""
    return np.where(dealers, dealer.chances, pone.chances)
