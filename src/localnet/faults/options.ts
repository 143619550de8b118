import { z } from 'zod'
import { longestLagMs } from '../world/world.ts'

/** Returns the schema of an option that is a duration in milliseconds, at most an hour. */
export function duration(what: string) {
  return z.int().min(0).max(longestLagMs).describe(`${what}, in ms`)
}

/** Returns the schema of an option that is a size in bytes, at most 4 GiB. */
export function size(what: string) {
  return z
    .int()
    .min(1)
    .max(4 * 1024 ** 3)
    .describe(`${what}, in bytes`)
}
