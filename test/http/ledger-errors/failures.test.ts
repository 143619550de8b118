import { describe, expect, test } from 'vitest'
import type { EmbeddedLedger } from '../../../src/ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { anyone, eventsOf, openLedgerDoors } from '../ledger-doors.ts'
import { contracts, everything, expectCanton, traceparent, updates } from './asked-doors.ts'

function failingUpdates(error: Error) {
  return (real: EmbeddedLedger): EmbeddedLedger =>
    new Proxy(real, {
      get: (target, name) => {
        if (name === 'updates') return () => Promise.reject(error)
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
}

describe('errors in the form of Canton', () => {
  test('413 JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: active contracts too', async () => {
    await using few = await openLedgerDoors({ maxListElements: 1 })
    const activeAtOffset = await few.net.ledger.end()
    const heard = await few.asks(
      contracts,
      { activeAtOffset, eventFormat: eventsOf() },
      { as: anyone, headers: { traceparent } },
    )
    expectCanton(heard, 'tooManyElements', 413)
  })

  test('SERVICE_NOT_RUNNING: the ledger cannot be read', async () => {
    await using broken = await openLedgerDoors({
      ledger: failingUpdates(new LedgerUnavailable('The ledger is closed.')),
    })
    const heard = await broken.asks(
      updates,
      { beginExclusive: 0, endInclusive: 1, updateFormat: everything },
      { as: anyone, headers: { traceparent } },
    )
    expectCanton(heard, 'notRunning', 503)
  })

  test('SERVICE_NOT_RUNNING: the keys to check a token with cannot be had', async () => {
    await using keyless = await openLedgerDoors({ jwksUrl: 'http://127.0.0.1:1/keys' })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'RS256', kid: 'a' })}.${part({ sub: 'alice' })}.c2ln`
    const heard = await keyless.asks('GET /v2/state/ledger-end', undefined, {
      token,
      headers: { traceparent },
    })
    expectCanton(heard, 'notRunning', 503)
  })

  test('NA, 500: what fails for no known reason tells nothing of it', async () => {
    await using broken = await openLedgerDoors({ ledger: failingUpdates(new Error('a secret')) })
    const heard = await broken.asks(
      updates,
      { beginExclusive: 0, endInclusive: 1, updateFormat: everything },
      { as: anyone, headers: { traceparent } },
    )
    expectCanton(heard, 'internal', 500)
    expect(heard.text).not.toContain('secret')
  })
})
