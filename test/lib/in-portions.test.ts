import { expect, test } from 'vitest'
import { InPortions } from '../../src/base/lib/in-portions.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Blocks the thread for 0.2 ms, which is longer than a portion. */
function work(): void {
  for (const ends = performance.now() + 0.2; performance.now() < ends; );
}

test('the first job is done at once, and of long ones one in each turn, in the order in which they came', async () => {
  const portions = new InPortions()
  const done: number[] = []
  const job = (number: number) => () => {
    work()
    done.push(number)
  }
  portions.add([job(1), job(2)])
  portions.add([job(3)])
  expect(done).toEqual([1])
  for (let before = 1; before < 3; before = done.length) {
    await turn()
    expect(done.length - before).toBeLessThanOrEqual(1)
  }
  expect(done).toEqual([1, 2, 3])
  await turn()
  portions.add([job(4)])
  expect(done).toEqual([1, 2, 3, 4])
})

test('long jobs that are added one by one, before the effects of the first are over, do not share a turn', async () => {
  const portions = new InPortions()
  let done = 0
  for (let added = 0; added < 3; added++)
    void Promise.resolve().then(() =>
      portions.add([
        () =>
          void Promise.resolve()
            .then(work)
            .then(() => done++),
      ]),
    )
  for (let before = 0; done < 3; before = done) {
    await turn()
    expect(done - before).toBeLessThanOrEqual(1)
  }
})

test('the effects of a job are over before the next job', async () => {
  const portions = new InPortions()
  const order: string[] = []
  const job = (name: string) => () => {
    order.push(name)
    Promise.resolve()
      .then(() => {})
      .then(() => order.push(`after ${name}`))
  }
  portions.add(['a', 'b', 'c'].map(job))
  while (order.length < 6) await turn()
  expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c'])
})

test('waiting jobs run at once when the queue is to be finished', () => {
  const portions = new InPortions()
  const done: number[] = []
  portions.add([1, 2, 3].map((number) => () => done.push(number)))
  portions.finish()
  expect(done).toEqual([1, 2, 3])
})
