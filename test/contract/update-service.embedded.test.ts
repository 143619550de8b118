import { LocalUpdates } from '../../src/ledger/updates/local-updates.ts'
import { spliceCatalog } from '../../src/ledger/visibility/catalog.splice.ts'
import type { ReadRights } from '../../src/ledger/visibility/rights.ts'
import { openLedger } from '../ledger/embedded/open.ts'
import { archive, commit, entryCreate, pairOf, register } from '../ledger/submissions.ts'
import { updateServiceContract } from './update-service.contract.ts'

async function open() {
  const { ledger, clock } = await openLedger()
  const [alice, bob] = [await pairOf(ledger, 'alice'), await pairOf(ledger, 'bob')]
  const readers = new Map<string, ReadRights>()
  const updates = new LocalUpdates(
    { ledgerId: ledger.participantId, synchronizerId: ledger.synchronizerId },
    {
      ledger,
      catalog: spliceCatalog,
      clock,
      tokenClock: clock,
      access: async (token = '') => {
        const rights = readers.get(token)
        return rights === undefined
          ? { kind: 'unauthenticated' }
          : { kind: 'reader', userId: token, rights, expiresAt: undefined }
      },
    },
  )
  const grow = async (pair: typeof alice, count: number) => {
    for (let each = 0; each < count; each++) await commit(ledger, pair, entryCreate(pair, `name-${each}`))
  }
  const as = (rights: ReadRights) => {
    const token = `token ${readers.size}`
    readers.set(token, rights)
    return updates.open(token)
  }
  return {
    reads: await as({ readAs: new Set([alice.user]), readAsAnyParty: false }),
    as,
    other: bob.user,
    growOther: (count: number) => grow(bob, count),
    create: async () => (await register(ledger, alice, 'one')).contractId,
    archive: async (contractId: string) => void (await commit(ledger, alice, archive(contractId))),
    allocate: () => ledger.partyOf('carol', 'carol'),
    party: alice.user,
    grow: (count: number) => grow(alice, count),
    skip: (count: number) => grow(bob, count),
    async [Symbol.asyncDispose]() {
      updates[Symbol.dispose]()
      await ledger[Symbol.asyncDispose]()
    },
  }
}

updateServiceContract('the embedded ledger', open, { pages: true })
