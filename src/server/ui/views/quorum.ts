import { html } from 'hono/html'
import { doubtOf, type Examination, type VoteEvent } from '../../../core/scan/examiner.ts'
import { nounOf, votesWith } from './stances.ts'
import { type Html, plainRule, took, unbroken } from './text.ts'
import { waterfallView } from './waterfall.ts'

export function quorumView(examination: Examination, course: readonly VoteEvent[]): Html {
  return html`${groundsView(examination)}${waterfallView(examination, course)}`
}

export function outcomeSentence({ outcome, stands, electorate, seconds, error }: Examination): string {
  const { threshold } = electorate.superValidators
  const n = stands.length
  const who = nounOf(stands)
  const agreed = votesWith(stands, 'agreed')
  switch (outcome) {
    case 'agreed':
      return `${agreed} of ${n} ${who} gave this answer; ${threshold} had to. It was decided after ${took(seconds)}.`
    case 'disputed':
      return `The ${who} differ: no ${threshold} of ${n} said the same, as they had to.`
    case 'undecided':
      if (error?.code === 'pathUnknownToScans' || error?.code === 'goneFromScans') return error.message
      return `Nothing was decided in time: ${threshold} of ${n} ${who} have to say the same.`
    case 'unreachable':
      if (votesWith(stands, 'voted') >= threshold)
        return `${votesWith(stands, 'voted')} of ${n} ${who} answered, but they differ: ${threshold} have to say the same.`
      return `Too few could be heard: ${threshold} of ${n} ${who} have to say the same.`
  }
}

export function doubtView(examination: Examination, strictly: string | undefined): Html {
  const doubt = doubtOf(examination)
  if (doubt === undefined) return html``
  const { f, threshold } = examination.electorate.superValidators
  const { stands } = examination
  const who = nounOf(stands)
  if (doubt === 'disputed') {
    const hasSides = (examination.disagreement?.statements.length ?? 0) > 1
    return html`<p class="banner" role="status"><strong>No answer has the threshold.</strong> ${threshold} of ${stands.length} ${who} have to say the same, so this vote gives no answer.${hasSides && ' The votes below are sides: they do not show who is right.'}</p>`
  }
  const against = votesWith(stands, 'dissented')
  return html`<p class="banner" role="status"><strong>Do not rely on this answer.</strong> ${against} ${who} contradict it, more than the ${unbroken(`f = ${f}`)} that may lie or fail. The votes below are sides: they do not show who is right.${strictly !== undefined && html` <a href="${strictly}">Ask again for ${unbroken('2f + 1')} votes</a>`}</p>`
}

function groundsView(examination: Examination): Html {
  const { outcome, rule, answer, electorate, stands, protected: isProtected } = examination
  const { operators, superValidators } = electorate
  const isAgreed = outcome === 'agreed'
  const agreed = stands.filter(({ stance }) => stance === 'agreed')
  const distinct = new Set(agreed.map(({ operator }) => operator)).size
  const plain = plainRule(rule)
  // Visitors understand "there is none" better than "the same refusal".
  const because =
    answer?.kind === 'absence' ? plain.replace('gave the same refusal', 'said that there is none') : plain
  return html`<p class="minor">${isAgreed ? 'Decided' : 'Not agreed'} because ${because}${operators && isAgreed && `; ${distinct} of ${operators.n} operators agreed, and ${operators.threshold} had to`}. ${unbroken(`f = ${superValidators.f}`)} may lie or fail.${!isProtected && html` <strong class="bad">Fewer than ${unbroken('f + 1')} votes are enough here: no lie would be noticed.</strong>`}</p>`
}
