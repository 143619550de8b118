import { expect, test } from 'vitest'
import { type Pruning, pruneAnswer } from '../../src/http/operations-app.ts'
import { startEmbedded } from '../support/daemon.ts'

interface Line {
  readonly from?: string
  readonly outcome: string
}

async function answered(from: string, over: Partial<Pruning> = {}) {
  const lines: Line[] = []
  const pruned: number[] = []
  const prune = async (upTo: number) => {
    pruned.push(upTo)
    return upTo
  }
  const logger = { warn: (fields: object) => void lines.push(fields as Line) }
  const pruning = { prune, fromAnywhere: false, logger, ...over }
  const { status } = await pruneAnswer(pruning, { from, body: async () => '{"upTo":2}' })
  return { status, pruned, lines }
}

test.each(['10.0.0.7', '::ffff:10.0.0.7', 'fe80::1'])(
  'A caller at %s prunes nothing unless operations.admin is true, and its call is logged',
  async (from) => {
    const refused = await answered(from)
    expect(refused).toMatchObject({ status: 403, pruned: [], lines: [{ from, outcome: 'refused' }] })
    const taken = await answered(from, { fromAnywhere: true })
    expect(taken).toMatchObject({ status: 200, pruned: [2], lines: [{ from, upTo: 2, outcome: 'pruned' }] })
  },
)

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('A caller at %s may prune', async (from) => {
  expect(await answered(from)).toMatchObject({ status: 200, pruned: [2] })
})

test('A pruning that fails is logged with its error', async () => {
  const lines: object[] = []
  const logger = { warn: (fields: object) => void lines.push(fields) }
  const prune = () => Promise.reject(new Error('the disk is full'))
  const call = { from: '::1', body: async () => '{"upTo":3}' }
  await expect(pruneAnswer({ prune, fromAnywhere: false, logger }, call)).rejects.toThrow('the disk is full')
  expect(lines).toEqual([{ from: '::1', upTo: 3, outcome: 'failed', error: 'Error: the disk is full' }])
})

test('The daemon logs each call of /prune with the address, the offset and the outcome', async () => {
  await using daemon = await startEmbedded()
  for (const body of ['{"upTo":1}', '{}']) await daemon.operations('/prune', { method: 'POST', body })
  const lines = daemon.lines().filter(({ msg }) => msg === 'an operator prunes the ledger')
  expect(lines).toMatchObject([
    { level: 'warn', from: '127.0.0.1', upTo: 1, outcome: 'pruned', prunedUpTo: 1 },
    { level: 'warn', from: '127.0.0.1', outcome: 'malformed' },
  ])
})
