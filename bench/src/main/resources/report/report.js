'use strict';
(() => {
  const charts = JSON.parse(document.getElementById('charts').textContent);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = (v) => {
    if (v == null) return '';
    const a = Math.abs(v);
    const [scaled, unit] =
      a >= 1e9 ? [v / 1e9, 'G'] : a >= 1e6 ? [v / 1e6, 'M'] : a >= 1e3 ? [v / 1e3, 'k'] : [v, ''];
    return parseFloat(scaled.toPrecision(3)) + unit;
  };

  const decades = (lo, hi) => [10 ** Math.floor(Math.log10(lo || 1)), 10 ** Math.ceil(Math.log10(hi || 10))];

  function draw(spec, target) {
    const names = spec.places;
    const grid = { stroke: css('--grid'), width: 1 };
    const axis = { stroke: css('--muted'), grid, ticks: grid, font: '12px system-ui', labelFont: '12px system-ui' };
    const x = { ...axis, label: spec.x };
    if (names.length) {
      x.splits = () => names.map((_, i) => i);
      x.values = (_, at) => at.map((i) => names[i] ?? '');
      if (names.length > 8) {
        x.rotate = -35;
        x.size = 84;
      }
    }
    const series = spec.lines.map((line, i) => ({
      label: line.label,
      stroke: css('--s' + (i % 8)),
      width: 2,
      ...(spec.joined ? {} : { paths: () => null }),
      points: { show: names.length > 0, size: spec.joined ? 8 : 11, fill: css('--s' + (i % 8)) },
      value: (_, v) => (v == null ? '–' : short(v) + ' ' + spec.unit),
    }));
    const scales = {
      x: { time: false },
      y: spec.scale === 'LINEAR' ? { range: (_, lo, hi) => [0, hi > 0 ? hi * 1.08 : 1] } : { distr: 3, range: (_, lo, hi) => decades(spec.scale === 'LOG' ? lo : 1, hi) },
    };
    if (names.length) scales.x.range = () => [-0.35, names.length - 0.65];
    return new uPlot(
      {
        width: target.clientWidth,
        height: 300,
        scales,
        axes: [x, { ...axis, label: spec.y, size: 64, values: (_, at) => at.map(short) }],
        series: [
          { label: spec.x, value: (_, v) => (v == null ? '–' : names.length ? names[v] : short(v) + ' ' + spec.xUnit) },
          ...series,
        ],
        cursor: { drag: { x: false, y: false } },
      },
      [spec.xs, ...spec.lines.map((line) => line.values)],
      target,
    );
  }

  let plots = [];
  function drawAll() {
    plots.forEach((plot) => plot.destroy());
    plots = charts.map((spec, i) => draw(spec, document.getElementById('chart-' + i)));
  }
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  let pending = 0;
  addEventListener('resize', () => {
    clearTimeout(pending);
    pending = setTimeout(drawAll, 150);
  });
})();
