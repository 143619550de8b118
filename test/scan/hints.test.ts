import { expect, test } from 'vitest'
import { reads } from '../../src/reads/table.ts'
import type { ScanResponse } from '../../src/scan/node.ts'
import { samples } from '../reads/samples.ts'
import { wireReads } from '../support/wired-reads.ts'

const names = ['sv-1', 'sv-2', 'sv-3', 'sv-4']
const question = { read: reads.listAnsEntries, params: { page_size: '8' } }
const list = Buffer.from(JSON.stringify(samples.listAnsEntries.reply))

/** The first super validators give the list, and the others fail. */
function wire(healthy: number) {
  const ask = async (name: string): Promise<ScanResponse> =>
    names.indexOf(name) < healthy
      ? { kind: 'response', status: 200, body: list, release: () => {} }
      : { kind: 'fault', fault: 'timeout', detail: 'no reply' }
  return wireReads({ names, rule: 'f+1', fanout: 'all', seed: 1, ask })
}

test.each([
  [2, false, 'unreachable', 1],
  [2, true, 'unreachable', 0],
  [3, true, 'agreed', 0],
])(
  'of four super validators %i give a list for which 2f + 1 must: where it is a hint (%s) it is %s, with %i cases of evidence',
  async (healthy, isHint, outcome, cases) => {
    const { examiner, evidence, judge } = wire(healthy)
    await using _ = judge
    const examination = await examiner.examine(question, { everyone: true, strict: true, isHint })
    expect([examination.outcome, evidence.cases().length]).toEqual([outcome, cases])
  },
)
