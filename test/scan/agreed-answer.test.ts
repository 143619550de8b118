import { expect, test } from 'vitest'
import type { Answer } from '../../src/cache/answer.ts'
import { reads } from '../../src/reads/table.ts'
import { agreedAnswer } from '../../src/scan/agreed-answer.ts'
import { samples } from '../reads/samples.ts'
import { wireReads } from '../support/wired-reads.ts'

const name = 'alice.unverified.cns'
const { reply } = samples.lookupAnsEntryByName
const plain = JSON.stringify(reply)
const spaced = JSON.stringify(reply, null, 2)
const reordered = JSON.stringify({ entry: Object.fromEntries(Object.entries(reply.entry).reverse()) })

async function answered(said: Readonly<Record<string, string>>): Promise<Answer | undefined> {
  const all = wireReads({
    names: Object.keys(said),
    rule: 'f+1',
    fanout: 'all',
    seed: 1,
    ask: async (asked) => ({
      kind: 'response',
      status: 200,
      body: Buffer.from(said[asked] ?? ''),
      release: () => {},
    }),
  })
  const inquiry = all.inquiry(reads.lookupAnsEntryByName, { name })
  const closed = Promise.withResolvers<void>()
  const verdict = await inquiry.run(new AbortController().signal, closed.resolve, closed.resolve)
  await closed.promise
  return verdict.kind === 'agreed' ? agreedAnswer(inquiry, verdict) : undefined
}

test('the bytes that a threshold sent are served as they are', async () => {
  const { status, body } = (await answered({ a: spaced, b: spaced, c: spaced, d: spaced })) as Answer
  expect([status, String(body)]).toEqual([200, spaced])
})

test('bytes from fewer senders than the threshold are never served, in any order of replies', async () => {
  for (const said of [
    { a: spaced, b: reordered, c: '', d: '' },
    { a: reordered, b: spaced, c: '', d: '' },
    { a: '', b: '', c: reordered, d: spaced },
  ]) {
    const { status, body } = (await answered(said)) as Answer
    expect([status, String(body)]).toEqual([200, plain])
  }
})
