import { hash } from 'node:crypto'
import { z } from 'zod'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import { seededRandom } from '../../base/lib/random.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import type { NodeContext } from '../node-context.ts'
import { type Micros, microsIn } from '../world/contract.ts'
import {
  gridPeriod,
  inOrderOfCreation,
  type PageAsked,
  type ServedContract,
  type Snapshots,
  templateOf,
  updateIdOf,
} from '../world/snapshots.ts'
import { defineFault, type Effects } from './fault.ts'
import { shuffled } from './json-text.ts'

type ServedContracts = readonly ServedContract[]

export interface Falsehood {
  readonly salt: string
  /**
   * The name whose entry is falsified, or that a forged entry gets. If undefined, the first entry
   * is falsified, and a forged entry gets a made-up name.
   */
  readonly name: string | undefined
  readonly field: string
}

const year = 365 * 86_400_000_000

function hex(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'hex')
}

function concerned(contracts: ServedContracts, { name }: Falsehood): number {
  const found = contracts.findIndex(
    (contract) =>
      templateOf(contract) === 'Splice.Ans:AnsEntry' &&
      (name === undefined || contract.create_arguments['name'] === name),
  )
  return found === -1 ? contracts.length - 1 : found
}

function altered(contracts: ServedContracts, falsehood: Falsehood): ServedContracts {
  const { field, salt } = falsehood
  const at = concerned(contracts, falsehood)
  const contract = contracts[at]
  if (contract === undefined) return contracts
  const { create_arguments: entry } = contract
  const said = { ...entry, [field]: another(entry[field], salt) }
  return contracts.with(at, { ...contract, create_arguments: said })
}

function another(value: unknown, salt: string): string {
  const text = typeof value === 'string' ? value : ''
  if (text.includes('::')) return `mallory::1220${hex(salt, 'party')}`
  const time = microsIn(text)
  return Number.isNaN(time) ? `${text}${hex(salt, text).slice(0, 6)}` : timeOf(time + year)
}

function dropped(contracts: ServedContracts, falsehood: Falsehood): ServedContracts {
  return contracts.toSpliced(concerned(contracts, falsehood), 1)
}

const added: ContentChange = (contracts, falsehood, { at }) => {
  const forged = forgery(contracts, falsehood, { at, number: 0 })
  return forged === undefined ? contracts : inOrderOfCreation([...contracts, forged])
}

function forgery(
  contracts: ServedContracts,
  { salt, name }: Falsehood,
  { at, number }: { readonly at: Micros; readonly number: number },
): ServedContract | undefined {
  const model = contracts.findLast((contract) => templateOf(contract) === 'Splice.Ans:AnsEntry')
  if (model === undefined) return undefined
  const { dso, name: known } = model.create_arguments
  const said = `${salt} ${number}`
  const suffix = String(known).slice(String(known).indexOf('.'))
  const user = `mallory::1220${hex(salt, 'party')}`
  const contractId = `00${hex(said, 'entry')}ca111220${hex(said, 'suffix')}`
  return {
    ...model,
    created_in_update_id: updateIdOf(contractId),
    contract_id: contractId,
    create_arguments: {
      user,
      dso: dso ?? null,
      name: name ?? `mallory-${hex(said).slice(0, 8)}${suffix}`,
      url: '',
      description: '',
      expiresAt: timeOf(at + year),
    },
    created_at: timeOf(at - 1_000_000),
    signatories: [String(dso), user].sort(),
  }
}

const ofAnotherDso: ContentChange = (contracts, { salt }, { context }) => {
  const text = JSON.stringify(contracts).replaceAll(context.network.dsoParty, `DSO::1220${hex(salt, 'dso')}`)
  return parseJsonText(text) as ServedContracts
}

/**
 * Page tokens from this number on lead to false pages. Honest tokens are row numbers, which are
 * always smaller.
 */
const firstFalseToken = 2 ** 52

function pagesBeyond({ after }: PageAsked): number | undefined {
  return after === undefined || after < firstFalseToken ? undefined : after - firstFalseToken
}

type Paging = NonNullable<Snapshots['paging']>
type Change = (falsehood: Falsehood, context: NodeContext) => (snapshots: Snapshots) => Snapshots

type ContentChange = (
  contracts: ServedContracts,
  falsehood: Falsehood,
  about: { readonly at: Micros; readonly context: NodeContext },
) => ServedContracts

/** Makes the changed contracts once for a snapshot, so that all its pages show the same ones. */
function content(change: ContentChange): Change {
  return (falsehood, context) => {
    const made = new WeakMap<ServedContracts, ServedContracts>()
    const changed = (contracts: ServedContracts, at: Micros) => {
      const known = made.get(contracts) ?? change(contracts, falsehood, { at, context })
      made.set(contracts, known)
      return known
    }
    return (snapshots) => ({
      ...snapshots,
      contracts: async (at) => changed(await snapshots.contracts(at), at),
    })
  }
}

function paging(page: (snapshots: Snapshots, falsehood: Falsehood) => Paging): Change {
  return (falsehood) => (snapshots) => ({ ...snapshots, paging: page(snapshots, falsehood) })
}

const earlier = (asked: PageAsked): PageAsked => ({ ...asked, at: asked.at - gridPeriod })

const repeating: Paging = async (asked, honest) => {
  if (pagesBeyond(asked) !== undefined) return honest({ ...asked, after: undefined })
  const page = await honest(asked)
  return asked.after === undefined ? { ...page, next: firstFalseToken } : page
}

/** Answers honestly, and after the last page with pages of these contracts without end. */
function followedBy(contractsOf: (asked: PageAsked, pages: number) => MaybePromise<ServedContracts>): Paging {
  return async (asked, honest) => {
    const pages = pagesBeyond(asked)
    if (pages === undefined) {
      const page = await honest(asked)
      return { ...page, next: page.next ?? firstFalseToken }
    }
    return { at: asked.at, contracts: await contractsOf(asked, pages), next: firstFalseToken + pages + 1 }
  }
}

function flooding({ contracts }: Snapshots, falsehood: Falsehood): Paging {
  return followedBy(async ({ at, size }, pages) => {
    const all = await contracts(at)
    const forged = Array.from({ length: size }, (_, index) =>
      forgery(all, falsehood, { at, number: pages * size + index }),
    )
    return forged.filter((contract) => contract !== undefined)
  })
}

const changes = {
  missing: () => (snapshots) => ({
    ...snapshots,
    upTo: () => undefined,
    after: () => undefined,
    contracts: () => [],
  }),
  altered: content(altered),
  reordered: content((contracts, _, { context }) => shuffled(contracts, seededRandom(context.index + 1))),
  dropped: content(dropped),
  added: content(added),
  half: content((contracts) => contracts.slice(0, Math.floor(contracts.length / 2))),
  'another-dso': content(ofAnotherDso),
  repeated: paging(() => repeating),
  endless: paging(() => followedBy(() => [])),
  flood: paging(flooding),
  'another-instant': paging(() => (asked, honest) => honest(earlier(asked))),
  stale: paging(() => async (asked, honest) => ({ ...(await honest(earlier(asked))), at: asked.at })),
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
