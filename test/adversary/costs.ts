import { getHeapStatistics } from 'node:v8'
import { countOf } from '../../src/base/lib/threshold.ts'
import { dissenters } from '../../src/core/quorum/dissenters.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import { decide } from '../../src/core/quorum/rules.ts'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Ballots, type HeardResponse } from '../../src/core/scan/ballots.ts'
import { samples } from '../reads/samples.ts'
import { type CostlyBody, costlyBodies } from './costly-bodies.ts'

export interface Cost {
  readonly blockedMs: number
  /** The bytes that were allocated on the heap for each byte of the bodies. Bytes that were freed again count too. */
  readonly allocated: number
  readonly outcome: string
}

const liars = 4
const electors = 13

/** The liars send slightly different bodies, so that the judge cannot reuse a result. */
function costOf(read: Read, params: Params, body: Buffer, truth: Buffer): Cost {
  const bodies = Array.from({ length: liars }, (_, nth) => withOtherLastCharacter(body, nth))
  const { total_allocated_bytes: before } = getHeapStatistics()
  let blockedMs = 0
  const timed = <T>(run: () => T): T => {
    const watch = new Stopwatch()
    const result = run()
    blockedMs = Math.max(blockedMs, watch.ms)
    return result
  }
  const ballots = new Ballots({ read, params })
  const heard: (Reply | undefined)[] = Array(electors).fill(undefined)
  const policy = { agree: read.agree.on, patient: false, provable: read.proves !== undefined }
  const hear = (voter: number, sent: Buffer) => {
    heard[voter] = timed(() => {
      const { reply } = ballots.hear(voter, 200, sent) as HeardResponse
      heard[voter] = reply
      decide(electorate, heard, policy)
      return reply
    })
  }
  for (const [voter, sent] of bodies.entries()) hear(voter, sent)
  const [first] = heard
  for (let voter = liars; voter < electors; voter++) hear(voter, truth)
  const verdict = decide(electorate, heard, policy)
  const { total_allocated_bytes: after } = getHeapStatistics()
  // The daemon makes the evidence when the last reply has arrived, so the time for the evidence counts too.
  timed(() => {
    if (verdict !== undefined) dissenters(verdict, heard)
    for (const reply of heard.slice(0, liars))
      if (reply?.kind === 'value' || reply?.kind === 'refusal') ballots.statement(reply.vote).comparison
  })
  const outcome = first?.kind === 'fault' ? first.fault : String(first?.kind)
  return { blockedMs, allocated: (after - before) / (liars * body.length), outcome }
}

const electorate = {
  voters: Array.from({ length: electors }, (_, nth) => ({ names: [`sv-${nth}`], operator: `sv-${nth}` })),
  superValidators: countOf('f+1', electors),
}

/** Measures how long this thread works. Time in which other programs use the processor does not count. */
class Stopwatch {
  readonly #wall = performance.now()
  readonly #used = process.threadCpuUsage()

  get ms(): number {
    const { user, system } = process.threadCpuUsage(this.#used)
    return Math.min(performance.now() - this.#wall, (user + system) / 1000 + tickMs)
  }
}

/** Some kernels count the CPU time of a thread in whole ticks, so a measured time may be too short by one tick. */
const tickMs = 4

function withOtherLastCharacter(body: Buffer, nth: number): Buffer {
  const other = Buffer.from(body)
  for (let at = body.length - 1; at >= 0; at--) {
    const code = other[at] as number
    const isLetter = code >= 0x61 && code <= 0x7a
    if (!isLetter && !(code >= 0x31 && code <= 0x39)) continue
    other[at] = isLetter ? 0x61 + ((code - 0x61 + nth) % 26) : 0x31 + ((code - 0x31 + nth) % 9)
    return other
  }
  return other
}

export interface Found extends Cost {
  readonly read: ReadId
  readonly label: string
  readonly bytes: number
}

/** A body has at most `most` bytes, and no more than the `maxBytes` of its read. */
export function* catalogue(most: number, among: readonly ReadId[] = readIds): Generator<Found> {
  for (const id of among) for (const body of costlyBodies(id)) yield judged(id, body, most)
}

function judged(id: ReadId, { label, make }: CostlyBody, most: number): Found {
  const read: Read = reads[id]
  const { params, reply } = samples[id] as { params: Params; reply: unknown }
  const body = make(Math.min(most, read.maxBytes))
  return {
    read: id,
    label,
    bytes: body.length,
    ...costOf(read, params, body, Buffer.from(JSON.stringify(reply))),
  }
}
