import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

/** Hundreds of processes and threads of a run load the same modules: what one has compiled serves the others. */
export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= folder
}
