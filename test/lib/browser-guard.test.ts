import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { browserGuard } from '../../src/base/lib/browser-guard.ts'

const guard = browserGuard(['Proxy.Example.org.', 'bft-scan-proxy'])
const statusOf = (host: string | undefined, headers: object = {}, method = 'GET') =>
  guard({ method, headers: { ...(host !== undefined && { host }), ...headers } })?.status

const port = fc.constantFrom('', ':', ':80', ':9464')
const cased = (name: string) => fc.constantFrom(name, name.toUpperCase(), `${name}.`)

describe('The host names of an address that needs no token:', () => {
  test('every address is one, with a port or without', () => {
    const v6 = fc.ipV6().map((address) => `[${address}]`)
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), v6), port, (address, port) => {
        expect(statusOf(address + port)).toBeUndefined()
      }),
    )
  })

  test('localhost and configured names are, in capitals and with a dot at their end too', () => {
    const name = fc.oneof(...['localhost', 'proxy.example.org', 'bft-scan-proxy'].map(cased))
    fc.assert(
      fc.property(name, port, (name, port) => {
        expect(statusOf(name + port)).toBeUndefined()
      }),
    )
  })

  test('no other name is, whatever it resembles', () => {
    const others = [
      ...`evil.example localhost.evil.example evil.localhost xlocalhost 127.0.0.1.evil.example 127.1
  2130706433 0x7f000001 127.0.0.1:9464:9464 localhost.. localhost:evil user@localhost
  a.proxy.example.org [::1 [localhost] ::1 :9464`.split(/\s+/),
      '127.0.0.1 ',
      '',
    ]
    for (const host of others) expect(statusOf(host), host).toBe(421)
    fc.assert(
      fc.property(fc.domain(), (host) => {
        expect(statusOf(host)).toBe(421)
      }),
    )
  })

  test('a request without one is of no browser', () => {
    expect(statusOf(undefined)).toBeUndefined()
  })

  test('they do not depend on each other: the guard of no names knows addresses and localhost', () => {
    const bare = browserGuard([])
    expect(bare({ method: 'GET', headers: { host: 'localhost:9464' } })).toBeUndefined()
    expect(bare({ method: 'GET', headers: { host: 'bft-scan-proxy:9464' } })).toMatchObject({ status: 421 })
  })
})

describe('What a browser carries for another site:', () => {
  const host = '127.0.0.1:9464'
  const cases: readonly (readonly [string, string, Record<string, string>, number | undefined])[] = [
    [
      'a GET of another site',
      'GET',
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      undefined,
    ],
    [
      'a form of the page',
      'POST',
      { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:9464' },
      undefined,
    ],
    [
      'a form of another site',
      'POST',
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      403,
    ],
    ['a form of another port of the same host', 'POST', { 'sec-fetch-site': 'same-site' }, 403],
    ['an older browser on the page', 'POST', { origin: 'http://127.0.0.1:9464' }, undefined],
    ['an older browser on another site', 'POST', { origin: 'http://127.0.0.1:8080' }, 403],
    ['a page whose origin is hidden', 'POST', { origin: 'null' }, 403],
    ['a program', 'POST', {}, undefined],
    ['a DELETE of another site', 'DELETE', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a PUT of another site', 'PUT', { origin: 'https://evil.example' }, 403],
  ]

  test.each(cases)('%s', (_what, method, headers, status) => {
    expect(statusOf(host, headers, method)).toBe(status)
  })
})
