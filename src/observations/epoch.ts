import { milliseconds } from '../lib/clock.ts'

const epochMs = milliseconds('10m')

/** The time is in milliseconds since 1970. */
export function epochAt(wall: number): number {
  return Math.floor(wall / epochMs)
}

export function endOf(epoch: number): number {
  return (epoch + 1) * epochMs
}
