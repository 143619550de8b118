import { z } from 'zod'
import { longestLagMs } from '../world/world.ts'

/** A duration in milliseconds, up to an hour. */
export function duration(what: string) {
  return z.int().min(0).max(longestLagMs).describe(`${what}, in ms`)
}

/** A size in bytes, up to 4 GiB. */
export function size(what: string) {
  return z
    .int()
    .min(1)
    .max(4 * 1024 ** 3)
    .describe(`${what}, in bytes`)
}
