import { html } from 'hono/html'
import { byName } from '../../../base/lib/by-name.ts'
import { doubtOf, type Examination, type Stance, type Stand } from '../../../doctor/examiner.ts'
import { sideLetter, sidesOf } from './comparison.ts'
import { type Html, listed, namesView, visible } from './text.ts'

const stances: Readonly<Record<Stance, { readonly says: string; readonly sign: string }>> = {
  agreed: { says: 'agreed', sign: '✓' },
  dissented: { says: 'dissented', sign: '✕' },
  voted: { says: 'voted, nothing was agreed', sign: '?' },
  silent: { says: 'silent', sign: '–' },
  unasked: { says: 'not asked', sign: '' },
}

export interface Look {
  readonly stand: Stand
  /** The CSS class, which sets the colour and the shape. */
  readonly look: string
  readonly sign: string
  readonly says: string
}

export function byNames(a: Pick<Look, 'stand'>, b: Pick<Look, 'stand'>): number {
  return byName(a.stand.names.join(), b.stand.names.join())
}

/** If the votes do not show who is right, voters have the letter and colour of their side. */
export function looksOf(examination: Examination): readonly Look[] {
  const { stands, disagreement } = examination
  const isDoubtful = doubtOf(examination) !== undefined
  const sides = isDoubtful && disagreement !== undefined ? sidesOf(disagreement.statements) : []
  return stands.map((stand) => {
    const { stance, names } = stand
    const side = sides.findIndex(({ who }) => who.includes(names[0] as string))
    const isVote = stance === 'agreed' || stance === 'dissented' || stance === 'voted'
    if (!isDoubtful || !isVote || side === -1) return { stand, look: `stance-${stance}`, ...stances[stance] }
    const letter = sideLetter(side)
    const says = `gave answer ${letter}`
    return {
      stand,
      look: `side-${Math.min(side, 3)}`,
      sign: letter,
      says: sides.length > 1 ? says : 'gave the only answer',
    }
  })
}

/**
 * Returns the size of the largest group of equal votes, or 0 if an answer was agreed and is not in
 * doubt.
 */
export function mostAlike(looks: readonly Pick<Look, 'look' | 'sign'>[]): number {
  const voted = looks.filter(({ look }) => look.startsWith('side-') || look === 'stance-voted')
  const groups = [...Map.groupBy(voted, ({ look, sign }) => `${look} ${sign}`).values()]
  return Math.max(0, ...groups.map((group) => group.length))
}

/** The sign says the same as the colour, for readers who do not see colours. */
const tones = {
  good: ['stance-agreed', '✓'],
  poor: ['stance-voted', '!'],
  bad: ['stance-dissented', '✕'],
  open: ['stance-silent', '…'],
  past: ['stance-silent', '–'],
} as const
export type Tone = keyof typeof tones

export function toned(tone: Tone, says: Html): Html {
  const [look, sign] = tones[tone]
  return html`<p class="headline ${tone}">${token(look, sign)} <span>${says}</span></p>`
}

export function token(look: string, sign: string): Html {
  return html`<i class="token ${look}" aria-hidden="true">${sign}</i>`
}

/**
 * Counts votes and not names, because super validators that publish the same origin share one vote.
 */
export function votesWith(stands: readonly Stand[], stance: Stance): number {
  return stands.filter((stand) => stand.stance === stance).length
}

function namesWith(stands: readonly Stand[], stance: Stance): readonly string[] {
  return stands.filter((stand) => stand.stance === stance).flatMap(({ names }) => names)
}

export function exceptions(stands: readonly Stand[]): Html | undefined {
  const dissented = namesWith(stands, 'dissented')
  const silent = namesWith(stands, 'silent')
  const parts = [
    dissented.length > 0 && html`${namesView(dissented)} dissented`,
    silent.length > 0 && html`${namesView(silent)} ${silent.length === 1 ? 'was' : 'were'} silent`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? undefined : html`${parts.map((part, at) => html`${at > 0 && '; '}${part}`)}.`
}

type Voters = readonly { readonly names: readonly string[] }[]

/**
 * Super validators that publish the same address share one vote. The holders of votes are then
 * called voters.
 */
export function nounOf(voters: Voters): 'super validators' | 'voters' {
  return voters.some(({ names }) => names.length > 1) ? 'voters' : 'super validators'
}

export function sharedVotes(voters: Voters): string | undefined {
  const shared = voters.filter(({ names }) => names.length > 1)
  const sentences = shared.map(
    ({ names }) => `${visible(listed(names))} publish the same address, so they have one vote together.`,
  )
  return shared.length === 0 ? undefined : sentences.join(' ')
}
