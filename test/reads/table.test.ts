import { describe, expect, test } from 'vitest'
import { readIds as configuredIds } from '../../src/config/read-ids.ts'
import { upstreamOf } from '../../src/reads/request.ts'
import { samples } from '../../src/reads/samples.ts'
import { readIds, reads } from '../../src/reads/table.ts'

describe('the table of reads', () => {
  test('every row is filed under its own id', () => {
    for (const [id, read] of Object.entries(reads)) expect(read.id).toBe(id)
  })

  test('options can be set for exactly the reads that there are', () => {
    expect([...configuredIds].sort()).toEqual([...readIds].sort())
  })

  test.each(readIds)('the sample of %s has the shape of its row and answers its question', (id) => {
    const read = reads[id]
    const { params, reply } = samples[id]
    const parsed = read.reply.safeParse(reply)
    expect(parsed.error).toBeUndefined()
    expect(parsed.data).toEqual(reply)
    expect(read.answers?.(parsed.data, params) ?? true).toBe(true)
    expect(read.params.filter((param) => param.required).every((param) => param.name in params)).toBe(true)
  })

  test.each(readIds)('%s asks every scan the same thing under /api/scan', (id) => {
    const upstream = upstreamOf(reads[id], samples[id].params)
    expect(upstream.path).toMatch(/^\/api\/scan\/v0\/[^{}]*$/)
    expect(upstream.body !== undefined).toBe(reads[id].method === 'POST')
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
    const { path } = upstreamOf(reads.lookupAnsEntryByName, { name })
    expect(path).toBe(`/api/scan/v0/ans-entries/by-name/${segment}`)
  })

  test('a query parameter that was not given is not sent', () => {
    expect(upstreamOf(reads.listAnsEntries, { page_size: '7' }).path).toBe(
      '/api/scan/v0/ans-entries?page_size=7',
    )
    expect(upstreamOf(reads.listAnsEntries, { name_prefix: 'a&b', page_size: '7' }).path).toBe(
      '/api/scan/v0/ans-entries?name_prefix=a%26b&page_size=7',
    )
  })
})
