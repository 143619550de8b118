import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { FakeParticipant } from '../support/fake-participant.ts'

const submitPath = '/v2/commands/submit-and-wait-for-transaction'
const nameOf = (label: string) => `${label}.unverified.cns`
const asking = (label: string) => ({ name: nameOf(label), url: 'https://a.example', description: 'mine' })

let fake: FakeParticipant
let stage: Stage<undefined>
const tokenByUser = new Map<string, string>()
let alice: string
beforeAll(async () => {
  fake = await FakeParticipant.listen()
  stage = await startLiveStage({ config: { 'ledger.driver': 'participant', 'ledger.url': fake.url } })
  for (const user of ['alice', 'bob', 'stranger', 'homeless'])
    tokenByUser.set(user, (await mintToken(user, configOf({}))) as string)
  alice = fake.user(tokenOf('alice'), 'alice')
  fake.user(tokenOf('bob'), 'bob')
  fake.user(tokenOf('homeless'), 'homeless', '')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

const tokenOf = (user: string) => tokenByUser.get(user) ?? ''

async function call(user: string, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${tokenOf(user)}` }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const heard = await stage.get(path, { method, headers, ...text })
  return { status: heard.status, body: heard.text === '' ? undefined : JSON.parse(heard.text) }
}

const create = (user: string, label: string) => call(user, 'POST', '/v0/entry/create', asking(label))
const list = async (user: string) => (await call(user, 'GET', '/v0/entry/all')).body.entries

test('a registration lives through its life on a participant', async () => {
  const asked = await create('alice', 'lived')
  expect(asked).toEqual({
    status: 200,
    body: {
      ...asking('lived'),
      entryContextCid: expect.stringMatching(/^00/),
      subscriptionRequestCid: expect.stringMatching(/^00/),
    },
  })
  expect(await create('alice', 'lived')).toEqual(asked)
  expect(await list('alice')).toEqual([])
  const metrics = await stage.metrics()
  expect(metrics.value('scan_proxy_ledger_writes_total', { outcome: 'committed' })).toBe(1)

  // In reality, the user's wallet accepts and pays, and the super validators collect. The test writes the contracts
  // that they would leave.
  const { subscriptionRequestCid: reference } = asked.body
  fake.archive(reference)
  const lifetime = { microseconds: '7776000000000' }
  fake.create('Splice.Wallet.Subscriptions:SubscriptionIdleState', [alice], {
    subscription: reference,
    subscriptionData: { sender: alice, receiver: alice, provider: alice, dso: alice, description: '' },
    payData: {
      paymentAmount: { amount: '2.5', unit: 'USDUnit' },
      paymentInterval: lifetime,
      paymentDuration: { microseconds: '2592000000000' },
    },
    nextPaymentDueAt: '2036-01-01T00:00:00Z',
    reference,
  })
  const entry = fake.create('Splice.Ans:AnsEntry', [alice], {
    ...asking('lived'),
    user: alice,
    dso: alice,
    expiresAt: '2036-01-01T00:00:00Z',
  })
  expect(await list('alice')).toEqual([
    {
      contractId: entry,
      name: nameOf('lived'),
      amount: '2.5000000000',
      unit: 'USDUNIT',
      expiresAt: String(Date.UTC(2036, 0, 1)),
      paymentInterval: '7776000000000',
      paymentDuration: '2592000000000',
    },
  ])
  expect(await list('bob')).toEqual([])
  fake.archive(entry)
  expect(await list('alice')).toEqual([])
})

test('a request discloses the rules that a quorum of scans agrees on, whatever one of them says', async () => {
  await stage.fault(['sv-1'], { kind: 'lie' })
  expect((await create('alice', 'disclosed')).status).toBe(200)
  await stage.fault(['sv-1'], undefined)
  const { body } = fake.requests.findLast(({ path }) => path === submitPath) ?? {}
  const { contract } = stage.localnet.world.ansRules
  expect(body.commands.disclosedContracts).toEqual([
    { contractId: contract.contract_id, createdEventBlob: contract.created_event_blob, synchronizerId: '' },
  ])
  expect(body.commands.commands[0].ExerciseCommand.contractId).toBe(contract.contract_id)
  expect(body.commands.actAs).toEqual([alice])
})

test('an answer that is lost makes no second request, also when the user asks again', async () => {
  fake.fail(submitPath, { kind: 'done-then', then: { kind: 'reset' } })
  const asked = await create('alice', 'lost')
  expect(asked.status).toBe(200)
  expect(await create('alice', 'lost')).toEqual(asked)
  const ids = fake.requests
    .filter(({ path, body }) => path === submitPath && JSON.stringify(body).includes(nameOf('lost')))
    .map(({ body }) => body.commands.commandId)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
})

describe('what the registry says over a participant', () => {
  test('of a name that the network has: whose it is', async () => {
    const listed = await stage.get('/api/scan/v0/ans-entries?page_size=1')
    const [entry] = JSON.parse(listed.text).entries
    const taken = await call('alice', 'POST', '/v0/entry/create', { ...asking(''), name: entry.name })
    expect(taken.status).toBe(409)
    expect(taken.body.error).toContain(`owned by ${entry.user}`)
  })

  test.each([
    ['a user whom the participant does not know', 'stranger', 401, 'The supplied authentication is invalid'],
    ['a user who has no party', 'homeless', 403, 'Authorization Failed for homeless'],
  ])('to %s: no', async (_, user, status, error) => {
    expect(await create(user, 'refused')).toEqual({ status, body: { error } })
    expect(await call(user, 'GET', '/v0/entry/all')).toEqual({ status, body: { error } })
  })

  test('where the participant refuses: its code and its words', async () => {
    const error = {
      code: 'NO_SYNCHRONIZER_FOR_SUBMISSION',
      cause: 'not connected',
      errorCategory: 9,
      grpcCodeValue: 9,
    }
    fake.refusal = { status: 400, error }
    expect(await create('bob', 'refused')).toEqual({
      status: 409,
      body: { error: 'NO_SYNCHRONIZER_FOR_SUBMISSION: not connected' },
    })
    fake.refusal = undefined
  })

  test('where the participant is down: try again later', async () => {
    await fake.stop()
    const heard = await stage.get('/v0/entry/all', { headers: { authorization: `Bearer ${tokenOf('bob')}` } })
    expect([heard.status, heard.headers['retry-after']]).toEqual([503, '30'])
    await fake.start()
    expect(await list('bob')).toEqual([])
  })

  test.each(['/v0/wallet/balance', '/api/validator/v0/wallet/tap', '/v0/wallet/subscription-requests'])(
    'of the wallet at %s: there is none',
    async (path) => expect((await call('alice', 'GET', path)).status).toBe(404),
  )

  test('in its status: which participant', async () => {
    expect((await stage.report('/status')).ledger).toEqual({
      driver: 'participant',
      url: `${fake.url}/`,
      relay: 'reads',
    })
  })
})

test('the JSON Ledger API over a participant is described, and is counted in the metrics', async () => {
  expect((await stage.get('/v2/state/ledger-end')).status).toBe(401)
  const { paths } = JSON.parse((await stage.get('/openapi.json')).text)
  expect(Object.keys(paths)).toContain('/v2/updates')
  const labels = { route: 'relay', method: 'GET', status: '401' }
  expect((await stage.metrics()).value('scan_proxy_http_requests_total', labels)).toBeGreaterThan(0)
})
