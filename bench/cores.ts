import { execFileSync } from 'node:child_process'

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

/** A command line that runs `command` on one core. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command]
}

/** Moves this process, and so all that it starts, to one core. */
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

/** `2-4` to 2, 3, 4. */
function range(text: string): number[] {
  const [first = Number.NaN, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
