import { describe, expect, test } from 'vitest'
import { type Stage, settled, startStage } from '../support/daemon.ts'
import { asTimePasses } from '../support/eventually.ts'
import { byName, nothingKept } from './questions.ts'

const alice = byName('alice.unverified.cns')

async function asksPerLookup(
  stage: Stage,
  name: (count: number) => string,
  lookups: number,
): Promise<number> {
  const before = stage.asks('by-name')
  for (let count = 0; count < lookups; count++) await stage.get(byName(name(count)))
  await settled(stage)
  return (stage.asks('by-name') - before) / lookups
}

describe('How many of 13 are asked for one lookup:', () => {
  test.each([
    { fanout: 'economical', existing: 5, absent: 9 },
    { fanout: 'quorum', existing: 9, absent: 9 },
    { fanout: 'all', existing: 13, absent: 13 },
  ])(
    '$fanout: $existing for a name that exists, $absent for one that does not',
    async ({ fanout, existing, absent }) => {
      const config = { ...nothingKept, 'scanClient.fanout': fanout }
      await using stage = await startStage({ superValidators: 13, config })
      expect(await asksPerLookup(stage, () => 'alice.unverified.cns', 20)).toBe(existing)
      expect(await asksPerLookup(stage, (count) => `nobody-${count}`, 20)).toBe(absent)
    },
  )

  test('none twice in one read, also where kept-alive connections break', async () => {
    await using stage = await startStage({ superValidators: 4 })
    await stage.get(byName('bob.unverified.cns'))
    await stage.fault(stage.names, 'reset')
    const before = stage.names.map((name) => stage.localnet.asks(name, 'by-name'))
    expect((await stage.get(alice)).status).toBe(502)
    await settled(stage)
    for (const [index, name] of stage.names.entries()) {
      expect(stage.localnet.asks(name, 'by-name') - (before[index] ?? 0)).toBeLessThanOrEqual(2)
    }
  })
})

describe('What a refusal means:', () => {
  const unknown = { kind: 'status', code: 404, error: 'Nothing is known of alice.unverified.cns' } as const

  test('a 404 in words that nobody knows is no "not found": it is counted and logged', async () => {
    await using stage = await startStage({ config: nothingKept })
    await stage.fault(stage.names, unknown)
    expect((await stage.get(alice)).status).toBe(502)
    const { value } = await stage.metrics()
    expect(value('scan_proxy_unknown_refusals_total', { read: 'lookupAnsEntryByName' })).toBeGreaterThan(0)
    expect(value('scan_proxy_reads_total', { read: 'lookupAnsEntryByName', outcome: 'undecided' })).toBe(1)
    const told = stage.lines().find(({ msg }) => String(msg).startsWith('a 404 says what no row knows'))
    expect(told).toMatchObject({ level: 'warn', read: 'lookupAnsEntryByName', text: unknown.error })
  })

  test('words that are configured for a read are', async () => {
    const absentTexts = ['Nothing is known of {name}']
    const config = { ...nothingKept, 'scanClient.absentTexts.lookupAnsEntryByName': absentTexts }
    await using stage = await startStage({ config })
    await stage.fault(stage.names, unknown)
    const heard = await stage.get(alice)
    expect(heard.status).toBe(404)
    expect(JSON.parse(heard.text)).toEqual({
      error: 'Did not find a AnsEntry with name alice.unverified.cns',
    })
    expect((await stage.get('/v0/ans-entries/by-name/alice.unverified.cns')).text).toBe(
      '{"error":"No ans entry found for name: alice.unverified.cns"}',
    )
  })

  test.each([400, 409, 410, 422])(
    'what enough refuse with %i is refused with that, in their words',
    async (code) => {
      await using stage = await startStage({ config: nothingKept })
      await stage.fault(stage.names, { kind: 'status', code, error: 'Not "this" one' })
      const heard = await stage.get(alice)
      expect(heard).toMatchObject({ status: code, text: '{"error":"Not \\"this\\" one"}' })
      expect(heard.headers['x-bft-quorum']).toContain('threshold=2')
    },
  )

  test.each([401, 403, 405, 429, 301, 500, 503])('what all refuse with %i is no answer', async (code) => {
    await using stage = await startStage({ config: nothingKept })
    await stage.fault(stage.names, { kind: 'status', code, error: 'no' })
    expect((await asTimePasses(stage.clock, stage.get(alice))).status).toBe(502)
  })
})
