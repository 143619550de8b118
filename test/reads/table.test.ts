import { describe, expect, test } from 'vitest'
import { longestBody } from '../../src/base/lib/body-bytes.ts'
import { bytes } from '../../src/base/lib/bytes.ts'
import { canonicalJson, type Json } from '../../src/base/lib/canonical-json.ts'
import { readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { repeatsParam } from '../../src/core/reads/reading.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { reads } from '../../src/core/reads/table.ts'
import { nodeSpecificRoutes } from '../../src/server/http/routes/node-specific.ts'
import { samples } from './samples.ts'

describe('the table of reads', () => {
  test('every row is filed under its own id', () => {
    for (const [id, read] of Object.entries(reads)) expect(read.id).toBe(id)
  })

  test.each(readIds)('the sample of %s has the shape of its row and answers its question', (id) => {
    const read = reads[id]
    const { params, reply } = samples[id]
    const parsed = schemaOf(read.reply).safeParse(reply)
    expect(parsed.error).toBeUndefined()
    expect(parsed.data).toEqual(reply)
    expect(read.answersQuestion?.(parsed.data, params) ?? true).toBe(true)
    expect(repeatsParam(read.repeats, parsed.data, params)).toBe(true)
    expect(read.params.filter((param) => param.required).every((param) => param.name in params)).toBe(true)
  })

  test.each(readIds)('%s asks every scan the same thing, under /api/scan or of the token registry', (id) => {
    const upstream = upstreamOf({ read: reads[id], params: samples[id].params })
    expect(upstream.path).toMatch(/^(?:\/api\/scan\/v[012]|\/registry)\/[^{}]*$/)
    expect(upstream.body !== undefined).toBe(reads[id].method === 'POST')
  })

  test.each(readIds)(
    'what the sample of %s stands for does not change when it is put in order again',
    (id) => {
      const { normalise = (value: unknown) => value }: Read = reads[id]
      const voted = normalise(schemaOf(reads[id].reply).parse(samples[id].reply))
      expect(schemaOf(reads[id].reply).parse(JSON.parse(JSON.stringify(voted)))).toEqual(voted)
      expect(normalise(voted)).toEqual(voted)
    },
  )

  test('an event is no answer if one of its parts is of another update, whichever part comes first', () => {
    const { answersQuestion } = reads.getEventById
    const { params, reply } = samples.getEventById
    const { update, verdict } = reply
    const other = { update_id: 'another' }
    expect(answersQuestion?.({ ...reply, update, verdict: { ...verdict, ...other } }, params)).toBe(false)
    expect(answersQuestion?.({ verdict: { ...verdict, ...other }, update }, params)).toBe(false)
    expect(answersQuestion?.({ ...reply, update: { ...update, ...other }, verdict }, params)).toBe(false)
  })

  test('a body that is part of the question is asked as the sample has it', () => {
    for (const id of readIds) {
      const { body }: Read = reads[id]
      const { params }: { params: Params } = samples[id]
      expect('body' in params, id).toBe(body !== undefined)
      if (body !== undefined)
        expect(canonicalJson(schemaOf(body).parse(JSON.parse(params['body'] ?? '')) as Json), id).toBe(
          canonicalJson(JSON.parse(params['body'] ?? '')),
        )
    }
  })

  test('no row takes a longer body than the connection lets a caller send', () => {
    const bodies = Object.values(reads).flatMap(({ body, maxBodyBytes }: Read) => {
      expect(maxBodyBytes !== undefined).toBe(body !== undefined)
      return maxBodyBytes ?? []
    })
    expect(bodies.length).toBeGreaterThan(3)
    for (const size of bodies) expect(bytes(size)).toBeLessThanOrEqual(longestBody)
  })

  test('no path is served and refused at once, and every refusal says why', () => {
    const served = Object.values(reads).map(({ method, scanPath }) => `${method} ${scanPath}`)
    const refused = nodeSpecificRoutes.map(({ method, scanPath }) => `${method} ${scanPath}`)
    expect(new Set([...served, ...refused]).size).toBe(served.length + refused.length)
    for (const { why, instead } of nodeSpecificRoutes)
      for (const text of [why, instead]) expect(text).toMatch(/^[A-Z].*\.$/)
  })
})

describe('what is asked of a scan', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['..', '%2E%2E'],
    ['.', '%2E'],
    ['ü ?#%', '%C3%BC%20%3F%23%25'],
    ['$&', '%24%26'],
    ['{name}', '%7Bname%7D'],
  ])('the name %j is one encoded segment', (name, segment) => {
    const { path } = upstreamOf({ read: reads.lookupAnsEntryByName, params: { name } })
    expect(path).toBe(`/api/scan/v0/ans-entries/by-name/${segment}`)
  })

  test('a query parameter that was not given is not sent', () => {
    expect(upstreamOf({ read: reads.listAnsEntries, params: { page_size: '7' } }).path).toBe(
      '/api/scan/v0/ans-entries?page_size=7',
    )
    expect(
      upstreamOf({ read: reads.listAnsEntries, params: { name_prefix: 'a&b', page_size: '7' } }).path,
    ).toBe('/api/scan/v0/ans-entries?name_prefix=a%26b&page_size=7')
  })
})
