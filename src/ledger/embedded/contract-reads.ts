import type { Ledger } from '../ledger.ts'
import { createdIn } from './encoding.ts'
import type { ReadKind, Reads } from './protocol.ts'

export type AskTables = <K extends ReadKind>(kind: K, takes: Reads[K]['takes']) => Promise<Reads[K]['gives']>

export type ContractReads = Pick<Ledger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>

/**
 * Implements the reads of contracts and settings for both threads. In the ledger's thread, `ask`
 * queries the tables; in the main thread, `ask` sends a message.
 */
export function contractReads(ask: AskTables): ContractReads {
  return {
    async contract(contractId, asOf) {
      const text = await ask('contract', { contractId, asOf })
      return text === undefined ? undefined : createdIn(text)
    },
    contracts: async (filter, limit, asOf) =>
      (await ask('contracts', { filter, limit: limitOf(limit), asOf })).map(createdIn),
    async entries(filter) {
      const found = await ask('entries', { filter: { ...filter, limit: limitOf(filter.limit) } })
      return found.map(({ name, user, expiresAt, contract: text }) => {
        const contract = createdIn(text)
        return { contractId: contract.contractId, name, user, expiresAt, contract }
      })
    },
    due: async (filter, limit) => (await ask('due', { filter, limit: limitOf(limit) })).map(createdIn),
    setting: (party, key) => ask('setting', { party, key }),
  }
}

export function limitOf(limit: number): number {
  return Math.max(0, Math.trunc(limit))
}
