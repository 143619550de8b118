import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** The core that what is measured has to itself, and the one for everything else. */
export interface Cores {
  readonly measured: number
  readonly rest: number
}

/** Undefined where there is one core, or no `taskset` to bind a process to one. */
export function findCores(): Cores | undefined {
  const allowed = allowedCores()
  const [measured] = allowed
  const rest = allowed.at(-1)
  return measured === undefined || rest === undefined || measured === rest ? undefined : { measured, rest }
}

/** For rows about latency, whose processes are busy for little of the time: the system chooses. */
export function anyOf(cores: Cores | undefined): readonly number[] | undefined {
  return cores && [cores.measured, cores.rest]
}

/** A command line that runs `command` on these cores; undefined: on those of this process. */
export function onCores(
  cores: number | readonly number[] | undefined,
  command: readonly string[],
): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', String(cores), ...command]
}

/** Moves this process, and so all that it starts, to one core. */
export function moveTo(core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(process.pid)], { stdio: 'ignore' })
}

/** Lets the threads of a process that have this name run on these cores. */
export function allowThreads(pid: number, name: string, cores: readonly number[]): void {
  const tasks = `/proc/${pid}/task`
  const threads = readdirSync(tasks).filter(
    (id) => readFileSync(`${tasks}/${id}/comm`, 'utf8').trim() === name,
  )
  if (threads.length === 0) throw new Error(`no thread of process ${pid} is called ${name}`)
  for (const id of threads) execFileSync('taskset', ['-cp', String(cores), id], { stdio: 'ignore' })
}

/** Until it is disposed this process hardly waits for others on its core, where the system grants it that. */
export function goFirst(): Disposable {
  const before = getPriority()
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    return { [Symbol.dispose]: () => {} }
  }
  return { [Symbol.dispose]: () => setPriority(before) }
}

function allowedCores(): readonly number[] {
  try {
    const said = execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
    return (/[\d,-]+\s*$/.exec(said)?.[0] ?? '').trim().split(',').flatMap(range)
  } catch {
    return []
  }
}

/** `2-4` to 2, 3, 4. */
function range(text: string): number[] {
  const [first = Number.NaN, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
