import { expect, test } from 'vitest'
import { LazyWorker } from '../../src/base/lib/lazy-worker.ts'
import { eventually } from '../support/eventually.ts'

interface Job {
  readonly text: string
  readonly posted: Int32Array
}

/** A worker that replies with the text, and then tells that the reply is posted. */
const echo = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ text, posted }) => {
      parentPort.postMessage(text)
      Atomics.store(posted, 0, 1)
      Atomics.notify(posted, 0)
    })
  `)}`,
)

const job = (text: string): Job => ({ text, posted: new Int32Array(new SharedArrayBuffer(4)) })

test('a reply of a thread that was ended meanwhile is not taken for that of the next message', async () => {
  const replies: string[] = []
  const ends: string[] = []
  const second = Promise.withResolvers<void>()
  const worker = new LazyWorker<Job, string>(
    echo,
    { name: 'echo' },
    {
      replied(text) {
        replies.push(text)
        second.resolve()
      },
      ended: ({ message }) => ends.push(message),
    },
  )
  const late = job('late')
  worker.send(late)
  Atomics.wait(late.posted, 0, 0)
  const ended = worker.end(new Error('too long'))
  worker.send(job('next'))
  await Promise.all([ended, second.promise])
  await worker.end(new Error('over'))
  expect({ replies, ends }).toEqual({ replies: ['next'], ends: ['too long', 'over'] })
})

test('a thread tells its processor time while it works, and has none before it starts', async () => {
  const spins = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ posted }) => {
      while (Atomics.load(posted, 0) === 0);
      parentPort.postMessage('over')
    })
  `
  const replied = Promise.withResolvers<string>()
  const worker = new LazyWorker<Pick<Job, 'posted'>, string>(
    new URL(`data:text/javascript,${encodeURIComponent(spins)}`),
    { name: 'spins' },
    { replied: replied.resolve, ended: () => {} },
  )
  expect(await worker.cpuMs()).toBe(0)
  const { posted } = job('')
  worker.send({ posted })
  await eventually(async () => (await worker.cpuMs()) > 100)
  Atomics.store(posted, 0, 1)
  expect(await replied.promise).toBe('over')
  await worker.end(new Error('over'))
})
