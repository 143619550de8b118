import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeText } from '../../src/core/reads/instant.ts'
import { decimalText } from '../../src/core/reads/leaves.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots, type HeardResponse } from '../../src/core/scan/ballots.ts'
import type { Printed } from '../../src/core/scan/judgement.ts'
import { plainText } from '../adversary/json-text.ts'
import { retold } from '../adversary/retold.ts'
import { Tape, tapes } from '../adversary/tape.ts'
import { treeOf } from '../adversary/tree.ts'
import { samples } from './samples.ts'

test.each(Object.values(reads))(
  '$id: one fact in two texts is one vote, and is served in one text',
  (read) => {
    const { params, reply } = samples[read.id as keyof typeof samples]
    const body = treeOf(reply)
    const servedOf = (...texts: readonly string[]) => {
      const ballots = new Ballots({ read, params })
      const votes = texts.map((text, voter) => {
        const { reply: heard } = ballots.hear(voter, 200, Buffer.from(text)) as HeardResponse
        return heard.kind === 'value' ? heard.vote : heard.kind
      })
      const [vote = ''] = votes
      return { votes, text: String((ballots.print(vote, { on: 'whole' }) as Printed).body) }
    }
    fc.assert(
      fc.property(tapes(200), (choices) => {
        const tape = new Tape(choices)
        const [one, other] = [
          retold({ read, status: 200, body }, tape),
          retold({ read, status: 200, body }, tape),
        ]
        const served = servedOf(plainText(one), plainText(other))
        expect(served.votes).toEqual(['0', '0'])
        expect(servedOf(plainText(other), plainText(body)).text).toBe(served.text)
      }),
      { numRuns: 30 },
    )
  },
)

describe('a decimal', () => {
  const amounts = fc.tuple(
    fc.constantFrom('', '-', '+'),
    fc.stringMatching(/^\d{1,28}$/),
    fc.option(fc.stringMatching(/^\d{1,12}$/)),
    fc.option(fc.integer({ min: -12, max: 9 })),
  )
  const written = amounts.map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  )
  /** The amount times 10^40. */
  const amountOf = (text: string): bigint => {
    const [, sign, whole = '', fraction = '', exponent = '0'] =
      /^([+-]?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? []
    const amount = BigInt(whole + fraction) * 10n ** BigInt(40 - fraction.length + Number(exponent))
    return sign === '-' ? -amount : amount
  }

  test('is never printed as another amount, and equal amounts of ten places are printed alike', () => {
    fc.assert(
      fc.property(written, written, (one, other) => {
        expect(amountOf(decimalText(one))).toBe(amountOf(one))
        expect(decimalText(decimalText(one))).toBe(decimalText(one))
        const isOne = amountOf(one) === amountOf(other)
        if (!isOne) expect(decimalText(one)).not.toBe(decimalText(other))
        const isDecimal = amountOf(one) % 10n ** 30n === 0n && amountOf(one) ** 2n < 10n ** 136n
        if (isDecimal) expect(decimalText(one)).toMatch(/^-?\d+\.\d{10}$/)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['1', '1.0000000000'],
    ['1.0', '1.0000000000'],
    ['+1.50', '1.5000000000'],
    ['-0.0', '0.0000000000'],
    ['0E-10', '0.0000000000'],
    ['001.5', '1.5000000000'],
    ['1e2', '100.0000000000'],
    ['1.00000000001', '1.00000000001'],
    ['1e99', '1e99'],
    ['', ''],
    ['1,5', '1,5'],
    [' 1.0', ' 1.0'],
  ])('%j is served as %j', (given, served) => {
    expect(decimalText(given)).toBe(served)
  })
})

describe('a time', () => {
  const parts = fc.tuple(
    fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
    fc.option(fc.stringMatching(/^\d{1,9}$/)),
    fc.constantFrom('Z', '+00:00', '+01:00', '-0530', '+14'),
  )
  const written = parts.map(
    ([at, fraction, zone]) =>
      `${at.toISOString().slice(0, 19)}${fraction === null ? '' : `.${fraction}`}${zone}`,
  )
  /** The nanoseconds since 1970. */
  const nanosOf = (text: string): bigint => {
    const [, seconds = '', fraction = '', zone = ''] =
      /^(.{19})(?:\.(\d+))?(Z|[+-]\d{2}(?::?\d{2})?)$/.exec(text) ?? []
    const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(.\d\d)(\d\d)$/, '$1:$2')
    return BigInt(Date.parse(`${seconds}${offset}`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
  }

  test('is one text exactly where it is one instant', () => {
    fc.assert(
      fc.property(written, written, (one, other) => {
        expect(nanosOf(timeText(one))).toBe(nanosOf(one))
        expect(timeText(timeText(one))).toBe(timeText(one))
        expect(timeText(one) === timeText(other)).toBe(nanosOf(one) === nanosOf(other))
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.500000+00:00', '2026-01-01T00:00:00.5Z'],
    ['2026-02-30T00:00:00Z', '2026-02-30T00:00:00Z'],
    ['soon', 'soon'],
  ])('%s is served as %s', (given, served) => {
    expect(timeText(given)).toBe(served)
  })
})
