import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Entry, Journal } from './journal.ts'
import { type Order, readPlan } from './plan.ts'

/** If a process writes nothing to its journal for this long, a mutant is taken to hang it. */
const silentMs = 90_000

export async function runShard(order: Order): Promise<void> {
  const journal = new Journal(order.folder, order.shard)
  for (;;) {
    const files = order.pass === 'thorough' ? filesFor(order, journal.read()) : []
    if (order.pass === 'thorough' && files.length === 0) return
    const child = startVitest(order, files)
    const ended = once(child, 'exit')
    const hangs = await Promise.race([ended.then(() => false), fellSilent(journal, child)])
    if (hangs) endGroup(child)
    await ended
    const last = journal.read().at(-1)
    if (last?.is !== 'trying') return
    journal.add({ is: 'late', mutant: last.mutant, test: last.test })
  }
}

/** Returns the test files that reach a source file in which a mutant of this process survives. */
function filesFor({ folder, shard, shards, chosen }: Order, entries: readonly Entry[]): readonly string[] {
  const { mutants } = readPlan(folder)
  const ended = new Set(
    entries.map((entry) => ('mutant' in entry && entry.is !== 'trying' ? entry.mutant : 0)),
  )
  const isOurs = (mutant: number) => mutant % shards === shard && (chosen?.includes(mutant) ?? true)
  const living = new Set(
    mutants.flatMap(({ file }, at) => (isOurs(at + 1) && !ended.has(at + 1) ? [file] : [])),
  )
  const sites = new Set(mutants.flatMap(({ file, site }) => (living.has(file) ? [site] : [])))
  const files = entries.flatMap((entry) =>
    entry.is === 'covers' && entry.sites.some((site) => sites.has(site)) ? [entry.file] : [],
  )
  return [...new Set(files)]
}

export async function diesAlone(order: Order, files: readonly string[]): Promise<boolean> {
  const child = startVitest(order, ['--bail=1', '--testTimeout=20000', ...files])
  const ended = once(child, 'exit')
  const timer = setTimeout(() => endGroup(child), 2 * silentMs)
  const [code] = (await ended) as [number | null]
  clearTimeout(timer)
  return code !== 0
}

function startVitest(order: Order, more: readonly string[]): ChildProcess {
  const vitest = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url)
  return spawn(process.execPath, [vitest.pathname, 'run', '--config', 'vitest.mutation.config.ts', ...more], {
    env: { ...process.env, MUTATION_ORDER: JSON.stringify(order) },
    stdio: 'ignore',
    detached: true,
  })
}

async function fellSilent(journal: Journal, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    await pause(2_000)
    const written = statSync(journal.path, { throwIfNoEntry: false })?.mtimeMs
    if (written !== undefined && Date.now() - written > silentMs) return true
  }
  return false
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
