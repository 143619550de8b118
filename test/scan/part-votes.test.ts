import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { reads } from '../../src/core/reads/table.ts'
import type { Case } from '../../src/core/scan/evidence-log.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { dissentSeries, isDoubtful } from '../../src/server/ui/incidents.ts'
import { samples } from '../reads/samples.ts'
import { wireReads } from '../support/wired-reads.ts'

const [entry] = samples.listAnsEntries.reply.entries
const [update] = samples.getUpdateHistoryV2.reply.transactions

/** Each letter stands for an item of a list, or for a step of a history. */
const said = fc
  .integer({ min: 4, max: 10 })
  .chain((n) =>
    fc.array(fc.constantFrom('ab', 'ab', 'ab', 'abc', 'abd', 'a', 'ax', 'x'), { minLength: n, maxLength: n }),
  )

const list = {
  read: reads.listAnsEntries,
  params: { page_size: '1000' },
  bodyOf: (text: string) => ({
    entries: [...text].map((letter) => ({
      ...entry,
      name: `${letter}.unverified.cns`,
      contract_id: `00${letter}`,
    })),
  }),
  servedIn: (body: Buffer): string =>
    JSON.parse(body.toString())
      .entries.map(({ name }: { name: string }) => name[0])
      .join(''),
  holds: (text: string, served: string) => [...served].map((letter) => text.includes(letter)),
}

const history = {
  read: reads.getUpdateHistoryV2,
  params: { body: '{"page_size":1000}' },
  bodyOf: (text: string) => ({
    transactions: [...text].map((letter, at) => ({
      ...update,
      update_id: `1220${letter}`,
      record_time: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
    })),
  }),
  servedIn: (body: Buffer): string =>
    JSON.parse(body.toString())
      .transactions.map((one: { update_id: string }) => one.update_id.slice(4))
      .join(''),
  holds: (text: string, served: string) => [text.startsWith(served)],
}

async function voteOn(
  { read, params, bodyOf, servedIn }: typeof list | typeof history,
  texts: readonly string[],
) {
  const names = texts.map((_, at) => `sv-${at}`)
  const wired = wireReads({
    names,
    rule: 'f+1',
    fanout: 'all',
    seed: 1,
    ask: async (name): Promise<ScanResponse> => ({
      kind: 'response',
      status: 200,
      body: Buffer.from(JSON.stringify(bodyOf(texts[names.indexOf(name)] as string))),
      release: () => {},
    }),
  })
  await using _ = wired.judge
  const { answer, disagreement } = await wired.examiner.examine({ read, params }, { everyone: true })
  return answer && disagreement && { kept: disagreement, served: servedIn(answer.body) }
}

describe.each([
  ['a list of which some items', list],
  ['a history of which the beginning', history],
] as const)('%s was agreed', (_what, asked) => {
  test('has as many votes as super validators gave its least supported part, and is doubtful below 2f + 1 only', async () => {
    await fc.assert(
      fc.asyncProperty(said, async (texts) => {
        const vote = await voteOn(asked, texts)
        if (vote === undefined || vote.kept.agreed !== null) return
        const { kept, served } = vote
        const held = texts.map((text) => asked.holds(text, served))
        const votes = Math.min(...(held[0] ?? []).map((_, part) => held.filter((has) => has[part]).length))
        expect(kept.partVotes).toBe(votes)
        const f = tolerated(texts.length)
        const dissenters = Object.keys(kept.dissent).length
        if (dissenters === 0 || dissenters > f) return
        expect(isDoubtful(kept, f, [Date.parse(kept.at)])).toBe(votes < 2 * f + 1)
      }),
    )
  })
})

test('after an incident, a super validator that contradicts a part on which 2f + 1 agree is named as outvoted', async () => {
  const vote = await voteOn(history, ['abcd', 'abce', 'abcf', 'abcg', 'abch', 'abci', 'x'])
  const kept = vote?.kept as Case
  expect(kept).toMatchObject({
    outcome: 'agreed',
    agreed: null,
    partVotes: 6,
    dissent: { 'sv-6': 'pending' },
  })
  const dissent = { 'sv-0': 'dissent', 'sv-1': 'dissent', 'sv-2': 'dissent' } as const
  const incident: Case = { ...kept, partVotes: 4, dissent }
  const now = Date.parse(kept.at) + 1
  expect(dissentSeries([kept, incident], 2, now)?.who).toEqual(['sv-6'])
  expect(dissentSeries([{ ...kept, partVotes: 4 }, incident], 2, now)).toBeUndefined()
})
