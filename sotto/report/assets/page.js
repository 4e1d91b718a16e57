// Draws the charts of a page from the data beside each canvas.
"use strict";
(() => {
  const root = document.documentElement;
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4], [4, 2], [1, 4], [10, 2, 2, 2, 2, 2]];
  const points = ["circle", "rect", "triangle", "rectRot", "cross", "star", "crossRot", "dash"];

  const colours = () => {
    const style = getComputedStyle(root);
    const of = (name) => style.getPropertyValue(name).trim();
    return {ink: of("--ink"), soft: of("--soft"), line: of("--line"), paper: of("--paper"),
            series: of("--series").split(/\s+/)};
  };
  const short = (text, limit) => {
    const letters = Array.from(String(text));
    return letters.length > limit ? letters.slice(0, limit - 1).join("") + "\u2026" : String(text);
  };
  const at = (list, n) => list[n % list.length];

  // From low to high through every point that has an interval.
  const intervals = {
    id: "intervals",
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      chart.data.datasets.forEach((set, s) => {
        if (!set.low || !chart.isDatasetVisible(s)) return;
        const flat = chart.options.indexAxis === "y";
        const scale = flat ? chart.scales.x : chart.scales.y;
        context.save();
        context.strokeStyle = set.whisker;
        context.lineWidth = 1.5;
        context.beginPath();
        chart.getDatasetMeta(s).data.forEach((element, n) => {
          if (element.skip || set.low[n] === null || set.high[n] === null) return;
          const ends = [scale.getPixelForValue(set.low[n]), scale.getPixelForValue(set.high[n])];
          const middle = flat ? element.y : element.x;
          const line = (u, v, x, y) => {
            context.moveTo(flat ? v : u, flat ? u : v);
            context.lineTo(flat ? y : x, flat ? x : y);
          };
          line(middle, ends[0], middle, ends[1]);
          ends.forEach((end) => line(middle - 4, end, middle + 4, end));
        });
        context.stroke();
        context.restore();
      });
    },
  };

  // A logarithmic axis has powers of ten as people write them, with 2 and 5 where there are few.
  const power = (value, first, last) => {
    const exponent = Math.floor(Math.log10(value) + 1e-9);
    const digit = Math.round(value / 10 ** exponent * 1e6) / 1e6;
    const wanted = last / first < 1000 ? [1, 2, 5] : [1];
    if (!wanted.includes(digit)) return null;
    return Math.abs(exponent) > 3 ? `${digit}e${exponent}` : String(Number(value.toPrecision(6)));
  };

  const axis = (title, log, values, colour) => ({
    type: log ? "logarithmic" : "linear",
    title: {display: Boolean(title), text: title, color: colour.soft},
    // The axis must contain all intervals.
    suggestedMin: values.length ? Math.min(...values) : undefined,
    suggestedMax: values.length ? Math.max(...values) : undefined,
    ticks: log ? {color: colour.soft, callback(value) { return power(value, this.min, this.max); }}
        : {color: colour.soft, maxTicksLimit: 8},
    grid: {color: colour.line, borderColor: colour.line},
  });

  const options = (data, bars, flat, colour) => {
    const ends = data.series.flatMap((s) => [...(s.low || []), ...(s.high || [])])
        .filter((v) => v !== null && (!data.log_y || v > 0));
    const value = axis(data.y_label, data.log_y, ends, colour);
    const limit = root.clientWidth < 544 ? 18 : 34;
    const category = {
      type: "category",
      title: {display: Boolean(data.x_label), text: data.x_label, color: colour.soft},
      ticks: {autoSkip: !flat, color: colour.soft,
              callback(n) { return short(this.getLabelForValue(n), limit); }},
      grid: {display: false, borderColor: colour.line},
    };
    // A curve that hardly moves is a flat line, not a mountain with labels of twelve digits.
    const heights = data.series.flatMap((s) => s.y).filter((y) => y !== null);
    const high = Math.max(...heights), low = Math.min(...heights);
    const flatline = high - low < 1e-4 * Math.max(Math.abs(high), Math.abs(low));
    if ((bars || flatline) && !data.log_y) value.beginAtZero = true;
    const across = bars ? category : axis(data.x_label, data.log_x, [], colour);
    if (data.x_names) {
      across.ticks.precision = 0;
      across.ticks.callback = (x) => data.x_names[x] ?? "";
    }
    if (!bars) {
      const x = data.series.flatMap((s) => s.x).filter((v) => v !== null && (!data.log_x || v > 0));
      if (x.length) Object.assign(across, {min: Math.min(...x), max: Math.max(...x)});
    }
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: flat ? "y" : "x",
      interaction: {mode: bars ? "index" : "nearest", axis: flat ? "y" : "x", intersect: false},
      scales: flat ? {x: value, y: across} : {x: across, y: value},
      plugins: {
        legend: {display: data.series.length > 1, position: "bottom",
                 // A line in the legend shows its dashes.
                 labels: {usePointStyle: !bars, pointStyle: bars ? undefined : "line",
                          boxWidth: bars ? 14 : 30, color: colour.ink}},
        tooltip: {backgroundColor: colour.ink, titleColor: colour.paper, bodyColor: colour.paper,
                  callbacks: {
          title: (items) => items.length === 0 ? "" : bars ? items[0].label
              : data.x_names ? data.x_names[items[0].raw.x]
              : `${data.x_label || "x"} ${items[0].raw.x}`,
          label: (item) => {
            const series = data.series[item.datasetIndex];
            const n = item.dataIndex;
            const around = series.low && series.low[n] !== null
                ? ` (${series.low[n]} to ${series.high[n]})` : "";
            return `${series.name || data.y_label}: ${series.y[n]}${around}`;
          },
        }},
      },
    };
  };

  const dataset = (data, series, n, bars, colour) => {
    const drawn = series.y.map((y) => y === null || (data.log_y && y <= 0) ? null : y);
    const many = series.y.length > 60;
    return {
      label: series.name,
      data: bars ? drawn : drawn.map((y, p) => ({x: series.x[p], y})),
      low: series.low, high: series.high,
      borderColor: at(colour.series, n), backgroundColor: at(colour.series, n),
      whisker: bars ? colour.ink : at(colour.series, n),
      borderWidth: bars ? 0 : 2, maxBarThickness: 34, minBarLength: 2,
      borderDash: bars ? [] : at(dashes, n), pointStyle: at(points, n),
      pointRadius: bars || many ? 0 : 4, pointHoverRadius: 6, clip: bars ? 0 : 8,
    };
  };

  const draw = (figure) => {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const bars = data.categories.length > 0;
    // Long names are better beside their bars than under them, and few bars take less room that
    // way.
    const flat = bars && (data.categories.length <= 12 ||
                          data.categories.some((name) => Array.from(name).length > 6));
    if (flat) {
      const rows = data.categories.length * data.series.length;
      figure.querySelector(".canvas").style.height = `${5 + 1.7 * rows}rem`;
    }
    const colour = colours();
    return new Chart(figure.querySelector("canvas"), {
      type: bars ? "bar" : "line",
      data: {labels: bars ? data.categories : undefined,
             datasets: data.series.map((s, n) => dataset(data, s, n, bars, colour))},
      options: options(data, bars, flat, colour),
      plugins: [intervals],
    });
  };

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 13;
  const figures = Array.from(document.querySelectorAll("figure.chart"));
  let charts = figures.map(draw);

  // Charts are made again rather than changed: the library keeps the colours of points and bars.
  const redraw = () => {
    charts.forEach((chart) => chart.destroy());
    charts = figures.map(draw);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // Paper is white, and folded parts are useless on it.
  addEventListener("beforeprint", () => {
    root.dataset.scheme = "light";
    document.querySelectorAll("section > details:not([open])").forEach((part) => {
      part.open = true;
      part.dataset.opened = "";
    });
    redraw();
  });
  addEventListener("afterprint", () => {
    delete root.dataset.scheme;
    document.querySelectorAll("details[data-opened]").forEach((part) => {
      part.open = false;
      delete part.dataset.opened;
    });
    redraw();
  });
})();
