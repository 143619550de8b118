import { expect, test } from 'vitest'
import { readIds } from '../../src/core/reads/endpoints.ts'
import { catalogue, type Found } from './costs.ts'

/** Bodies of up to this many bytes are judged in the thread that serves callers. */
const servedBytes = 65_536
const mostMs = 50
/** The maximum number of bytes that judging one body may allocate, short-lived values included. */
const mostAllocated = 16_000_000

test.each(readIds)('no body of the catalogue holds up the thread that serves %s', (id) => {
  expect([...catalogue(servedBytes, [id])].filter(isTooCostly).map(told)).toEqual([])
})

function isTooCostly({ blockedMs, allocated, bytes }: Found): boolean {
  return blockedMs > mostMs || allocated * bytes > mostAllocated
}

function told({ read, label, bytes, blockedMs, allocated, outcome }: Found): string {
  return `${read} ${label}: ${bytes} bytes, ${Math.round(blockedMs)} ms, ${allocated.toFixed(1)} times its size, ${outcome}`
}
