import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonObject } from '../../src/base/lib/canonical-json.ts'
import { ClientError } from '../../src/client/client-error.ts'
import { requestFor } from '../../src/client/question.ts'
import type { AnyArguments } from '../../src/core/reads/arguments.ts'
import { canonicalBody } from '../../src/core/reads/canonical-params.ts'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { bodyParam } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import { samples } from '../reads/samples.ts'

function argumentsOf(id: ReadId): AnyArguments {
  const { params }: { params: Params } = samples[id]
  const lists = reads[id].params.filter(({ list }) => list).map(({ name }) => name)
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => [
      name,
      name === bodyParam || lists.includes(name) ? JSON.parse(text) : text,
    ]),
  )
}

const others = [
  null,
  true,
  0,
  -1,
  1.5,
  2000,
  '',
  'x',
  'a'.repeat(3000),
  '2026-13-01T00:00:00Z',
  [],
  [null],
  {},
  'a::12',
]

function altered(body: unknown, draw: (below: number) => number): unknown {
  if (draw(12) === 0) return others[draw(others.length)]
  if (Array.isArray(body)) return body.map((item) => altered(item, draw))
  if (!isJsonObject(body)) return body
  const kept = Object.entries(body).filter(() => draw(12) > 0)
  return Object.fromEntries(kept.map(([key, member]) => [key, altered(member, draw)]))
}

function isTaken(take: () => unknown): boolean {
  try {
    take()
    return true
  } catch (error) {
    if (error instanceof ClientError || (error as Error).name === 'SpliceError') return false
    throw error
  }
}

const withBody = readIds.filter((id) => (reads[id] as Read).body !== undefined)

describe('the client takes a body if and only if the schema of the daemon takes it', () => {
  test.each(withBody)('%s', (id) => {
    const { body }: Read = reads[id]
    if (body === undefined) throw new Error('the read has no body')
    const sample = argumentsOf(id)
    const draws = fc.infiniteStream(fc.nat(1_000_000))
    const takes = (given: unknown) => isTaken(() => requestFor(id, { ...sample, [bodyParam]: given }))
    expect([takes(sample[bodyParam]), takes(null)]).toEqual([true, false])
    fc.assert(
      fc.property(draws, (stream) => {
        const changed = altered(sample[bodyParam], (below) => Number(stream.next().value) % below)
        expect(takes(changed)).toBe(isTaken(() => canonicalBody(body, changed)))
      }),
      { numRuns: 300 },
    )
  })
})
