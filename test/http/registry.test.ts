import { describe, expect, test } from 'vitest'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { nameOf } from '../automation/network.ts'
import { statusWithoutBody } from '../support/speak.ts'
import { errorOf, openRegistry } from './registry-doors.ts'

const alice = { name: nameOf('alice'), url: 'https://alice.example', description: '蓮' }
const idText = /^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/

describe('the life of an entry over HTTP', () => {
  test('from the request to the lookup, the renewal and the end', async () => {
    await using doors = await openRegistry()
    const { net, gets } = doors
    net.automation.start()
    const status = await gets('alice', 'GET /v0/wallet/user-status')
    expect(status).toEqual({
      party_id: expect.stringMatching(/^alice::1220[0-9a-f]{64}$/),
      user_onboarded: true,
      user_wallet_installed: true,
      has_featured_app_right: false,
    })

    const created = await gets('alice', 'POST /api/validator/v0/entry/create', alice)
    expect(created).toEqual({
      ...alice,
      entryContextCid: expect.stringMatching(idText),
      subscriptionRequestCid: expect.stringMatching(idText),
    })
    const request = `/v0/wallet/subscription-requests/${created.subscriptionRequestCid}`
    const { subscription_requests } = await gets('alice', 'GET /v0/wallet/subscription-requests')
    expect(subscription_requests).toEqual([
      {
        template_id: expect.stringMatching(
          /^[0-9a-f]{64}:Splice\.Wallet\.Subscriptions:SubscriptionRequest$/,
        ),
        contract_id: created.subscriptionRequestCid,
        payload: {
          subscriptionData: {
            sender: status.party_id,
            receiver: net.dso,
            provider: net.dso,
            dso: net.dso,
            description: 'CNS entry: "alice.unverified.cns"',
          },
          payData: {
            paymentAmount: { amount: '1.0', unit: 'USDUnit' },
            paymentInterval: { microseconds: '7776000000000' },
            paymentDuration: { microseconds: '2592000000000' },
          },
        },
        created_event_blob: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
        created_at: expect.stringMatching(/^2026-01-01T00:00:00\.\d{6}Z$/),
      },
    ])
    expect(await gets('alice', `GET ${request}`)).toEqual(subscription_requests[0])

    expect(await gets('alice', 'POST /v0/wallet/tap', { amount: '2.0' })).toEqual({
      contract_id: expect.stringMatching(idText),
    })
    const { initial_payment_contract_id } = await gets('alice', `POST ${request}/accept`)
    expect(initial_payment_contract_id).toMatch(idText)
    await net.automation.runUntilIdle()
    expect(await gets('alice', 'GET /v0/wallet/subscription-initial-payments')).toEqual({
      initial_payments: [],
    })
    const { entries } = await gets('alice', 'GET /v0/entry/all')
    expect(entries).toEqual([
      {
        contractId: expect.stringMatching(idText),
        name: alice.name,
        amount: '1.0000000000',
        unit: 'USDUNIT',
        expiresAt: String(Date.UTC(2026, 3, 1)),
        paymentInterval: '7776000000000',
        paymentDuration: '2592000000000',
      },
    ])

    net.clock.advance(milliseconds('60d') + 1000)
    await net.automation.runUntilIdle()
    const [renewed] = (await gets('alice', 'GET /v0/entry/all')).entries
    expect(renewed.expiresAt).toBe(String(Date.UTC(2026, 5, 30)))
    expect(await gets('alice', 'GET /v0/wallet/balance')).toEqual({
      round: 2,
      effective_unlocked_qty: '0.0000000000',
      effective_locked_qty: '0.0000000000',
      total_holding_fees: '0.0000000000',
    })

    net.clock.advance(milliseconds('200d'))
    await net.automation.runUntilIdle()
    expect(await gets('alice', 'GET /v0/entry/all')).toEqual({ entries: [] })
    expect(await gets('alice', 'GET /v0/wallet/subscriptions')).toEqual({ subscriptions: [] })
  })

  test('to its cancellation, which is by the id of the idle state', async () => {
    await using doors = await openRegistry()
    const { net, gets, asks } = doors
    await net.register(await net.user('alice'), 'alice')
    const { subscriptions } = await gets('alice', 'GET /v0/wallet/subscriptions')
    expect(subscriptions).toEqual([
      {
        subscription: expect.objectContaining({ contract_id: expect.stringMatching(idText) }),
        state: {
          idle: expect.objectContaining({
            payload: expect.objectContaining({
              nextPaymentDueAt: expect.stringMatching(/^2026-04-01T00:00:00/),
            }),
          }),
        },
      },
    ])
    const { idle } = subscriptions[0].state
    const heard = await asks('alice', `DELETE /v0/wallet/subscription-requests/${idle.contract_id}`)
    expect([heard.status, heard.text]).toEqual([200, ''])
    expect(await gets('alice', 'GET /v0/wallet/subscriptions')).toEqual({ subscriptions: [] })
    expect((await gets('alice', 'GET /v0/entry/all')).entries).toHaveLength(1)
  })
})

test('renewing by itself is on until it is put off, for each user apart', async () => {
  await using doors = await openRegistry()
  const { gets } = doors
  const path = '/api/validator/v0/wallet/auto-renewal'
  expect(await gets('alice', `GET ${path}`)).toEqual({ enabled: true })
  expect(await gets('alice', `PUT ${path}`, { enabled: false })).toEqual({ enabled: false })
  expect(await gets('alice', `GET ${path}`)).toEqual({ enabled: false })
  expect(await gets('bob', `GET ${path}`)).toEqual({ enabled: true })
})

describe('what is refused', () => {
  test('needs a token, and one that is still valid', async () => {
    await using doors = await openRegistry()
    const { net, asks } = doors
    const paths = [
      'GET /v0/entry/all',
      'POST /v0/entry/create',
      'GET /v0/wallet/balance',
      'PUT /v0/wallet/auto-renewal',
    ]
    for (const line of paths) {
      const missing = await asks(undefined, line)
      expect([missing.status, errorOf(missing)]).toEqual([
        401,
        'The resource requires authentication, which was not supplied with the request',
      ])
      const invalid = await asks(undefined, line, undefined, { headers: { authorization: 'Bearer x.y.z' } })
      expect([invalid.status, errorOf(invalid)]).toEqual([401, 'The supplied authentication is invalid'])
      const realm = line.includes('/wallet/') ? 'splice wallet realm' : 'splice ans realm'
      for (const { headers } of [missing, invalid]) {
        expect(headers['www-authenticate']).toBe(`Bearer realm="${realm}"`)
      }
    }
    const signed = await doors.tokenOf('alice')
    net.clock.advance(milliseconds('2h'))
    const expired = await asks(undefined, 'GET /v0/entry/all', undefined, {
      headers: { authorization: `Bearer ${signed}` },
    })
    expect([expired.status, errorOf(expired)]).toEqual([401, 'The supplied authentication is invalid'])
    expect(await net.ledger.findParty('alice')).toBeUndefined()
  })

  test.each(['dso-automation', 'a b', 'a/b', 'ü', 'a\n', 'x'.repeat(129)])(
    'acts for no user like %s',
    async (user) => {
      await using doors = await openRegistry()
      const heard = await doors.asks(user, 'GET /v0/wallet/user-status')
      expect([heard.status, errorOf(heard)]).toEqual([403, `Authorization Failed for ${user}`])
    },
  )

  test('says why in a sentence, and changes nothing', async () => {
    await using doors = await openRegistry()
    const { net, asks } = doors
    const bob = await net.user('bob')
    await net.register(bob, 'bob')
    await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(bob, 'bob-2')
    const create = 'POST /v0/entry/create'
    const request = '/v0/wallet/subscription-requests'
    const before = await net.ledger.end()
    const cases: readonly (readonly [line: string, body: unknown, status: number, error: string | RegExp])[] =
      [
        [
          create,
          { ...alice, name: 'alice', url: 'alice.example' },
          400,
          'The name has to end in .unverified.cns. The url does not begin with http:// or https://.',
        ],
        [
          create,
          { ...alice, description: 'x'.repeat(141) },
          400,
          'The description has more than 140 characters.',
        ],
        [
          create,
          { ...alice, name: nameOf('bob') },
          409,
          /^The name bob.unverified.cns is registered until .* owned by bob::/,
        ],
        [create, { name: alice.name, url: '' }, 400, /description is missing/],
        [create, { ...alice, url: 7 }, 400, /url is not a string/],
        [create, '{', 400, /^The request content was malformed/],
        [create, '[]', 400, /^The request content was malformed/],
        [
          create,
          `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
          400,
          /^The request content was malformed/,
        ],
        [create, { ...alice, description: 'x'.repeat(10_000_000) }, 413, /exceeds 65536 bytes/],
        ['POST /v0/wallet/tap', { amount: 'much' }, 400, /^The amount is not a decimal/],
        ['POST /v0/wallet/tap', { amount: 1 }, 400, /amount is not a string/],
        ['POST /v0/wallet/tap', {}, 400, /amount is missing/],
        ['PUT /v0/wallet/auto-renewal', { enabled: 'yes' }, 400, /enabled is not true or false/],
        ['PUT /v0/wallet/auto-renewal', '', 400, /malformed/],
        ['PUT /v0/wallet/auto-renewal', ' '.repeat(5000), 413, /exceeds 4096 bytes/],
        [
          `GET ${request}/${subscriptionRequestCid}`,
          undefined,
          404,
          /^No active SubscriptionRequest of yours has the/,
        ],
        [
          `POST ${request}/${subscriptionRequestCid}/accept`,
          undefined,
          404,
          /^No active SubscriptionRequest/,
        ],
        [
          `POST ${request}/${subscriptionRequestCid}/reject`,
          undefined,
          404,
          /^No active SubscriptionRequest/,
        ],
        [`DELETE ${request}/${subscriptionRequestCid}`, undefined, 404, /^No active SubscriptionIdleState/],
        [
          `GET ${request}/..%2f..`,
          undefined,
          404,
          'No active SubscriptionRequest of yours has the contract id ../...',
        ],
      ]
    for (const [line, body, status, error] of cases) {
      const heard = await asks('alice', line, body)
      expect([line, heard.status]).toEqual([line, status])
      expect(errorOf(heard)).toMatch(error)
    }
    expect(await net.ledger.end()).toBe(before)
    expect(await net.wallet.isRenewing(await net.user('alice'))).toBe(true)
  })
})

test.each(['POST /v0/entry/create', 'POST /api/validator/v0/wallet/tap', 'PUT /v0/wallet/auto-renewal'])(
  '%s is refused to a caller without a token before the body has arrived',
  async (line) => {
    await using doors = await openRegistry()
    for (const token of ['', 'authorization: Bearer x.y.z\r\n'])
      for (const length of ['10000000', '10'])
        expect(await statusWithoutBody(doors.url, line, `${token}content-length: ${length}`)).toBe(401)
  },
)
