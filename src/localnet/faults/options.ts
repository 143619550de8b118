import { z } from 'zod'
import { longestLagMs } from '../world/world.ts'

export function duration(what: string) {
  return z.int().min(0).max(longestLagMs).describe(`${what}, in ms`)
}

export function size(what: string) {
  return z
    .int()
    .min(1)
    .max(4 * 1024 ** 3)
    .describe(`${what}, in bytes`)
}
