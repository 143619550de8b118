import { LocalUpdates } from '../../src/ledger/updates/local-updates.ts'
import { spliceCatalog } from '../../src/ledger/visibility/catalog.splice.ts'
import { openLedger } from '../ledger/embedded/open.ts'
import { commit, entryCreate, pairOf } from '../ledger/submissions.ts'
import { updateServiceContract } from './update-service.contract.ts'

async function open() {
  const { ledger, clock } = await openLedger()
  const [alice, bob] = [await pairOf(ledger, 'alice'), await pairOf(ledger, 'bob')]
  const rights = { readAs: new Set([alice.user]), readAsAnyParty: false }
  const updates = new LocalUpdates(
    { ledgerId: ledger.participantId, synchronizerId: ledger.synchronizerId },
    {
      ledger,
      catalog: spliceCatalog,
      clock,
      tokenClock: clock,
      access: async () => ({ kind: 'reader', rights, expiresAt: undefined }),
    },
  )
  const grow = async (pair: typeof alice, count: number) => {
    for (let each = 0; each < count; each++) await commit(ledger, pair, entryCreate(pair, `name-${each}`))
  }
  return {
    reads: await updates.open('a token'),
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
