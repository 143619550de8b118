import { z } from 'zod'

const pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/

/** A UTC time as Splice prints it: `2026-03-01T12:00:00Z`, with up to nine decimals. */
export const isoTime = z.string().refine((text) => pattern.test(text) && !Number.isNaN(Date.parse(text)))

/** A text that sorts as the instants do; empty, and so first, for no time. */
export function instantKey(time: string | null): string {
  const match = time === null ? null : pattern.exec(time)
  return match === null ? '' : `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}`
}

/** A text that sorts later instants first, and no time last. */
export function laterFirst(time: string | null): string {
  const key = instantKey(time).replace(/\d/g, (digit) => String(9 - Number(digit)))
  return key === '' ? '~' : key
}

/** Milliseconds since 1970 of the earliest of these times; undefined where none of them ends. */
export function earliest(times: readonly (string | null)[]): number | undefined {
  let first: number | undefined
  for (const time of times) {
    if (time === null) continue
    const at = Date.parse(time)
    if (first === undefined || at < first) first = at
  }
  return first
}
