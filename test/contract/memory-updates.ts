import { rendering } from '../../src/ledger/feed/views.ts'
import type { Ledger, PrintedUpdates, PrintRequest } from '../../src/ledger/ledger.ts'
import type { ActiveContract, Reassignment, Update } from '../../src/ledger/update.ts'
import type { Catalog } from '../../src/ledger/visibility/catalog.ts'

type Reads = Pick<
  Ledger,
  | 'end'
  | 'prunedUpTo'
  | 'checkpoint'
  | 'findUpdate'
  | 'updates'
  | 'printed'
  | 'watch'
  | 'subscribe'
  | 'activeContracts'
  | 'hosts'
>

export function ledgerOf(log: readonly (Update | Reassignment)[], pruned: number, catalog: Catalog): Ledger {
  const updates = log as readonly Update[]
  const end = updates.at(-1)?.offset ?? 0
  const within = (after: number, upTo: number) =>
    updates.filter(({ offset }) => offset > after && offset <= upTo)
  const reads: Reads = {
    end: async () => end,
    prunedUpTo: async () => pruned,
    checkpoint: async () => ({ kind: 'offset-checkpoint', offset: end, synchronizerTimes: [] }),
    findUpdate: async (updateId) => updates.find((update) => update.updateId === updateId),
    updates: async (after, upTo, limit) => within(after, upTo).slice(0, limit),
    printed: async (request) => printed(within(request.after, request.upTo), request, catalog),
    watch: () => () => {},
    subscribe: () => () => {},
    activeContracts: async (at, limit, after = { offset: 0, nodeId: 0 }) =>
      activeAt(within(0, at))
        .filter(
          ({ offset, nodeId }) => offset > after.offset || (offset === after.offset && nodeId > after.nodeId),
        )
        .slice(0, limit),
    hosts: async (party) => updates.some((update) => update.kind === 'party' && update.party === party),
  }
  return reads as Ledger
}

function printed(updates: readonly Update[], request: PrintRequest, catalog: Catalog): PrintedUpdates {
  const { after, upTo, descending, limit, format, rights } = request
  const render = rendering(format, rights, catalog)
  const rendered = (descending ? updates.toReversed() : updates).flatMap((update) => render(update) ?? [])
  const taken = rendered.slice(0, limit)
  return {
    json: Buffer.from(taken.map(({ text }) => text).join(',')),
    count: taken.length,
    next: rendered[limit]?.offset,
    after,
    upTo,
  }
}

function activeAt(updates: readonly Update[]): readonly ActiveContract[] {
  const active = new Map<string, ActiveContract>()
  for (const update of updates) {
    if (update.kind !== 'transaction') continue
    const { offset, workflowId, synchronizerId } = update
    for (const node of update.nodes) {
      if (node.kind === 'exercise' && node.consuming) active.delete(node.contractId)
      if (node.kind !== 'create') continue
      const { contract, nodeId } = node
      active.set(contract.contractId, { contract, offset, nodeId, workflowId, synchronizerId })
    }
  }
  return [...active.values()]
}
