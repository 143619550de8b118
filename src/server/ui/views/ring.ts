import { html } from 'hono/html'
import { parseJsonText } from '../../../base/lib/parse-json-text.ts'
import type { Count } from '../../../base/lib/threshold.ts'
import type { Answer } from '../../../core/cache/answer.ts'
import { doubtOf, type Examination, type Stand, type VoteEvent } from '../../../doctor/examiner.ts'
import type { ShownRoster } from '../model.ts'
import { svPath } from './links.ts'
import { lookNow, type Marking } from './pending.ts'
import { byNames, type Look, looksOf, mostAlike, votesWith } from './stances.ts'
import { coordinate, type Html, visible } from './text.ts'

/** The middle of the ring is the origin of its coordinates. */
const radius = { progress: 58, spokeFrom: 72, spokeTo: 124, node: 142, arc: 166, label: 178 }
/** In a narrow window, at most this many characters of a name are shown. */
const shortName = 9
const longestName = 22

/** While no vote is drawn, `says` names the state, and the super validator is a link to its page. */
type RingLook = Pick<Look, 'stand' | 'look' | 'sign'> & Partial<Pick<Look, 'says'>>

/** A ring is the drawing of a vote, which may still be running. */
export interface RingModel {
  readonly looks: readonly RingLook[]
  readonly threshold: number
  readonly f: number
  /**
   * This many segments of the ring are closed: the size of the largest group of equal votes so far,
   * at most `threshold`.
   */
  readonly closed: number
  readonly outcome: string
  readonly words: readonly [string, string]
}

export function finishedRing(examination: Examination, course: readonly VoteEvent[]): Html {
  const { outcome, answer, stands, electorate } = examination
  const { threshold, f } = electorate.superValidators
  const of = stands.length
  const looks = looksOf(examination).map(({ says: _, ...look }) => look)
  const agreed = votesWith(stands, 'agreed')
  const most = mostAlike(looks)
  const doubt = doubtOf(examination)
  const isAgreed = outcome === 'agreed'
  const model: RingModel = {
    looks,
    threshold,
    f,
    closed: Math.min(threshold, isAgreed ? agreed : most),
    outcome: doubt ?? outcome,
    words: isAgreed
      ? [`${agreed}/${of}`, doubt !== undefined ? 'in doubt' : isNone(answer) ? 'found none' : 'agreed']
      : [`${most}/${of}`, 'said the same'],
  }
  const asked = course.filter((event) => event.kind === 'asked')
  return ringView(model, new Map(asked.map(({ voter, reason }) => [voter, reason])))
}

/** A list without entries says that there is none, as an absence does. */
export function isNone(answer: Answer | undefined): boolean {
  if (answer?.kind !== 'value') return answer?.kind === 'absence'
  const { entries } = parseJsonText(answer.body.toString()) as { readonly entries?: readonly unknown[] }
  return entries?.length === 0
}

export function beginningRing(stands: readonly Stand[], { threshold, f }: Count): Html {
  const looks = stands.map((stand) => ({ stand, look: 'stance-unasked', sign: '' }))
  const words = [`0/${stands.length}`, 'said the same'] as const
  return ringView({ looks, threshold, f, closed: 0, outcome: 'open', words }, new Map())
}

/** Draws how each super validator is now, while nobody looks anything up. */
export function restingRing({ members, superValidators }: ShownRoster, marking: Marking): Html {
  const { threshold, f } = superValidators
  const looks = members.map((member) => ({
    stand: { ...member, stance: 'unasked' as const },
    ...lookNow(member, marking),
  }))
  const reachable = members.filter((member) => member.reachable).length
  const model: RingModel = {
    looks,
    threshold,
    f,
    closed: Math.min(threshold, reachable),
    outcome: 'rest',
    words: [`${reachable}/${members.length}`, 'reachable'],
  }
  return ringView(model, new Map())
}

function ringView(model: RingModel, reasons: ReadonlyMap<number, string>): Html {
  const { looks, threshold, f, closed, outcome, words } = model
  const inOrder = looks.map((look, voter) => ({ ...look, voter })).toSorted(byNames)
  return html`
    <svg class="ring ring-${outcome}" text-anchor="middle" viewBox="${viewBox(inOrder.map(({ stand }) => stand))}" ${outcome === 'rest' ? html`role="group" aria-label="Super validators now: ${words.join(' ')}"` : html`role="img" aria-label="The vote: ${words.join(' ')}"`} data-of="${looks.length}" data-f="${f}">
      ${operatorArcs(inOrder.map(({ stand }) => stand))}
      ${segments(threshold, closed)}
      ${inOrder.map((look, place) => voterView(look, (place / inOrder.length) * 2 * Math.PI, reasons.get(look.voter)))}
      <text class="centre" x="0" y="-1">${words[0]}</text>
      <text class="centre-says" x="0" y="19">${words[1]}</text>
    </svg>
  `
}

function viewBox(stands: readonly Stand[]): string {
  const longest = Math.max(
    ...stands.map(({ names, operator }) =>
      Math.max(cut(names.join(' + ')).length * 7.7, cut(operator).length * 6.4),
    ),
  )
  const half = Math.round(radius.label + Math.max(34, longest))
  return `${-half} -208 ${2 * half} 416`
}

/**
 * Each segment is an arc of its own, so that its ends point exactly towards the middle. One dashed
 * circle would be inexact, because browsers approximate its length.
 */
function segments(threshold: number, closed: number): Html {
  return html`<g class="segments">${Array.from({ length: threshold }, (_, index) => {
    const classes = `segment${index < closed ? ' closed' : ''}`
    if (threshold === 1) return html`<circle class="${classes}" cx="0" cy="0" r="${radius.progress}"/>`
    const step = (2 * Math.PI) / threshold
    const gap = step * (threshold > 12 ? 0.2 : 0.1)
    const [from, to] = [index * step + gap / 2, (index + 1) * step - gap / 2].map(onRing)
    return html`<path class="${classes}" d="M${from}A${radius.progress} ${radius.progress} 0 0 1 ${to}"/>`
  })}</g>`
}

function onRing(angle: number): string {
  const [x, y] = [radius.progress * Math.sin(angle), -radius.progress * Math.cos(angle)]
  return `${Number(x.toFixed(2))} ${Number(y.toFixed(2))}`
}

function at(angle: number, distance: number): { readonly x: string; readonly y: string } {
  return { x: coordinate(distance * Math.sin(angle)), y: coordinate(-distance * Math.cos(angle)) }
}

function voterView(
  { stand, look, sign, says, voter }: RingLook & { readonly voter: number },
  angle: number,
  reason: string | undefined,
): Html {
  const [from, to, node] = [at(angle, radius.spokeFrom), at(angle, radius.spokeTo), at(angle, radius.node)]
  const name = visible(stand.names.join(' + '))
  const drawn = html`<g class="voter ${look}" data-voter="${voter}" ${says !== undefined && html`aria-hidden="true"`}>
        <title>${name}${says !== undefined && `: ${says}`}</title>
        <path class="out" pathLength="1" d="M${from.x} ${from.y}L${to.x} ${to.y}"/><path class="back" pathLength="1" d="M${to.x} ${to.y}L${from.x} ${from.y}"/>
        <circle class="node" cx="${node.x}" cy="${node.y}" r="14"/><rect class="node" x="${coordinate(Number(node.x) - 12.5)}" y="${coordinate(Number(node.y) - 12.5)}" width="25" height="25" rx="4"/>
        <text class="sign" x="${node.x}" y="${node.y}">${sign}</text>
        ${labelView(stand.names.join(' + '), angle, reason)}
      </g>`
  if (says === undefined) return drawn
  return html`<a href="${svPath(stand.names[0] ?? '')}" aria-label="${name}: ${says}">${drawn}</a>`
}

function labelView(name: string, angle: number, reason: string | undefined): Html {
  const { x, y } = at(angle, radius.label)
  const shown = visible(cut(name))
  const isExtra = reason !== undefined && reason !== 'first'
  return html`<text class="label" x="${x}" y="${y}" text-anchor="${anchorOf(angle)}">${shown.slice(0, shortName)}<tspan class="tail">${shown.slice(shortName)}</tspan><tspan class="cut">${shown.length > shortName ? '…' : ''}</tspan>${isExtra && html`<tspan class="reason" x="${x}" dy="1.15em">${reason}</tspan>`}</text>`
}

function operatorArcs(stands: readonly Stand[]): Html {
  const step = (2 * Math.PI) / stands.length
  const runs: { readonly operator: string; readonly from: number; to: number }[] = []
  for (const [place, { operator }] of stands.entries()) {
    const last = runs.at(-1)
    if (last?.operator === operator) last.to = place
    else runs.push({ operator, from: place, to: place })
  }
  return html`${runs
    .filter(({ from, to }) => to > from)
    .map(({ operator, from, to }) => {
      const [begin, end] = [from * step - step * 0.28, to * step + step * 0.28]
      const [first, last] = [at(begin, radius.arc), at(end, radius.arc)]
      const label = operatorLabel(operator, ((from + to) / 2) * step, (to - from) % 2 === 0)
      return html`<path class="operator-arc" d="M${first.x} ${first.y}A${radius.arc} ${radius.arc} 0 ${end - begin > Math.PI ? 1 : 0} 1 ${last.x} ${last.y}"/>${label}`
    })}`
}

function operatorLabel(operator: string, angle: number, isBelowName: boolean): Html {
  const { x, y } = at(angle, radius.label)
  return html`<text class="operator-label" x="${x}" y="${y}" dy="${isBelowName ? '1.3em' : '0'}" text-anchor="${anchorOf(angle)}">${visible(cut(operator))}</text>`
}

function anchorOf(angle: number): 'start' | 'middle' | 'end' {
  const side = Math.sin(angle)
  if (Math.abs(side) < 0.15) return 'middle'
  return side > 0 ? 'start' : 'end'
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name
}
