import { expect, test } from 'vitest'
import { TooManyLoads } from '../../src/core/cache/answers.ts'
import { bodyParam } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import type { Case } from '../../src/core/scan/evidence-log.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { samples } from '../reads/samples.ts'
import { wireReads } from '../support/wired-reads.ts'

const { reply } = samples.lookupAnsEntryByName

function saying(value: unknown): ScanResponse {
  return { kind: 'response', status: 200, body: Buffer.from(JSON.stringify(value)), release: () => {} }
}

function failing(fault: 'busy' | 'timeout'): ScanResponse {
  return { kind: 'fault', fault, detail: '' }
}

async function casesOf(responses: Readonly<Record<string, ScanResponse>>): Promise<readonly Case[]> {
  const all = wireReads({
    names: Object.keys(responses),
    rule: 'f+1',
    fanout: 'all',
    seed: 1,
    ask: async (name) => responses[name] as ScanResponse,
  })
  using inquiry = all.ask(reads.lookupAnsEntryByName, { name: 'alice.unverified.cns' })
  await inquiry.whenOver()
  return all.evidence.cases()
}

test('a case names silent super validators, and none that this daemon did not ask because of its own limits', async () => {
  const [truth, lie] = [saying(reply), saying({ entry: { ...reply.entry, url: 'https://lie.example' } })]
  const [kept] = await casesOf({ a: truth, b: truth, c: lie, d: failing('timeout') })
  expect(kept?.silent).toEqual([{ kind: 'fault', what: 'timeout', who: ['d'] }])
  const [without] = await casesOf({ a: truth, b: truth, c: lie, d: failing('busy') })
  expect(without).toMatchObject({ silent: [], dissent: { c: 'pending' } })
})

test("a read that failed by this daemon's own limits is no case, and one that failed by silence is one", async () => {
  const truth = saying(reply)
  const [busy, timeout] = [failing('busy'), failing('timeout')]
  expect(await casesOf({ a: truth, b: busy, c: busy, d: busy })).toEqual([])
  expect(await casesOf({ a: truth, b: timeout, c: timeout, d: timeout })).toHaveLength(1)
})

test('questions of callers that fill the memory for questions leave those of the daemon itself alone', async () => {
  const nobody = new Promise<never>(() => {})
  const wired = wireReads({ names: ['a', 'b'], rule: 'f+1', fanout: 'all', seed: 1, ask: () => nobody })
  const params = { [bodyParam]: JSON.stringify({ record_times: ['x'.repeat(1 << 20)] }) }
  const ask = (isForCaller: boolean) => void wired.ask(reads.getAcsSnapshotAtV2, params, { isForCaller })
  expect(() => {
    for (let asked = 0; asked < 100; asked++) ask(true)
  }).toThrow(TooManyLoads)
  ask(false)
})
