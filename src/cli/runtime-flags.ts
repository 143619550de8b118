import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** `docs/decisions/0014-flags-of-the-runtime.md` explains each of these V8 flags. */
export const runtimeFlags = [
  '--memory-reducer-gc-count=0',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=100',
] as const

/**
 * Saves Node's compile cache before it sets the flags. V8 rejects cached code that was compiled
 * under other flags, and the next start loads the cache before it sets the flags.
 */
export function setRuntimeFlags(): void {
  flushCompileCache()
  for (const flag of runtimeFlags) setFlagsFromString(flag)
}
