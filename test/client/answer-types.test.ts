import { expectTypeOf, test } from 'vitest'
import type { Answered, ReceiptAnswer, Value } from '../../src/client/client.ts'

type Entry = Value<'lookupAnsEntryByName'>

test('an answer can be taken apart before its kind is known, and the kind then tells which members it has', () => {
  const printed = (answer: Answered<Entry>): string => {
    const { kind, value, status, error } = answer
    expectTypeOf(error).toEqualTypeOf<string | undefined>()
    expectTypeOf(status).toEqualTypeOf<number | undefined>()
    if (kind === 'absence') return error
    expectTypeOf(error).toEqualTypeOf<undefined>()
    return value.entry.user
  }
  expectTypeOf(printed).returns.toBeString()
})

test('the answer of a verified receipt can be taken apart, too', () => {
  expectTypeOf<ReceiptAnswer['error']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<ReceiptAnswer['status']>().toEqualTypeOf<number | undefined>()
})
