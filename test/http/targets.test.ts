import { afterAll, describe, expect, test } from 'vitest'
import type { Heard } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { openDoors } from './doors.ts'

const strangeNames = [
  ...`a/b.unverified.cns a%2Fb.unverified.cns a+b.unverified.cns a?b=c&d.unverified.cns
  a#b.unverified.cns a;b.unverified.cns ... % %2e%2e {name} :name * __proto__ constructor
  zürich.unverified.cns 名前.unverified.cns 😀`.split(/\s+/),
  'a b.unverified.cns',
  'a\'b"c\\d.unverified.cns',
  'zu\u0308rich.unverified.cns',
  '\u202egnp.unverified.cns',
  '\ufeff',
  '\u007f\u0001',
]

const every = ['/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/v0', '/api/scan/v0']

const byName = (base: string, name: string) => `${base}/ans-entries/by-name/${encodeURIComponent(name)}`

const stage = await startStage()
const expiresAt = stage.clock.wall() + 86_400_000
for (const name of strangeNames)
  stage.localnet.world.put({ name, user: `${'x'.repeat(8)}::1220ab`, expiresAt })
stage.clock.advance(5_000)
const doors = await openDoors(stage)

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

function lastingParts({ status, headers, text, whole }: Heard) {
  const left = ['date', 'x-request-id', 'traceparent', 'age', 'cache-control', 'cache-status']
  const kept = Object.entries(headers).filter(([name]) => !left.includes(name))
  return { status, headers: Object.fromEntries(kept.sort()), text, whole }
}

test('A target is answered from the cache when it is asked again', async () => {
  for (const path of [
    byName('/v0', 'carol.unverified.cns'),
    byName('/v0/scan-proxy', 'züri.unverified.cns'),
    '/v0/ans-entries?page_size=9&name_prefix=a',
    '/v0/scan-proxy/../ans-entries/by-name/carol-not.unverified.cns',
    '/api/validator/v0/scan-proxy/ans-entries/by-party/nobody-here%3A%3A1220aa',
    '//api/scan//v0/ans-entries/by-name/dave.unverified.cns/',
  ]) {
    await doors.ask(path)
    const asks = stage.asks()
    expect((await doors.ask(path)).headers['cache-status']).toContain('; hit; ')
    expect(stage.asks()).toBe(asks)
  }
})

test('A path with slashes that mean nothing is the path without them', async () => {
  const plain = await doors.ask('/v0/ans-entries/by-name/erin.unverified.cns')
  const asks = stage.asks()
  const again = await doors.ask('//v0//ans-entries/by-name/erin.unverified.cns/')
  expect(lastingParts(again)).toEqual(lastingParts(plain))
  expect(stage.asks()).toBe(asks)
})

describe('No two names are taken for one another:', () => {
  test.each(strangeNames)('%j', async (name) => {
    for (const base of every) {
      const heard = await doors.ask(byName(base, name))
      expect(heard.status).toBe(200)
      expect(JSON.parse(heard.text).entry.name).toBe(name)
    }
  })
})
