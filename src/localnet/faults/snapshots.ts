import { z } from 'zod'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { NodeContext } from '../node-context.ts'
import type { Micros } from '../world/instant.ts'
import {
  gridPeriod,
  type HonestPage,
  type PageAsked,
  type ServedContract,
  type Snapshots,
} from '../world/snapshots.ts'
import {
  added,
  altered,
  dropped,
  type Falsehood,
  forgery,
  ofAnotherDso,
  pagesBeyond,
  reordered,
  tokenBeyond,
  withTokenOfFalsePage,
} from './false-snapshots.ts'
import { defineFault, type Effects } from './fault.ts'

type SnapshotContracts = readonly ServedContract[]
type Paging = NonNullable<Snapshots['paging']>
type Change = (falsehood: Falsehood, context: NodeContext) => (snapshots: Snapshots) => Snapshots

interface SnapshotContext {
  readonly at: Micros
  readonly context: NodeContext
}

/** Makes the changed contracts once for a snapshot, so that all its pages show the same ones. */
function content(
  change: (contracts: SnapshotContracts, falsehood: Falsehood, about: SnapshotContext) => SnapshotContracts,
): Change {
  return (falsehood, context) => {
    const made = new WeakMap<SnapshotContracts, SnapshotContracts>()
    const changed = (contracts: SnapshotContracts, at: Micros) => {
      const known = made.get(contracts) ?? change(contracts, falsehood, { at, context })
      made.set(contracts, known)
      return known
    }
    return (snapshots) => ({
      ...snapshots,
      contracts: (at) => whenKnown(snapshots.contracts(at), (contracts) => changed(contracts, at)),
    })
  }
}

function paging(page: (snapshots: Snapshots, falsehood: Falsehood) => Paging): Change {
  return (falsehood) => (snapshots) => ({ ...snapshots, paging: page(snapshots, falsehood) })
}

const earlier = (asked: PageAsked): PageAsked => ({ ...asked, at: asked.at - gridPeriod })

const repeating: Paging = (asked, honest) => {
  if (pagesBeyond(asked) !== undefined) return honest({ ...asked, after: undefined })
  const page = honest(asked)
  return asked.after === undefined ? whenKnown(page, (first) => ({ ...first, next: tokenBeyond(0) })) : page
}

const endless: Paging = (asked, honest) => {
  const pages = pagesBeyond(asked)
  if (pages === undefined) return whenKnown(honest(asked), withTokenOfFalsePage)
  return { at: asked.at, contracts: [], next: tokenBeyond(pages + 1) }
}

function flooding({ contracts }: Snapshots, falsehood: Falsehood): Paging {
  return (asked: PageAsked, honest: HonestPage) => {
    const pages = pagesBeyond(asked)
    if (pages === undefined) return whenKnown(honest(asked), withTokenOfFalsePage)
    return whenKnown(contracts(asked.at), (all) => {
      const forged = Array.from({ length: asked.size }, (_, index) =>
        forgery(all, falsehood, { at: asked.at, number: pages * asked.size + index }),
      )
      return {
        at: asked.at,
        contracts: forged.filter((contract) => contract !== undefined),
        next: tokenBeyond(pages + 1),
      }
    })
  }
}

const changes = {
  missing: () => (snapshots) => ({
    ...snapshots,
    upTo: () => undefined,
    after: () => undefined,
    contracts: () => [],
  }),
  altered: content((contracts, falsehood) => altered(contracts, falsehood)),
  reordered: content((contracts, _falsehood, { context }) => reordered(contracts, context.index + 1)),
  dropped: content((contracts, falsehood) => dropped(contracts, falsehood)),
  added: content((contracts, falsehood, { at }) => added(contracts, falsehood, at)),
  half: content((contracts) => contracts.slice(0, Math.floor(contracts.length / 2))),
  'another-dso': content((contracts, { salt }, { context }) =>
    ofAnotherDso(contracts, context.network.dsoParty, salt),
  ),
  repeated: paging(() => repeating),
  endless: paging(() => endless),
  flood: paging(flooding),
  'another-instant': paging(() => (asked, honest) => honest(earlier(asked))),
  stale: paging(
    () => (asked, honest) => whenKnown(honest(earlier(asked)), (page) => ({ ...page, at: asked.at })),
  ),
} as const satisfies Readonly<Record<string, Change>>

const ways = ['late', ...(Object.keys(changes) as (keyof typeof changes)[])] as const

const descriptions = [
  'late: has a snapshot only `by` after its time',
  'missing: has none',
  'altered: one contract has another `field`',
  'reordered: is honest, but in an order of its own',
  'dropped: one contract is missing',
  'added: there is a forged entry',
  'half: ends after half of the contracts',
  'another-dso: is of another DSO',
  'repeated: the first page comes twice',
  'endless: empty pages without end follow',
  'flood: pages of forged entries without end follow',
  'another-instant: is of three hours before, and says so',
  'stale: is of three hours before, and does not say so',
]

const snapshot = defineFault({
  kind: 'snapshot',
  sentence: 'has false or odd snapshots of the contracts of the DSO',
  options: {
    how: z.enum(ways).default('altered').describe(descriptions.join('; ')),
    by: z.int().min(0).max(86_400_000).default(1_800_000).describe('how late, in ms'),
    name: z.string().optional().describe('the name whose entry it concerns; the first one by default'),
    field: z.string().min(1).default('user').describe('the field of the entry that is altered'),
    alone: z.boolean().default(false).describe('true: a falsehood of its own'),
  },
  effects({ how, by, name, field, alone }): Effects {
    if (how === 'late') return { traits: { settlingMs: by } }
    const change: Change = changes[how]
    return {
      see(view, context) {
        const falsehood = { salt: alone ? context.member.name : 'together', name, field }
        const changed = change(falsehood, context)
        return { ...view, snapshots: () => changed(view.snapshots()) }
      },
    }
  },
})

export const snapshotFaults = [snapshot] as const
