import { describe, expect, test } from 'vitest'
import { type StageOptions, startRemote, startStage } from '../support/daemon.ts'

const lookup = '/v0/scan-proxy/ans-entries/by-name/dso.cns'

async function lookedUp(faulty: number, options: StageOptions = {}) {
  await using stage = await startStage(options)
  await stage.fault(stage.names.slice(0, faulty), 'error')
  return await stage.get(lookup)
}

describe('An error 5xx of a read names its code and the counts of its largest group:', () => {
  test('notEnoughScans, where three of four super validators fail', async () => {
    const { status, headers } = await lookedUp(3)
    expect(status).toBe(502)
    expect(headers['x-bft-error']).toBe('notEnoughScans')
    expect(headers['x-bft-quorum']).toMatch(/^agreed=[01], threshold=2, asked=4, voters=4$/)
    expect(headers).not.toHaveProperty('x-bft-agreed')
    expect(String(headers['access-control-expose-headers']).split(', ')).toContain('x-bft-error')
  })

  test.each([0, 1])(
    'notEnoughScans counts the healthy super validator that was asked or may still be: round %i',
    async (rounds) => {
      await using stage = await startStage()
      await stage.fault(stage.names.slice(1), 'reset')
      await stage.fault(['sv-1'], { kind: 'delay', ms: 60_000 })
      for (let round = 0; round < rounds; round++) await stage.get(lookup)
      const { status, text } = await stage.get(lookup)
      expect(status).toBe(502)
      expect(JSON.parse(text).error).toMatch(
        /^Only 1 scan instances can be used \(out of 4 configured ones\)/,
      )
    },
  )

  test('notEnoughScans counts nobody in the first read after all super validators closed their ports', async () => {
    await using stage = await startStage()
    await stage.fault(stage.names, 'refuse')
    const { status, text, headers } = await stage.get(lookup)
    expect(status).toBe(502)
    expect(headers['x-bft-quorum']).toBe('agreed=0, threshold=2, asked=4, voters=4')
    expect(JSON.parse(text).error).toMatch(/^Only 0 scan instances can be used \(out of 4 configured ones\)/)
  })

  test('noConsensus, where two super validators contradict the other two', async () => {
    await using stage = await startStage({ config: { 'scanClient.threshold': '2f+1' } })
    await stage.fault(['sv-1', 'sv-2'], 'lie')
    const { status, headers } = await stage.get(lookup)
    expect(status).toBe(502)
    expect(headers['x-bft-error']).toBe('noConsensus')
    expect(headers['x-bft-quorum']).toBe('agreed=2, threshold=3, asked=4, voters=4')
  })

  test('with the counts of operators where they are configured, and whether the answer was protected', async () => {
    const config = { 'scanClient.operators': { a: ['sv-1', 'sv-2'] }, 'scanClient.threshold': 1 }
    const { headers } = await lookedUp(4, { config })
    expect(headers['x-bft-quorum']).toBe(
      'agreed=0, threshold=1, asked=4, voters=4, operators=0, operator-threshold=1, operator-voters=3, protected=?0',
    )
  })

  test('thresholdAboveRoster, for which no super validator is asked', async () => {
    await using network = await startStage()
    const seeds = network.localnet.superValidators.map(({ url }) => url)
    const settings = { 'scanClient.threshold': 9 }
    await using running = await startRemote(seeds, settings, { clock: network.clock })
    const { status, headers } = await running.get(lookup)
    expect(status).toBe(503)
    expect(headers['x-bft-error']).toBe('thresholdAboveRoster')
    expect(headers['x-bft-quorum']).toBe('agreed=0, threshold=9, asked=0, voters=4')
  })

  test('noRosterYet, which has no threshold', async () => {
    await using running = await startRemote(['http://127.0.0.1:9'])
    const { status, headers } = await running.get(lookup)
    expect(status).toBe(503)
    expect(headers['x-bft-error']).toBe('noRosterYet')
    expect(headers['x-bft-quorum']).toBe('agreed=0, asked=0, voters=0')
  })
})

test('a refused question names its code and has no counts, and an agreed absence names no code', async () => {
  await using stage = await startStage()
  const refused = await stage.get('/v0/ans-entries?page_size=0')
  expect(refused.headers['x-bft-error']).toBe('limitTooSmall')
  expect(refused.headers).not.toHaveProperty('x-bft-quorum')
  const absent = await stage.get('/v0/scan-proxy/ans-entries/by-name/nobody.cns')
  expect(absent.status).toBe(404)
  expect(absent.headers).toHaveProperty('x-bft-quorum')
  expect(absent.headers).not.toHaveProperty('x-bft-error')
})

test('an operation about one scan answers 501 and names its code', async () => {
  await using stage = await startStage()
  const { status, headers } = await stage.get('/api/scan/v0/sv-bft-sequencers')
  expect(status).toBe(501)
  expect(headers['x-bft-error']).toBe('notAgreeable')
})
