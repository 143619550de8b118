import { AmuletRules } from '../../registry/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../registry/ledger/daml/splice/ans.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import { initialAmuletRules, initialAnsRules } from '../../registry/ledger/initial-rules.ts'
import { type Command, create } from '../../registry/ledger/ledger.ts'
import type { Micros, Party } from '../../registry/ledger/value.ts'
import { Rules } from '../../registry/names/rules.ts'
import { dsoUserId } from '../../registry/names/users.ts'
import { byDso } from './duty.ts'
import { decideRounds } from './mining-rounds.ts'

export interface BootstrapOptions {
  /** The part of every name after its last dot, in lower case: `cns`. */
  readonly acronym: string
  readonly now: Micros
}

/**
 * Creates what the ledger of a name registry lacks: the DSO's party, the rules for names and for
 * amulets, and the first mining rounds.
 */
export async function bootstrap(ledger: EmbeddedLedger, { acronym, now }: BootstrapOptions): Promise<Party> {
  const dso = await ledger.partyOf(dsoUserId, 'DSO')
  const rules = new Rules(dso, ledger)
  const { ansRules, amuletRules, rounds } = await rules.get()
  if (ansRules === undefined) {
    await found(ledger, dso, 'found-ans-rules', create(AnsRules, initialAnsRules(dso, acronym)))
  }
  if (amuletRules === undefined) {
    const [latest] = (await ledger.checkpoint()).synchronizerTimes
    const initial = initialAmuletRules(dso, latest?.synchronizerId ?? '')
    await found(ledger, dso, 'found-amulet-rules', create(AmuletRules, initial))
  }
  // If the ledger has everything already, nothing is written, so a daemon can start on a ledger
  // that takes no writes.
  if (rounds.length === 0) {
    for (const submission of decideRounds(await rules.get(), now)) await ledger.submit(submission)
  }
  return dso
}

async function found(ledger: EmbeddedLedger, dso: Party, commandId: string, command: Command): Promise<void> {
  const outcome = await ledger.submit(byDso(dso, commandId, [command]))
  if (outcome.kind === 'refused') throw new Error(`the ledger refused ${commandId}: ${outcome.message}`)
}
