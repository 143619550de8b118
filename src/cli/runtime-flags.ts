import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The V8 flags that a running daemon sets. `docs/decisions/0014-flags-of-the-runtime.md` explains each flag.
 */
export const runtimeFlags = [
  '--memory-reducer-gc-count=0',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=60',
] as const

/**
 * Saves Node's compile cache, and then sets the V8 flags. Called when the daemon has loaded all modules. The
 * order matters: V8 rejects cached code that was compiled under other flags, and the next start loads the
 * cache before it sets the flags.
 */
export function setRuntimeFlags(): void {
  flushCompileCache()
  for (const flag of runtimeFlags) setFlagsFromString(flag)
}

/**
 * Frees some 10 MiB of garbage that the start of the daemon left. V8 would free it only after many more
 * allocations, which an idle daemon never makes. The collection stops this thread for a tenth of a second, so
 * it should run right after the start.
 */
export function freeWhatStartLeft(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
