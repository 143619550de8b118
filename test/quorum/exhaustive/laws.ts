import type { Reply } from '../../../src/core/quorum/reply.ts'
import type { Verdict } from '../../../src/core/quorum/verdict.ts'
import { type Camp, Seen, stepsOf, textOf } from './seen.ts'
import { isInFlight, mostSilent, type State, type Step } from './walk.ts'

interface Law {
  readonly sentence: string
  readonly holds: (moment: Moment) => boolean
}

interface Moment {
  readonly seen: Seen
  readonly state: State
  /** Whether `state` is the start, before any event. */
  readonly first: boolean
}

type Agreed = Extract<Verdict, { kind: 'agreed' }>
interface Settled extends Moment {
  readonly verdict: Verdict
}

const size = ({ voters }: Camp) => voters.length
const same = (a: readonly number[], b: readonly number[]) => [...a].sort().join() === [...b].sort().join()
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

const lawsOfVerdicts: readonly { readonly sentence: string; readonly holds: (moment: Settled) => boolean }[] =
  [
    {
      sentence:
        'an agreed value or refusal has both thresholds, and behind it stand exactly those who said it',
      holds: ({ verdict, seen }) => {
        if (!isWhole(verdict)) return true
        const camps = verdict.on === 'value' ? seen.values : seen.refusals
        const camp = camps.find(({ what }) => what === verdict.vote)
        if (camp === undefined || !same(camp.voters, verdict.members)) return false
        return seen.wins(camp.voters) || isProven(seen, verdict.vote)
      },
    },
    {
      sentence: 'a reply that proves itself settles the read',
      holds: ({ verdict, seen }) => {
        const proof = seen.values.find(({ what }) => isProven(seen, what))
        if (proof === undefined || seen.setting.policy.patient) return true
        return isWhole(verdict) && verdict.vote === proof.what
      },
    },
    {
      sentence: 'absence never wins while a value can still reach the threshold',
      holds: ({ verdict, seen }) => {
        if (!isRefusal(verdict) || isByMajority(seen)) return true
        return !seen.valueCouldWin(seen.pending)
      },
    },
    {
      sentence: 'what all but f hold, as far as is known, is never answered as absent',
      holds: ({ verdict, seen }) =>
        !isRefusal(verdict) ||
        !seen.values.some(({ voters }) => heardOf(seen) - voters.length <= seen.setting.needs.f),
    },
    {
      sentence: 'nothing is given up while somebody who could decide was not heard',
      holds: ({ verdict, seen }) =>
        verdict.kind === 'agreed' || seen.pending.length === 0 || !seen.somethingCouldWin(seen.pending),
    },
    {
      sentence: 'nothing is given up where something won, unless another won as well',
      holds: ({ verdict, seen }) => {
        if (verdict.kind === 'agreed') return true
        const won = [...seen.winningValues, ...seen.winningRefusals]
        if (won.length > 1) return verdict.kind === 'disputed'
        return !seen.somethingCouldWin([])
      },
    },
    {
      sentence: 'the reason given for no answer is the true one',
      holds: ({ verdict, seen }) => {
        if (verdict.kind === 'agreed' || seen.somethingCouldWin([])) return true
        const { pending, faulted, abstained } = seen
        if (seen.somethingCouldWin([...pending, ...faulted])) return verdict.kind === 'unreachable'
        if (seen.somethingCouldWin([...pending, ...faulted, ...abstained]))
          return verdict.kind === 'undecided'
        const everyone = [...seen.said.keys()]
        return verdict.kind === (seen.wins(everyone) ? 'disputed' : 'unreachable')
      },
    },
    {
      sentence:
        'of ranked values that differ the first that wins is served, and nobody could still change that',
      holds: ({ verdict, seen }) => {
        const { agree, patient } = seen.setting.policy
        if (agree !== 'ranked' || patient || seen.oneWins || !isWhole(verdict) || verdict.on !== 'value')
          return true
        if (seen.values.length < 2) return true
        const rank = rankOf(seen, verdict.vote)
        if (seen.wins(seen.pending)) return false
        return !seen.values.some(
          ({ what, voters }) => rankOf(seen, what) < rank && seen.wins(voters, seen.pending),
        )
      },
    },
    {
      sentence:
        'the latest time that a threshold has reached is served, and not before all but f were heard, and all in time',
      holds: ({ verdict, seen, state }) => {
        const { policy, needs } = seen.setting
        if (policy.agree !== 'reached' || !isWhole(verdict) || verdict.on !== 'value') return true
        const latest = seen.winningValues
          .map(({ what }) => what)
          .sort()
          .at(-1)
        if (state.places.includes('in time') && state.settled?.expired !== true) return false
        return verdict.vote === latest && seen.pending.length <= needs.f
      },
    },
    {
      sentence: 'whoever is patient hears everyone, and of two that win neither is served',
      holds: ({ verdict, seen }) => {
        if (!seen.setting.policy.patient) return true
        if (seen.pending.length > 0) return false
        return verdict.kind !== 'agreed' || seen.winningValues.length + seen.winningRefusals.length < 2
      },
    },
    {
      sentence: 'where one vote wins, a difference is decided by all, for the largest group',
      holds: ({ verdict, seen }) => {
        if (!isByMajority(seen)) return true
        if (!isWhole(verdict)) return verdict.kind === 'disputed'
        const others = [...seen.values, ...seen.refusals].filter(({ what }) => what !== verdict.vote)
        return seen.pending.length === 0 && others.every((other) => size(other) < verdict.members.length)
      },
    },
    {
      sentence:
        'every item that is served was listed by a threshold, alike, once a key, the later version of two',
      holds: ({ verdict, seen }) => {
        if (verdict.kind !== 'agreed' || verdict.on !== 'items') return true
        const won = seen.items.filter(({ voters }) => seen.wins(voters))
        const later = won.filter(
          ({ what }) => !won.some((rival) => keyIn(rival.what) === keyIn(what) && rival.what > what),
        )
        const served = verdict.items.map(({ key, vote }) => `${key}=${vote}`)
        const right = later.map(({ what }) => what).sort()
        const members = new Set(verdict.items.flatMap(({ voters }) => voters))
        if (seen.setting.policy.patient !== true && seen.pending.length > seen.setting.needs.f) return false
        return (
          served.join() === right.join() &&
          same(verdict.members, [...members]) &&
          verdict.items.every(({ key, vote, voters }) =>
            same(voters, seen.items.find(({ what }) => what === `${key}=${vote}`)?.voters ?? []),
          )
        )
      },
    },
    {
      sentence: 'an item that all but f list, as far as is known, is on every list that is served',
      holds: ({ verdict, seen }) => {
        if (seen.setting.policy.agree !== 'items' || verdict.kind !== 'agreed' || verdict.on === 'refusal')
          return true
        if (seen.setting.needs.votes <= seen.setting.needs.f || isByMajority(seen)) return true
        const served = itemsServed(seen, verdict)
        return seen.items.every(({ what, voters }) => {
          const others = heardOf(seen) - voters.length
          if (others > seen.setting.needs.f || !seen.wins(voters, seen.pending)) return true
          return served.some((item) => item === what || (keyIn(item) === keyIn(what) && item > what))
        })
      },
    },
    {
      sentence:
        'a beginning of a history that is served is the longest that a threshold ends with a whole moment',
      holds: ({ verdict, seen }) => {
        if (verdict.kind !== 'agreed' || verdict.on !== 'history') return true
        const whole = seen.wholeBeginnings
        const longest = Math.max(...whole.map(({ what }) => what.split(' ').length))
        const said = seen.said.find((reply) => reply?.kind === 'value' && reply.vote === verdict.vote)
        const served = textOf(stepsOf(said).slice(0, verdict.length))
        const carriers = whole.find(({ what }) => what === served)?.voters ?? []
        return verdict.length > 0 && verdict.length === longest && same(carriers, verdict.members)
      },
    },
  ]

const lawsOfWaiting: readonly Law[] = [
  {
    sentence: 'the caller is not left hanging: somebody is in flight',
    holds: ({ state }) => state.places.some(isInFlight),
  },
  {
    sentence:
      'those that are neither paused nor among the first f that are late are enough, or everyone was asked',
    holds: ({ seen, state }) => {
      if (!state.places.includes('unasked')) return true
      const beyond = state.late.slice(mostSilent(seen.setting.needs))
      const expected = [...votersAt(state, ['in time']), ...beyond]
      if (seen.setting.policy.provable === true && expected.length > 0) return true
      return [...seen.values, ...seen.refusals, { voters: [] }].some(({ voters }) =>
        seen.wins(voters, expected),
      )
    },
  },
  { sentence: 'once all were heard there is a verdict', holds: ({ seen }) => seen.pending.length > 0 },
  {
    sentence: 'nothing is waited for where nothing can win any more',
    holds: ({ seen }) => seen.setting.policy.patient || seen.somethingCouldWin(seen.pending),
  },
  {
    sentence: 'a value wins as soon as its group has the threshold',
    holds: ({ seen, state }) => {
      const { patient, agree } = seen.setting.policy
      if (patient || seen.winningValues.length === 0) return true
      if (isByMajority(seen)) return true
      if (agree === 'reached')
        return seen.pending.length > seen.setting.needs.f || state.places.includes('in time')
      return agree === 'ranked' && seen.values.length > 1 && aRankedOneMayCome(seen)
    },
  },
  {
    sentence: 'an absence wins as soon as no value can',
    holds: ({ seen }) =>
      seen.setting.policy.patient ||
      isByMajority(seen) ||
      seen.winningRefusals.length !== 1 ||
      seen.valueCouldWin(seen.pending),
  },
  {
    sentence: 'equal refusals of all but f are enough, whoever is late',
    holds: ({ seen }) => {
      const { f, votes } = seen.setting.needs
      const { n } = seen.setting.electorate.superValidators
      const most = Math.max(0, ...seen.refusals.map(size))
      if (seen.setting.policy.patient || votes <= f || seen.setting.needs.operators > 0) return true
      return votes > n - f || most < n - f
    },
  },
]

const lawsOfAlways: readonly Law[] = [
  {
    sentence: 'a plan closes when there is a verdict and nobody is in flight, and not before',
    holds: ({ state }) => state.closed === (state.settled !== undefined && !state.places.some(isInFlight)),
  },
  {
    sentence:
      'whoever is economical asks no more than a threshold, a spare, and one for each that said something else, wants to be asked later or is late, up to f that are late at a time',
    holds: ({ seen, state }) => {
      const { policy, fanout, needs, course } = seen.setting
      if (
        course.again ||
        fanout !== 'economical' ||
        policy.agree !== 'whole' ||
        policy.patient ||
        policy.provable
      )
        return true
      if (needs.operators > 0 || needs.votes < 2 || seen.refusals.length > 0) return true
      const leading = Math.max(0, ...seen.values.map(size))
      const others = votersAt(state, ['heard']).length - leading
      const late = Math.min(state.late.length, mostSilent(needs))
      const delayed = late + state.lateOnce + votersAt(state, ['paused']).length
      const spare = course.spare ? 1 : 0
      return state.settled !== undefined || askedIn(state) <= needs.votes + spare + others + delayed
    },
  },
  {
    sentence: 'whoever asks all, whoever is patient, and whoever wants a time, asks all at once',
    holds: ({ seen, state, first }) => {
      const { policy, fanout } = seen.setting
      const wantsAll = fanout === 'all' || policy.patient || policy.agree === 'reached'
      if (!first || !wantsAll || state.settled !== undefined) return true
      return !state.places.includes('unasked')
    },
  },
  {
    sentence:
      'the first wave is a threshold, with a spare or without, or a quorum where that is asked for, or one where one can be proof',
    holds: ({ seen, state, first }) => {
      const { policy, fanout, needs, electorate, order, course } = seen.setting
      if (!first || fanout === 'all' || policy.patient || state.settled !== undefined) return true
      if (needs.operators > 0) return true
      const quorum = Math.ceil((electorate.superValidators.n + needs.f + 1) / 2)
      const economical = policy.provable === true ? 1 : needs.votes + (course.spare ? 1 : 0)
      const wanted = fanout === 'quorum' ? Math.max(needs.votes, quorum) : economical
      return askedIn(state) === Math.min(order.length, wanted)
    },
  },
]

export function checkLaws({ setting, before, after }: Step): void {
  const isNew = before?.settled === undefined
  const seen = new Seen(setting, after, after.settled?.expired === true)
  const moment = { seen, state: after, first: before === undefined }
  for (const law of lawsOfAlways) keep(law, law.holds(moment))
  if (after.settled === undefined) for (const law of lawsOfWaiting) keep(law, law.holds(moment))
  else if (isNew) {
    const settled = { ...moment, verdict: after.settled.verdict }
    for (const law of lawsOfVerdicts) keep(law, law.holds(settled))
  }
}

function keep({ sentence }: { readonly sentence: string }, holds: boolean): void {
  if (!holds) throw new Error(`broken: ${sentence}`)
}

function isWhole(verdict: Verdict): verdict is Extract<Agreed, { on: 'value' | 'refusal' }> {
  return verdict.kind === 'agreed' && (verdict.on === 'value' || verdict.on === 'refusal')
}

function isRefusal(verdict: Verdict): boolean {
  return verdict.kind === 'agreed' && verdict.on === 'refusal'
}

function heardOf({ said }: Seen): number {
  return said.filter((reply) => reply !== undefined).length
}

function isProven({ said }: Seen, vote: string): boolean {
  const proves = (reply: Reply | undefined) =>
    reply?.kind === 'value' && reply.proven === true && reply.vote === vote
  return said.some(proves)
}

/**
 * Whether one vote is enough to win and yet the largest group decides, because values differ or a voter refused. A
 * proven value decides alone, and times may differ.
 */
function isByMajority(seen: Seen): boolean {
  return (
    seen.oneWins &&
    seen.setting.policy.agree !== 'reached' &&
    (seen.values.length > 1 || seen.refusals.length > 0) &&
    !seen.values.some(({ what }) => isProven(seen, what))
  )
}

function rankOf({ said }: Seen, vote: string): string {
  const reply = said.find((each) => each?.kind === 'value' && each.vote === vote)
  return reply?.kind === 'value' ? (reply.rank ?? '') : ''
}

/** Whether a value can still win whose rank comes before the ranks of all values that win already. */
function aRankedOneMayCome(seen: Seen): boolean {
  const first = seen.winningValues.map(({ what }) => rankOf(seen, what)).sort()[0] ?? ''
  const earlier = seen.values.filter(({ what }) => rankOf(seen, what) < first)
  return seen.wins(seen.pending) || earlier.some(({ voters }) => seen.wins(voters, seen.pending))
}

function itemsServed(seen: Seen, verdict: Agreed): readonly string[] {
  if (verdict.on === 'items') return verdict.items.map(({ key, vote }) => `${key}=${vote}`)
  const said = seen.said.find(
    (reply) => reply?.kind === 'value' && 'vote' in verdict && reply.vote === verdict.vote,
  )
  return said?.kind === 'value' ? (said.items ?? []).map(({ key, vote }) => `${key}=${vote}`) : []
}

function keyIn(item: string): string {
  return item.slice(0, item.indexOf('='))
}

function votersAt({ places }: State, at: readonly State['places'][number][]): readonly number[] {
  return [...places.keys()].filter((voter) => at.includes(places[voter] as State['places'][number]))
}

function askedIn(state: State): number {
  return sum([state.places.length, -votersAt(state, ['cut off', 'unasked']).length])
}
