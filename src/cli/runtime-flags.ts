import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** `docs/decisions/0014-flags-of-the-runtime.md` explains each of these V8 flags. */
export const runtimeFlags = [
  '--memory-reducer-gc-count=0',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=60',
] as const

/**
 * Saves Node's compile cache before it sets the flags. V8 rejects cached code that was compiled
 * under other flags, and the next start loads the cache before it sets the flags.
 */
export function setRuntimeFlags(): void {
  flushCompileCache()
  for (const flag of runtimeFlags) setFlagsFromString(flag)
}

/**
 * Frees some 10 MiB of garbage that the start of the daemon left: an idle daemon allocates too
 * little for V8 to collect it. This thread stops for a tenth of a second.
 */
export function freeWhatStartLeft(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
