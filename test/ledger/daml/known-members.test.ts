import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conform, conformKnown } from '../../../src/ledger/daml/conform.ts'
import type { DamlShape } from '../../../src/ledger/daml/type.ts'
import type { DamlValue } from '../../../src/ledger/value.ts'

/** A value of a type. `grown` is the same value from a ledger with newer packages, whose records have more members. */
interface Grown {
  readonly value: DamlValue
  readonly grown: DamlValue
}

interface Typed {
  readonly shape: DamlShape
  readonly values: fc.Arbitrary<Grown>
}

const same = (values: fc.Arbitrary<DamlValue>) => values.map((value): Grown => ({ value, grown: value }))

const leaves: readonly Typed[] = [
  { shape: { kind: 'text' }, values: same(fc.constantFrom('', 'a', 'b', '{}')) },
  { shape: { kind: 'bool' }, values: same(fc.boolean()) },
  { shape: { kind: 'int64' }, values: same(fc.constantFrom('0', '-7', '12')) },
  { shape: { kind: 'decimal' }, values: same(fc.constantFrom('1.0', '2.5000000000')) },
  { shape: { kind: 'enum', constructors: ['A', 'B'] }, values: same(fc.constantFrom('A', 'B')) },
]
const names = ['first', 'second', 'third', 'tag', 'value', 'toString']
const moreNames = fc.constantFrom('more', 'constructor', 'hasOwnProperty', '__proto__', '0')
const more = fc.dictionary(moreNames, fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<DamlValue>, {
  maxKeys: 2,
})

function pairOf(one: fc.Arbitrary<Grown>, other: fc.Arbitrary<Grown>): fc.Arbitrary<Grown> {
  return fc.tuple(one, other).map(([a, b]) => ({ value: [a.value, b.value], grown: [a.grown, b.grown] }))
}

function listOf(items: fc.Arbitrary<Grown>): fc.Arbitrary<Grown> {
  return fc
    .array(items, { maxLength: 3 })
    .map((all) => ({ value: all.map(({ value }) => value), grown: all.map(({ grown }) => grown) }))
}

function recordOf(fields: Readonly<Record<string, Typed>>): Typed {
  const members = fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, { values }]) => [name, values])),
  )
  return {
    shape: { kind: 'record', fields: shapesOf(fields) },
    values: fc.tuple(members, more).map(([given, added]) => {
      const entries = Object.entries(given as Record<string, Grown>)
      return {
        value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
        grown: Object.fromEntries([
          ...Object.entries(added),
          ...entries.map(([name, { grown }]) => [name, grown] as const),
        ]),
      }
    }),
  }
}

function variantOf(cases: Readonly<Record<string, Typed>>): Typed {
  return {
    shape: { kind: 'variant', cases: shapesOf(cases) },
    values: fc.oneof(
      ...Object.entries(cases).map(([tag, { values }]) =>
        values.map(({ value, grown }): Grown => ({ value: { tag, value }, grown: { tag, value: grown } })),
      ),
    ),
  }
}

function shapesOf(all: Readonly<Record<string, Typed>>): Record<string, DamlShape> {
  return Object.fromEntries(Object.entries(all).map(([name, { shape }]) => [name, shape]))
}

const { any } = fc.letrec<{ any: Typed }>((tie) => {
  const inner = tie('any')
  const named = fc.dictionary(fc.constantFrom(...names), inner, { minKeys: 1, maxKeys: 3 })
  return {
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...leaves),
      named.map(recordOf),
      named.map(variantOf),
      inner.map(
        ({ shape, values }): Typed => ({ shape: { kind: 'list', of: shape }, values: listOf(values) }),
      ),
      fc.tuple(inner, inner).map(
        ([key, value]): Typed => ({
          shape: { kind: 'map', key: key.shape, value: value.shape },
          values: listOf(pairOf(key.values, value.values)),
        }),
      ),
      inner
        .filter(({ shape }) => shape.kind !== 'optional')
        .map(
          ({ shape, values }): Typed => ({
            shape: { kind: 'optional', of: shape },
            values: fc.oneof(fc.constant({ value: null, grown: null }), values),
          }),
        ),
    ),
  }
})

test('members that a later package adds to any record of a value are dropped when a ledger sends them', () => {
  const typed = any.chain(({ shape, values }) => values.map((grown) => ({ shape, ...grown })))
  fc.assert(
    fc.property(typed, ({ shape, value, grown }) => {
      expect(conformKnown(shape, grown)).toEqual(conform(shape, value))
    }),
    { numRuns: 2_000 },
  )
})

test('a value that does not fit its type is refused in the same way whether a ledger or a caller sends it', () => {
  const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<DamlValue>
  const told = (read: () => DamlValue) => {
    try {
      return JSON.stringify(read())
    } catch (error) {
      return String(error)
    }
  }
  fc.assert(
    fc.property(any, values, ({ shape }, value) => {
      const found = told(() => conformKnown(shape, value))
      const alike = told(() => conform(shape, value))
      if (!alike.includes('Unexpected field')) expect(found).toBe(alike)
    }),
    { numRuns: 2_000 },
  )
})
