const height = 150
const minutes = 60

function colour(name) {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const ends = [
  ['answered', 'good', []],
  ['absent', 'soft', [6, 4]],
  ['refused', 'poor', [2, 3]],
  ['failed', 'bad', [10, 3]],
]

const rate = (value) => (value >= 10 ? Math.round(value) : Number(value.toPrecision(2)))
const ms = (value) =>
  value >= 1000
    ? `${Number((value / 1000).toPrecision(3))} s`
    : `${Number(value.toPrecision(value >= 100 ? 3 : 2))} ms`

const plans = [
  {
    title: 'Answers a second',
    series: ends,
    data: ({ rates }) =>
      rates.map((values, end) => (end === 0 || values.some(Boolean) ? values : values.map(() => null))),
    say: rate,
    idle: 'nobody asked in the last hour',
  },
  {
    title: 'From the cache',
    series: [['hit rate', 'good', []]],
    data: ({ hits }) => [hits],
    say: (value) => `${Math.round(value)} %`,
    range: [0, 100],
  },
  {
    title: 'Time to the answer',
    series: [
      ['p50', 'good', []],
      ['p95', 'poor', [6, 3]],
    ],
    data: ({ times }) => times,
    say: ms,
  },
]

const place = document.getElementById('charts')
let charts = []
let latest

function draw(numbers) {
  latest = numbers
  if (charts.length === 0) charts = plans.map(frame).map(chart)
  for (const [index, { plot, say }] of charts.entries()) {
    plot.setData([axis(), ...plans[index].data(numbers)])
    say(null)
  }
}

document.addEventListener('hour', ({ detail }) => draw(detail))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const { plot } of charts) plot.destroy()
  place.replaceChildren()
  charts = []
  if (latest !== undefined) draw(latest)
})
new ResizeObserver(() => {
  for (const { plot, box } of charts) plot.setSize({ width: widthOf(box), height })
}).observe(place)

function axis() {
  return Array.from({ length: minutes }, (_, index) => index - minutes + 1)
}

function widthOf(box) {
  return Math.max(160, box.clientWidth - 28)
}

/**
 * Makes an empty box for a chart. `chart` draws into it later, because a box has its final width
 * only when all boxes are there.
 */
function frame(plan) {
  const box = document.createElement('div')
  box.className = 'chart'
  const heading = document.createElement('h4')
  heading.textContent = plan.title
  const value = document.createElement('div')
  value.className = 'chart-value'
  box.append(heading, value)
  place.append(box)
  return { plan, box, value }
}

function chart({ plan, box, value }) {
  const say = (at) => value.replaceChildren(...valuesAt(plan, plot, at))
  const plot = new globalThis.uPlot(
    optionsOf(plan, widthOf(box), (at) => say(at)),
    [axis(), ...plan.series.map(() => [])],
    box,
  )
  return { plot, box, say }
}

function valuesAt({ series, say, idle }, plot, at) {
  const [, ...data] = plot.data
  if (idle !== undefined && !data.flat().some(Boolean)) return [idle]
  const isEmpty = idle === undefined ? (value) => value == null : (value) => !value
  const index = at ?? axis().findLastIndex((_, minute) => data.some((values) => !isEmpty(values[minute])))
  if (index === -1) return ['nothing yet']
  const when = index === minutes - 1 ? 'now' : `${minutes - 1 - index} min ago`
  const parts = series.flatMap(([name, tone], each) => {
    const value = data[each][index]
    if (value === null || value === undefined || (value === 0 && each > 0)) return []
    const number = document.createElement('b')
    number.className = tone
    number.textContent = say(value)
    return [number, ` ${name} · `]
  })
  return [...parts, when]
}

/**
 * Returns the minutes whose neighbours have no value. A line needs two minutes, so such a minute is
 * drawn as a dot.
 */
function alone(values) {
  const isMissing = (index) => values[index] == null
  const found = values.flatMap((_, index) =>
    !isMissing(index) && isMissing(index - 1) && isMissing(index + 1) ? [index] : [],
  )
  return found.length > 0 ? found : null
}

function optionsOf({ series, say, range }, width, hover) {
  const grid = { stroke: colour('line'), width: 1 }
  const ink = colour('soft')
  const font = '11px system-ui, sans-serif'
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false } },
    hooks: { setCursor: [({ cursor }) => hover(cursor.idx)] },
    scales: {
      x: { time: false },
      y: range ? { range } : { range: (_plot, _least, most) => [0, (most || 1) * 1.15] },
    },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        splits: () => [-45, -30, -15, 0],
        values: (_plot, splits) => splits.map((minute) => (minute === 0 ? 'now' : `${minute} min`)),
      },
      {
        stroke: ink,
        font,
        grid,
        ticks: { show: false },
        size: 50,
        space: 36,
        values: (_plot, splits) => splits.map(say),
      },
    ],
    series: [
      {},
      ...series.map(([label, tone, dash], index) => ({
        label,
        stroke: colour(tone),
        width: 1.75,
        dash,
        fill: index === 0 ? colour(tone).replace(/^rgb\((.*)\)$/, 'rgba($1, 0.18)') : undefined,
        points: { show: false, size: 5, filter: (plot, index) => alone(plot.data[index]) },
        spanGaps: false,
      })),
    ],
  }
}
