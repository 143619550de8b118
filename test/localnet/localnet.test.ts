import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { areFree, freePorts } from '../support/free-port.ts'
import { ask, askJson, byName, failure } from './ask.ts'

const alice = byName('alice.unverified.cns')

test('a localnet has as many super validators as asked for, on loopback, and names their scans', async () => {
  await using localnet = await startLocalnet({ superValidators: 13 })
  expect(localnet.superValidators.map(({ name }) => name)).toEqual(
    Array.from({ length: 13 }, (_, index) => `sv-${index + 1}`),
  )
  const { scans } = (await askJson(localnet.superValidators[12]?.url ?? '', '/api/scan/v0/scans')).scans[0]
  const published = scans.map(({ publicUrl, svName }: Record<string, string>) => [svName, publicUrl])
  expect(new Map(published)).toEqual(new Map(localnet.superValidators.map(({ name, url }) => [name, url])))
  for (const { url, name, party } of localnet.superValidators) {
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(party).toMatch(new RegExp(`^${name}::1220[0-9a-f]{64}$`))
  }
})

test('given ports, the nodes take them in a row and the control address its own', async () => {
  const port = await freePorts(4)
  await using localnet = await startLocalnet({ superValidators: 3, port, controlPort: port + 3 })
  const ports = [...localnet.superValidators.map(({ url }) => url), localnet.control].map(
    (url) => new URL(url).port,
  )
  expect(ports).toEqual([0, 1, 2, 3].map((index) => String(port + index)))
})

test('where a port is taken it does not start, and leaves none open', async () => {
  const first = await freePorts(3)
  const taken = createServer().listen(first + 2, '127.0.0.1')
  await once(taken, 'listening')
  expect(await failure(startLocalnet({ superValidators: 3, port: first }))).toBe('EADDRINUSE')
  expect(await areFree(first, 2)).toBe(true)
  expect((taken.address() as AddressInfo).port).toBe(first + 2)
  await once(taken.close(), 'close')
})

test('closed, it answers nowhere', async () => {
  const localnet = await startLocalnet({ superValidators: 1 })
  await localnet[Symbol.asyncDispose]()
  await localnet[Symbol.asyncDispose]()
  expect(await failure(ask(localnet.superValidators[0]?.url ?? '', alice))).toBe('ECONNREFUSED')
  expect(await failure(ask(localnet.control, '/faults'))).toBe('ECONNREFUSED')
})

test('asks are counted by node and read, without probes', async () => {
  await using localnet = await startLocalnet({ superValidators: 2 })
  const [one, two] = localnet.superValidators.map(({ url }) => url)
  await ask(one ?? '', alice)
  await ask(one ?? '', alice)
  await ask(one ?? '', '/api/scan/v0/scans')
  await ask(one ?? '', '/registry/nothing')
  await ask(one ?? '', '/favicon.ico')
  for (const probe of ['version', 'status', 'livez', 'readyz']) await ask(one ?? '', `/api/scan/${probe}`)
  await ask(two ?? '', '/api/scan/version')
  expect([localnet.asks('sv-1'), localnet.asks('sv-2')]).toEqual([4, 0])
  expect([localnet.asks('sv-1', 'by-name'), localnet.asks('sv-2', 'version')]).toEqual([2, 1])
  expect(localnet.requests('sv-1').map(({ read }) => read)).toEqual([
    'by-name',
    'by-name',
    'scans',
    'unknown',
    'unknown',
    'version',
    'status',
    'livez',
    'readyz',
  ])
  expect(localnet.requests('sv-1')[0]).toEqual({ read: 'by-name', method: 'GET', target: alice })
})

test('a super validator that there is not is an error of the caller', async () => {
  await using localnet = await startLocalnet({ superValidators: 1 })
  expect(() => localnet.asks('sv-2')).toThrow('the localnet has no super validator called sv-2')
  await expect(localnet.setFault('sv-2', { kind: 'lie' })).rejects.toThrow(RangeError)
  await expect(startLocalnet({ superValidators: 0 })).rejects.toThrow(RangeError)
})
