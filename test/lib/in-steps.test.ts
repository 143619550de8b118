import { expect, test } from 'vitest'
import { inSteps } from '../../src/lib/in-steps.ts'

function* stepsOf(ms: readonly number[]): Generator<void, string> {
  for (const each of ms) {
    for (const ends = performance.now() + each; performance.now() < ends; );
    yield
  }
  return 'done'
}

test('long steps run one in each turn of the event loop, so that others have their turns', async () => {
  let turns = 0
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  expect(await inSteps(stepsOf(Array(20).fill(0.2)))).toBe('done')
  clearImmediate(counting)
  expect(turns).toBeGreaterThanOrEqual(18)
})

test('without any step the result is there', async () => {
  expect(await inSteps(stepsOf([]))).toBe('done')
})

test('an error in a step is that of the whole', async () => {
  function* failing(): Generator<void, number> {
    yield
    throw new Error('no')
  }
  await expect(inSteps(failing())).rejects.toThrow('no')
})
