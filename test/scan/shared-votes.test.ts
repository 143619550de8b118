import { expect, test } from 'vitest'
import { reads } from '../../src/core/reads/table.ts'
import type { Case } from '../../src/core/scan/evidence-log.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { doubtOf } from '../../src/doctor/examiner.ts'
import { doubtSeries, isBeyondF } from '../../src/server/ui/incidents.ts'
import { wireReads } from '../support/wired-reads.ts'

test('two super validators of one origin contradict with one vote, and the evidence names who shares it', async () => {
  const ask = async (name: string): Promise<ScanResponse> => {
    const body = Buffer.from(JSON.stringify({ dso_party_id: `DSO::1220${name === 'sv-1' ? 'bb' : 'aa'}` }))
    return { kind: 'response', status: 200, body, release: () => {} }
  }
  const names = ['sv-1', 'sv-2', 'sv-3', 'sv-4', 'sv-5']
  const wired = wireReads({ names, sameOrigin: { 'sv-2': 'sv-1' }, rule: 'f+1', fanout: 'all', seed: 1, ask })
  await using _ = wired.judge
  const question = { read: reads.getDsoPartyId, params: {} }
  const examination = await wired.examiner.examine(question, { everyone: true })
  expect(examination.electorate.superValidators).toMatchObject({ n: 5, f: 1, threshold: 2 })
  expect(doubtOf(examination)).toBeUndefined()
  const kept = examination.disagreement as Case
  expect(kept).toMatchObject({
    outcome: 'agreed',
    sharedVotes: [['sv-1', 'sv-2']],
    dissent: { 'sv-1': 'pending', 'sv-2': 'pending' },
  })
  expect(isBeyondF(kept, 1)).toBe(false)
  expect(doubtSeries([kept], 1, Date.parse(kept.at))).toBeUndefined()
})

test.each([
  ['one super validator', {}, ['sv-1']],
  ['two super validators that share one vote', { 'sv-2': 'sv-1' }, ['sv-1', 'sv-2']],
])('an absence is not kept that only %s reported', async (_, sameOrigin, agreed) => {
  const body = Buffer.from(JSON.stringify({ error: 'No ans entry found for name: alice' }))
  const ask = async (name: string): Promise<ScanResponse> =>
    name === 'sv-1'
      ? { kind: 'response', status: 404, body, release: () => {} }
      : { kind: 'fault', fault: 'unreachable', detail: '' }
  const names = ['sv-1', 'sv-2', 'sv-3']
  const wired = wireReads({ names, sameOrigin, rule: 1, fanout: 'all', seed: 1, ask })
  await using _judge = wired.judge
  const answer = await wired.answer(reads.lookupAnsEntryByName, { name: 'alice' })
  expect(answer).toMatchObject({ kind: 'absence', agreement: { agreed } })
  expect(wired.reader.lifetimeOf(reads.lookupAnsEntryByName, answer).lifetime).toBeUndefined()
})

test('a defect in keeping a contradiction costs that evidence and is counted, and ends no process', async () => {
  const ask = async (name: string): Promise<ScanResponse> => {
    const body = Buffer.from(JSON.stringify({ dso_party_id: `DSO::1220${name === 'sv-1' ? 'bb' : 'aa'}` }))
    return { kind: 'response', status: 200, body, release: () => {} }
  }
  const lost = Promise.withResolvers<unknown>()
  const names = ['sv-1', 'sv-2', 'sv-3', 'sv-4']
  const events = { evidenceLost: lost.resolve }
  const wired = wireReads({ names, rule: 'f+1', fanout: 'all', seed: 1, ask, events })
  await using _ = wired.judge
  const defect = new Error('a defect')
  wired.evidence.add = () => {
    throw defect
  }
  expect(await wired.answer(reads.getDsoPartyId, {})).toMatchObject({ kind: 'value' })
  expect(await lost.promise).toBe(defect)
})
