"use strict";
// Draws a figure of helio in its page, and loads more of its points when a reader zooms in.
// The page and this file ask nobody for anything: other files come from the folder of the page.
(() => {
  const STEP = 4; // ratio of the numbers of pixels of neighbouring levels
  const MARGIN = 0.25; // how much more than the view is drawn on either side, for a reader who moves it
  const MOST_POINTS = 1_000_000; // of one panel, loaded at a time
  const files = new Map(); // number of a file → promise of its content
  let figure, plot, drawn, newest = 0, changed = false;
  const traces = new Map(); // uid → trace
  const originals = new Map(); // uid → what the page itself has of a trace
  const automatic = new Set(); // y axes whose limits plotly.js chose

  function say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    document.getElementById("figure").replaceChildren(line);
  }

  function load(address, name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(script);
      script.onerror = () => reject(new Error(`${name} is missing`));
      document.head.append(script);
    });
  }

  // A file of the detail calls this function with its content.
  window.helioDetail = (content) => { document.currentScript.content = content; };

  function file(number) {
    if (!files.has(number)) {
      const inside = document.getElementById(`detail-${number}`);
      const folder = figure.detail.folder;
      const content = inside
        ? Promise.resolve(JSON.parse(inside.textContent))
        : load(`${encodeURIComponent(folder)}/${number}.js`, `${folder}/${number}.js`).then((script) => script.content);
      files.set(number, content);
    }
    return files.get(number);
  }

  function decoded(values) {
    if (Array.isArray(values)) return values.map((value) => (value === null ? NaN : value));
    const bytes = Uint8Array.from(atob(values.bdata ?? values), (sign) => sign.charCodeAt(0));
    const Kind = {f4: Float32Array, f8: Float64Array, u4: Uint32Array}[values.dtype];
    return new Kind(bytes.buffer);
  }

  // Milliseconds since 1970.
  function moments(times) {
    const counts = times.x === undefined ? null : decoded({bdata: times.x, dtype: times.kind});
    return Float64Array.from({length: times.n}, (_, k) => times.x0 + (counts ? counts[k] : k) * (times.dx ?? 0));
  }

  function iso(moment) {
    let whole = Math.floor(moment);
    let rest = Math.round((moment - whole) * 1000);
    if (rest === 1000) [whole, rest] = [whole + 1, 0];
    const text = new Date(whole).toISOString().slice(0, -1);
    return rest ? text + String(rest).padStart(3, "0") : text;
  }

  // The files of a level that have something between two times, and one more on either side.
  function numbersOf(panel, level, low, high) {
    const width = (panel.stop - panel.start) / level.parts;
    const places = level.runs.flatMap(([first, end]) => Array.from({length: end - first}, (_, k) => first + k));
    const inside = places.map((place) => place >= Math.floor((low - panel.start) / width)
      && place <= Math.floor((high - panel.start) / width));
    const wanted = (k) => inside[k - 1] || inside[k] || inside[k + 1];
    if (!inside.includes(true)) {
      const after = places.findIndex((place) => place * width + panel.start > high);
      const near = after < 0 ? [places.length - 1] : [after - 1, after];
      return near.filter((k) => k >= 0).map((k) => level.first + k);
    }
    return places.map((_, k) => k).filter(wanted).map((k) => level.first + k);
  }

  // The index of the first time that is not before a moment; times increase.
  function place(times, moment) {
    let first = 0, end = times.length;
    while (first < end) {
      const middle = (first + end) >> 1;
      if (times[middle] < moment) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  // A line between two times, and one point more on either side. Lines with equal times share their texts.
  function piece(parts, uid, low, high) {
    const pieces = parts.filter((part) => uid in part.lines).map((part) => {
      const [number, values] = part.lines[uid];
      return {number, values, part, x: (part.moments ??= part.times.map(moments))[number]};
    });
    const total = pieces.map(({x}) => x.length);
    let before = -1, after = -1;
    pieces.forEach(({x}, k) => { if (x[0] < low) before = k; if (after < 0 && x.at(-1) > high) after = k; });
    const xs = [], ys = [], texts = [];
    pieces.forEach(({number, values, part, x}, k) => {
      const first = Math.max(0, place(x, low) - (k === before ? 1 : 0));
      const end = Math.min(total[k], place(x, high) + (k === after ? 1 : 0));
      if (first >= end) return;
      const y = ((part.values ??= {})[uid] ??= decoded(values));
      const key = `${number} ${first} ${end}`;
      const text = ((part.texts ??= {})[key] ??= Array.from(x.subarray(first, end), iso));
      for (let n = first; n < end; n += 1) { xs.push(x[n]); ys.push(y[n]); texts.push(text[n - first]); }
    });
    return [xs, ys, texts];
  }

  // Polygons between a line and a level, where the line is beyond the level.
  function beyond(xs, ys, level, below, log) {
    const high = (y) => (log ? Math.log10(y) : y), edge = high(level);
    const corners = [[], []];
    let outline = [];
    const add = (x, y) => { corners[0].push(x); corners[1].push(log ? 10 ** y : y); };
    const close = () => {
      if (outline.some(([, y]) => y !== edge)) {
        outline.forEach(([x, y]) => add(x, y));
        add(outline.at(-1)[0], edge);
        add(outline[0][0], edge);
        add(outline[0][0], NaN);
      }
      outline = [];
    };
    xs.forEach((x, k) => {
      const y = high(ys[k]), before = high(ys[k - 1]);
      if (Number.isNaN(y)) { close(); return; }
      if ((before - edge) * (y - edge) < 0) {
        const place = xs[k - 1] + (edge - before) / (y - before) * (x - xs[k - 1]);
        outline.push([place, edge]);
        if (below ? y > edge : y < edge) close();
      }
      if (below ? y <= edge : y >= edge) outline.push([x, y]);
      else close();
    });
    close();
    return corners;
  }

  // Places of values on a symlog axis; without a threshold the values themselves.
  function placed(ys, linthresh) {
    if (linthresh === undefined) return ys;
    return ys.map((value) => {
      const scaled = value / linthresh, size = Math.abs(scaled);
      return size > 1 ? Math.sign(scaled) * (10 / 9 + Math.log10(size)) : scaled * 10 / 9;
    });
  }

  function change(uid, values) {
    const trace = traces.get(uid);
    if (trace === undefined) return;
    changed = true;
    if (!originals.has(uid)) {
      const {x, y, z, x0, dx, customdata, marker, text, hovertemplate} = trace;
      originals.set(uid, {x, y, z, x0, dx, customdata, marker, text, hovertemplate});
    }
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) delete trace[key];
      else trace[key] = value;
    }
  }

  function drawLine(parts, trace, low, high) {
    const margin = (high - low) * MARGIN;
    const [xs, values, x] = piece(parts, trace.uid, low - margin, high + margin);
    const ys = placed(values, trace.linthresh);
    const customdata = trace.linthresh === undefined ? undefined : values;
    const alone = ys.map((y, k) => !Number.isNaN(y) && !(ys[k - 1] === ys[k - 1]) && !(ys[k + 1] === ys[k + 1]));
    for (const end of ["", "-outline"]) {
      change(trace.uid + end, {x, y: ys, customdata, x0: undefined, dx: undefined});
      change(`${trace.uid}-alone${end}`, {x: x.filter((_, k) => alone[k]), y: ys.filter((_, k) => alone[k])});
    }
    for (const [key, level] of trace.fills ?? []) {
      const [places, heights] = beyond(xs, ys, level, key === "fill_below", trace.log);
      change(`${trace.uid}-${key}`, {x: places.map(iso), y: heights});
    }
    return xs.filter((moment, k) => moment >= low && moment <= high && !Number.isNaN(ys[k])).length;
  }

  // The area between the lower and the upper limit of a line, one polygon for each piece without a gap.
  function drawBand(uid, lower, upper) {
    const pieces = ([xs, ys]) => {
      const found = [];
      ys.forEach((y, k) => {
        if (Number.isNaN(y)) return;
        if (k === 0 || Number.isNaN(ys[k - 1])) found.push([]);
        found.at(-1).push([xs[k], y]);
      });
      return found;
    };
    const above = pieces(upper);
    const corners = pieces(lower).flatMap((low, k) =>
      [...low, ...(above[k] ?? []).reverse(), low[0], [low[0][0], NaN]]);
    change(uid, {x: corners.map(([x]) => iso(x)), y: corners.map(([, y]) => y)});
  }

  function drawGrid(parts, uid, low, high) {
    const margin = (high - low) * MARGIN, edges = [], columns = [];
    for (const part of parts) {
      const x = (part.moments ??= moments(part.x)), width = x.length - 1;
      const first = Math.max(0, place(x, low - margin) - 1), end = Math.min(width, place(x, high + margin));
      if (first >= end) continue;
      part.values ??= decoded(part.z);
      if (edges.length > 0 && Math.abs(edges.at(-1) - x[first]) > 1e-3) columns.push(null); // nothing between them
      else edges.pop();
      for (let k = first; k <= end; k += 1) edges.push(x[k]);
      for (let k = first; k < end; k += 1) columns.push({part, width, k});
    }
    const y = Array.from(decoded(parts[0].y));
    const rows = y.slice(1).map((_, row) =>
      Float32Array.from(columns, (column) => (column ? column.part.values[row * column.width + column.k] : NaN)));
    change(uid, {x: edges.map(iso), y, z: rows, x0: undefined, dx: undefined});
  }

  // Points of clouds and curves between limits on both axes, [[x0, x1], [y0, y1]] as the axes count them.
  function drawPoints(parts, {uid, shape}, [xAxis, yAxis], limits) {
    const xs = [], ys = [], colours = [], times = [];
    for (const part of parts) {
      part.arrays ??= [part.x, part.y, part.c, part.t].map((values) => values && decoded(values));
      const [x, y, c, t] = part.arrays;
      if (shape === "line" && xs.length) { xs.push(NaN); ys.push(NaN); }
      for (let k = 0; k < x.length; k += 1) {
        xs.push(x[k]); ys.push(y[k]);
        if (c) colours.push(c[k]);
        if (t) times.push(t[k]);
      }
    }
    const own = traces.get(uid);
    if (own === undefined) return 0;
    if (shape === "area") { change(uid, {x: xs, y: ys}); return 0; }
    const at = (values, axis) => (axis.type === "log" ? values.map(Math.log10) : values);
    const places = [at(xs, xAxis), at(ys, yAxis)];
    const lengths = [xAxis._length, yAxis._length];
    const side = (axis, k) => {
      const [low, high] = limits[axis], margin = (high - low) * MARGIN, place = places[axis][k];
      return place < low - margin ? -1 : place > high + margin ? 1 : 0;
    };
    const pixel = (k) => [0, 1].map((axis) => {
      const [low, high] = limits[axis];
      return Math.floor((places[axis][k] - low) / (high - low) * lengths[axis]);
    }).join();
    let count = 0;
    const kept = [];
    if (shape === "line") {
      // A piece is left out if both of its ends are beyond one side, or in one pixel.
      const beyond = (j, k) => [0, 1].some((axis) => side(axis, j) !== 0 && side(axis, j) === side(axis, k));
      const is = (k) => k >= 0 && k < xs.length && !Number.isNaN(ys[k]);
      const seen = (j, k) => is(j) && is(k) && !beyond(j, k);
      let last = "", next = xs.length ? pixel(0) : "";
      for (let k = 0; k < xs.length; k += 1) {
        const here = next;
        next = k + 1 < xs.length ? pixel(k + 1) : "";
        if (!is(k) || !(seen(k - 1, k) || seen(k, k + 1) || !side(0, k) && !side(1, k))) {
          if (kept.length && kept.at(-1) >= 0) kept.push(-1);
        } else if (here !== last || here !== next || !is(k + 1)) kept.push(k);
        last = here;
        if (is(k) && inside(k)) count += 1;
      }
    } else {
      const latest = new Map();
      for (let k = 0; k < xs.length; k += 1) {
        if (side(0, k) || side(1, k)) continue;
        latest.set(pixel(k), k);
        if (inside(k)) count += 1;
      }
      kept.push(...[...latest.values()].sort((one, other) => one - other));
    }
    function inside(k) {
      return limits.every(([low, high], axis) => places[axis][k] >= low && places[axis][k] <= high);
    }
    const pick = (values) => kept.map((k) => (k < 0 ? NaN : values[k]));
    const values = {x: pick(xs), y: pick(ys)};
    if (colours.length) values.marker = {...own.marker, color: pick(colours)};
    if (times.length) {
      values.text = pick(times).map(iso);
      if (!own.hovertemplate.includes("%{text}")) {
        values.hovertemplate = own.hovertemplate.replace("<extra>", "<br>%{text}<extra>");
      }
    }
    change(uid, values);
    return count;
  }

  const wholes = new Map(); // axis → its limits before a reader zoomed in

  // What a reader sees of a panel of points, and the files with points there; null for all of the panel.
  function pointsView(panel) {
    const uid = panel.points[0].uid;
    const axes = [axisOf(uid, "x"), axisOf(uid, "y")];
    const limits = axes.map(([, axis]) => axis.range.slice().sort((one, other) => one - other));
    const whole = axes.map(([name], k) => {
      if (!wholes.has(name)) wholes.set(name, limits[k]);
      const [low, high] = wholes.get(name), slack = (high - low) * 1e-3;
      return limits[k][0] <= low + slack && limits[k][1] >= high - slack;
    });
    if (whole[0] && whole[1]) return null;
    const near = ([, , ...box]) => limits.every(([low, high], axis) => {
      const margin = (high - low) * MARGIN;
      return box[2 * axis] <= high + margin && box[2 * axis + 1] >= low - margin;
    });
    const wanted = panel.points.map(({shape, parts}) =>
      parts.filter((part) => shape === "area" || near(part)));
    const size = wanted.flat().reduce((sum, [, count]) => sum + count, 0);
    return {limits, size, axes: axes.map(([, axis]) => axis), wanted: wanted.map((of) => of.map(([number]) => number))};
  }

  // Draws the points of a panel that a reader sees; the words for the line below the figure.
  async function refreshPoints(panel, mine) {
    const view = pointsView(panel);
    const back = (words) => { panel.points.forEach((trace) => restore(trace)); return words; };
    if (view === null) return back(panel.shown);
    if (view.size > MOST_POINTS) return back([`${panel.shown[0]}; zoom in further for all`]);
    const parts = await Promise.all(view.wanted.map((numbers) => Promise.all(numbers.map(file))));
    if (mine !== newest) return [];
    panel.points.forEach((trace) => freeze(trace));
    const counts = panel.points.map((trace, k) => [trace, drawPoints(parts[k], trace, view.axes, view.limits)]);
    const count = counts.reduce((sum, [trace, more]) => sum + (trace.counts ? more : 0), 0);
    return [`${panel.name}: all ${count.toLocaleString("en")} points in view`];
  }

  function shownBy(trace) { return trace.band ?? trace.uid; }

  function axisOf(uid, letter) {
    const name = `${letter}axis${(traces.get(uid)[`${letter}axis`] ?? letter).slice(1)}`;
    return [name, plot._fullLayout[name]];
  }

  // The level whose pixels are at most as wide as those of the screen; 0 for what the page itself has.
  function levelFor(panel, axis, low, high) {
    const share = Math.min(1, (high - low) / (panel.stop - panel.start));
    if (share > 0.999) return 0;
    const wanted = Math.ceil(Math.log(axis._length / (panel.pixels * share)) / Math.log(STEP) - 1e-9);
    return Math.min(Math.max(0, wanted), panel.levels.length);
  }

  async function refresh() {
    const mine = newest += 1;
    const views = figure.detail.panels.filter((panel) => panel.levels).map((panel) => {
      const [, axis] = axisOf(shownBy(panel.traces[0]), "x");
      const [low, high] = axis.range.map((end) => axis.r2l(end)).sort((one, other) => one - other);
      const number = levelFor(panel, axis, low, high);
      const level = panel.levels[number - 1];
      return {panel, low, high, number, wanted: level ? numbersOf(panel, level, low, high) : []};
    });
    let parts, others;
    try {
      others = await Promise.all(figure.detail.panels.filter((panel) => panel.points)
        .map((panel) => refreshPoints(panel, mine)));
      parts = await Promise.all(views.map((view) => Promise.all(view.wanted.map(file))));
    } catch (error) {
      files.clear();
      drawn.textContent = `${error.message}: without the folder ${figure.detail.folder} beside this page, `
        + "it shows only some of the points.";
      return;
    }
    if (mine !== newest) return;
    const words = views.flatMap(({panel, low, high, number}, k) => {
      for (const trace of panel.traces) number ? freeze(trace) : restore(trace);
      if (!number) return panel.shown;
      const whole = number === panel.levels.length;
      if (!parts[k].length) return [];
      if (parts[k][0].z) {
        drawGrid(parts[k], panel.traces[0].uid, low, high);
        return [`${panel.traces[0].name}: ${whole ? "every record" : "more columns"}`];
      }
      const counts = new Map(), limits = new Map();
      for (const trace of panel.traces) {
        if (trace.band) {
          const margin = (high - low) * MARGIN;
          const [xs, ys] = piece(parts[k], trace.uid, low - margin, high + margin);
          const limit = [xs, placed(ys, trace.linthresh)];
          if (limits.has(trace.band)) drawBand(trace.band, limits.get(trace.band), limit);
          else limits.set(trace.band, limit);
          continue;
        }
        counts.set(trace.name, (counts.get(trace.name) ?? 0) + drawLine(parts[k], trace, low, high));
      }
      return Array.from(counts, ([name, count]) =>
        `${name}: ${whole ? "all " : ""}${count.toLocaleString("en")} points in view${whole ? "" : ", not yet all"}`);
    });
    if (changed) await Plotly.redraw(plot);
    changed = false;
    drawn.textContent = [...words, ...others.flat()].join(" · ");
  }

  function freeze(trace) {
    const [name, axis] = axisOf(shownBy(trace), "y");
    if (!axis.autorange) return;
    automatic.add(name);
    Object.assign(plot.layout[name], {range: axis.range.slice(), autorange: false});
  }

  function restore(trace) {
    for (const [uid, original] of originals) {
      if (uid !== shownBy(trace) && !uid.startsWith(`${trace.uid}-`)) continue;
      originals.delete(uid);
      changed = true;
      const own = traces.get(uid);
      for (const [key, value] of Object.entries(original)) {
        if (value === undefined) delete own[key];
        else own[key] = value;
      }
    }
    const [name] = axisOf(shownBy(trace), "y");
    if (automatic.delete(name)) plot.layout[name].autorange = true;
  }

  // The labels of symlog axes, also where a reader has zoomed in between two powers of ten.
  function followTicks() {
    const own = new Map();
    const scales = Object.entries(plot.layout.meta?.symlog ?? {});
    const even = (low, high) => {
      const rough = (high - low) / 6, base = 10 ** Math.floor(Math.log10(rough));
      const step = base * [1, 2, 5, 10].find((nice) => rough / base <= nice);
      const first = Math.ceil(low / step), count = Math.floor(high / step) - first + 1;
      return Array.from({length: count}, (_, k) => Number(((first + k) * step).toPrecision(12)));
    };
    const tick = () => {
      const update = {};
      for (const [name, linthresh] of scales) {
        const {tickvals, ticktext, range} = plot._fullLayout[name];
        if (!own.has(name)) own.set(name, {tickvals, ticktext});
        const [low, high] = range.slice().sort((one, other) => one - other);
        const value = (place) => linthresh * (Math.abs(place) <= 10 / 9
          ? place * 0.9 : Math.sign(place) * 10 ** (Math.abs(place) - 10 / 9));
        let wanted = own.get(name);
        if (wanted.tickvals.filter((place) => place >= low && place <= high).length < 3) {
          const values = even(value(low), value(high));
          wanted = {tickvals: placed(values, linthresh), ticktext: values.map((one) => String(one).replace("-", "−"))};
        }
        if (String(wanted.tickvals) !== String(tickvals)) {
          update[`${name}.tickvals`] = wanted.tickvals;
          update[`${name}.ticktext`] = wanted.ticktext;
        }
      }
      if (Object.keys(update).length) Plotly.relayout(plot, update);
    };
    if (!scales.length) return;
    tick();
    plot.on("plotly_relayout", tick);
  }

  // plotly.js draws the line at the pointer in one column of panels; this draws it in the others.
  function followPointer() {
    const lines = new Map();
    const hide = () => lines.forEach((line) => { line.hidden = true; });
    plot.on("plotly_unhover", hide);
    plot.on("plotly_hover", ({xaxes, event}) => {
      hide();
      if (!xaxes || !event || xaxes[0].type !== "date") return;
      const layout = plot._fullLayout, size = layout._size;
      const at = xaxes[0].p2l(event.clientX - plot.getBoundingClientRect().left - xaxes[0]._offset);
      for (const [name, axis] of Object.entries(layout)) {
        if (!/^xaxis\d*$/.test(name) || axis.type !== "date" || axis._id === xaxes[0]._id) continue;
        if (!lines.has(name)) lines.set(name, plot.appendChild(document.createElement("div")));
        const line = lines.get(name), bottom = axis._counterDomainMin, top = axis._counterDomainMax;
        line.className = "pointer";
        line.style.cssText = "position: absolute; width: 1px; background: #888; pointer-events: none;"
          + `left: ${axis._offset + axis.l2p(at)}px; top: ${size.t + (1 - top) * size.h}px;`
          + `height: ${(top - bottom) * size.h}px;`;
        line.hidden = false;
      }
    });
  }

  window.helioFigure = async (given) => {
    figure = given;
    try {
      if (!window.Plotly) await load(window.helioLibrary, `The file ${window.helioLibrary}`);
    } catch (error) {
      say(`${error.message}: this page needs it at this place, as seen from its own folder.`);
      return;
    }
    const config = {responsive: true, displaylogo: false, showSendToCloud: false};
    plot = await Plotly.newPlot("figure", figure.data, figure.layout, config);
    followPointer();
    followTicks();
    if (!figure.detail) return;
    drawn = document.getElementById("drawn");
    for (const trace of plot.data) traces.set(trace.uid, trace);
    let running = Promise.resolve();
    const follow = () => { running = running.then(refresh); };
    plot.on("plotly_relayout", follow);
    follow(); // a reader may have zoomed already
  };
})();
