import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type TestContext, test } from 'vitest'

/** Runs a script in a process of its own, whose memory outside the heap counts too. The script prints MiB. */
async function memoryOf(script: string, annotate: TestContext['annotate']): Promise<number> {
  const args = ['--expose-gc', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  await annotate(`${Math.round(Number(stdout))} MiB`)
  return Number(stdout)
}

function at(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url))
}

test('judging a body of nothing but opening brackets takes no more memory than a few times its length', async ({
  annotate,
}) => {
  const bodyMiB = 32
  const script = `
    import { resultOf } from ${at('../../src/scan/judge-job.ts')}
    const bytes = Buffer.alloc(${bodyMiB} * 2 ** 20, '[')
    const before = process.resourceUsage().maxRSS
    resultOf({ job: 'judge', readId: 'getUpdateHistoryV2', params: { body: '{}' }, bytes })
    console.log((process.resourceUsage().maxRSS - before) / 2 ** 10)
  `
  expect(await memoryOf(script, annotate)).toBeLessThan(4 * bodyMiB)
})

test('the judge thread gives the memory of long bodies back when it has judged them', async ({
  annotate,
}) => {
  const script = `
    import { JudgeThread } from ${at('../../src/scan/judge-thread.ts')}
    import { reads } from ${at('../../src/reads/table.ts')}
    await using thread = new JudgeThread({ clock: { now: () => 0, after: () => () => {} } })
    const judge = async (length) => {
      const body = Buffer.from(JSON.stringify({ transactions: [], unknown: 'a'.repeat(length) }))
      await thread.judge({ read: reads.getUpdateHistoryV2, params: { body: '{}' } }, body, 'a')
    }
    const resident = async () => {
      await judge(100_000)
      gc()
      return process.memoryUsage().rss
    }
    const before = await resident()
    for (let nth = 0; nth < 8; nth++) {
      await judge(10 * 2 ** 20)
      gc()
    }
    console.log(((await resident()) - before) / 2 ** 20)
  `
  expect(await memoryOf(script, annotate)).toBeLessThan(20)
})
