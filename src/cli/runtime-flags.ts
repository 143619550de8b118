import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/**
 * Frees what the start left behind, some 10 MiB, in a tenth of a second: V8 does so by itself only when much more is
 * allocated, which an idle daemon never does. For the moment at which nobody can have asked anything yet.
 */
export function freeWhatStartLeft(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
