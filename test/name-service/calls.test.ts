import { expect, test } from 'vitest'
import { SpliceError } from '../../src/errors/splice.ts'
import { answerOf, valueIn } from '../../src/name-service/calls.ts'

const received = async (value: Promise<unknown>) => valueIn(structuredClone(await answerOf(value)))

test('a refusal is the same in the other thread, with the pause that it asks for', async () => {
  const refusal = new SpliceError('nameTaken', { name: 'a', until: 'b', owner: 'c' }, { retryAfter: 5 })
  const error = await received(Promise.reject(refusal)).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(SpliceError)
  expect(error).toEqual(refusal)
  await expect(received(Promise.reject(new SpliceError('malformedAmount')))).rejects.toEqual(
    new SpliceError('malformedAmount'),
  )
})

test('a value is the same in the other thread', async () => {
  expect(await received(Promise.resolve({ amount: '1.0' }))).toEqual({ amount: '1.0' })
})

test('a mistake of the program is no answer', async () => {
  await expect(answerOf(Promise.reject(new TypeError('no such thing')))).rejects.toThrow('no such thing')
})
