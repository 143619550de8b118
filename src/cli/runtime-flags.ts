import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** V8 flags that a running daemon sets. `docs/decisions/0014-flags-of-the-runtime.md` explains each. */
export const runtimeFlags = ['--memory-reducer-gc-count=0', '--no-allocation-site-pretenuring'] as const

/**
 * V8 rejects compiled code that was made under other flags. So the daemon sets the flags after all modules are loaded
 * and after Node has saved its compile cache.
 */
export function setRuntimeFlags(): void {
  flushCompileCache()
  for (const flag of runtimeFlags) setFlagsFromString(flag)
}
