import { html } from 'hono/html'
import type { Examination, VoteEvent } from '../../../doctor/examiner.ts'
import { byNames, type Look, looksOf, token } from './stances.ts'
import { coordinate, foreign, type Html, shortened, took, visible } from './text.ts'

const longestWhy = 72
/**
 * The time axis is at most this many times as long as the time until the verdict. Later replies are
 * drawn at its right edge.
 */
const mostBeyond = 4

interface Scale {
  readonly endMs: number
  readonly decidedMs: number | undefined
}

interface Lane extends Look {
  readonly own: readonly VoteEvent[]
}

export function waterfallView(examination: Examination, course: readonly VoteEvent[]): Html {
  const scale = scaleOf(course)
  const lanes = looksOf(examination)
    .map((look, voter) => ({
      ...look,
      own: course.filter((event) => event.kind !== 'settled' && event.voter === voter),
    }))
    .toSorted(byNames)
  return html`
    <div class="waterfall">
      <div class="lane axis" aria-hidden="true"><span></span>${axis(scale)}</div>
      <ul aria-label="Super validators">
        ${lanes.map((lane) => laneView(lane, scale))}
      </ul>
    </div>
  `
}

function scaleOf(course: readonly VoteEvent[]): Scale {
  const decidedMs = course.find(({ kind }) => kind === 'settled')?.ms
  const heard = course.flatMap((event) => (event.kind === 'heard' ? [event.ms] : []))
  const last = Math.max(decidedMs ?? 0, ...heard)
  const endMs = Math.max(0.1, Math.min(last * 1.08, Math.max(decidedMs ?? last, 0.1) * mostBeyond))
  return { endMs, decidedMs }
}

function laneView({ stand, look, sign, says, own }: Lane, scale: Scale): Html {
  const { names, operator, why, seconds } = stand
  const asked = own.find((event) => event.kind === 'asked')
  const heard = own.find(({ kind }) => kind === 'heard')
  const told = heard === undefined ? seconds : heard.ms / 1000
  const extra = asked?.kind === 'asked' ? extras[asked.reason] : undefined
  const time = told !== undefined && took(told)
  const detail = [says, why && shortened(why, longestWhy), time, extra].filter(Boolean)
  const isItsOwn = names.includes(operator)
  return html`
    <li class="lane stand ${look}">
      ${token(look, sign)}
      <span class="stand-name">${foreign(names.join(' + '))}${!isItsOwn && html` <span class="operator-name">${foreign(operator)}</span>`}</span>
      ${bars(own, scale)}
      <span class="stand-says">${visible(detail.join(' · '))}</span>
    </li>
  `
}

const extras: Readonly<Record<string, string | undefined>> = {
  hedge: 'a hedge, because another was late',
  more: 'asked because the votes did not decide',
  audit: 'an audit after the verdict',
}

function bars(own: readonly VoteEvent[], { endMs, decidedMs }: Scale): Html {
  const share = (ms: number) => Math.min(100, (ms / endMs) * 100)
  const parts: Html[] = []
  for (const [index, event] of own.entries()) {
    if (event.kind !== 'asked') continue
    const heard = own.slice(index).find(({ kind }) => kind === 'heard')
    const [from, to] = [share(event.ms), heard === undefined ? 100 : share(heard.ms)]
    const isOpen = heard === undefined || heard.ms > endMs
    parts.push(
      html`<rect class="bar reason-${event.reason}${isOpen ? ' open' : ''}" x="${coordinate(from)}%" width="${coordinate(Math.max(0.6, to - from))}%" y="5" height="8" rx="4"/>`,
    )
  }
  return html`<svg class="bars" height="18" aria-hidden="true">${parts}${decidedMs !== undefined && html`<rect class="decided" x="${coordinate(share(decidedMs))}%" width="1.5" y="0" height="18"/>`}</svg>`
}

function axis({ endMs, decidedMs }: Scale): Html {
  const step = niceStep(endMs / 4)
  const ticks = Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step)
  const decided = decidedMs === undefined ? undefined : Math.min(100, (decidedMs / endMs) * 100)
  return html`<svg class="bars" height="36">
        ${ticks.map((ms) => html`<text class="tick" x="${coordinate((ms / endMs) * 100)}%" y="12" text-anchor="${ms === 0 ? 'start' : ms / endMs > 0.93 ? 'end' : 'middle'}">${label(ms)}</text>`)}
        ${decided !== undefined && html`<rect class="decided" x="${coordinate(decided)}%" width="1.5" y="16" height="20"/><text class="decided-here" x="${coordinate(decided)}%" dx="${decided > 70 ? -6 : 7}" y="29" text-anchor="${decided > 70 ? 'end' : 'start'}">decided here</text>`}
      </svg>`
}

/**
 * Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `least`.
 */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power
}

function label(ms: number): string {
  if (ms === 0) return '0'
  return ms >= 1000 ? `${coordinate(ms / 1000)} s` : `${Number(ms.toPrecision(3))} ms`
}
