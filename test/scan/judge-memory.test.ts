import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const bodyMiB = 32

/** Judges a body in a process of its own, whose memory outside the heap counts too. */
const script = `
  import { resultOf } from '${new URL('../../src/scan/judge-job.ts', import.meta.url)}'
  const bytes = Buffer.alloc(${bodyMiB * 1_048_576}, '[')
  const before = process.resourceUsage().maxRSS
  resultOf({ job: 'judge', readId: 'getUpdateHistoryV2', params: { body: '{}' }, bytes })
  console.log((process.resourceUsage().maxRSS - before) / 1024)
`

test('judging a body of nothing but opening brackets takes no more memory than a few times its length', async ({
  annotate,
}) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  const neededMiB = Number(stdout)
  await annotate(`${Math.round(neededMiB)} MiB`)
  expect(neededMiB).toBeLessThan(4 * bodyMiB)
})
