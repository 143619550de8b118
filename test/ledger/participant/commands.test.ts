import { describe, expect, test } from 'vitest'
import {
  AnsEntry,
  AnsEntryContext,
  AnsRules_RequestEntry,
} from '../../../src/registry/ledger/daml/splice/ans.ts'
import { SubscriptionRequest } from '../../../src/registry/ledger/daml/splice/subscriptions.ts'
import {
  exercise,
  findContract,
  LedgerUnavailable,
  listContracts,
  type Outcome,
  resultOf,
  type Submission,
} from '../../../src/registry/ledger/ledger.ts'
import type { ParticipantLedger } from '../../../src/registry/ledger/participant/participant-ledger.ts'
import { selfSigned } from '../../support/certificate.ts'
import type { Json } from '../../support/fake-participant/errors.ts'
import type { HttpFault } from '../../support/fake-participant/faults.ts'
import { openLedger } from './open.ts'

const submitPath = '/v2/commands/submit-and-wait-for-transaction'
const contractsPath = '/v2/state/active-contracts'
const rulesId = `00${'ab'.repeat(32)}`

function requestOf(user: string, commandId: string): Submission {
  const argument = { name: 'alice.unverified.cns', url: '', description: '', user }
  return {
    commandId,
    userId: 'alice',
    actAs: [user],
    commands: [exercise(AnsRules_RequestEntry, rulesId, argument)],
    disclosed: [{ contractId: rulesId, createdEventBlob: 'CgMyLjE=' }],
  }
}

function resultIn(outcome: Outcome) {
  if (outcome.kind !== 'committed') throw new Error(outcome.message)
  return resultOf(AnsRules_RequestEntry, outcome)
}

/** Counts the subscription requests on the ledger. A submission may make a request although its answer is an error. */
const made = async ({ ledger, party }: { ledger: ParticipantLedger; party: string }) =>
  (await listContracts(ledger, SubscriptionRequest, { where: { sender: party } }, 100)).length

describe.each(['3.4', '3.5', '3.6'] as const)('a submission to a participant of Canton %s', (version) => {
  test('is a transaction, with the result of its choice', async () => {
    await using opened = await openLedger({ version })
    const { fake, ledger, party } = opened
    fake.skip(7)
    const outcome = await ledger.submit(requestOf(party, 'one'))
    expect(outcome).toMatchObject({ kind: 'committed', duplicate: false })
    const { entryCid, requestCid } = resultIn(outcome)
    const contexts = await listContracts(ledger, AnsEntryContext, { where: { user: party } }, 10)
    expect(contexts).toMatchObject([{ contractId: entryCid, argument: { reference: requestCid } }])
    expect(await findContract(ledger, SubscriptionRequest, requestCid)).toMatchObject({
      contractId: requestCid,
    })
    fake.archive(requestCid)
    expect(await findContract(ledger, SubscriptionRequest, requestCid)).toBeUndefined()
  })

  test('discloses the contract that it is about, and names templates by package name', async () => {
    await using opened = await openLedger({ version, prefix: '/participant' })
    await opened.ledger.submit(requestOf(opened.party, 'one'))
    const { body, token } = opened.fake.requests.find(({ path }) => path === submitPath) ?? {}
    expect(token).toBe('token-of-alice')
    expect(body.commands).toMatchObject({
      commands: [
        {
          ExerciseCommand: {
            templateId: '#splice-amulet-name-service:Splice.Ans:AnsRules',
            contractId: rulesId,
            choice: 'AnsRules_RequestEntry',
          },
        },
      ],
      deduplicationPeriod: { DeduplicationOffset: { value: 0 } },
      disclosedContracts: [{ contractId: rulesId, createdEventBlob: 'CgMyLjE=', synchronizerId: '' }],
    })
  })
})

const lost: readonly (readonly [string, HttpFault])[] = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['closes the socket', { kind: 'reset' }],
  ['answers garbage', { kind: 'text', text: 'so sorry' }],
  ['answers half a JSON', { kind: 'text', text: '{"transaction":{' }],
  ['answers too much', { kind: 'huge' }],
  ['answers in a coding that was not asked for', { kind: 'gzip' }],
]

describe('a submission that the participant', () => {
  test.each(lost)('has done when it %s is done once, and its outcome is found', async (_, fault) => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.grow(party, 5)
    fake.fail(submitPath, { kind: 'done-then', then: fault })
    const outcome = await ledger.submit(requestOf(party, 'one'))
    expect(outcome).toMatchObject({ kind: 'committed', duplicate: true })
    expect(resultIn(outcome).requestCid).toMatch(/^00/)
    expect(await made(opened)).toBe(1)
  })

  test.each(lost)('has not done when it %s is done by the next try', async (_, fault) => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.fail(submitPath, fault, 3)
    const outcome = await ledger.submit(requestOf(party, 'one'))
    expect(outcome).toMatchObject({ kind: 'committed', duplicate: false })
    expect(await made(opened)).toBe(1)
    const ids = fake.requests
      .filter(({ path }) => path === submitPath)
      .map(({ body }) => body.commands.commandId)
    expect(ids).toEqual(['one', 'one', 'one', 'one'])
  })

  test('never answers has an outcome that is not known, and is done once when it is asked for again', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party, clock } = opened
    fake.fail(submitPath, { kind: 'done-then', then: { kind: 'hang' } })
    fake.fail(submitPath, { kind: 'hang' }, 9)
    const submitted = ledger.submit(requestOf(party, 'one'))
    const rejects = expect(submitted).rejects.toThrow(
      'The outcome of a submission is not known within 60000 ms.',
    )
    for (const [tried, ms] of [
      [1, 25_000],
      [2, 25_000],
      [3, 10_000],
    ] as const) {
      await fake.until(() => fake.asked(submitPath) === tried)
      clock.advance(ms)
    }
    await rejects
    fake.heal()
    fake.grow(party, 3)
    expect(await ledger.submit(requestOf(party, 'one'))).toMatchObject({
      kind: 'committed',
      duplicate: true,
    })
    expect(await made(opened)).toBe(1)
  })

  test('stays out of order for has an outcome that is not known', async () => {
    await using opened = await openLedger()
    opened.fake.fail(submitPath, { kind: 'status', status: 503 }, 99)
    await expect(opened.ledger.submit(requestOf(opened.party, 'one'))).rejects.toThrow(LedgerUnavailable)
    expect(opened.fake.asked(submitPath)).toBe(6)
  })

  test('did, and then was out of order for, is found among the updates', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.fail(submitPath, { kind: 'done-then', then: { kind: 'reset' } })
    fake.fail(submitPath, { kind: 'status', status: 503 }, 99)
    const outcome = await ledger.submit(requestOf(party, 'one'))
    expect(outcome).toMatchObject({ kind: 'committed', duplicate: true })
  })

  test('did is found behind other updates, however few of them one list has', async () => {
    await using opened = await openLedger({ mostListed: 3 })
    const { fake, ledger, party, clock } = opened
    fake.fail(submitPath, { kind: 'hang' })
    fake.fail(submitPath, { kind: 'done-then', then: { kind: 'reset' } })
    const submitted = ledger.submit(requestOf(party, 'one'))
    await fake.until(() => fake.asked(submitPath) === 1)
    fake.grow(party, 10)
    clock.advance(25_000)
    expect(await submitted).toMatchObject({ kind: 'committed', duplicate: true })
  })

  test("refuses changes nothing, and the caller gets the participant's words", async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    await expect(ledger.submit({ ...requestOf(party, 'one'), disclosed: [] })).rejects.toMatchObject({
      name: 'LedgerRefusal',
      status: 404,
      code: 'CONTRACT_NOT_FOUND',
    })
    expect(fake.asked(submitPath)).toBe(1)
    expect(await made(opened)).toBe(0)
  })

  test('does not understand is refused, not tried again', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.fail(submitPath, { kind: 'status', status: 400, body: 'Invalid value for: body (x at y)' })
    await expect(ledger.submit(requestOf(party, 'one'))).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_ARGUMENT',
      reason: 'Invalid value for: body (x at y)',
    })
    expect(fake.asked(submitPath)).toBe(1)
  })
})

describe('the active contracts of a user', () => {
  test('are those of the template, with what is asked for, oldest first', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    const other = fake.user('token-of-bob', 'bob')
    fake.grow(party, 3)
    fake.grow(other, 2)
    fake.create('Splice.Ans:AnsEntryContext', [party], {
      dso: party,
      user: party,
      name: 'a',
      url: '',
      description: '',
      reference: rulesId,
      added: { by: 'a later version' },
    })
    const names = async (name?: string) =>
      (await listContracts(ledger, AnsEntry, { where: name === undefined ? {} : { name } }, 10)).map(
        ({ argument }) => argument.name,
      )
    expect(await names()).toEqual([1, 2, 3].map((n) => `name-${n}.unverified.cns`))
    expect(await names('name-2.unverified.cns')).toEqual(['name-2.unverified.cns'])
    const [context] = await listContracts(ledger, AnsEntryContext, { where: { user: party } }, 10)
    expect(Object.keys(context?.argument ?? {})).not.toContain('added')
  })

  test('are the oldest ones, in whatever order the participant sends them', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.grow(party, 5)
    const inOrder = fake.activeAt(fake.end)
    fake.activeAt = () => inOrder.toReversed()
    for (const limit of [0, 1, 2, 5, 1000]) {
      const contracts = await listContracts(ledger, AnsEntry, {}, limit)
      const oldest = [1, 2, 3, 4, 5].slice(0, limit).map((n) => `name-${n}.unverified.cns`)
      expect(contracts.map(({ argument }) => argument.name)).toEqual(oldest)
    }
  })

  test.each([
    ['3.5', 200],
    ['3.6', 7],
  ] as const)('are read whole in pages, from Canton %s with lists of %i', async (version, mostListed) => {
    await using opened = await openLedger({ version, mostListed })
    const { fake, ledger, party } = opened
    fake.grow(party, 230)
    fake.fail(contractsPath, { kind: 'reset' }, 3)
    fake.fail(contractsPath, { kind: 'huge' })
    expect(await ledger.contracts({ template: AnsEntry.name }, 1000)).toHaveLength(230)
  })

  test('are read from Canton 3.4 where one page has them all, and never in part', async () => {
    await using opened = await openLedger({ version: '3.4' })
    const { fake, ledger, party } = opened
    fake.grow(party, 199)
    expect(await ledger.contracts({ template: AnsEntry.name }, 1000)).toHaveLength(199)
    fake.grow(party, 2)
    await expect(ledger.contracts({ template: AnsEntry.name }, 1000)).rejects.toThrow(LedgerUnavailable)
  })

  test('are not read for ever from a participant whose list has no end', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.grow(party, 1)
    let first: Json
    const endless = ([element]: readonly Json[]) => {
      first ??= element
      return Array.from({ length: 200 }, () => first)
    }
    fake.fail(contractsPath, { kind: 'body', change: endless }, 1_000)
    const read = ledger.contracts({ template: AnsEntry.name }, 1000)
    await expect(read).rejects.toThrow('does not end after 200 pages')
  })

  test('that are no such contracts are nonsense, and no list', async () => {
    await using opened = await openLedger()
    const { fake, ledger, party } = opened
    fake.create('Splice.Ans:AnsEntry', [party], { user: party, name: 7 })
    await expect(ledger.contracts({ template: AnsEntry.name }, 1000)).rejects.toThrow(LedgerUnavailable)
  })
})

describe('the account behind a token', () => {
  test('is that of the participant, with its primary party', async () => {
    await using opened = await openLedger()
    const { participant, reader, party, signal } = opened
    expect(await participant.accountOf(reader, signal)).toEqual({ ...reader, party })
  })

  test('without a primary party is none', async () => {
    await using opened = await openLedger()
    const { fake, participant, signal } = opened
    fake.user('token-of-carol', 'carol', '')
    expect(await participant.accountOf({ userId: 'carol', token: 'token-of-carol' }, signal)).toBeUndefined()
  })

  test('that the participant does not know is refused', async () => {
    await using opened = await openLedger()
    const { participant, signal } = opened
    await expect(participant.accountOf({ userId: 'eve', token: 'forged' }, signal)).rejects.toMatchObject({
      name: 'LedgerRefusal',
      status: 401,
    })
  })
})

test('a participant whose certificate nobody vouches for gets no token, whatever the environment says', async () => {
  const variable = 'NODE_TLS_REJECT_UNAUTHORIZED'
  const { [variable]: set } = process.env
  process.env[variable] = '0'
  try {
    await using opened = await openLedger({ tls: selfSigned({ addresses: ['127.0.0.1'] }) })
    const { fake, participant, reader, signal } = opened
    await expect(participant.accountOf(reader, signal)).rejects.toThrow(LedgerUnavailable)
    expect(fake.requests).toEqual([])
  } finally {
    if (set === undefined) delete process.env[variable]
    else process.env[variable] = set
  }
})
