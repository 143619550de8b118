import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { mirrorFolder } from './mirror-folder.ts'
import { audit, type KillReport, killStores } from './store-kills.ts'
import { StoreProcess } from './store-process.ts'

test('after each of 1,000 kills at random moments the file has the old content or the new one, whole', async ({
  annotate,
}) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const reports = await Promise.all([0, 1, 2, 3].map((lane) => killStores(250, seed + lane)))
  expect(
    reports.flatMap(({ problems }) => problems),
    `CRASH_SEED=${seed}`,
  ).toEqual([])
  const during = reports.reduce((sum, { duringWrites }) => sum + duringWrites, 0)
  expect(during).toBeGreaterThan(300)
  await annotate(JSON.stringify({ seed, during, finished: reports.map(({ finished }) => finished) }))
}, 900_000)

/** The system calls that change a file. */
const calls = ['pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'unlink', 'openat'] as const

const canTrace = await promisify(execFile)('strace', ['-o', '/dev/null', 'true']).then(
  () => true,
  () => false,
)

test.skipIf(!canTrace)(
  'a kill at any system call of five writes leaves the old content or the new one, whole',
  async ({ annotate }) => {
    const report: KillReport = { duringWrites: 0, finished: 0, problems: [] }
    let kills = 0
    for (const call of calls)
      for (let at = 1; report.problems.length === 0; at++) {
        await using folder = await mirrorFolder()
        if (!(await killedAtCall(folder.file, { call, at, report }))) break
        kills++
      }
    expect(report.problems).toEqual([])
    expect(kills).toBeGreaterThan(100)
    await annotate(JSON.stringify({ kills, ...report }))
  },
  900_000,
)

interface Traced {
  readonly call: (typeof calls)[number]
  /** The number of the call that kills the process, from 1. */
  readonly at: number
  readonly report: KillReport
}

/** Resolves with false if the process made fewer calls than that. */
async function killedAtCall(file: string, { call, at, report }: Traced): Promise<boolean> {
  const inject = `inject=${call}:signal=SIGKILL:when=${at}`
  const paths = [file, `${file}-journal`].flatMap((path) => ['-P', path])
  const under = ['strace', '-f', '-qq', '-o', '/dev/null', ...paths, '-e', `trace=${call}`, '-e', inject]
  await using child = new StoreProcess({ file, under })
  // The first write replaces the set, the second and fifth ones add to the overlay, and the others follow
  // updates.
  child.send({ do: 'write', from: 1, upTo: 5 })
  for (let said = await child.next(); said !== undefined; said = await child.next())
    if ('done' in said) return false
  await audit(file, child.said, { report, before: 0 })
  return true
}
