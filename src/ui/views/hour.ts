import { html } from 'hono/html'
import { byName } from '../../lib/by-name.ts'
import type { Votes } from '../../telemetry/last-hour.ts'
import type { End, TrafficMinute } from '../../telemetry/traffic.ts'
import type { Row } from '../live.ts'
import type { LiveModel, ShownMember } from '../model.ts'
import { type Marking, unmarked } from './pending.ts'
import { rowId } from './roster.ts'
import { count, foreign, type Html, took } from './text.ts'
import { total } from './votes.ts'

const ends: readonly End[] = ['answered', 'absent', 'refused', 'failed']

/** The figures repeat the charts as text, because the charts need a script. */
export function trafficView({ traffic }: Pick<LiveModel, 'traffic'>): Html {
  const sum = (of: (minute: TrafficMinute) => number) => traffic.reduce((all, minute) => all + of(minute), 0)
  const answers = sum(answersOf)
  const failed = sum(({ failed }) => failed)
  const busy = traffic.filter(({ p50 }) => p50 !== undefined)
  const latest = busy.at(-1)
  return html`
    <dl class="figures">
      <div><dt>Answers</dt><dd>${thousands(answers)}</dd></div>
      <div class="${failed > 0 ? 'bad' : ''}"><dt>Failed</dt><dd>${thousands(failed)}</dd></div>
      <div><dt>From the cache</dt><dd>${answers === 0 ? '–' : `${Math.floor((sum(({ hits }) => hits) / answers) * 1000) / 10} %`}</dd></div>
      <div><dt>Median time</dt><dd>${latest?.p50 === undefined ? '–' : took(latest.p50)}</dd></div>
      <div><dt>95 % within</dt><dd>${latest?.p95 === undefined ? '–' : took(latest.p95)}</dd></div>
    </dl>
    <p class="minor">Reads of callers on the public address. Look-ups on this page are not counted.</p>
  `
}

/**
 * Numbers are rounded to keep the live stream short. A value is null if its minute was not sampled,
 * or had no answer.
 */
export function chartsOf({ traffic }: Pick<LiveModel, 'traffic'>) {
  const series = (of: (minute: TrafficMinute) => number | undefined) =>
    traffic.map((minute) => (minute.seconds === 0 ? null : rounded(of(minute))))
  return {
    rates: ends.map((end) => series((minute) => minute[end] / minute.seconds)),
    hits: series((minute) => (answersOf(minute) === 0 ? undefined : (100 * minute.hits) / answersOf(minute))),
    times: [series(({ p50 }) => p50 && 1000 * p50), series(({ p95 }) => p95 && 1000 * p95)],
  }
}

function rounded(number: number | undefined): number | null {
  return number === undefined ? null : Number(number.toPrecision(3))
}

function answersOf(minute: TrafficMinute): number {
  return ends.reduce((sum, end) => sum + minute[end], 0)
}

const levels = {
  full: 'all its votes agreed',
  silent: 'silent at times',
  other: 'abstained, could not be checked, or differed for less than a minute',
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
 * A vote is in the cell of its own minute, although a contradiction is there only after the daemon
 * has asked again. The colours are neutral if the votes do not show who is right.
 */
export function heatRows(
  members: readonly ShownMember[],
  { lastBeyondFAt }: Pick<Marking, 'lastBeyondFAt'> = unmarked,
): readonly Row[] {
  return members
    .toSorted((a, b) => byName(a.names.join(), b.names.join()))
    .map((member) => {
      const { names, hour } = member
      const id = rowId('heat', member)
      const minutes = hour.minutes.map(levelOf)
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
  dissent: withHole,
}

function withHole(from: number, to: number): string {
  return `M${from} 0H${to}V1H${from}z${Array.from({ length: to - from }, (_, cell) => `M${from + cell}.3 .3v.4h.4v-.4z`).join('')}`
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

function thousands(number: number): string {
  return number.toLocaleString('en')
}
