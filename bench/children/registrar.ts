import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openDatabase } from '../../src/ledger/embedded/database.ts'
import { openEmbeddedLedger } from '../../src/ledger/embedded/embedded-ledger.ts'
import { encode } from '../../src/ledger/embedded/encoding.ts'
import type { Transaction } from '../../src/ledger/update.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { serveParent } from '../child.ts'
import { type Customer, inTurns, Registrar } from '../registrar.ts'

export interface Files {
  readonly ledger: string
  readonly bare: string
}

/**
 * The number of registrations in a round, and the time that the round took. If the round writes bare transactions,
 * three of them count as one registration.
 */
export interface Round {
  readonly registrations: number
  readonly seconds: number
}

const registrationsAtOnce = 64

let registrar: Registrar
let bare: Bare
let waiting: readonly Customer[] = []
let prepared = 0

serveParent({
  async start({ ledger: file, bare: bareFile }: Files) {
    const ledger = await openEmbeddedLedger({ file }, { clock: systemClock })
    registrar = await Registrar.open(ledger, Math.round(systemClock.wall() * 1_000))
    const [first] = await registrar.customers('first', 1)
    const transactions = await registrar.register(first as Customer)
    bare = new Bare(openDatabase({ file: bareFile }), transactions.map(storedLength))
  },
  /** Makes this many users with coin, for the next `register`. */
  async prepare(count: number) {
    waiting = await registrar.customers(`batch-${prepared++}`, count)
  },
  async register(): Promise<Round> {
    const started = performance.now()
    await inTurns(waiting, registrationsAtOnce, (customer) => registrar.register(customer))
    return { registrations: waiting.length, seconds: (performance.now() - started) / 1_000 }
  },
  writeBare(registrations: number): Round {
    const started = performance.now()
    for (let count = 0; count < registrations; count++) bare.writeLikeARegistration()
    return { registrations, seconds: (performance.now() - started) / 1_000 }
  },
})

/**
 * Returns how many characters of a transaction the ledger's log stores. For transactions of one kind, this number
 * differs by only a few.
 */
function storedLength(transaction: Transaction): number {
  const { head, nodes } = encode(transaction)
  return nodes.reduce((sum, node) => sum + node.length, head.length)
}

/**
 * Writes transactions of one row each to a file. The file has the same durability and the same settings as the
 * ledger's.
 */
class Bare {
  readonly #begin: StatementSync
  readonly #insert: StatementSync
  readonly #commit: StatementSync
  readonly #bodies: readonly string[]

  constructor(db: DatabaseSync, sizes: readonly number[]) {
    db.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#insert = db.prepare('INSERT INTO bare (body) VALUES (?)')
    this.#commit = db.prepare('COMMIT')
    this.#bodies = sizes.map((size) => 'x'.repeat(size))
  }

  writeLikeARegistration(): void {
    for (const body of this.#bodies) {
      this.#begin.run()
      this.#insert.run(body)
      this.#commit.run()
    }
  }
}
