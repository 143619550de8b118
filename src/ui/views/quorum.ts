import { html } from 'hono/html'
import type { Examination, Stance, Stand } from '../../scan/examiner.ts'
import { byName, foreign, type Html, listed, shortened, took, visible } from './text.ts'

/** The name of each stance, and the sign that represents it without colour. */
const stances: Readonly<Record<Stance, { readonly says: string; readonly sign: string }>> = {
  agreed: { says: 'agreed', sign: '✓' },
  dissented: { says: 'dissented', sign: '✕' },
  voted: { says: 'voted, nothing was agreed', sign: '?' },
  silent: { says: 'silent', sign: '–' },
  unasked: { says: 'not asked', sign: '' },
}

const order = Object.keys(stances) as readonly Stance[]

const longestWhy = 72

/**
 * Shows how an answer came about: the votes on a scale with its threshold, then every super validator below its
 * operator.
 */
export function quorumView(examination: Examination): Html {
  return html`
    <div class="quorum">
      ${scale(examination)} ${legend(examination)}
      <ul class="operators" aria-label="Super validators by operator">
        ${byOperator(examination.stands).map(operatorView)}
      </ul>
      ${figures(examination)}
    </div>
  `
}

/** Describes the outcome in one sentence. */
export function outcomeSentence({ outcome, stands, electorate, seconds }: Examination): string {
  const { threshold, n } = electorate.superValidators
  const agreed = namesWith(stands, 'agreed').length
  switch (outcome) {
    case 'agreed':
      return `${agreed} of ${n} super validators gave this answer; ${threshold} had to. It took ${took(seconds)}.`
    case 'disputed':
      return `The super validators differ: no ${threshold} of ${n} said the same, as they had to.`
    case 'undecided':
      return `Nothing was decided in time: ${threshold} of ${n} super validators have to say the same.`
    case 'unreachable':
      return `Too few could be heard: ${threshold} of ${n} super validators have to say the same.`
  }
}

function scale({ stands, electorate }: Examination): Html {
  const { threshold } = electorate.superValidators
  const inOrder = order.flatMap((stance) => namesWith(stands, stance).map(() => stance))
  return html`
    <ol class="scale" aria-hidden="true">
      ${inOrder.map(
        (stance, index) =>
          html`<li class="stance-${stance}">${index + 1 === threshold && html`<span class="needed">${threshold} needed</span>`}</li>`,
      )}
    </ol>
  `
}

function legend({ stands }: Examination): Html {
  const present = order.filter((stance) => stands.some((stand) => stand.stance === stance))
  return html`
    <p class="legend">
      ${present.map(
        (stance) =>
          html`<span><i class="token stance-${stance}" aria-hidden="true">${stances[stance].sign}</i> ${namesWith(stands, stance).length} ${stances[stance].says}</span> `,
      )}
    </p>
  `
}

function operatorView([operator, stands]: readonly [string, readonly Stand[]]): Html {
  const isItsOwn = stands.length === 1 && stands[0]?.names.includes(operator)
  return html`
    <li class="operator">
      ${!isItsOwn && html`<span class="operator-name">${foreign(operator)}</span>`}
      <ul>
        ${stands.map(standView)}
      </ul>
    </li>
  `
}

function standView({ names, stance, why, seconds }: Stand): Html {
  const { says, sign } = stances[stance]
  const detail = [
    says,
    ...(why === undefined ? [] : [shortened(why, longestWhy)]),
    ...(seconds === undefined ? [] : [took(seconds)]),
  ]
  return html`
    <li class="stand stance-${stance}">
      <i class="token stance-${stance}" aria-hidden="true">${sign}</i>
      <span class="stand-name">${foreign(names.join(' + '))}</span>
      <span class="stand-says">${visible(detail.join(' · '))}</span>
    </li>
  `
}

function figures({ electorate, rule, seconds, stands, protected: isProtected }: Examination): Html {
  const { superValidators, operators } = electorate
  const agreed = stands.filter(({ stance }) => stance === 'agreed')
  const distinct = new Set(agreed.map(({ operator }) => operator)).size
  return html`
    <dl class="figures">
      <div><dt>Agreed</dt><dd>${namesWith(stands, 'agreed').length} of ${superValidators.n}</dd></div>
      <div><dt>Threshold</dt><dd>${superValidators.threshold}</dd></div>
      <div><dt><abbr title="how many super validators may lie or fail">f</abbr></dt><dd>${superValidators.f}</dd></div>
      ${
        operators &&
        html`<div><dt>Operators</dt><dd>${distinct} of ${operators.n}, threshold ${operators.threshold}</dd></div>`
      }
      <div><dt>Time</dt><dd>${took(seconds)}</dd></div>
      <div class="wide"><dt>Decided because</dt><dd>${rule}</dd></div>
      ${
        !isProtected &&
        html`<div class="wide"><dt>Beware</dt><dd>fewer than f + 1 votes are enough here: no lie would be noticed</dd></div>`
      }
    </dl>
  `
}

function byOperator(stands: readonly Stand[]): readonly (readonly [string, readonly Stand[]])[] {
  const inOrder = stands.toSorted((a, b) => byName(a.names.join(), b.names.join()))
  return [...Map.groupBy(inOrder, ({ operator }) => operator)].sort(([a], [b]) => byName(a, b))
}

function namesWith(stands: readonly Stand[], stance: Stance): readonly string[] {
  return stands
    .filter((stand) => stand.stance === stance)
    .flatMap(({ names }) => names)
    .sort(byName)
}

/** Lists who did not agree: `sv-3 dissented; sv-4 was silent.` Undefined if nobody dissented or was silent. */
export function exceptions(stands: readonly Stand[]): string | undefined {
  const dissented = namesWith(stands, 'dissented')
  const silent = namesWith(stands, 'silent')
  const parts = [
    ...(dissented.length === 0 ? [] : [`${listed(dissented)} dissented`]),
    ...(silent.length === 0 ? [] : [`${listed(silent)} ${silent.length === 1 ? 'was' : 'were'} silent`]),
  ]
  return parts.length === 0 ? undefined : visible(`${parts.join('; ')}.`)
}
