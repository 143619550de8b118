import { html } from 'hono/html'
import type { MirroredAnswer } from '../model.ts'
import { byName, foreign, type Html, listed, moment } from './text.ts'

const comparisons: Readonly<Record<MirroredAnswer['compared'], string>> = {
  same: 'It is the same.',
  renewed: 'It has the same owner, url and description, but an older expiry: the name was renewed since.',
  other: 'It differs from this vote.',
}

const bases: Readonly<Record<MirroredAnswer['asOf']['basis'], string>> = {
  snapshot: 'the snapshot',
  live: 'a live read',
  stream: 'the snapshot and the updates since',
}

/**
 * If callers get the mirror's answer, this text says what the header `x-bft-as-of` of that answer
 * says.
 * @param mirrored `empty` if the mirror has no snapshot yet. Undefined if the mirror does not
 * answer this question.
 */
export function sourceView(mirrored: MirroredAnswer | 'empty' | undefined, askedAt: number): Html {
  const live = html`<span>Asked ${moment(new Date(askedAt).toISOString())}, past all caches.</span>`
  if (mirrored === undefined) return html`<p class="source minor">${live}</p>`
  if (mirrored === 'empty')
    return html`<p class="source minor">${live} The mirror is on and has no snapshot yet.</p>`
  const { asOf, agreed } = mirrored
  return html`<div class="source minor">
      <p>${live}</p>
      <p class="mirrored">Callers get this answer from the <strong>mirror</strong>, without a request to anybody: as of ${instant(asOf.at)}, from ${bases[asOf.basis]} that ${foreign(listed(agreed.toSorted(byName)))} agreed on. ${comparedView(mirrored)}</p>
    </div>`
}

/**
 * Says how the mirror's answer compares with the live one. If the live vote is in doubt (`side` is
 * set), the text has no colour, and only says which group of super validators gave the same answer
 * as the mirror, or that no group did.
 */
function comparedView({ compared, side }: MirroredAnswer): Html {
  if (side === 'neither') return html`<strong>It is neither side's answer.</strong>`
  if (side !== undefined)
    return html`<strong>It is what side ${side.letter} says (${foreign(side.who.toSorted(byName).join(', '))}).</strong>`
  return html`<strong class="${compared === 'other' ? 'bad' : 'good'}">${comparisons[compared]}</strong>`
}

/** The page's script does not replace this exact time by a relative one. */
function instant(at: number): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
