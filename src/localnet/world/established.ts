import type { Annals } from './annals.ts'
import type { Contract } from './contract.ts'
import type { Network } from './network.ts'
import { servedContract } from './served-contract.ts'
import type { ServedContract } from './snapshots.ts'

/**
 * The contracts that all snapshots contain. They are made up even if the localnet reads a ledger,
 * because the ledger does not have them.
 */
export function establishedContracts(
  { dsoParty, dsoRules, svNodeStates }: Pick<Network, 'dsoParty' | 'dsoRules' | 'svNodeStates'>,
  { externalPartyRules, priceVotes, licenses }: Annals,
): readonly ServedContract[] {
  const signed = (contract: Contract) => servedContract(contract, dsoParty)
  const rules = [dsoRules, ...svNodeStates, ...(externalPartyRules ? [externalPartyRules] : [])]
  return [
    ...rules.map(({ contract }) => signed(contract)),
    ...priceVotes.map(signed),
    ...licenses.map((license) => servedContract(license, dsoParty, [String(license.payload['validator'])])),
  ]
}
