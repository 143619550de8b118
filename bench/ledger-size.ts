import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { systemClock } from '../src/base/lib/clock.ts'
import { EmbeddedLedger } from '../src/registry/ledger/embedded/embedded-ledger.ts'
import type { EntryFilter } from '../src/registry/ledger/ledger.ts'
import { ledgerOf, nameOf, partyOf } from './ledger-data.ts'
import { median } from './statistics.ts'

const small = 1_000
const large = 1_000_000
const lookups = ['name', 'party', 'prefix'] as const
const lookupsPerRound = 1_000
const rounds = 15
const starts = 9

export interface SizeCost {
  /**
   * Microseconds of one lookup in the small and in the large ledger. Each number is the median of many rounds, in which
   * both ledgers take turns.
   */
  readonly lookups: Readonly<Record<(typeof lookups)[number], Cost>>
  /** Milliseconds from the start of a process that opens the ledger to its first answer. */
  readonly startMs: Cost
  /** Resident memory of that process after the lookups, in MiB. */
  readonly rssMb: Cost
}

export interface Cost {
  readonly small: number
  readonly large: number
  readonly ratio: number
}

/** Compares the costs of a ledger with 1,000 entries and of a ledger with 1,000,000. */
export async function measureSize(): Promise<SizeCost> {
  const files = { small: ledgerOf(small), large: ledgerOf(large) }
  for (const file of Object.values(files)) await inMemory(file)
  await using one = new EmbeddedLedger({ file: files.small }, { clock: systemClock })
  await using other = new EmbeddedLedger({ file: files.large }, { clock: systemClock })
  const costs = {
    name: await compareLookups(one, other, (index) => ({ name: nameOf(index), limit: 1 })),
    party: await compareLookups(one, other, (index) => ({ user: partyOf(index), limit: 1 })),
    prefix: await compareLookups(one, other, (index) => ({ prefix: nameOf(index).slice(0, 2), limit: 3 })),
  }
  await one[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  const opened = { small: [] as Opened[], large: [] as Opened[] }
  for (let round = 0; round < starts; round++)
    for (const size of ['small', 'large'] as const) opened[size].push(openInProcess(files[size]))
  return {
    lookups: costs,
    startMs: cost(
      opened.small.map(({ startMs }) => startMs),
      opened.large.map(({ startMs }) => startMs),
    ),
    rssMb: cost(
      opened.small.map(({ rssMb }) => rssMb),
      opened.large.map(({ rssMb }) => rssMb),
    ),
  }
}

/**
 * Reads a whole file, so that the operating system has it in memory. The comparison then does not depend on the disk.
 */
async function inMemory(file: string): Promise<void> {
  const stream = createReadStream(file, { highWaterMark: 2 ** 20 })
  for await (const _ of stream);
}

async function compareLookups(
  one: EmbeddedLedger,
  other: EmbeddedLedger,
  filter: (index: number) => EntryFilter,
): Promise<Cost> {
  const times = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.small.push(await lookUp(one, small, filter))
    times.large.push(await lookUp(other, large, filter))
  }
  return cost(times.small, times.large)
}

/** Makes lookups, and returns the median time of one in microseconds. */
async function lookUp(
  ledger: EmbeddedLedger,
  entries: number,
  filter: (index: number) => EntryFilter,
): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < lookupsPerRound; count++) {
    const asked = filter(Math.floor(Math.random() * entries))
    const before = performance.now()
    const found = await ledger.entries({ ...asked, notExpiredAt: 0 })
    times.push((performance.now() - before) * 1_000)
    if (found.length === 0) throw new Error(`nothing was found for ${JSON.stringify(asked)}`)
  }
  return median(times)
}

interface Opened {
  readonly startMs: number
  readonly rssMb: number
}

function openInProcess(file: string): Opened {
  return JSON.parse(execFileSync(process.execPath, [import.meta.filename, 'open', file]).toString()) as Opened
}

/**
 * Opens a ledger, looks entries up, and prints the time of the first answer and the memory. It is called in a process
 * of its own.
 */
async function open(file: string): Promise<void> {
  await using ledger = new EmbeddedLedger({ file }, { clock: systemClock })
  await ledger.entries({ name: nameOf(1), limit: 1 })
  const startMs = performance.now()
  for (let index = 0; index < small; index++) await ledger.entries({ name: nameOf(index), limit: 1 })
  const rssMb = process.memoryUsage.rss() / 1_048_576
  console.log(JSON.stringify({ startMs, rssMb } satisfies Opened))
}

function cost(smalls: readonly number[], larges: readonly number[]): Cost {
  const [one, other] = [median(smalls), median(larges)]
  return { small: one, large: other, ratio: other / one }
}

if (process.argv[2] === 'open') await open(process.argv[3] as string)
