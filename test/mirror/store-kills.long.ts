import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.ts'
import { mirrorFolder } from './mirror-folder.ts'
import { audit, type KillReport, killStores } from './store-kills.ts'
import { StoreProcess } from './store-process.ts'

test('after each of 1,000 kills at random moments the file has the old content or the new one, whole', async ({
  annotate,
}) => {
  const reports = await Promise.all([0, 1, 2, 3].map((lane) => killStores(250, seed + lane)))
  expect(
    reports.flatMap(({ problems }) => problems),
    `SEED=${seed}`,
  ).toEqual([])
  const during = reports.reduce((sum, { duringWrites }) => sum + duringWrites, 0)
  expect(during).toBeGreaterThan(300)
  await annotate(JSON.stringify({ seed, during, finished: reports.map(({ finished }) => finished) }))
}, 900_000)

test('a process that is killed while nobody reads its output has said which writes it made', async () => {
  await using folder = await mirrorFolder()
  const report: KillReport = { duringWrites: 0, finished: 0, problems: [] }
  await using child = new StoreProcess({ file: folder.file })
  child.send({ do: 'write', from: 1, upTo: 2_000 })
  await child.next()
  readNothingWhileWritten(folder.file)
  child.kill()
  for (let said = await child.next(); said !== undefined; ) said = await child.next()
  await child.ended
  await audit(folder.file, child.said, { report, before: 0 })
  expect(report.problems).toEqual([])
}, 60_000)

const idleMs = 2_000
const longestMs = 8_000

/**
 * Blocks this thread, so that it reads nothing, until the file has not changed for two seconds. Blocks the thread for
 * eight seconds at most.
 */
function readNothingWhileWritten(file: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  const end = Date.now() + longestMs
  const writtenAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  while (Date.now() < Math.min(end, writtenAt() + idleMs)) Atomics.wait(sleeper, 0, 0, 10)
}

const calls = ['pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'unlink', 'openat'] as const

const canTrace = await promisify(execFile)('strace', ['-o', '/dev/null', 'true']).then(
  () => true,
  () => false,
)

test.skipIf(!canTrace)(
  'a kill at any system call of six writes leaves the old content or the new one, whole',
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
  /** The number of the call at which the process is killed, counted from 1. */
  readonly at: number
  readonly report: KillReport
}

/**
 * Kills a process at one of its system calls, and compares the file with the process's writes. Resolves with false if
 * the process makes too few calls.
 */
async function killedAtCall(file: string, { call, at, report }: Traced): Promise<boolean> {
  const inject = `inject=${call}:signal=SIGKILL:when=${at}`
  const paths = [file, `${file}-journal`].flatMap((path) => ['-P', path])
  const under = ['strace', '-f', '-qq', '-o', '/dev/null', ...paths, '-e', `trace=${call}`, '-e', inject]
  await using child = new StoreProcess({ file, under })
  // The first six writes of the sequence contain every kind of write.
  child.send({ do: 'write', from: 1, upTo: 6 })
  for (let said = await child.next(); said !== undefined; said = await child.next())
    if ('done' in said) return false
  await audit(file, child.said, { report, before: 0 })
  return true
}
