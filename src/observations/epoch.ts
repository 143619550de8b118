import { milliseconds } from '../lib/clock.ts'

/** The length of an epoch, in milliseconds. A daemon signs its observations once for each epoch. */
const epochMs = milliseconds('10m')

/** Returns the number of the epoch at a time in milliseconds since 1970. */
export function epochAt(wall: number): number {
  return Math.floor(wall / epochMs)
}

/** Returns the end of an epoch in milliseconds since 1970. */
export function endOf(epoch: number): number {
  return (epoch + 1) * epochMs
}
