import { html } from 'hono/html'
import { byName } from '../../../base/lib/by-name.ts'
import type { Votes } from '../../../base/telemetry/last-hour.ts'
import type { End, TrafficMinute } from '../../../base/telemetry/traffic.ts'
import type { Row } from '../live.ts'
import type { LiveModel, ShownMember } from '../model.ts'
import { type Marking, unmarked } from './pending.ts'
import { rowId } from './roster.ts'
import { coordinate, count, foreign, type Html, took } from './text.ts'
import { total } from './votes.ts'

const ends: readonly End[] = ['answered', 'absent', 'refused', 'failed']

/** The figures repeat the charts as text, for readers who do not see the charts. */
export function trafficView({ traffic }: Pick<LiveModel, 'traffic'>): Html {
  const sum = (of: (minute: TrafficMinute) => number) => traffic.reduce((all, minute) => all + of(minute), 0)
  const answers = sum(answersOf)
  const failed = sum(({ failed }) => failed)
  const busy = traffic.filter(({ p50 }) => p50 !== undefined)
  const latest = busy.at(-1)
  return html`
    <dl class="figures">
      <div><dt>Answers</dt><dd>${answers.toLocaleString('en')}</dd></div>
      <div class="${failed > 0 ? 'bad' : ''}"><dt>Failed</dt><dd>${failed.toLocaleString('en')}</dd></div>
      <div><dt>From the cache</dt><dd>${answers === 0 ? '–' : `${Math.floor((sum(({ hits }) => hits) / answers) * 1000) / 10} %`}</dd></div>
      <div><dt>Median time</dt><dd>${latest?.p50 === undefined ? '–' : took(latest.p50)}</dd></div>
      <div><dt>95 % within</dt><dd>${latest?.p95 === undefined ? '–' : took(latest.p95)}</dd></div>
    </dl>
    <p class="minor">Reads of callers on the public address. Look-ups on this page count only in the agreement.</p>
    <div class="charts" aria-hidden="true">${charts.map((chart) => chartView(chart, traffic))}</div>
  `
}

/** A line of a chart has a name, a class that sets its colour, the pattern of its dashes, and its value. */
type HourLine = readonly [string, string, string, (minute: TrafficMinute) => number | undefined]

interface Chart {
  readonly title: string
  readonly say: (value: number) => string
  /** The value at the upper edge. Undefined if it follows from the largest value. */
  readonly top?: number
  readonly lines: readonly HourLine[]
}

function rate(end: End): HourLine[3] {
  return (minute) => minute[end] / minute.seconds || undefined
}

function hitRate(minute: TrafficMinute): number | undefined {
  const answers = answersOf(minute)
  return answers === 0 ? undefined : (100 * minute.hits) / answers
}

const charts: readonly Chart[] = [
  {
    title: 'Answers a second',
    say: (value) => String(value >= 10 ? Math.round(value) : Number(value.toPrecision(2))),
    lines: [
      ['answered', 'good', '', rate('answered')],
      ['absent', 'minor', '6 4', rate('absent')],
      ['refused', 'poor', '2 3', rate('refused')],
      ['failed', 'bad', '10 3', rate('failed')],
    ],
  },
  {
    title: 'From the cache',
    say: (value) => `${Math.round(value)} %`,
    top: 100,
    lines: [['hit rate', 'good', '', hitRate]],
  },
  {
    title: 'Time to the answer',
    say: took,
    lines: [
      ['p50', 'good', '', ({ p50 }) => p50],
      ['p95', 'poor', '6 3', ({ p95 }) => p95],
    ],
  },
]

function chartView({ title, say, top, lines }: Chart, traffic: readonly TrafficMinute[]): Html {
  const drawn = lines.map(([name, tone, dash, of]) => {
    const values = traffic.map((minute) => (minute.seconds === 0 ? undefined : of(minute)))
    return { name, tone, dash, values }
  })
  const most = top ?? Math.max(...drawn.flatMap(({ values }) => values.map((value = 0) => value)))
  const latest = traffic.findLastIndex((_, at) => drawn.some(({ values }) => values[at] !== undefined))
  const ago = traffic.length - 1 - latest
  const said = drawn.map(({ name, tone, values }) => {
    const value = values[latest]
    return value !== undefined && html`<b class="${tone}">${say(value)}</b> ${name} · `
  })
  return html`<div class="chart">
      <h4>${title}</h4>
      <div class="chart-value">${latest === -1 ? 'nobody asked in the last hour' : html`${said}${ago === 0 ? 'now' : `${ago} min ago`}`}</div>
      <div class="scale"><span>${most > 0 && say(most)}</span></div>
      <svg viewBox="-1 -4 ${traffic.length + 1} 108" preserveAspectRatio="none">${drawn.map(({ tone, dash, values }) => html`<path class="${tone}" stroke-dasharray="${dash}" d="${pathOf(values, most)}"/>`)}</svg>
      <div class="scale"><span>${traffic.length - 1} min ago</span><span>now</span></div>
    </div>`
}

/** A minute whose neighbours have no value is drawn as a dash of its own length. */
function pathOf(values: readonly (number | undefined)[], most: number): string {
  const steps = values.map((value, at) => {
    if (value === undefined) return ''
    const place = `${at} ${coordinate(100 - (100 * value) / (most || 1))}`
    if (values[at - 1] !== undefined) return `L${place}`
    return `M${place}${values[at + 1] === undefined ? 'h1' : ''}`
  })
  return steps.join('')
}

function answersOf(minute: TrafficMinute): number {
  return ends.reduce((sum, end) => sum + minute[end], 0)
}

const levels = {
  full: 'all its votes agreed',
  silent: 'silent at times',
  other: 'abstained, is or could not be checked, or differed for less than a minute',
  dissent: 'contradicted the others',
} as const
type HeatLevel = keyof typeof levels

export function heatLegend(): Html {
  return html`
    <p class="legend heat-legend">
      ${Object.entries(levels).map(([level, says]) => html`<span>${cells([level as HeatLevel], 1, 'key')} ${says}</span> `)}
    </p>
  `
}

/**
 * A vote is in the cell of its own minute, but a contradiction only after the daemon has asked again.
 * Until then, the latest cell shows that one is being checked. The colours are neutral if the votes
 * do not show who is right.
 */
export function heatRows(
  members: readonly ShownMember[],
  { lastBeyondFAt, pending }: Pick<Marking, 'lastBeyondFAt' | 'pending'> = unmarked,
): readonly Row[] {
  return members
    .toSorted((a, b) => byName(a.names.join(), b.names.join()))
    .map((member) => {
      const { names, hour } = member
      const id = rowId('heat', member)
      const counted = hour.minutes.map(levelOf)
      const isChecked = names.some((name) => pending.has(name)) && counted.at(-1) !== 'dissent'
      const minutes = isChecked ? counted.with(-1, 'other') : counted
      const row = html`<li id="${id}" class="${lastBeyondFAt === undefined ? '' : 'doubtful'}"><span class="heat-name">${foreign(names.join(' + '))}</span>${cells(minutes, minutes.length, 'cells')}<span class="unseen">: ${inWords(minutes)}</span></li>`
      return { id, html: row.toString() }
    })
}

function levelOf(votes: Votes): HeatLevel | undefined {
  const all = total(votes)
  if (all === 0) return undefined
  if (votes.dissent > 0) return 'dissent'
  if (votes.agree === all) return 'full'
  return votes.fault > 0 ? 'silent' : 'other'
}

/** Each function returns the cells from `from` to `to` as an SVG path. Each cell is 1 by 1. */
const shapes: Readonly<Record<HeatLevel, (from: number, to: number) => string>> = {
  full: (from, to) => `M${from} 0H${to}V1H${from}z`,
  silent: (from, to) => `M${from} .6H${to}V1H${from}z`,
  other: (from, to) => `M${from} .3H${to}V1H${from}z`,
  // A hole is in each cell.
  dissent: (from, to) =>
    `M${from} 0H${to}V1H${from}z${Array.from({ length: to - from }, (_, cell) => `M${from + cell}.3 .3v.4h.4v-.4z`).join('')}`,
}

function cells(minutes: readonly (HeatLevel | undefined)[], width: number, name: string): Html {
  const paths = new Map<HeatLevel, string>()
  for (let from = 0; from < minutes.length; ) {
    const level = minutes[from]
    let to = from + 1
    while (to < minutes.length && minutes[to] === level) to++
    if (level !== undefined) paths.set(level, (paths.get(level) ?? '') + shapes[level](from, to))
    from = to
  }
  return html`<span class="${name}"><svg viewBox="0 0 ${width} 1" preserveAspectRatio="none" aria-hidden="true">${[...paths].map(([level, path]) => html`<path class="level-${level}" d="${path}"/>`)}</svg></span>`
}

function inWords(minutes: readonly (HeatLevel | undefined)[]): string {
  const voted = minutes.filter((level) => level !== undefined)
  if (voted.length === 0) return 'no vote in the last hour'
  const parts = Object.entries(levels).flatMap(([level, says]) => {
    const times = voted.filter((each) => each === level).length
    return times === 0 ? [] : [`${count(times, 'minute')} ${says}`]
  })
  return parts.join('; ')
}
