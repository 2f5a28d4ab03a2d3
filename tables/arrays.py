"""Look many positions up at once: checked, broadcast, block by block.

The odds lie in slabs by dealer, each by player's and opponent's score, the target included.
"""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

# In this order a boolean "the player deals" is its own slab.
SLABS = {"opponent": 0, "player": 1, "cut": 2}

BLOCK = 1 << 14
"""Positions looked up at a time: their indices stay in the cache."""


def slab_of(dealer: object) -> int:
    """Return the slab of a dealer's name."""
    slab = SLABS.get(dealer) if isinstance(dealer, str) else None
    if slab is None:
        kind = ValueError if isinstance(dealer, str) else TypeError
        raise kind(f"dealer: expected 'player', 'opponent' or 'cut', got {dealer!r}")
    return slab


def gather(
    columns: NDArray[np.float64],
    player: ArrayLike,
    opponent: ArrayLike,
    dealer: ArrayLike,
    target: int,
) -> list[NDArray[np.float64]]:
    """Look many positions up.

    Parameters
    ----------
    columns
        Flat slabs, one row for each column wanted: shape (columns, 3 * (target + 1)**2).
    player, opponent, dealer
        As for `WinTable.win_array`.
    target
        The highest score there is.

    Returns
    -------
    list of ndarray
        For each column its values, of the broadcast shape.
    """
    operands = [
        _score_array("player", player),
        _score_array("opponent", opponent),
        _slab_array(dealer),
    ]
    # numpy's stubs know neither operands to be allocated nor flags by operand.
    arrays: Any = [*operands, *[None] * len(columns)]
    flags: Any = [["readonly"]] * 3 + [["writeonly", "allocate"]] * len(columns)
    blocks = np.nditer(
        arrays,
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=flags,
        op_dtypes=[*(array.dtype for array in operands), *[np.float64] * len(columns)],
        buffersize=BLOCK,
    )
    side = target + 1
    room, more = np.empty((2, BLOCK), np.intp)
    with blocks:
        for mine, yours, slab, *found in blocks:
            if mine.size == 0:
                break
            index, step = room[: mine.size], more[: mine.size]
            if not _in_range(mine, yours, target):
                _refuse(operands[0], operands[1], target)
            np.multiply(mine, side, out=index, dtype=np.intp, casting="unsafe")
            np.add(index, yours, out=index, dtype=np.intp, casting="unsafe")
            np.multiply(slab, side * side, out=step, dtype=np.intp, casting="unsafe")
            np.add(index, step, out=index)
            for column, out in zip(columns, found, strict=True):
                column.take(index, out=out, mode="clip")  # "raise" would make a copy
        return list(blocks.operands[3:])


def _in_range(player: NDArray[Any], opponent: NDArray[Any], target: int) -> bool:
    """Whether no score is off the board and no pair has two winners."""
    high, other = player.max(), opponent.max()
    if high > target or other > target or player.min() < 0 or opponent.min() < 0:
        return False
    return not (high == other == target and bool(((player == target) & (opponent == target)).any()))


def _refuse(player: NDArray[Any], opponent: NDArray[Any], target: int) -> NoReturn:
    """Count the scores that are off the board, or the pairs with two winners."""
    for name, scores in (("player", player), ("opponent", opponent)):
        bad = (scores < 0) | (scores > target)
        if bad.any():
            raise ValueError(
                f"{name}: expected scores from 0 to {target}; {np.count_nonzero(bad):,} of "
                f"{scores.size:,} are not, the first is {scores[bad].flat[0]}"
            )
    both = np.count_nonzero((player == target) & (opponent == target))
    raise ValueError(
        f"both scores are {target} in {both:,} positions: only one player can have won"
    )


def _score_array(name: str, scores: ArrayLike) -> NDArray[Any]:
    """Return scores as an array of integers, whatever their width."""
    array = np.asarray(scores)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected scores of an integer dtype, got {array.dtype}")
    return array


def _slab_array(dealer: ArrayLike) -> NDArray[np.uint8]:
    """Return the slab of each dealer: one name for all, or booleans."""
    if isinstance(dealer, str):
        return np.array(slab_of(dealer), np.uint8)
    array = np.asarray(dealer)
    if array.dtype != np.bool_:
        raise TypeError(
            "dealer: expected 'player', 'opponent' or 'cut', or a boolean array (True: the player "
            f"deals); got dtype {array.dtype}"
        )
    return array.view(np.uint8)
