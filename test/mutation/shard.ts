import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Journal } from './journal.ts'
import type { Order } from './plan.ts'

/** A process that notes nothing for so long hangs in a mutant. */
const silentMs = 90_000

/** Runs one process of a pass, again where a mutant hangs or ends it. */
export async function runShard(order: Order): Promise<void> {
  const journal = new Journal(order.folder, order.shard)
  for (;;) {
    const child = startVitest(order, [])
    const ended = once(child, 'exit')
    const hangs = await Promise.race([ended.then(() => false), fellSilent(journal, child)])
    if (hangs) endGroup(child)
    await ended
    const last = journal.read().at(-1)
    if (last?.is !== 'trying') return
    journal.add({ is: 'late', mutant: last.mutant, test: last.test })
  }
}

/** Whether some test fails while this mutant is there from the beginning. */
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

/** With the processes that its tests have started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
