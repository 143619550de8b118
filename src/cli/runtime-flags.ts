import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** Flags of V8 that a daemon sets when it runs: `docs/decisions/0014-flags-of-the-runtime.md` says why each. */
export const runtimeFlags = ['--memory-reducer-gc-count=0', '--no-allocation-site-pretenuring'] as const

/**
 * V8 takes no compiled code that was made under other flags. So these come when everything is loaded, and behind what Node
 * keeps for the next start.
 */
export function setRuntimeFlags(): void {
  flushCompileCache()
  for (const flag of runtimeFlags) setFlagsFromString(flag)
}
