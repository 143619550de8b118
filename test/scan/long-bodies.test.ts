import { expect, test, vi } from 'vitest'
import { reads } from '../../src/reads/table.ts'
import type { ScanResponse } from '../../src/scan/node.ts'
import { samples } from '../reads/samples.ts'
import { eventually } from '../support/eventually.ts'
import { wireReads } from '../support/wired-reads.ts'

const [entry] = samples.listAnsEntries.reply.entries

/** A list of names that is too long to be judged on the thread that serves. */
function longList(url: string): ScanResponse {
  const entries = Array.from({ length: 500 }, (_, at) => ({ ...entry, name: `n${at}.unverified.cns`, url }))
  return { kind: 'response', status: 200, body: Buffer.from(JSON.stringify({ entries })), release: () => {} }
}

test("long bodies of a read are judged on the judge's thread, and so are those of a dissenter at the second look", async () => {
  const [truth, lie] = [longList('https://a.example'), longList('https://lie.example')]
  let asked = 0
  const wired = wireReads({
    names: ['a', 'b', 'c', 'd'],
    rule: 'f+1',
    fanout: 'all',
    seed: 1,
    ask: async (name) => {
      if (name !== 'd') return truth
      asked++
      return lie
    },
  })
  await using judge = wired.judge
  const judged = vi.spyOn(judge, 'judge')
  const inquiry = wired.inquiry(reads.listAnsEntries, { page_size: '1000' })
  const closed = Promise.withResolvers<void>()
  await inquiry.run(new AbortController().signal, closed.resolve, closed.resolve)
  await closed.promise
  expect(judged.mock.calls.map(([, , voter]) => voter)).toEqual(['a', 'd'])

  wired.witness.closed(inquiry)
  await eventually(() => wired.evidence.cases().length === 1)
  await eventually(() => {
    if (asked === 1) wired.clock.advance(1_000)
    return asked === 2
  })
  await eventually(() => judged.mock.calls.length === 3)
  expect(judged.mock.calls[2]?.[2]).toBe('d')
})
