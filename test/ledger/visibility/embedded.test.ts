import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActiveContract, Update } from '../../../src/ledger/update.ts'
import type { Party } from '../../../src/ledger/value.ts'
import { spliceCatalog } from '../../../src/ledger/visibility/catalog.splice.ts'
import type { CreatedEvent, DeliveredUpdate } from '../../../src/ledger/visibility/delivered.ts'
import type { CumulativeFilter, EventFormat, UpdateFormat } from '../../../src/ledger/visibility/format.ts'
import type { ReadRights } from '../../../src/ledger/visibility/rights.ts'
import { contractView, updateView } from '../../../src/ledger/visibility/visible.ts'
import { type OpenLedger, openLedger } from '../embedded/open.ts'
import { foundNetwork, registerName, tap } from '../registration.ts'
import { ofInterface, ofTemplate, topology, updates } from './ledger.ts'

// Alice has a name, and the coin that is left after the payment for the name. Bob has coin.

let opened: OpenLedger
let dso: Party
let alice: Party
let bob: Party
let log: readonly Update[]
let then: readonly (readonly ActiveContract[])[]

beforeAll(async () => {
  opened = await openLedger()
  const { ledger, clock } = opened
  const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
  dso = network.dso
  alice = await ledger.partyOf('alice', 'alice')
  bob = await ledger.partyOf('bob', 'bob')
  await tap(ledger, network, bob, '7.0', 'tap-bob')
  const coin = await tap(ledger, network, alice, '500.0', 'tap-alice')
  await registerName(ledger, network, alice, coin, 'alice.unverified.cns', 'register')
  log = await ledger.updates(0, await ledger.end(), 1_000)
  then = await Promise.all(log.map(({ offset }) => ledger.activeContracts(offset, 1_000)))
})

afterAll(() => opened[Symbol.asyncDispose]())

function of(...parties: readonly Party[]): EventFormat {
  return asking(parties, [])
}

function asking(parties: readonly Party[], cumulative: readonly CumulativeFilter[]): EventFormat {
  const filtersByParty = new Map(parties.map((party) => [party, { cumulative }]))
  return { filtersByParty, filtersForAnyParty: undefined, verbose: false }
}

function reading(...parties: readonly Party[]): ReadRights {
  return { readAs: new Set(parties), readAsAnyParty: false }
}

function see(format: UpdateFormat, rights: ReadRights): readonly (DeliveredUpdate | undefined)[] {
  return log.map(updateView(format, rights, spliceCatalog))
}

test('after every update, the changes that a reader got add up to the active contracts that it sees', () => {
  for (const parties of [[alice], [bob], [dso], [alice, bob], [dso, alice, bob]]) {
    for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
      const rights = reading(...parties)
      const look = contractView(of(...parties), rights, spliceCatalog)
      const held = new Map<string, CreatedEvent>()
      for (const [index, update] of see(updates(of(...parties), shape), rights).entries()) {
        for (const event of update?.kind === 'transaction' ? update.events : []) {
          if (event.kind === 'archived') expect(held.delete(event.contractId)).toBe(true)
          else if (!event.acsDelta) continue
          else if (event.kind === 'exercised') expect(held.delete(event.contractId)).toBe(true)
          else held.set(event.contract.contractId, event)
        }
        const active = (then[index] ?? []).flatMap((one) => look(one)?.createdEvent ?? [])
        expect(active.map(withoutWitnesses)).toEqual([...held.values()].map(withoutWitnesses))
      }
      expect(held.size).toBeGreaterThan(0)
    }
  }
})

function withoutWitnesses({ witnessParties: _, ...event }: CreatedEvent) {
  return event
}

test('a user sees nothing of what another user did', () => {
  const told = see(updates(of(bob), 'LEDGER_EFFECTS'), reading(bob)).filter((update) => update !== undefined)
  expect(told).toHaveLength(1)
  expect(JSON.stringify(told)).not.toContain(alice)
})

test('a user sees the tree of its own registration, as far as it is informed of it', () => {
  const told = see(updates(of(alice), 'LEDGER_EFFECTS'), reading(alice))
  const choices = told.flatMap((update) =>
    update?.kind === 'transaction'
      ? update.events.flatMap((event) => (event.kind === 'exercised' ? [event.choice] : []))
      : [],
  )
  expect(choices).toContain('AnsRules_RequestEntry')
  expect(choices).toContain('SubscriptionRequest_AcceptAndMakePayment')
  expect(told.filter((update) => update?.kind === 'transaction')).toHaveLength(4)
})

test('a name is found by its template, and coin as a holding', () => {
  const entries = asking([alice], [ofTemplate('#splice-amulet-name-service:Splice.Ans:AnsEntry', true)])
  const [entry, ...more] = (then.at(-1) ?? []).flatMap(
    (one) => contractView(entries, reading(alice), spliceCatalog)(one)?.createdEvent ?? [],
  )
  expect(more).toEqual([])
  expect(entry?.contract.argument).toMatchObject({ name: 'alice.unverified.cns', user: alice })
  expect(entry?.createdEventBlob).toMatch(/^CgMyLjES/)

  const holding = ofInterface('#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding', true)
  const views = (then.at(-1) ?? []).flatMap(
    (one) =>
      contractView(asking([bob], [holding]), reading(bob), spliceCatalog)(one)?.createdEvent.interfaceViews ??
      [],
  )
  expect(views).toMatchObject([
    { viewValue: { owner: bob, instrumentId: { admin: dso, id: 'Amulet' }, amount: '7.0000000000' } },
  ])
})

test('the allocation of each party has an offset of its own', () => {
  const told = see(topology(alice, bob), reading(alice, bob)).filter((update) => update !== undefined)
  const parties = told.map((update) => update.kind === 'topology-transaction' && update.events[0]?.partyId)
  expect(parties).toEqual([alice, bob])
  const { participantId } = opened.ledger
  for (const update of told) expect(update).toMatchObject({ events: [{ participantId }] })
  const { includeTopologyEvents } = topology(bob)
  expect(
    see({ ...updates(of(alice), 'ACS_DELTA'), includeTopologyEvents }, reading(alice)).filter(
      (update) => update?.kind === 'topology-transaction',
    ),
  ).toEqual([])
})
