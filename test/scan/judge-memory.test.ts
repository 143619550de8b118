import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { samples } from '../reads/samples.ts'

const miB = 1_048_576

const file = new URL('../../src/core/scan/judge-job.ts', import.meta.url).href

/** Judges a body in a process of its own, whose memory outside the heap counts too. */
const script = `
  import { judgedBody } from '${file}'
  const bytes = Buffer.alloc(${32 * miB}, '[')
  const before = process.resourceUsage().maxRSS
  judgedBody([bytes], { readId: 'getUpdateHistoryV2', params: { body: '{}' } })
  console.log(process.resourceUsage().maxRSS - before)
`

test('judging a body of nothing but opening brackets takes no more memory than a few times its length', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script])
  expect(Number(stdout) / 1_024).toBeLessThan(128)
})

test('the judge thread gives the memory of long bodies back when it has judged them', async () => {
  const thread = new Worker(new URL('../../src/core/scan/judge-worker.ts', import.meta.url))
  const judge = async (length: number) => {
    const reply = { ...samples.getUpdateHistoryV2.reply, unknown: 'a'.repeat(length) }
    const bytes = new TextEncoder().encode(JSON.stringify(reply))
    const { params } = samples.getUpdateHistoryV2
    const input = { readId: 'getUpdateHistoryV2', params }
    thread.postMessage({ file, name: 'judgedBody', bodies: [bytes], input }, [bytes.buffer])
    await once(thread, 'message')
  }
  const external = async () => {
    await judge(100_000)
    return (await thread.getHeapStatistics()).external_memory / miB
  }
  const before = await external()
  for (let nth = 0; nth < 6; nth++) await judge(10 * miB)
  expect((await external()) - before).toBeLessThan(10)
  await thread.terminate()
})
