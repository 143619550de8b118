import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thresholdOf, tolerated } from '../../src/base/lib/threshold.ts'
import { reads } from '../../src/core/reads/table.ts'
import { agreedAnswer } from '../../src/core/scan/agreed-answer.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { quorumReached } from '../../src/core/scan/not-agreed.ts'
import { wireReads } from '../support/wired-reads.ts'

function dsoOf(text: string): ScanResponse {
  const body = Buffer.from(JSON.stringify({ dso_party_id: `DSO::1220${text}` }))
  return { kind: 'response', status: 200, body, release: () => {} }
}

test('a strict read states its own threshold and protection, with and without an answer', async () => {
  const voters = fc.array(fc.constantFrom('aa', 'aa', 'aa', 'bb'), { minLength: 1, maxLength: 13 })
  const rule = fc.constantFrom<'f+1' | '2f+1' | 1 | 2 | 5>('f+1', '2f+1', 1, 2, 5)
  await fc.assert(
    fc.asyncProperty(voters, rule, fc.boolean(), async (said, rule, strict) => {
      const names = said.map((_, at) => `sv-${at}`)
      const answers = new Map(names.map((name, at) => [name, dsoOf(said[at] as string)]))
      const ask = async (name: string) => answers.get(name) as ScanResponse
      const wired = wireReads({ names, rule, fanout: 'all', seed: 1, ask })
      await using _ = wired.judge
      using inquiry = wired.ask(reads.getDsoPartyId, {}, { strict })
      const verdict = await inquiry.decided
      await inquiry.whenOver()
      const f = tolerated(names.length)
      const configured = thresholdOf(rule, names.length)
      const threshold = strict ? Math.max(thresholdOf('2f+1', names.length), configured) : configured
      const expected = { threshold, voters: names.length, protected: f > 0 && threshold > f }
      if (verdict.kind === 'agreed')
        expect((await agreedAnswer(inquiry, verdict)).agreement).toMatchObject(expected)
      else expect(quorumReached(inquiry)).toMatchObject(expected)
    }),
  )
})
