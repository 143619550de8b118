import type { Annals } from './annals.ts'
import type { Contract } from './contract.ts'
import type { Network } from './network.ts'
import { servedContract } from './served-contract.ts'
import type { ServedContract } from './snapshots.ts'

/**
 * Returns contracts that a network has from its beginning, in the form in which snapshots contain them. They are the
 * rules of the DSO and of external parties, the contracts of super validators, and validator licenses. A ledger of a
 * localnet does not have these contracts.
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
