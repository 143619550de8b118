import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openEmbeddedLedger } from '../src/ledger/embedded/embedded-ledger.ts'
import type { Ledger } from '../src/ledger/ledger.ts'
import type { ContractId, Party } from '../src/ledger/value.ts'
import { systemClock } from '../src/lib/clock.ts'
import { foundNetwork, type Network, registerName, tap } from '../test/ledger/registration.ts'
import { scratchFile } from './ledger-data.ts'
import { measureSize, median, type SizeCost } from './ledger-size.ts'

const inFlight = 64
const perRound = 400
const rounds = 9

export interface RegistrationRate {
  /** Whole registrations a second: request, accept, collect, each durable before the next. */
  readonly registrations: number
  /** A third of the bare durable transactions a second: as many, of the same sizes. */
  readonly bare: number
  /** The median over pairs of rounds. */
  readonly ratio: number
  readonly isPinned: boolean
}

/** Registrations beside bare transactions, in a process that has one core for all of its threads. */
export function measureRegistrations(): RegistrationRate {
  const args = [import.meta.filename, 'registrations']
  const pinned = hasTaskset()
  const [file, ...rest] = pinned
    ? ['taskset', '-c', '0', process.execPath, ...args]
    : [process.execPath, ...args]
  const measured = JSON.parse(execFileSync(file as string, rest).toString()) as RegistrationRate
  return { ...measured, isPinned: pinned }
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface Customer {
  readonly user: Party
  readonly coin: ContractId
  readonly name: string
}

async function registrations(): Promise<Omit<RegistrationRate, 'isPinned'>> {
  const file = scratchFile('registrations.db')
  const bareFile = scratchFile('bare.db')
  await using ledger = await openEmbeddedLedger({ file }, { clock: systemClock })
  using bare = openBare(bareFile)
  const network = await foundNetwork(ledger, systemClock.wall() * 1_000)
  let sizes = await registerAll(ledger, network, await customers(ledger, network, 'warm-up'))
  await writeBare(bare, sizes)
  const pairs: (readonly [registrations: number, bare: number])[] = []
  for (let round = 0; round < rounds; round++) {
    const asking = await customers(ledger, network, `round-${round}`)
    const before = performance.now()
    sizes = await registerAll(ledger, network, asking)
    const between = performance.now()
    await writeBare(bare, sizes)
    pairs.push([rate(between - before), rate(performance.now() - between)])
  }
  for (const used of [file, bareFile]) rmSync(used)
  return {
    registrations: median(pairs.map(([registered]) => registered)),
    bare: median(pairs.map(([, written]) => written)),
    ratio: median(pairs.map(([registered, written]) => registered / written)),
  }
}

/** People with coin, who each want one name. */
function customers(ledger: Ledger, network: Network, round: string): Promise<Customer[]> {
  return Promise.all(
    Array.from({ length: perRound }, async (_, index) => {
      const id = `${round}-${index}`
      const user = await ledger.partyOf(id, id)
      const coin = await tap(ledger, network, user, '1000', `${id}/tap`)
      return { user, coin, name: `${id}.unverified.cns` }
    }),
  )
}

/** Gives the sizes of what was written, in characters of the updates' JSON. */
async function registerAll(
  ledger: Ledger,
  network: Network,
  waiting: readonly Customer[],
): Promise<readonly number[]> {
  const queue = [...waiting]
  const offsets: number[] = []
  const clerk = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { user, coin, name } = next
      const { transactions } = await registerName(ledger, network, user, coin, name, name)
      for (const { offset } of transactions) offsets.push(offset)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, clerk))
  sizesAt ??= await sizesOf(ledger, offsets.slice(-3))
  return offsets.map((_, index) => (sizesAt as readonly number[])[index % 3] as number)
}

/** The sizes of one registration's three updates; those of others differ by a few characters. */
let sizesAt: readonly number[] | undefined

async function sizesOf(ledger: Ledger, offsets: readonly number[]): Promise<readonly number[]> {
  const updates = await Promise.all(offsets.map((offset) => ledger.updates(offset - 1, offset, 1)))
  return updates.map((update) => JSON.stringify(update).length)
}

function openBare(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  `)
  return db
}

async function writeBare(db: DatabaseSync, sizes: readonly number[]): Promise<void> {
  const insert = db.prepare('INSERT INTO bare (body) VALUES (?)')
  for (const size of sizes) {
    db.exec('BEGIN IMMEDIATE')
    insert.run('x'.repeat(size))
    db.exec('COMMIT')
  }
}

function rate(ms: number): number {
  return (perRound / ms) * 1_000
}

function show({ registrations, bare, ratio, isPinned }: RegistrationRate, size: SizeCost): void {
  const where = isPinned ? 'on one core' : 'on all cores (there is no taskset)'
  console.log(
    `registrations ${where}: ${registrations.toFixed(0)}/s, bare transactions for ${bare.toFixed(0)}/s, ` +
      `ratio ${ratio.toFixed(2)} (at least 0.5)`,
  )
  for (const [name, cost] of Object.entries({
    'lookup by name, us': size.lookups.name,
    'lookup by party, us': size.lookups.party,
    'lookup by prefix, us': size.lookups.prefix,
    'start, ms': size.startMs,
    'resident memory, MiB': size.rssMb,
  }))
    console.log(
      `${name}: ${cost.small.toFixed(1)} with 1,000 entries, ${cost.large.toFixed(1)} with 1,000,000, ` +
        `ratio ${cost.ratio.toFixed(2)} (at most 1.5)`,
    )
}

if (process.argv[2] === 'registrations') {
  console.log(JSON.stringify(await registrations()))
} else if (import.meta.main) {
  const rates = measureRegistrations()
  const size = await measureSize()
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...rates, ...size }))
  else show(rates, size)
}
