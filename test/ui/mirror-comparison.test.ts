import { expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import { mirroredAnswer } from '../../src/server/ui/lookup.ts'
import { sourceView } from '../../src/server/ui/views/lookup.ts'
import { examination, textOf } from './samples.ts'

const expiry = { expires_at: '2026-06-01T00:00:00Z' }
const asOf = { at: 0, claim: 'binding', basis: 'snapshot', generation: 1 } as const

function entry(given: Record<string, unknown> = {}): Answer {
  return examination(given).answer as Answer
}

test.each([
  ['the same bytes', entry(expiry), 'same'],
  ['a renewed entry', entry({ contract_id: '00cd', expires_at: '2027-01-01T00:00:00Z' }), 'renewed'],
  ['an entry that ends earlier', entry({ contract_id: '00cd', expires_at: '2020-01-01T00:00:00Z' }), 'other'],
  ['another owner', entry({ ...expiry, user: 'mallory::1' }), 'other'],
  ['an absence', { ...entry(), kind: 'absence' }, 'other'],
  ['a list', { ...entry(), body: Buffer.from('{"entries":[]}') }, 'other'],
] as const)('the page compares the mirror with %s that the live vote gave', (_, live, compared) => {
  const mirrored = mirroredAnswer(
    { answer: entry(expiry), asOf },
    examination({}, { answer: live as Answer }),
  )
  expect(mirrored).toEqual({ answer: entry(expiry), asOf, compared })
})

test('an absence that the mirror and the live vote both say is the same, whatever its text', () => {
  const absence = (text: string): Answer => ({
    ...entry(),
    kind: 'absence',
    status: 404,
    body: Buffer.from(JSON.stringify({ error: text })),
  })
  const stream = { ...asOf, claim: 'state', basis: 'stream' } as const
  const mirrored = mirroredAnswer(
    { answer: absence('No entry.'), asOf: stream },
    examination({}, { answer: absence('Not found.') }),
  )
  expect(mirrored?.compared).toBe('same')
  const shown = textOf(sourceView(mirrored, 0, false))
  expect(shown).toContain('from the snapshot and the updates since that sv-1 agreed on. It is the same.')
  expect(mirroredAnswer({ answer: absence('No entry.'), asOf: stream }, examination({}))?.compared).toBe(
    'other',
  )
})

test('an answer that is not of the mirror is not shown as one', () => {
  expect(mirroredAnswer({ answer: entry() }, examination({}))).toBeUndefined()
})

test('beside a vote that is in doubt the page compares the mirror with nothing', () => {
  const mirrored = mirroredAnswer({ answer: entry(), asOf }, examination({}, { answer: undefined }))
  expect(sourceView(mirrored, 0, false).toString()).toContain('It differs from this vote.')
  expect(sourceView(mirrored, 0, true).toString()).not.toMatch(/bad|differs/)
})

test('while the mirror has no snapshot the page says so', () => {
  expect(textOf(sourceView('empty', 0, false))).toContain('The mirror is on and has no snapshot yet.')
  expect(textOf(sourceView(undefined, 0, false))).not.toContain('mirror')
})
