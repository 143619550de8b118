import type { Command } from '../ledger/command.ts'
import { AmuletRules } from '../ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../ledger/daml/splice/ans.ts'
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts'
import { create } from '../ledger/typed.ts'
import type { Micros, Party } from '../ledger/value.ts'
import { Rules } from '../names/rules.ts'
import { dsoUserId } from '../names/users.ts'
import { byDso } from './dso.ts'
import { foundingAmuletConfig, foundingAnsRules } from './founding.ts'
import { decideRounds } from './mining-rounds.ts'

export interface BootstrapOptions {
  /** Of the name service, in lower case: `cns`. */
  readonly acronym: string
  readonly now: Micros
}

/**
 * Sees to it that a ledger has what a registry stands on: the DSO's party, its rules for names and for amulets, and its
 * first mining rounds. What is there already stays as it is.
 * @returns the DSO's party.
 */
export async function bootstrap(ledger: Ledger, { acronym, now }: BootstrapOptions): Promise<Party> {
  const dso = await ledger.partyOf(dsoUserId, 'DSO')
  using rules = new Rules(dso, ledger)
  const { ansRules, amuletRules, rounds } = await rules.get()
  if (ansRules === undefined) {
    await found(ledger, dso, 'found-ans-rules', create(AnsRules, foundingAnsRules(dso, acronym)))
  }
  if (amuletRules === undefined) {
    const config = { initialValue: foundingAmuletConfig(await synchronizerOf(ledger)), futureValues: [] }
    await found(
      ledger,
      dso,
      'found-amulet-rules',
      create(AmuletRules, { dso, configSchedule: config, isDevNet: true }),
    )
  }
  // Later rounds are automation's: where nothing is missing nothing is written, and a ledger that only reads will do.
  if (rounds.length === 0) {
    for (const submission of decideRounds(await rules.get(), now)) await ledger.submit(submission)
  }
  return dso
}

/** How many updates at the end of a damaged log are passed over. */
const mostPassedOver = 100

/**
 * When the ledger last changed, as far as it can be read; 0 where it is new, or cannot be read at all. A clock that is
 * behind finds no round open: rounds open later, to it.
 */
export async function lastRecordTime(ledger: Pick<Ledger, 'end' | 'updates'>): Promise<Micros> {
  const end = (await unlessUnavailable(ledger.end())) ?? 0
  for (let offset = end; offset > Math.max(0, end - mostPassedOver); offset--) {
    const [last] = (await unlessUnavailable(ledger.updates(offset - 1, offset, 1))) ?? []
    if (last !== undefined) return last.recordTime
  }
  return 0
}

async function unlessUnavailable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof LedgerUnavailable) return undefined
    throw error
  }
}

async function found(ledger: Ledger, dso: Party, commandId: string, command: Command): Promise<void> {
  const outcome = await ledger.submit(byDso(dso, commandId, [command]))
  if (outcome.kind === 'refused') throw new Error(`the ledger refused ${commandId}: ${outcome.message}`)
}

/** Of the DSO's allocation, which is the least that a ledger has. */
async function synchronizerOf(ledger: Ledger): Promise<string> {
  const [first] = await ledger.updates(0, 1, 1)
  if (first === undefined) throw new Error('the ledger has a party, but no update')
  return first.synchronizerId
}
