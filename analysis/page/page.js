"use strict";
(() => {
  const { target, columns, skunk_lines: lines } =
    JSON.parse(document.getElementById("facts").textContent);
  const OUTCOMES = columns.slice(0, 6);
  const byId = (id) => document.getElementById(id);

  // The values: float64, one block for each column, by player's and opponent's score, the player
  // deals. What the opponent deals is the same game seen from the other side.
  const text = atob(byId("values").textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const size = target * target;
  if (bytes.length !== 8 * size * columns.length) throw new Error("the values of this page are cut");
  const stored = (column, player, opponent) =>
    view.getFloat64(8 * (column * size + player * target + opponent), true);

  // All nine numbers of a position with a known dealer; scores run to the target, not both there.
  function oddsOf(player, opponent, playerDeals) {
    const odds = {};
    if (player === target || opponent === target) {
      const loser = Math.min(player, opponent);
      const kind = lines.filter((line) => loser <= line).length;
      const outcome = (player === target ? 0 : 3) + kind;
      OUTCOMES.forEach((name, i) => { odds[name] = i === outcome ? 1 : 0; });
      odds.win_se = odds.deals_left = 0;
    } else {
      const [a, b, turn] = playerDeals ? [player, opponent, 0] : [opponent, player, 3];
      OUTCOMES.forEach((name, i) => { odds[name] = stored((i + turn) % 6, a, b); });
      odds.win_se = stored(6, a, b);
      odds.deals_left = stored(7, a, b);
    }
    odds.win = odds.win_plain + odds.win_skunk + odds.win_double_skunk;
    return odds;
  }

  function answer(player, opponent, dealer) {
    if (dealer !== "cut") return oddsOf(player, opponent, dealer === "player");
    const [one, other] = [oddsOf(player, opponent, true), oddsOf(player, opponent, false)];
    return Object.fromEntries(Object.keys(one).map((name) => [name, (one[name] + other[name]) / 2]));
  }

  // As Python prints: rounded by the exact value, a half to the even digit.
  function fixed(value, digits) {
    const exact = value.toFixed(60);
    const cut = exact.length - 60 + digits;
    const half = /^50*$/.test(exact.slice(cut));
    return half && "02468".includes(exact[cut - 1]) ? exact.slice(0, cut) : value.toFixed(digits);
  }

  const gamePoints = (odds) => [
    2 * odds.win_plain + 3 * (odds.win_skunk + odds.win_double_skunk),
    2 * odds.loss_plain + 3 * (odds.loss_skunk + odds.loss_double_skunk),
  ];

  // --- the explorer

  const form = byId("explorer");
  const dealerNow = () => new FormData(form).get("dealer");
  const DEALS = { player: "the player deals", opponent: "the opponent deals", cut: "before the cut" };

  function scoreIn(input, who) {
    const score = input.validity.valid && input.value !== "" ? Number(input.value) : NaN;
    if (Number.isInteger(score)) return score;
    throw new RangeError(`${who}: expected a whole number from 0 to ${target}`);
  }

  function update() {
    let player, opponent, complaint = "";
    try {
      player = scoreIn(byId("player"), "player's score");
      opponent = scoreIn(byId("opponent"), "opponent's score");
      if (player === target && opponent === target) {
        throw new RangeError(`both scores are ${target}: only one player can have won`);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      complaint = error.message;
    }
    byId("complaint").textContent = complaint;
    byId("complaint").hidden = !complaint;
    byId("answer").hidden = Boolean(complaint);
    if (!complaint) show(player, opponent, dealerNow());
    drawMap();
  }

  function show(player, opponent, dealer) {
    const odds = answer(player, opponent, dealer);
    byId("asked").textContent = `${player}-${opponent}, ${DEALS[dealer]}:`;
    for (const name of ["win", "win_se", ...OUTCOMES]) byId(name).textContent = fixed(odds[name], 6);
    byId("deals_left").textContent = fixed(odds.deals_left, 3);
    const [mine, yours] = gamePoints(odds);
    byId("points_player").textContent = fixed(mine, 4);
    byId("points_opponent").textContent = fixed(yours, 4);
    const parts = ["win_double_skunk", "win_skunk", "win_plain", "loss_plain", "loss_skunk", "loss_double_skunk"];
    byId("bar").replaceChildren(...parts.map((name) => {
      const part = document.createElement("span");
      part.className = name.replaceAll("_", " ");
      part.style.flexGrow = odds[name];
      return part;
    }));
  }

  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());

  // --- the map

  const canvas = byId("map");
  const pen = canvas.getContext("2d");
  const cell = { player: 0, opponent: 0, shown: false };
  const SHOWN = {
    win: [0, 1, (odds) => odds.win],
    skunks: [0, 1, (odds) => odds.win_skunk + odds.win_double_skunk],
    skunked: [0, 1, (odds) => odds.loss_skunk + odds.loss_double_skunk],
    points: [-3, 3, (odds) => { const [mine, yours] = gamePoints(odds); return mine - yours; }],
  };
  // cividis, in nine steps: lightness alone tells it, in grey and to those who see few colours.
  const STOPS = [[0, 34, 78], [16, 53, 112], [59, 73, 109], [87, 93, 109], [112, 113, 116],
    [138, 134, 120], [167, 157, 117], [201, 182, 104], [254, 232, 56]];

  function colour(share) {
    const place = Math.min(1, Math.max(0, share)) * (STOPS.length - 1);
    const i = Math.min(STOPS.length - 2, Math.floor(place));
    return STOPS[i].map((from, k) => Math.round(from + (place - i) * (STOPS[i + 1][k] - from)));
  }

  let picture = null, drawn = "";
  function paint(dealer, shown) {
    if (drawn === `${dealer} ${shown}`) return;
    drawn = `${dealer} ${shown}`;
    picture = document.createElement("canvas");
    picture.width = picture.height = target;
    const ink = picture.getContext("2d");
    const image = ink.createImageData(target, target);
    const [least, most, read] = SHOWN[shown];
    for (let opponent = 0; opponent < target; opponent++) {
      for (let player = 0; player < target; player++) {
        const value = read(answer(player, opponent, dealer));
        const at = 4 * ((target - 1 - opponent) * target + player);
        image.data.set([...colour((value - least) / (most - least)), 255], at);
      }
    }
    ink.putImageData(image, 0, 0);
    byId("least").textContent = shown === "points" ? least : "0%";
    byId("most").textContent = shown === "points" ? `+${most}` : "100%";
    byId("colours").style.background =
      `linear-gradient(to right, ${STOPS.map((stop) => `rgb(${stop})`).join()})`;
  }

  // White on a dark rim: readable on every colour.
  function name(text, x, y) {
    pen.save();
    Object.assign(pen, { strokeStyle: "#000000", fillStyle: "#ffffff", lineWidth: canvas.width / 180 });
    pen.lineJoin = "round";
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
    pen.restore();
  }

  function drawMap() {
    paint(dealerNow(), byId("shown").value);
    const side = Math.max(1, Math.round(canvas.clientWidth * (window.devicePixelRatio || 1)));
    if (canvas.width !== side) canvas.width = canvas.height = side;
    const step = side / target;
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture, 0, 0, side, side);
    pen.strokeStyle = "rgb(255 255 255 / 55%)";
    pen.lineWidth = Math.max(1, side / 700);
    pen.font = `${Math.round(Math.max(side / 36, 11 * (window.devicePixelRatio || 1)))}px sans-serif`;
    for (let street = 30; street < target; street += 30) {
      pen.setLineDash(lines.includes(street) ? [step, step] : []);
      pen.beginPath();
      pen.moveTo((street + 0.5) * step, 0);
      pen.lineTo((street + 0.5) * step, side);
      pen.moveTo(0, side - (street + 0.5) * step);
      pen.lineTo(side, side - (street + 0.5) * step);
      pen.stroke();
    }
    pen.setLineDash([]);
    for (let street = 30; street < target - 5; street += 30) {
      name(street, 0.6 * step, side - (street + 1.4) * step);
      name(street, (street + 1.4) * step, 0.3 * step + side / 36);
    }
    if (!cell.shown) return;
    const [x, y] = [cell.player * step, side - (cell.opponent + 1) * step];
    for (const [ink, grow] of [["#000000", 2], ["#ffffff", 1]]) {
      pen.strokeStyle = ink;
      pen.lineWidth = side / 300;
      pen.strokeRect(x - grow * side / 300, y - grow * side / 300, step + 2 * grow * side / 300, step + 2 * grow * side / 300);
    }
  }

  function point(player, opponent) {
    const hole = (score) => Math.min(target - 1, Math.max(0, score));
    Object.assign(cell, { player: hole(player), opponent: hole(opponent), shown: true });
    const odds = answer(cell.player, cell.opponent, dealerNow());
    const [mine, yours] = gamePoints(odds);
    byId("cell").textContent = `player ${cell.player}, opponent ${cell.opponent}, ${DEALS[dealerNow()]}: `
      + `wins ${fixed(odds.win, 6)} ± ${fixed(odds.win_se, 6)}, `
      + `by a skunk ${fixed(odds.win_skunk + odds.win_double_skunk, 4)}, `
      + `is skunked ${fixed(odds.loss_skunk + odds.loss_double_skunk, 4)}, `
      + `game points ${fixed(mine, 3)} to ${fixed(yours, 3)}`;
    drawMap();
  }

  function pointAt(event) {
    const box = canvas.getBoundingClientRect();
    const scale = target / box.width;
    point(Math.floor((event.clientX - box.left) * scale), Math.floor((box.bottom - event.clientY) * scale));
  }

  function choose() {
    byId("player").value = cell.player;
    byId("opponent").value = cell.opponent;
    update();
  }

  canvas.addEventListener("pointermove", pointAt);
  canvas.addEventListener("pointerdown", pointAt);
  canvas.addEventListener("click", choose);
  canvas.addEventListener("focus", () => { if (!cell.shown) point(0, 0); });
  canvas.addEventListener("keydown", (event) => {
    const far = event.shiftKey ? 10 : 1;
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowDown: [0, -far], ArrowUp: [0, far] };
    if (event.key in moves) {
      const [along, up] = moves[event.key];
      point(cell.player + along, cell.opponent + up);
    } else if (event.key === "Enter" || event.key === " ") {
      choose();
    } else {
      return;
    }
    event.preventDefault();
  });
  byId("shown").addEventListener("change", drawMap);
  window.addEventListener("resize", drawMap);
  form.addEventListener("change", () => { if (cell.shown) point(cell.player, cell.opponent); });

  update();
  document.documentElement.dataset.ready = "yes";
})();
