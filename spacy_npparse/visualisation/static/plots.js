// Draws the plots of a page with Chart.js: the data of each (see plots.py) is in its canvas.
"use strict";
(() => {
  const ROW = 36; // px: height of a row, whose name stands above its marks
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(name).trim();
  const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format;
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 })
    .format;

  // An axis of numbers. Error bars are part of its range; it does not reach below 0 or above
  // 100 % only because ticks are round.
  function numbers({ title, log, percent }, values) {
    return {
      type: log ? "logarithmic" : "linear",
      title: { display: true, text: title },
      suggestedMin: values.length ? Math.min(...values) : 0,
      suggestedMax: values.length ? Math.max(...values) : 1,
      afterDataLimits: (scale) => {
        if (percent) scale.max = Math.min(scale.max, 100);
        if (values.every((value) => value >= 0)) scale.min = Math.max(scale.min, 0);
      },
      afterBuildTicks: (scale) => {
        if (log) scale.ticks = logarithmicTicks(scale.min, scale.max);
      },
      ticks: { callback: short, maxTicksLimit: 7, maxRotation: 0 },
    };
  }

  function logarithmicTicks(low, high) {
    const all = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
    const ratio = high / low;
    const factors = ratio < 5 ? all : ratio < 50 ? [1, 2, 5] : ratio < 5000 ? [1, 3] : [1];
    const ticks = [];
    for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
      for (const factor of factors) ticks.push({ value: factor * power });
    return ticks.filter(({ value }) => low <= value && value <= high);
  }

  // An axis of names at 0, 1, ….
  function categories(title, names) {
    return {
      type: "linear",
      title: { display: Boolean(title), text: title },
      min: -0.5,
      max: names.length - 0.5,
      grid: { display: false },
      afterBuildTicks: (scale) => { scale.ticks = names.map((_, value) => ({ value })); },
      ticks: { callback: (value) => names[value], maxRotation: 0 },
    };
  }

  // The names of rows stand above the marks, over the whole width.
  function rows(names) {
    const ticks = {
      autoSkip: false, mirror: true, padding: 0, labelOffset: -15, z: 1,
      color: colour("--ink"), textStrokeColor: colour("--paper"), textStrokeWidth: 3,
    };
    const axis = categories("", names);
    return {
      ...axis, min: -0.8, max: names.length - 0.6, reverse: true, grid: { display: true },
      border: { display: false }, ticks: { ...axis.ticks, ...ticks },
    };
  }

  function line(ctx, x1, y1, x2, y2) {
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
    ctx.stroke();
  }

  // Error bars, behind the marks of their series.
  const errorBars = (inRows) => ({
    id: "errorBars",
    beforeDatasetDraw({ ctx, data, scales }, { index, meta }) {
      const { borderColor, data: points } = data.datasets[index];
      Object.assign(ctx, { strokeStyle: borderColor, lineWidth: 1.5, globalAlpha: 0.6 });
      points.forEach(({ low, high }, place) => {
        if (low === undefined) return;
        const { x, y } = meta.data[place];
        const [start, end] = [low, high].map((value) =>
          scales[inRows ? "x" : "y"].getPixelForValue(value));
        if (inRows) line(ctx, start, y, end, y);
        else line(ctx, x, start, x, end);
      });
      ctx.globalAlpha = 1;
    },
  });

  const referenceLine = (value) => ({
    id: "referenceLine",
    beforeDatasetsDraw({ ctx, chartArea, scales }) {
      const x = Math.round(scales.x.getPixelForValue(value)) + 0.5; // a whole pixel
      Object.assign(ctx, { strokeStyle: colour("--line"), lineWidth: 1 });
      ctx.setLineDash([3, 3]);
      line(ctx, x, chartArea.top, x, chartArea.bottom);
      ctx.setLineDash([]);
    },
  });

  // Names beside the first points of series, under the marks; none over another.
  const namesOfPoints = {
    id: "namesOfPoints",
    beforeDatasetsDraw(chart) {
      const { ctx, data, chartArea: { left, right, top, bottom } } = chart;
      const marks = data.datasets.flatMap((_, i) => chart.getDatasetMeta(i).data)
        .filter(({ skip }) => !skip)
        .map(({ x, y }) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
      const overlap = (a, b) =>
        Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
        Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
      const isOutside = (box) =>
        box.x < left || box.x + box.width > right + 14 || box.y < top - 8 || box.y + 14 > bottom;
      chart.names = [];
      ctx.font = `12px ${Chart.defaults.font.family}`;
      Object.assign(ctx, { textBaseline: "middle", textAlign: "left", lineJoin: "round" });
      Object.assign(ctx, { strokeStyle: colour("--paper"), fillStyle: colour("--ink") });
      data.datasets.forEach(({ label, muted }, i) => {
        const point = chart.getDatasetMeta(i).data[0];
        if (muted || !point || point.skip) return;
        const width = ctx.measureText(label).width;
        const boxes = [0, 12, -12, 28, -28].flatMap((dy) => [8, -8 - width, -width / 2].map((dx) =>
          ({ x: point.x + dx, y: point.y + dy - 7, width, height: 14, label })));
        const cost = (box) => [...marks, ...chart.names].reduce(
          (sum, other) => sum + overlap(box, other), isOutside(box) ? 1e4 : 0);
        const best = boxes.reduce((a, b) => (cost(b) < cost(a) ? b : a));
        // A name over another could not be read; the tooltip has it.
        if (chart.names.some((name) => overlap(best, name))) return;
        chart.names.push(best);
        ctx.lineWidth = 3;
        ctx.strokeText(label, best.x, best.y + 7);
        ctx.fillText(label, best.x, best.y + 7);
      });
    },
  };

  function tooltip({ kind, x, y, names }) {
    const place = ({ raw }) => names[kind === "rows" ? raw.y : raw.x] ?? `${x.title} ${exact(raw.x)}`;
    const value = ({ dataset, raw }) => {
      const { low, high, note } = raw;
      const interval = low === undefined ? "" : ` (${exact(low)} to ${exact(high)})`;
      const ending = note ? `, ${note}` : "";
      return `${dataset.label}: ${exact(kind === "rows" ? raw.x : raw.y)}${interval}${ending}`;
    };
    const pair = ({ dataset, raw }) =>
      [dataset.label, `${x.title}: ${exact(raw.x)}`, `${y.title}: ${exact(raw.y)}`];
    return {
      backgroundColor: colour("--ink"), titleColor: colour("--paper"),
      bodyColor: colour("--paper"), usePointStyle: true, boxPadding: 4,
      callbacks: kind === "scatter" ? { title: () => "", label: pair }
        : { title: ([first]) => first && place(first), label: value },
    };
  }

  function draw(canvas) {
    const drawing = JSON.parse(canvas.dataset.drawing);
    const { kind, x, y, series, names, reference } = drawing;
    const inRows = kind === "rows";
    const all = series.flatMap(({ points }) => points);
    const values = all.flatMap((point) => [point.y, point.low, point.high])
      .concat(reference ?? []).filter((value) => value !== undefined);
    const across = names.length ? categories(x.title, names) : numbers(x, all.map((p) => p.x));
    const titled = { ...numbers(y, values), title: { display: false } };
    if (inRows) titled.border = { display: false };
    if (inRows) canvas.parentElement.style.height = `${ROW * names.length + 52}px`;
    Chart.getChart(canvas)?.destroy();
    new Chart(canvas, {
      type: kind === "bars" ? "bar" : "scatter",
      data: { datasets: series.map((one) => ({
        label: one.name,
        muted: one.muted,
        order: one.muted ? 1 : 0,
        data: one.points.map((point) => inRows ? { ...point, x: point.y, y: point.x } : point),
        showLine: kind === "lines",
        borderColor: colour(one.colour),
        backgroundColor: colour(one.colour),
        borderWidth: kind === "lines" ? 2 : 0,
        pointBorderColor: colour("--paper"),
        pointBorderWidth: 1,
        pointStyle: one.shape,
        // All shapes look equally large.
        pointRadius: one.shape === "circle" ? 4.5 : 5.5,
        pointHoverRadius: 6,
        pointHitRadius: 5,
        clip: 8, minBarLength: 1, categoryPercentage: 0.85, barPercentage: 1,
      })) },
      options: {
        maintainAspectRatio: false,
        animation: false,
        interaction: kind === "bars" ? { mode: "index", intersect: false } : { mode: "point" },
        plugins: {
          legend: { display: false },
          title: { display: true, text: y.title, align: "start", padding: { bottom: 12 } },
          tooltip: tooltip(drawing),
        },
        scales: inRows ? { x: titled, y: rows(names) } : { x: across, y: titled },
      },
      plugins: [
        errorBars(inRows),
        ...(reference === null ? [] : [referenceLine(reference)]),
        ...(kind === "scatter" ? [namesOfPoints] : []),
      ],
    });
  }

  function drawAll() {
    Chart.defaults.font.family = style.fontFamily;
    Chart.defaults.font.size = 12;
    Chart.defaults.color = colour("--soft");
    Chart.defaults.borderColor = colour("--rule");
    Chart.defaults.plugins.title.font = { weight: "normal" };
    document.querySelectorAll("canvas[data-drawing]").forEach(draw);
  }

  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  for (const event of ["beforeprint", "afterprint"])
    addEventListener(event, () => Object.values(Chart.instances).forEach((chart) => chart.resize()));
})();
