import { expect, test } from 'vitest'
import { decimal } from '../../../src/ledger/daml/decimal.ts'
import { AmuletRules } from '../../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../../src/ledger/daml/splice/round.ts'
import { templates } from '../../../src/ledger/daml/splice/templates.ts'
import type { DamlShape } from '../../../src/ledger/daml/type.ts'
import { roundAfter } from '../founding.ts'
import { choiceNames } from './audit.ts'
import { dso, minute, Network } from './network.ts'

const packages: Readonly<Record<string, string>> = {
  'splice-amulet-name-service': '9cffe65feb664c9550937433067e9f969e3795c6fb38715e06a5e04fc1ae1f83',
  'splice-wallet-payments': '866ea53bea2afc099c560ad4c386a1736859841b17c422836f133d605ee51616',
  'splice-amulet': 'fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a',
}

test('every template is of the package that Splice ships it in, and the rules of names of an older one', () => {
  const named = [...templates.values()].map(({ template }) => {
    const { package: of, name, templateId } = template
    return [name, of.name, templateId.replace(packages[of.name] ?? '', 'current')]
  })
  const [amulet, payments, names] = ['splice-amulet', 'splice-wallet-payments', 'splice-amulet-name-service']
  const subscriptions = 'Splice.Wallet.Subscriptions'
  const current = (name: string, of: string | undefined) => [name, of, `current:${name}`]
  expect(named).toEqual([
    current('Splice.Round:OpenMiningRound', amulet),
    current('Splice.Amulet:Amulet', amulet),
    current('Splice.Amulet:LockedAmulet', amulet),
    current('Splice.AmuletRules:AmuletRules', amulet),
    current(`${subscriptions}:SubscriptionRequest`, payments),
    current(`${subscriptions}:SubscriptionInitialPayment`, payments),
    current(`${subscriptions}:Subscription`, payments),
    current(`${subscriptions}:SubscriptionIdleState`, payments),
    current(`${subscriptions}:SubscriptionPayment`, payments),
    current(`${subscriptions}:TerminatedSubscription`, payments),
    [
      'Splice.Ans:AnsRules',
      names,
      '053c7f4c2a77312e7d465a4fa7dc8cb298754ad12c0c987a7c401bd724e65efc:Splice.Ans:AnsRules',
    ],
    current('Splice.Ans:AnsEntryContext', names),
    current('Splice.Ans:AnsEntry', names),
  ])
})

test('every choice stands with its template, and Archive with every one', () => {
  const choices = [...templates.values()].flatMap((definition) => [...definition.choices.values()])
  expect([...new Set(choices.map(({ name }) => name))].sort()).toEqual([...choiceNames].sort())
  for (const { template, choices } of templates.values()) {
    expect([...choices.values()].map((choice) => choice.template)).toEqual(
      Array.from({ length: choices.size }, () => template),
    )
    expect(choices.get('Archive')?.consuming).toBe(true)
  }
})

test('contracts are looked up by texts of their arguments, and are due at times in them', () => {
  const rows = [...templates.values()].map(({ template: { name, argument, indexed, dueField } }) => {
    for (const path of Object.values(indexed)) {
      expect(['text', 'party', 'contractId', 'int64']).toContain(at(argument, path)?.kind)
    }
    if (dueField !== undefined) expect(at(argument, [dueField])?.kind).toBe('time')
    return [name.slice(name.indexOf(':') + 1), Object.keys(indexed).join(' '), dueField]
  })
  expect(rows).toEqual([
    ['OpenMiningRound', 'round', undefined],
    ['Amulet', 'owner', undefined],
    ['LockedAmulet', 'owner', undefined],
    ['AmuletRules', '', undefined],
    ['SubscriptionRequest', 'sender', undefined],
    ['SubscriptionInitialPayment', 'sender reference', undefined],
    ['Subscription', 'sender reference', undefined],
    ['SubscriptionIdleState', 'sender reference subscription', 'nextPaymentDueAt'],
    ['SubscriptionPayment', 'sender reference subscription', undefined],
    ['TerminatedSubscription', 'sender reference', undefined],
    ['AnsRules', '', undefined],
    ['AnsEntryContext', 'name user reference', undefined],
    ['AnsEntry', 'name user', 'expiresAt'],
  ])
})

function at(shape: DamlShape, path: readonly string[]): DamlShape | undefined {
  const [member, ...rest] = path
  if (member === undefined) return shape
  const field = shape.kind === 'record' ? shape.fields[member] : undefined
  return field && at(field, rest)
}

test('a network begins with both rules, two rounds that are open and one that opens when the first closes', () => {
  const { ledger } = new Network()
  expect(ledger.only(AnsRules).argument).toEqual({
    dso,
    config: {
      renewalDuration: { microseconds: '2592000000000' },
      entryLifetime: { microseconds: '7776000000000' },
      entryFee: '1.0000000000',
      descriptionPrefix: 'CNS entry: ',
    },
  })
  expect(ledger.only(AmuletRules).argument).toMatchObject({ dso, isDevNet: true })
  expect(timesOf(ledger.list(OpenMiningRound).map(({ argument }) => argument))).toEqual([
    ['0', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z', '0'],
    ['1', '2026-01-01T00:00:00Z', '2026-01-01T00:20:00Z', '600000000'],
    ['2', '2026-01-01T00:10:00Z', '2026-01-01T00:30:00Z', '1200000000'],
  ])
})

test('the next round opens a tick after the latest did, or a tick from now where that is late, with its own price', () => {
  const { ledger } = new Network()
  const latest = ledger.list(OpenMiningRound).at(-1)?.argument
  if (latest === undefined) throw new Error('no rounds')
  const soon = roundAfter(latest, ledger.now + 3 * minute, decimal('0.01'))
  const late = roundAfter(latest, ledger.now + 45 * minute, decimal('0.02'))
  expect(timesOf([soon, late])).toEqual([
    ['3', '2026-01-01T00:20:00Z', '2026-01-01T00:40:00Z', '1800000000'],
    ['3', '2026-01-01T00:55:00Z', '2026-01-01T01:15:00Z', '1800000000'],
  ])
  expect([soon.amuletPrice, late.amuletPrice]).toEqual(['0.0100000000', '0.0200000000'])
})

type Round = Parameters<typeof roundAfter>[0]

function timesOf(rounds: readonly Round[]) {
  return rounds.map(({ round, opensAt, targetClosesAt, issuingFor }) => [
    round.number,
    opensAt,
    targetClosesAt,
    issuingFor.microseconds,
  ])
}
