import { execFileSync } from 'node:child_process'

/** Two cores: one runs only what is measured, and the other runs everything else. */
export interface Cores {
  readonly measured: number
  readonly rest: number
}

/**
 * Returns two different cores. Returns undefined if there is only one, or if `taskset`, which binds a process to a
 * core, does not work.
 */
export function findCores(): Cores | undefined {
  const allowed = allowedCores()
  const [measured] = allowed
  const rest = allowed.at(-1)
  return measured === undefined || rest === undefined || measured === rest ? undefined : { measured, rest }
}

/**
 * Returns both cores, for measurements of latency. The measured processes are mostly idle then, so the operating system
 * may choose their core. Returns undefined if no process is bound to a core.
 */
export function anyOf(cores: Cores | undefined): readonly number[] | undefined {
  return cores && [cores.measured, cores.rest]
}

/**
 * Returns the command line that runs `command` on these cores. If `cores` is undefined, the command may use
 * the cores of this process.
 */
export function onCores(
  cores: number | readonly number[] | undefined,
  command: readonly string[],
): readonly string[] {
  return cores === undefined ? command : ['taskset', '-c', String(cores), ...command]
}

/** Moves this process to one core, and with it all processes that it starts later. */
export function moveTo(core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(process.pid)], { stdio: 'ignore' })
}

function allowedCores(): readonly number[] {
  try {
    const said = execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
    return (/[\d,-]+\s*$/.exec(said)?.[0] ?? '').trim().split(',').flatMap(range)
  } catch {
    return []
  }
}

/** Returns the numbers of a range: 2, 3 and 4 for `2-4`. */
function range(text: string): number[] {
  const [first = Number.NaN, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
