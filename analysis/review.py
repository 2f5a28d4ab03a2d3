"""A game looked over: every decision against the best there was, and where the odds moved.

Each player is judged by what he could know: his decision's odds are those of his own
`Position`. Seen by one player the odds of a game are a chain: each step is either a
decision (what was chosen falls short of the best by a *loss*) or *luck* (what the deal, the
cut, the opponent's cards and the counts brought). So the end less the start is all luck
less all losses, exactly.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

import polars as pl

from ..sim.cards import cards_text, rank_of
from ..tables.lookup import WinTable
from .history import GO
from .odds import Model, PositionOdds, position_odds
from .pegs import Pegs
from .position import Position
from .record import PLAYERS, DealRecord, GameRecord, Player
from .referee import SHOW
from .throws import throw_points

Luck = Literal["deal", "cut", "play", "show"]
LUCKS: Final[tuple[Luck, ...]] = ("deal", "cut", "play", "show")
REVIEW_DRAWS: Final = 20_000
"""Possibilities met by each option of a decision, unless the question says otherwise."""


class Decision(NamedTuple):
    """What a player chose, and what was best.

    Attributes
    ----------
    deal : int
        From 1.
    player : str
    kind : str
        ``throw`` or ``card``.
    moment : str
    chosen, best : tuples of cards
        ``best``: for winning.
    best_points : tuple of cards
        For points.
    win : float
        The chooser's probability of winning by his choice.
    loss, loss_se : float
        How much less that is than the best one's, and the error of it.
    points_loss : float
        Expected points less than those of the best choice for points; of a card, in the
        play yet to come.
    close : bool
        The best, or too close to tell from it.
    """

    deal: int
    player: Player
    kind: Literal["throw", "card"]
    moment: str
    chosen: tuple[int, ...]
    best: tuple[int, ...]
    best_points: tuple[int, ...]
    win: float
    loss: float
    loss_se: float
    points_loss: float
    close: bool


class CurvePoint(NamedTuple):
    """The odds at one moment, in one player's view.

    ``cause``: what moved them there: ``start``, ``decision``, or a kind of luck.
    """

    deal: int
    player: Player
    moment: str
    cause: str
    win: float
    player_pegs: Pegs
    opponent_pegs: Pegs


class Total(NamedTuple):
    """One player's game in sums, in probability of winning.

    Attributes
    ----------
    player : str
    decisions : int
        Those with a choice.
    right : int
        Of these, the best one or too close to tell.
    accuracy : float
        Their share; 1 if there were none.
    lost : float
        Sum of all losses.
    points_lost : float
        The same in expected points.
    deal, cut, play, show : float
        Luck by kind.
    """

    player: Player
    decisions: int
    right: int
    accuracy: float
    lost: float
    points_lost: float
    deal: float
    cut: float
    play: float
    show: float


@dataclass(frozen=True)
class Review:
    """A reviewed record; ``decisions`` and ``curve`` in the order of the game."""

    record: GameRecord
    decisions: tuple[Decision, ...]
    curve: tuple[CurvePoint, ...]

    def totals(self) -> tuple[Total, Total]:
        """Return the sums of the player and of the opponent."""
        player, opponent = (_total(self, name) for name in PLAYERS)
        return player, opponent

    def curve_frame(self) -> pl.DataFrame:
        """Return the curve: a row for each moment and player, pegs as back and front."""
        return pl.DataFrame(
            [
                {
                    "deal": point.deal,
                    "player": point.player,
                    "moment": point.moment,
                    "cause": point.cause,
                    "win": point.win,
                    "player_prior": point.player_pegs.prior,
                    "player_score": point.player_pegs.score,
                    "opponent_prior": point.opponent_pegs.prior,
                    "opponent_score": point.opponent_pegs.score,
                }
                for point in self.curve
            ],
            schema_overrides={"player_prior": pl.Int64, "opponent_prior": pl.Int64},
        )

    def decisions_frame(self) -> pl.DataFrame:
        """Return the decisions, cards as text."""
        rows = [decision._asdict() for decision in self.decisions]
        for row in rows:
            for name in ("chosen", "best", "best_points"):
                row[name] = cards_text(row[name])
        return pl.DataFrame(rows)


def review(record: GameRecord, table: WinTable, model: Model) -> Review:
    """Review every decision of both players of a record.

    Raises
    ------
    ValueError
        If the table is of another target.
    """
    if table.target != record.target:
        raise ValueError(
            f"the record is of a game to {record.target}, the table of one to {table.target}"
        )
    decisions: list[Decision] = []
    curve: list[CurvePoint] = []
    for number, deal in enumerate(record.deals, 1):
        for player in PLAYERS:
            view = _View(number, deal, player, table, model)
            view.go_through()
            decisions += view.decisions
            curve += view.curve
    return Review(record, tuple(decisions), tuple(curve))


class _View:
    """One deal as one player saw it."""

    def __init__(
        self, number: int, deal: DealRecord, player: Player, table: WinTable, model: Model
    ) -> None:
        self.number = number
        self.deal = deal
        self.player = player
        self.seat = deal.seat_of(player)
        self.table = table
        self.model = model
        self.decisions: list[Decision] = []
        self.curve: list[CurvePoint] = []
        pegs = deal.pegs if player == "player" else deal.pegs[::-1]
        self.scores = (pegs[0].score, pegs[1].score)

    def go_through(self) -> None:
        """Follow the deal to its end."""
        cards = self.deal.cards
        told = self.deal.told
        dealer: Player = "player" if self.deal.dealer == self.player else "opponent"
        start = self.table.win(player=self.scores[0], opponent=self.scores[1], dealer=dealer)
        self._add("before the deal", "start", start, self.deal.pegs)
        hand = Position(*self.scores, dealer, cards.hands[self.seat], scores_are="before the deal")
        self._decide(hand, "deal", cards.throws[self.seat])
        placed = replace(
            hand, keep=cards.keeps[self.seat], throw=cards.throws[self.seat], starter=cards.starter
        )
        cause: Luck = "cut"
        lays = sum(step.part == "play" for step in told.steps)
        if lays:
            for place in range(lays):
                position = self._position(placed, place)
                if cards.laid[place] in cards.keeps[self.seat]:
                    self._decide(position, cause, (cards.laid[place],))
                    cause = "play"
                elif place == 0:
                    self._look(position, cause)
                    cause = "play"
            if told.steps[-1].part in SHOW:
                # The cards that others laid last are luck of the play, the counts are the show's.
                self._look(replace(placed, play=cards.laid), cause)
                cause = "show"
        self._end(cause)

    def _position(self, placed: Position, place: int) -> Position:
        """Return the position before a card is laid."""
        play = self.deal.cards.laid[:place]
        position = replace(placed, play=play)
        mine = self.deal.cards.laid[place] in placed.keep
        # What the referee knows and the cards do not yet tell: the opponent said go.
        while mine and position.seen is not None and position.seen.turn != self.seat:
            play = (*play, GO)
            position = replace(placed, play=play)
        return position

    def _decide(self, position: Position, cause: Luck, chosen: tuple[int, ...]) -> None:
        odds = position_odds(position, self.table, self.model)
        option = next(each for each in odds.options if set(each.cards) == set(chosen))
        pegs = odds.pegs if self.player == "player" else (odds.pegs[1], odds.pegs[0])
        self._add(position.moment, cause, odds.win, pegs)
        kind: Literal["throw", "card"] = "throw" if len(chosen) > 1 else "card"
        words = f"{kind} {cards_text(chosen)}"
        self._add(words, "decision", option.outlook.odds.win, pegs)
        if kind == "card" and len({rank_of(each.cards[0]) for each in odds.options}) == 1:
            return
        points = self._points(odds)
        most = max(points, key=lambda cards: points[cards])
        best = option if option.outlook.behind == 0 else odds.best
        self.decisions.append(
            Decision(
                self.number, self.player, kind, position.moment, option.cards, best.cards, most,
                option.outlook.odds.win, option.outlook.behind, option.outlook.behind_se,
                points[most] - points[option.cards], option.outlook.close,
            )
        )  # fmt: skip

    def _points(self, odds: PositionOdds) -> dict[tuple[int, ...], float]:
        """Return the expected points of every option, in its order of net worth."""
        position = odds.position
        if position.seen is None:
            worth = throw_points(position.keep, position.seat, self.model.books)
            return {each.throw: each.net for each in worth}
        return {each.cards: each.own_play - each.opponent_play for each in odds.options}

    def _look(self, position: Position, cause: Luck) -> None:
        odds = position_odds(position, self.table, self.model)
        pegs = odds.pegs if self.player == "player" else (odds.pegs[1], odds.pegs[0])
        self._add(position.moment, cause, odds.win, pegs)

    def _end(self, cause: Luck) -> None:
        told = self.deal.told
        pegs = self.deal.pegs_after()
        if told.winner is not None:
            won = told.winner == self.seat
            self._add("the game is over", cause, float(won), pegs)
            return
        mine, yours = pegs if self.player == "player" else pegs[::-1]
        dealer: Player = "opponent" if self.deal.dealer == self.player else "player"
        win = self.table.win(player=mine.score, opponent=yours.score, dealer=dealer)
        self._add("after the deal", cause, win, pegs)

    def _add(self, moment: str, cause: str, win: float, pegs: tuple[Pegs, Pegs]) -> None:
        self.curve.append(
            CurvePoint(self.number, self.player, moment, cause, win, pegs[0], pegs[1])
        )


def _total(review: Review, player: Player) -> Total:
    decisions = [each for each in review.decisions if each.player == player]
    luck: dict[str, float] = dict.fromkeys(LUCKS, 0.0)
    before = 0.0
    for point in review.curve:
        if point.player != player:
            continue
        if point.cause in luck:
            luck[point.cause] += point.win - before
        before = point.win
    right = sum(each.close for each in decisions)
    return Total(
        player, len(decisions), right, right / len(decisions) if decisions else 1.0,
        sum(each.loss for each in decisions), sum(each.points_loss for each in decisions),
        luck["deal"], luck["cut"], luck["play"], luck["show"],
    )  # fmt: skip
