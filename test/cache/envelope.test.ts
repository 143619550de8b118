import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Enclosed, enclose, open } from '../../src/cache/envelope.ts'
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

  test('is refused when its header is well sealed and of another shape', () => {
    const shapes: unknown[] = [
      { ...enclosed, answer: { ...enclosed.answer, agreement: undefined } },
      { ...enclosed, position: 'later' },
      { ...enclosed, lastsMs: null },
      { ...enclosed, lifetime: { freshMs: '1', staleMs: 1 } },
      { ...enclosed, answer: { ...enclosed.answer, kind: 'other' } },
      { ...enclosed, answer: { ...enclosed.answer, endsAt: 'soon' } },
      { ...enclosed, answer: { ...enclosed.answer, status: 99 } },
      { ...enclosed, answer: { ...enclosed.answer, status: 200.5 } },
      { ...enclosed, answer: { ...enclosed.answer, status: 205 } },
      { ...enclosed, answer: { ...enclosed.answer, status: 404 } },
      { ...enclosed, answer: { ...enclosed.answer, kind: 'absence' } },
      { ...enclosed, answer: { ...enclosed.answer, kind: 'absence', status: 500 } },
      { ...enclosed, answer: { ...enclosed.answer, agreement: { agreed: [1] } } },
      {
        ...enclosed,
        answer: { ...enclosed.answer, agreement: { ...enclosed.answer.agreement, operators: {} } },
      },
    ]
    for (const shape of shapes) {
      const value = enclose(shape as Enclosed)
      expect(open(value, key)).toEqual({ kind: 'refused', reason: 'format' })
    }
  })
})
