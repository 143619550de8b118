import type { Reply } from '../../../src/core/quorum/reply.ts'
import { decide } from '../../../src/core/quorum/rules.ts'
import type { Verdict } from '../../../src/core/quorum/verdict.ts'
import { stepsOf, textOf } from './seen.ts'
import type { Setting } from './settings.ts'

interface Told {
  readonly absent: boolean
  /** The whole value. Undefined if the voters agreed only on items or on a beginning of the history. */
  readonly whole?: string
  readonly versions: ReadonlyMap<string, string>
  readonly history: string
}

export interface Pairs {
  /** The number of runs with an answer. Any two of these runs differ in the reply of some voter. */
  readonly runs: number
  readonly pairs: number
}

/**
 * Compares every two runs of one question that could happen together. In two such runs, at most f voters cast different
 * votes. No reply, a fault and an abstention are no votes.
 * Without operators, it does not matter which voter is which. The first run of a pair then stands for all runs with the
 * same replies in another order.
 * @throws an error if two answers contradict each other.
 */
export function compareRuns(setting: Setting): Pairs {
  const runs = [...hearings(setting.alphabet.length, setting.electorate.voters.length)].flatMap((says) => {
    const told = toldBy(setting, says)
    return told === undefined ? [] : [{ says, told }]
  })
  const counted = setting.needs.operators > 0
  const first = runs.filter(
    ({ says }) => counted || says.every((said, at) => at === 0 || said >= (says[at - 1] ?? 0)),
  )
  const votes = setting.alphabet.map(({ kind }) => kind === 'value' || kind === 'refusal')
  let pairs = 0
  for (const one of first) {
    for (const other of runs) {
      if (!onlyFewChanged(one.says, other.says, votes, setting.needs.f)) continue
      pairs++
      if (!areCompatible(one.told, other.told)) throw new Error(`two truths: ${JSON.stringify([one, other])}`)
    }
  }
  return { runs: runs.length, pairs }
}

function* hearings(letters: number, voters: number): Generator<readonly number[]> {
  if (voters === 0) return yield []
  for (const rest of hearings(letters, voters - 1)) {
    for (let says = -1; says < letters; says++) yield [...rest, says]
  }
}

function toldBy({ electorate, policy, alphabet }: Setting, says: readonly number[]): Told | undefined {
  const heard = says.map((said) => alphabet[said])
  const verdict = decide(electorate, heard, policy)
  return verdict?.kind === 'agreed' ? told(verdict, heard) : undefined
}

function told(verdict: Extract<Verdict, { kind: 'agreed' }>, heard: readonly (Reply | undefined)[]): Told {
  const isWhole = verdict.on === 'value' || verdict.on === 'refusal'
  const vote = 'vote' in verdict ? verdict.vote : undefined
  const said = heard.find((reply) => reply?.kind === 'value' && reply.vote === vote)
  const items = verdict.on === 'items' ? verdict.items : said?.kind === 'value' ? (said.items ?? []) : []
  const length = verdict.on === 'history' ? verdict.length : Number.POSITIVE_INFINITY
  return {
    absent: verdict.on === 'refusal',
    ...(isWhole && { whole: verdict.vote }),
    versions: new Map(items.map((item) => [item.key, item.vote])),
    history: textOf(stepsOf(said).slice(0, length)),
  }
}

function onlyFewChanged(
  one: readonly number[],
  other: readonly number[],
  votes: readonly boolean[],
  few: number,
) {
  let changed = 0
  for (let voter = 0; voter < one.length; voter++) {
    const [a, b] = [one[voter] as number, other[voter] as number]
    if (a !== b && votes[a] === true && votes[b] === true) changed++
  }
  return changed <= few
}

function areCompatible(one: Told, other: Told): boolean {
  if (one.absent !== other.absent) return false
  if (one.whole !== undefined && other.whole !== undefined) return one.whole === other.whole
  const [short, long] = [one.history, other.history].sort((a, b) => a.length - b.length) as [string, string]
  const continues = short === '' || long === short || long.startsWith(`${short} `)
  return continues && [...one.versions].every(([key, vote]) => (other.versions.get(key) ?? vote) === vote)
}
