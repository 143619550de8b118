import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dsoUserId } from '../../../src/names/users.ts'
import { anyone, eventsOf, openLedgerDoors, updatesOf } from '../ledger-doors.ts'
import { type AskedDoors, contracts, expectCanton, openAskedDoors, updates } from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

describe('401 and 403 are redacted', () => {
  const body = () => doors.asked({ updateFormat: updatesOf(eventsOf(doors.alice)) })

  test('401: no token', async () => {
    expectCanton(await doors.ask(updates, body(), {}), 'unauthenticated', 401, { code: 'NA', context: {} })
    expectCanton(await doors.ask('GET /v2/state/ledger-end', undefined, {}), 'unauthenticated', 401)
    expectCanton(
      await doors.ask(updates, body(), { headers: { authorization: 'Basic YTpi' } }),
      'unauthenticated',
      401,
    )
  })

  test('401: a token that nobody signed', async () => {
    const token = `${await doors.tokenOf('alice')}x`
    expectCanton(await doors.ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('401: a token that has expired', async () => {
    const token = await doors.tokenOf('alice', {}, -1000)
    expectCanton(await doors.ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('401: a token without the scope, and without the audience', async () => {
    const token = await doors.tokenOf('alice', { scope: 'openid' })
    expectCanton(await doors.ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('403: a token of a user whom the ledger does not know, before the body is read', async () => {
    for (const sent of [body(), 'no JSON'])
      expectCanton(await doors.ask(updates, sent, { as: 'nobody' }), 'unknownUser', 403, {
        context: { ledger_api_error: 'invalid token' },
      })
  })

  test('403: a token of the automation of the DSO, whose party may read all names', async () => {
    const sent = doors.asked({ updateFormat: updatesOf(eventsOf(doors.net.dso)) })
    expectCanton(await doors.ask(updates, sent, { as: dsoUserId }), 'unknownUser', 403)
  })

  test('403: the rights of the user do not cover a party, or any party', async () => {
    const { alice, asked } = doors
    for (const eventFormat of [eventsOf(doors.net.dso), eventsOf(alice, doors.net.dso), eventsOf()]) {
      const refused = await doors.ask(updates, asked({ updateFormat: updatesOf(eventFormat) }), {
        as: 'alice',
      })
      expectCanton(refused, 'permissionDenied', 403, { context: {} })
      const contractsRefused = await doors.ask(contracts, { activeAtOffset: 1, eventFormat }, { as: 'alice' })
      expectCanton(contractsRefused, 'permissionDenied', 403)
    }
  })

  test('403: a token for another participant', async () => {
    const aud = 'https://daml.com/jwt/aud/participant/another'
    const token = await doors.tokenOf('alice', { aud, scope: '' })
    expectCanton(await doors.ask(updates, body(), { token }), 'permissionDenied', 403)
  })

  test('a token for this participant is taken, and one with the scope in scp', async () => {
    const aud = [`https://daml.com/jwt/aud/participant/${doors.net.ledger.participantId}`]
    for (const claims of [
      { aud, scope: '' },
      { scope: '', scp: ['daml_ledger_api'] },
    ])
      expect(await doors.ask(updates, body(), { token: await doors.tokenOf('alice', claims) })).toMatchObject(
        {
          status: 200,
        },
      )
  })

  test('where an audience is configured it is required and the scope is not', async () => {
    await using strict = await openLedgerDoors({ rules: { audience: 'https://ledger.example' } })
    const end = (token: string) => strict.asks('GET /v2/state/ledger-end', undefined, { token })
    expect(await end(await strict.tokenOf(anyone))).toMatchObject({ status: 401 })
    const token = await strict.tokenOf(anyone, { aud: ['https://ledger.example', 'b'], scope: '' })
    expect(await end(token)).toMatchObject({ status: 200 })
  })
})
