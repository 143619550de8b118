import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

/**
 * Gives all processes and threads of a test run one cache of compiled code, because hundreds of them load the same
 * modules.
 */
export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= folder
}
