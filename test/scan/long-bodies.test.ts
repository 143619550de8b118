import { expect, test, vi } from 'vitest'
import { reads } from '../../src/core/reads/table.ts'
import { JudgeFailed } from '../../src/core/scan/judge-thread.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { samples } from '../reads/samples.ts'
import { eventually } from '../support/eventually.ts'
import { wireReads } from '../support/wired-reads.ts'

const [entry] = samples.listAnsEntries.reply.entries

/** The list is too long for the serving thread to judge. */
function longList(url: string): ScanResponse {
  const entries = Array.from({ length: 500 }, (_, at) => ({ ...entry, name: `n${at}.unverified.cns`, url }))
  return { kind: 'response', status: 200, body: Buffer.from(JSON.stringify({ entries })), release: () => {} }
}

test('long bodies of a read are judged on the judge thread, also those of a recheck', async () => {
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
  using inquiry = wired.ask(reads.listAnsEntries, { page_size: '1000' })
  await inquiry.whenOver()
  expect(judged.mock.calls.map(([, , voter]) => voter)).toEqual(['a', 'd'])

  await eventually(() => wired.evidence.cases().length === 1)
  await eventually(() => {
    if (asked === 1) wired.clock.advance(1_000)
    return asked === 2
  })
  await eventually(() => judged.mock.calls.length >= 3)
  expect(judged.mock.calls[2]?.[2]).toBe('d')
})

test('a read whose agreed answer cannot be encoded says so, and the next read is answered', async () => {
  const says = { a: 'https://a.example', b: 'https://b.example' }
  const entries = (urls: readonly string[]) =>
    Buffer.from(
      JSON.stringify({
        entries: urls.flatMap((url, of) =>
          Array.from({ length: 500 }, (_, at) => ({ ...entry, name: `n${of}-${at}.unverified.cns`, url })),
        ),
      }),
    )
  const bodies: Readonly<Record<string, Buffer>> = {
    a: entries([says.a, says.b]),
    b: entries([says.a, says.b]),
    c: entries([says.a]),
    d: entries([says.a]),
  }
  const wired = wireReads({
    names: Object.keys(bodies),
    rule: 3,
    fanout: 'all',
    seed: 1,
    ask: async (name) => ({
      kind: 'response',
      status: 200,
      body: bodies[name] as Buffer,
      release: () => {},
    }),
  })
  await using judge = wired.judge
  const print = vi.spyOn(judge, 'print').mockRejectedValue(new JudgeFailed('a body took too long', 'body'))
  const read = () => wired.answer(reads.listAnsEntries, { page_size: '1000' })
  await expect(read()).rejects.toMatchObject({
    code: 'notEncoded',
    status: 503,
    retryAfter: 1,
    quorum: { agreed: 2, threshold: 3, asked: 4, voters: 4 },
    cause: expect.any(JudgeFailed),
  })
  print.mockRestore()
  const { status, body } = await read()
  expect(status).toBe(200)
  expect(JSON.parse(body.toString()).entries).toHaveLength(500)
})
