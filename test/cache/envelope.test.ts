import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Enclosed, enclose, enclosureBytes, open } from '../../src/core/cache/envelope.ts'
import { answerOf, keyOf, minutes } from './samples.ts'

const key = keyOf('alice')
const enclosed: Enclosed = {
  key,
  answer: answerOf('alice', { endsAt: 1_800_000_000_000 }),
  lifetime: minutes,
  agreedAtWall: 1_700_000_000_000,
  lastsMs: 300_000,
  position: '1700000000000-3',
}
const secret = fc.option(fc.string({ minLength: 1 }), { nil: undefined })

describe('an envelope', () => {
  test('gives back what was enclosed, with any body, key and secret', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), secret, (bytes, anyKey, secret) => {
        const any = { ...enclosed, key: anyKey, answer: answerOf(Buffer.from(bytes)) }
        expect(open(enclose(any, secret), anyKey, secret)).toEqual({ kind: 'enclosed', enclosed: any })
      }),
    )
  })

  test('leaves out who said what, which only the daemon that asked may sign', () => {
    const electors = { trustDigest: '', membership: { dso: '', synchronizer: '', members: [] }, voters: [] }
    const provenance = { rule: 'only-in-memory', electors, heard: [] }
    const value = enclose({ ...enclosed, answer: { ...enclosed.answer, provenance } })
    expect(value.toString('latin1')).not.toContain('only-in-memory')
    expect(open(value, key)).toEqual({ kind: 'enclosed', enclosed })
  })

  test('is refused with any one bit changed', () => {
    const value = enclose(enclosed, 'secret')
    fc.assert(
      fc.property(fc.nat(value.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(value)
        changed.writeUInt8(value.readUInt8(at) ^ (1 << bit), at)
        expect(open(changed, key, 'secret')).toMatchObject({ kind: 'refused' })
      }),
      { numRuns: 1_000 },
    )
  })

  test('is refused when it was cut anywhere or goes on', () => {
    const value = enclose(enclosed)
    for (let length = 0; length < value.length; length++) {
      expect(open(value.subarray(0, length), key)).toMatchObject({ kind: 'refused' })
    }
    expect(open(Buffer.concat([value, Buffer.of(0)]), key)).toMatchObject({ kind: 'refused' })
  })

  test('is refused whatever else the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, asOurs) => {
        const value = Buffer.from(asOurs ? [...enclose(enclosed).subarray(0, 4), ...bytes] : bytes)
        expect(open(value, key)).toMatchObject({ kind: 'refused' })
      }),
      { numRuns: 1_000 },
    )
  })

  test('is refused when any member of its sealed header is missing or of another type', () => {
    const full: Enclosed = {
      ...enclosed,
      answer: answerOf('alice', {
        endsAt: 1_800_000_000_000,
        agreement: {
          ...enclosed.answer.agreement,
          operators: { agreed: 2, threshold: 2, voters: 3 },
        },
      }),
    }
    const optional = ['answer.endsAt', 'answer.agreement.operators']
    expect(open(enclose(full), key)).toEqual({ kind: 'enclosed', enclosed: full })
    for (const path of pathsOf({ ...full, answer: { ...full.answer, body: undefined } })) {
      const valid = typeOf(at(full, path))
      for (const other of [undefined, null, 0.5, 'x', true, [7], {}]) {
        if (typeOf(other) === valid) continue
        const opened = open(sealed(withAt(full, path, other)), key)
        if (other === undefined && optional.includes(path)) expect(opened.kind).toBe('enclosed')
        else expect([path, opened]).toEqual([path, { kind: 'refused', reason: 'format' }])
      }
    }
  })

  test.each([199, 200, 201, 399, 400, 404.5, 499, 500])(
    'with the status %d is opened exactly where a value or an absence has it',
    (status) => {
      const isOpened = (kind: 'value' | 'absence') =>
        open(enclose({ ...enclosed, answer: answerOf('alice', { kind, status }) }), key).kind === 'enclosed'
      expect(isOpened('value')).toBe(status === 200)
      expect(isOpened('absence')).toBe(status === 400 || status === 499)
    },
  )

  test.each(['', '1', '1-', '-1', 'a1-1', '1-1a', '1-1-1'])('is refused with the position %j', (position) => {
    expect(open(enclose({ ...enclosed, position }), key)).toEqual({ kind: 'refused', reason: 'format' })
  })

  test('has a header of 256 KiB at most', () => {
    const spare = Buffer.byteLength(
      JSON.stringify({ ...enclosed, key: '', answer: { ...enclosed.answer, body: undefined } }),
    )
    const long = 'x'.repeat(256 * 1024 - spare)
    const largest = enclose({ ...enclosed, key: long })
    expect(open(largest, long).kind).toBe('enclosed')
    expect(largest.length - enclosed.answer.body.length).toBe(enclosureBytes)
    expect(open(enclose({ ...enclosed, key: `${long}x` }), `${long}x`)).toEqual({
      kind: 'refused',
      reason: 'format',
    })
  })
})

/** Returns an envelope with a header of any shape, with the seal that a daemon without a secret makes. */
function sealed(header: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  const lead = Buffer.from(enclose(enclosed).subarray(0, 8))
  lead.writeUInt32BE(json.length, 4)
  const seal = createHash('sha256').update(lead).update(json).digest()
  return Buffer.concat([lead, json, seal, enclosed.answer.body])
}

function pathsOf(value: object, before = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (member === undefined) return []
    const isParent = typeof member === 'object' && member !== null && !Array.isArray(member)
    return [before + name, ...(isParent ? pathsOf(member, `${before}${name}.`) : [])]
  })
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((member, name) => (member as Record<string, unknown>)[name], value)
}

function withAt(value: Enclosed, path: string, member: unknown): Enclosed {
  const [first = '', ...rest] = path.split('.')
  const inner = at(value, first) as Enclosed
  return { ...value, [first]: rest.length === 0 ? member : withAt(inner, rest.join('.'), member) }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}
