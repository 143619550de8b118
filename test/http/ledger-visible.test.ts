import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LedgerDoors, openLedgerDoors } from './ledger-doors.ts'

// The tests compute what a reader must see from what a reader of any party sees, by Canton's rules of visibility. They
// share no code with the ledger.

interface Created {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly witnessParties: readonly string[]
  readonly createdEventBlob: string
  readonly interfaceViews: readonly object[]
  readonly acsDelta: boolean
}

interface Exercised extends Pick<Created, 'contractId' | 'templateId' | 'packageName' | 'witnessParties'> {
  readonly offset: number
  readonly nodeId: number
  readonly consuming: boolean
  readonly implementedInterfaces: readonly string[]
}

type Event = { readonly CreatedEvent: Created } | { readonly ExercisedEvent: Exercised }

interface Transaction {
  readonly commandId: string
  readonly events: readonly Event[]
}

const holdingId = '718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b'
const holding = 'Splice.Api.Token.HoldingV1:Holding'
const kinds = ['Splice.Ans:AnsEntry', 'Splice.Amulet:Amulet', 'Splice.Amulet:LockedAmulet'] as const

/** A filter selects the contracts of one kind, holdings, or everything. */
interface Filter {
  readonly of: (typeof kinds)[number] | 'holding' | 'anything'
  readonly view: boolean
  readonly blob: boolean
}

function filterJson({ of, view: includeInterfaceView, blob: includeCreatedEventBlob }: Filter): object {
  if (of === 'anything') return { WildcardFilter: { value: { includeCreatedEventBlob } } }
  if (of === 'holding') {
    const interfaceId = `#splice-api-token-holding-v1:${holding}`
    return { InterfaceFilter: { value: { interfaceId, includeInterfaceView, includeCreatedEventBlob } } }
  }
  const of1 = of.startsWith('Splice.Ans:') ? 'splice-amulet-name-service' : 'splice-amulet'
  return { TemplateFilter: { value: { templateId: `#${of1}:${of}`, includeCreatedEventBlob } } }
}

type Filters = Readonly<Record<string, readonly Filter[]>>

function cumulative(filters: readonly Filter[]) {
  return { cumulative: filters.map((filter) => ({ identifierFilter: filterJson(filter) })) }
}

function eventFormat({ '*': any, ...byParty }: Filters): object {
  const filtersByParty = Object.fromEntries(
    Object.entries(byParty).map(([party, filters]) => [party, cumulative(filters)]),
  )
  return { filtersByParty, ...(any && { filtersForAnyParty: cumulative(any) }) }
}

let doors: LedgerDoors
let end: number
let names: Readonly<Record<string, string>>
let submitters: ReadonlyMap<string, readonly string[]>
let whole: readonly Transaction[]
const stakeholders = new Map<string, readonly string[]>()

beforeAll(async () => {
  doors = await openLedgerDoors()
  const { net } = doors
  const [alice, bob] = [await net.user('alice'), await net.user('bob')]
  await net.register(alice, 'alice')
  await net.wallet.tap(bob, '7.0')
  await net.wallet.reject(alice, (await net.ask(alice, 'other')).subscriptionRequestCid)
  await net.pass('91d')
  end = await net.ledger.end()
  names = { alice: alice.party, bob: bob.party, dso: net.dso }
  const all = {
    '*': [
      { of: 'anything', view: false, blob: true } as const,
      { of: 'holding', view: true, blob: false } as const,
    ],
  }
  whole = await seen(all, 'LEDGER_EFFECTS')
  for (const created of whole.flatMap(({ events }) => events.flatMap(createdOf)))
    stakeholders.set(created.contractId, [...created.signatories, ...created.observers])
  const completed = await doors.gets(`POST /v2/commands/command-completions?limit=${whole.length}`, {})
  submitters = new Map(
    completed.map(
      ({
        completionResponse,
      }: {
        completionResponse: { Completion: { value: { commandId: string; actAs: string[] } } }
      }) => {
        const { commandId, actAs } = completionResponse.Completion.value
        return [commandId, actAs]
      },
    ),
  )
})
afterAll(() => doors[Symbol.asyncDispose]())

async function seen(filters: Filters, shape: string): Promise<readonly Transaction[]> {
  const { updates } = await doors.gets('POST /v2/updates/get-updates-page', {
    endOffsetInclusive: end,
    maxPageSize: 2000,
    updateFormat: {
      includeTransactions: {
        eventFormat: eventFormat(filters),
        transactionShape: `TRANSACTION_SHAPE_${shape}`,
      },
    },
  })
  return updates.map(
    ({ update }: { update: { Transaction: { value: Transaction } } }) => update.Transaction.value,
  )
}

function createdOf(event: Event): readonly Created[] {
  return 'CreatedEvent' in event ? [event.CreatedEvent] : []
}

function expected(filters: Filters, shape: string): readonly Transaction[] {
  const { '*': any, ...byParty } = filters
  const among = (parties: readonly string[]) => parties.filter((party) => any || party in byParty)
  return whole.flatMap((transaction) => {
    const archived = transaction.events.flatMap((event) =>
      'ExercisedEvent' in event && event.ExercisedEvent.consuming ? [event.ExercisedEvent.contractId] : [],
    )
    const made = transaction.events.flatMap(createdOf).map(({ contractId }) => contractId)
    const events = transaction.events.flatMap((event): object[] => {
      const one = 'CreatedEvent' in event ? event.CreatedEvent : event.ExercisedEvent
      const { contractId, templateId } = one
      const isTransient = made.includes(contractId) && archived.includes(contractId)
      const changes = !isTransient && ('signatories' in one || one.consuming)
      if (shape === 'ACS_DELTA' && !changes) return []
      const owners = stakeholders.get(contractId) ?? []
      const witnessParties = among(shape === 'ACS_DELTA' ? owners : one.witnessParties)
      const kind = templateId.slice(65)
      const isHolding = kind.startsWith('Splice.Amulet:')
      const matching = [...(any ?? []), ...witnessParties.flatMap((party) => byParty[party] ?? [])].filter(
        ({ of }) => of === 'anything' || of === kind || (of === 'holding' && isHolding),
      )
      if (matching.length === 0) return []
      const isViewed = isHolding && matching.some(({ of, view }) => of === 'holding' && view)
      const acsDelta = changes && among(owners).length > 0
      if ('signatories' in one) {
        const createdEventBlob = matching.some(({ blob }) => blob) ? one.createdEventBlob : ''
        const interfaceViews = isViewed ? one.interfaceViews : []
        return [{ CreatedEvent: { ...one, createdEventBlob, interfaceViews, witnessParties, acsDelta } }]
      }
      const implementedInterfaces = isViewed && one.consuming ? [`${holdingId}:${holding}`] : []
      if (shape === 'LEDGER_EFFECTS')
        return [{ ExercisedEvent: { ...one, witnessParties, implementedInterfaces, acsDelta } }]
      const { offset, nodeId, packageName } = one
      return [
        {
          ArchivedEvent: {
            offset,
            nodeId,
            contractId,
            templateId,
            witnessParties,
            packageName,
            implementedInterfaces,
          },
        },
      ]
    })
    const commandId =
      among(submitters.get(transaction.commandId) ?? []).length > 0 ? transaction.commandId : ''
    return events.length === 0 ? [] : [{ ...transaction, commandId, events: events as unknown as Event[] }]
  })
}

const someFilters = fc.array(
  fc.record({
    of: fc.constantFrom('anything' as const, 'holding' as const, ...kinds),
    view: fc.boolean(),
    blob: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
)
const someReader = fc.dictionary(fc.constantFrom('alice', 'bob', 'dso', 'stranger', '*'), someFilters, {
  minKeys: 1,
  maxKeys: 3,
})

function namedIn(filters: Filters): Filters {
  return Object.fromEntries(
    Object.entries(filters).map(([who, each]) => [who === '*' ? who : (names[who] ?? `${who}::1220`), each]),
  )
}

describe('a reader of updates', () => {
  test.each(['ACS_DELTA', 'LEDGER_EFFECTS'])(
    'sees in the shape %s what its parties are informed of and its filters select, and nothing else',
    async (shape) => {
      await fc.assert(
        fc.asyncProperty(someReader, async (given) => {
          const filters = namedIn(given)
          expect(await seen(filters, shape)).toEqual(expected(filters, shape))
        }),
        { numRuns: 60 },
      )
    },
  )

  test('sees the allocation of each party that it names, or of all parties', async () => {
    const allocated = async (...parties: readonly string[]) => {
      const includeTopologyEvents = { includeParticipantAuthorizationEvents: { parties } }
      const { updates } = await doors.gets('POST /v2/updates/get-updates-page', {
        updateFormat: { includeTopologyEvents },
      })
      return updates.flatMap(
        ({ update }: { update: { TopologyTransaction: { value: { events: object[] } } } }) =>
          update.TopologyTransaction.value.events,
      )
    }
    const { alice = '', bob = '', dso = '' } = names
    const eventOf = (partyId: string) => ({
      event: {
        ParticipantAuthorizationAdded: {
          value: {
            partyId,
            participantId: doors.net.ledger.participantId,
            participantPermission: 'PARTICIPANT_PERMISSION_SUBMISSION',
          },
        },
      },
    })
    expect(await allocated()).toEqual([dso, alice, bob].map(eventOf))
    expect(await allocated(bob, 'stranger::1220')).toEqual([eventOf(bob)])
  })
})

test('a user sees nothing of what another user did', async () => {
  const { bob = '' } = names
  const told = await seen({ [bob]: [{ of: 'anything', view: false, blob: true }] }, 'LEDGER_EFFECTS')
  expect(told).toHaveLength(1)
  expect(JSON.stringify(told)).not.toContain(names['alice'])
})

test('coin is a holding of the token standard, and locked coin one with its lock', async () => {
  const { alice = '', dso = '' } = names
  const filters = { [alice]: [{ of: 'holding', view: true, blob: false } as const] }
  const created = (await seen(filters, 'LEDGER_EFFECTS')).flatMap(({ events }) => events.flatMap(createdOf))
  const viewOf = (kind: string) =>
    created.find(({ templateId }) => templateId.endsWith(`:Splice.Amulet:${kind}`))?.interfaceViews
  const view = {
    owner: alice,
    instrumentId: { admin: dso, id: 'Amulet' },
    amount: '200.0000000000',
    lock: null,
    meta: {
      values: {
        'amulet.splice.lfdecentralizedtrust.org/created-in-round': '1',
        'amulet.splice.lfdecentralizedtrust.org/rate-per-round': '0.00380518',
      },
    },
  }
  const lock = {
    holders: [dso],
    expiresAt: '2026-01-01T00:20:00Z',
    expiresAfter: null,
    context: 'amulet-subscription: CNS entry: "alice.unverified.cns"',
  }
  const interfaceId = `${holdingId}:${holding}`
  const viewStatus = { code: 0, message: '', details: [] }
  const common = { interfaceId, viewStatus, implementationPackageId: expect.stringMatching(/^[0-9a-f]{64}$/) }
  expect(viewOf('Amulet')).toEqual([{ ...common, viewValue: view }])
  expect(viewOf('LockedAmulet')).toEqual([{ ...common, viewValue: { ...view, lock } }])
})

test('active contracts are shown to readers of a stakeholder, with the view and the blob that they ask for', async () => {
  const { alice = '', dso = '' } = names
  const listed = async (at: number, filters: Filters) => {
    const asked = { activeAtOffset: at, eventFormat: eventFormat(filters) }
    const all = await doors.gets('POST /v2/state/active-contracts', asked)
    return all.map(
      ({ contractEntry }: { contractEntry: { JsActiveContract: { createdEvent: Created } } }) =>
        contractEntry.JsActiveContract.createdEvent,
    )
  }
  const filters = {
    [alice]: [{ of: 'Splice.Ans:AnsEntry', view: false, blob: true } as const],
    [dso]: [{ of: 'holding', view: true, blob: false } as const],
  }
  const delta = await seen(filters, 'ACS_DELTA')
  const held = new Map<string, Created>()
  for (const { events, offset } of delta as readonly (Transaction & { offset: number })[]) {
    for (const event of events) {
      if ('CreatedEvent' in event) held.set(event.CreatedEvent.contractId, event.CreatedEvent)
      else held.delete((event as unknown as { ArchivedEvent: Exercised }).ArchivedEvent.contractId)
    }
    expect(await listed(offset, filters)).toEqual([...held.values()])
  }
  expect(delta.length).toBeGreaterThan(3)
})
