import { expect, test } from 'vitest'
import { SpliceError } from '../../src/errors/splice.ts'
import { lookUp } from '../../src/ui/lookup.ts'
import { examination } from './samples.ts'

const absence = { kind: 'absence' } as const
const examiner = {
  examine: async () => examination({}, { answer: absence as never }),
}

async function acronymFor(text: string, agreed: () => Promise<unknown>) {
  const input = { by: 'name', text, ask: 'all', strict: false } as const
  const history = { agreed, past: undefined, networkMs: () => 0 }
  const deps = {
    examiner,
    history,
    spend: () => {},
    mirrored: () => undefined,
    receipts: undefined,
    machineMs: () => 0,
    dso: () => undefined,
  }
  const { finding } = await lookUp(input, deps)
  return finding.kind === 'examined' ? finding.acronym : finding
}

test('the page takes the ending of names from the name service of the network', async () => {
  const agreed = async () => ({ name_service_name_acronym: 'ANS' })
  expect(await acronymFor('asdf', agreed)).toBe('ans')
  expect(await acronymFor('asdf.unverified.ans', agreed)).toBeUndefined()
})

test('the page shows an absence also where the super validators do not agree on the ending of names', async () => {
  const disputed = async () => {
    throw new SpliceError('noConsensus', { asked: 4, threshold: 2 })
  }
  expect(await acronymFor('asdf', disputed)).toBeUndefined()
})
