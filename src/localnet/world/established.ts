import type { Annals } from './annals.ts'
import type { Contract } from './contract.ts'
import type { Network } from './network.ts'
import { servedContract } from './served-contract.ts'
import type { ServedContract } from './snapshots.ts'

/**
 * Returns contracts that a network has from its beginning, as snapshots contain them: the rules of the DSO
 * and of external parties, the contracts of super validators, and validator licenses. A localnet makes them
 * up even if it reads a ledger, because the ledger does not have them.
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
