"""The play as a game of two seats: exact values of strategies, and exact best responses.

A strategy is laid on the public tree (`TreePlay`): weights of the actions of every hand
at every node, and what it makes of solo endings. The keeps of a deal are drawn by
prior(p, d) = F(p) G(d) prod_r C(4-p_r, d_r) / C(4, d_r), normalised: what each seat keeps,
and the cards being different ones. Nothing is sampled.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import rules
from ..numbering import KEEP_COUNTS, KEEPS
from .blocks import Cut, Weights, compatible, cut_tree, weights
from .public_tree import TOTAL, PublicTree, build_tree
from .sweep import BEST, FOLLOW, Floats, Job, run_pass

# A keep that a seat never makes still gets a strategy: it counts as this part of all.
RAREST = 1e-9


class TreePlay(NamedTuple):
    """A strategy laid on the public tree; it can hold both seats' play.

    Attributes
    ----------
    weights : float32[entries]
        Weights of the actions, in any scale; negative is none. A hand without weight plays
        its legal cards evenly. Each node belongs to its mover.
    solo : int8[3][...]
        What is made of solo endings; as ``PublicTree.pool``, where they are played best.
    """

    weights: Floats
    solo: NDArray[np.int8]


class Game(NamedTuple):
    """The play between two ways of keeping.

    Attributes
    ----------
    priors : float64[2][1820]
        How often each seat keeps each four ranks; each sums to 1.
    given : float64[2][1820]
        By seat and own keep: the sum of the other's prior times card removal.
    dealt : float64
        What the pairs of keeps sum to before they are normalised.
    """

    tree: PublicTree
    tables: Weights
    cut: Cut
    priors: NDArray[np.float64]
    given: NDArray[np.float64]
    dealt: float


class Exploitability(NamedTuple):
    """How far a pair of strategies is from equilibrium; exact, in points a deal.

    Attributes
    ----------
    value : float
        What the dealer wins of the pone, both following their strategies.
    pone_gain, dealer_gain : float
        What that seat can gain by the best answer to the other's strategy.
    """

    value: float
    pone_gain: float
    dealer_gain: float

    @property
    def total(self) -> float:
        """Both gains together: 0 in equilibrium."""
        return self.pone_gain + self.dealer_gain


def removal() -> NDArray[np.float64]:
    """Return prod_r C(4-h_r, g_r) / C(4, g_r) for all pairs of keeps; symmetric."""
    most = rules.SUITS + 1
    factor = np.array([[compatible(own, other) for other in range(most)] for own in range(most)])
    pairs = np.ones((KEEPS, KEEPS))
    for rank in range(rules.RANKS):
        pairs *= factor[KEEP_COUNTS[:, rank][:, None], KEEP_COUNTS[:, rank][None, :]]
    return pairs


def game(pone_prior: ArrayLike, dealer_prior: ArrayLike) -> Game:
    """Return the play between a pone and a dealer who keep so often; any scale.

    Raises
    ------
    ValueError
        If a prior is not 1,820 finite non-negative numbers with a positive sum.
    """
    priors = np.empty((2, KEEPS))
    for seat, given in enumerate((pone_prior, dealer_prior)):
        prior = np.asarray(given, np.float64)
        if prior.shape != (KEEPS,) or not np.isfinite(prior).all() or (prior < 0).any():
            raise ValueError(
                f"the {rules.SEAT_NAMES[seat]}'s prior must be {KEEPS} non-negative numbers"
            )
        if prior.sum() == 0:
            raise ValueError(f"the {rules.SEAT_NAMES[seat]}'s prior must not be all zero")
        prior = np.maximum(prior / prior.sum(), RAREST)
        priors[seat] = prior / prior.sum()
    pairs = removal()
    given_pone = (pairs * priors[rules.DEALER]).sum(axis=1)
    given_dealer = (pairs * priors[rules.PONE]).sum(axis=1)
    tree = build_tree()
    return Game(
        tree,
        weights(),
        cut_tree(tree),
        priors,
        np.stack([given_pone, given_dealer]),
        float((priors[rules.PONE] * given_pone).sum()),
    )


def new_weights(tree: PublicTree) -> Floats:
    """Return weights of nothing: every hand plays its legal cards evenly."""
    return np.zeros(tree.entries, np.float32)


def job_for(game: Game, owner: int, kind: int, own: TreePlay, guest: TreePlay) -> Job:
    """Return a pass's job: the owner's points less the guest's, nothing to be learnt."""
    sign = 1 if owner == rules.PONE else -1
    solo = np.stack([own.solo[owner], guest.solo[owner]])
    return Job(
        owner=owner,
        kind=kind,
        own=own.weights,
        guest=guest.weights,
        total=guest.weights,
        weight=np.float32(0),
        gain_kept=np.float32(1),
        loss_kept=np.float32(1),
        pairs=game.tree.pairs[owner],
        solo=solo if owner == rules.PONE else solo[::-1].copy(),
        pone_sign=np.float32(sign),
        dealer_sign=np.float32(-sign),
    )


def keep_values(game: Game, job: Job) -> NDArray[np.float64]:
    """Return what each keep of the job's owner is worth in the play, given that he has it."""
    other = game.priors[1 - job.owner]
    values = run_pass(game.tree, game.tables, game.cut, job, other).astype(np.float64)
    values /= game.given[job.owner]
    return values


def mean(game: Game, seat: int, values: NDArray[np.float64]) -> float:
    """Return the mean of a seat's keep values over all deals."""
    chance = game.priors[seat] * game.given[seat] / game.dealt
    return float((chance * values).sum())


def best_response(game: Game, owner: int, guest: TreePlay) -> float:
    """Return the most the owner can win of the other seat's strategy, points a deal."""
    best = TreePlay(guest.weights, game.tree.pool)
    return mean(game, owner, keep_values(game, job_for(game, owner, BEST, best, guest)))


def difference(game: Game, pone: TreePlay, dealer: TreePlay) -> float:
    """Return what the dealer wins of the pone when both follow strategies, points a deal."""
    job = job_for(game, rules.PONE, FOLLOW, pone, dealer)
    return -mean(game, rules.PONE, keep_values(game, job))


def points_of(game: Game, pone: TreePlay, dealer: TreePlay) -> tuple[float, float]:
    """Return the mean points in the play of the pone and of the dealer."""
    win = difference(game, pone, dealer)
    job = job_for(game, rules.PONE, FOLLOW, pone, dealer)._replace(
        pairs=game.tree.pairs[TOTAL],
        solo=np.stack([pone.solo[TOTAL], dealer.solo[TOTAL]]),
        pone_sign=np.float32(1),
        dealer_sign=np.float32(1),
    )
    both = mean(game, rules.PONE, keep_values(game, job))
    return (both - win) / 2, (both + win) / 2


def exploitability(game: Game, pone: TreePlay, dealer: TreePlay) -> Exploitability:
    """Return what each seat can gain against the other's strategy; exact."""
    value = difference(game, pone, dealer)
    return Exploitability(
        value,
        best_response(game, rules.PONE, dealer) + value,
        best_response(game, rules.DEALER, pone) - value,
    )
