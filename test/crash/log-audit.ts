import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Contract, Node, Transaction } from '../../src/registry/ledger/update.ts'
import type { DamlRecord } from '../../src/registry/ledger/value.ts'
import { units } from './coin.ts'
import { type Person, type Registration, steps } from './person.ts'

// The audit reads the rows of the log itself, because it must share no code with the ledger, which writes them.

/** In command ids, the log has this digest in place of a caller's text. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

interface Row {
  readonly offset: number
  readonly record_time: number
  readonly body: string
}

export class LogAudit {
  readonly #file: string
  readonly #problems: string[] = []
  /** The number of times that each thing happened, such as the creation of a contract. Nothing may happen twice. */
  readonly #counts = new Map<string, number>()
  readonly #coin = new Map<string, bigint>()
  #minted = 0n
  #burned = 0n
  #offset = 0
  #body = ''
  #recordTime = 0

  constructor(file: string) {
    this.#file = file
  }

  get updates(): number {
    return this.#offset
  }

  /** Reads the updates that came after the previous call. No other process may have the file open. */
  read(): void {
    if (!existsSync(this.#file)) return
    using db = new DatabaseSync(this.#file, { readOnly: true })
    if (db.prepare("SELECT TRUE FROM sqlite_schema WHERE name = 'log'").get() === undefined) return
    const before = db.prepare('SELECT body FROM log WHERE offset = ?').get(this.#offset)
    if (this.#offset > 0 && before?.['body'] !== this.#body)
      this.#problems.push(`update ${this.#offset} was there before, and is not what it was`)
    const rows = db.prepare('SELECT * FROM log WHERE offset > ? ORDER BY offset').iterate(this.#offset)
    for (const row of rows as Iterable<unknown> as Iterable<Row>) this.#follow(row)
  }

  problems(people: readonly Person[]): readonly string[] {
    const all = people.flatMap(({ registrations }) => registrations)
    return [
      ...this.#problems,
      ...[...this.#counts].filter(([, count]) => count > 1).map(([what, count]) => `${count} times ${what}`),
      ...all.flatMap((registration) => this.#missing(registration)).map((what) => `${what} is not there`),
      ...this.#coinProblems(people),
    ]
  }

  #missing(registration: Registration): readonly string[] {
    const { name, requestCid, contextCid, coinCid, paymentCid, entryCid } = registration
    const done = steps.slice(0, registration.answered)
    const due = {
      ask: [`the request for ${name}`, `creation of ${requestCid}`, `creation of ${contextCid}`],
      tap: [`the command tap:${digestOf(name)}`, `creation of ${coinCid}`],
      accept: [`the command accept:${requestCid}`, `creation of ${paymentCid}`],
      see: [`the entry ${name}`, `creation of ${entryCid}`],
    }
    return done.flatMap((step) => due[step]).filter((what) => !this.#counts.has(what))
  }

  #coinProblems(people: readonly Person[]): readonly string[] {
    const there = [...this.#coin.values()].reduce((sum, coin) => sum + coin, 0n)
    const tapped = people
      .flatMap(({ registrations }) => registrations)
      .reduce((sum, { coin, answered }) => (answered > steps.indexOf('tap') ? sum + coin : sum), 0n)
    const unsure = people.reduce((sum, { unsure }) => {
      return unsure?.step === 'tap' ? sum + unsure.registration.coin : sum
    }, 0n)
    const problems: string[] = []
    if (this.#minted !== there + this.#burned)
      problems.push(`${this.#minted} of coin came in, ${there} is there and ${this.#burned} was burned`)
    if (this.#minted < tapped || this.#minted > tapped + unsure)
      problems.push(`${this.#minted} of coin came in, ${tapped} was acknowledged and ${unsure} is unsure`)
    return problems
  }

  #follow(row: Row): void {
    const say = (what: string) => this.#problems.push(`update ${row.offset}: ${what}`)
    if (row.offset !== this.#offset + 1) say(`comes after ${this.#offset}`)
    if (row.record_time <= this.#recordTime) say('is not later than the one before')
    this.#offset = row.offset
    this.#body = row.body
    this.#recordTime = row.record_time
    const { commandId, nodes = [] } = JSON.parse(row.body) as Partial<Transaction>
    if (commandId !== undefined) this.#count(`the command ${commandId}`)
    for (const [at, node] of nodes.entries()) {
      if (node.kind === 'create') this.#create(node.contract)
      else this.#exercise(node, nodes.slice(0, at))
    }
  }

  #create(contract: Contract): void {
    const { contractId, templateId, argument } = contract
    this.#count(`creation of ${contractId}`)
    switch (templateId.slice(templateId.lastIndexOf(':') + 1)) {
      case 'AnsEntry':
        return this.#count(`the entry ${argument['name']}`)
      case 'AnsEntryContext':
        return this.#count(`the request for ${argument['name']}`)
      case 'Amulet':
        return void this.#coin.set(contractId, amountOf(argument))
      case 'LockedAmulet':
        return void this.#coin.set(contractId, amountOf(argument['amulet'] as DamlRecord))
    }
  }

  #exercise(node: Extract<Node, { kind: 'exercise' }>, before: readonly Node[]): void {
    if (node.choice === 'AmuletRules_Mint')
      this.#minted += units((node.argument as DamlRecord)['amount'] as string)
    const coin = this.#coin.get(node.contractId)
    if (!node.consuming || coin === undefined) return
    this.#coin.delete(node.contractId)
    const parent = before.findLast(
      (each) => each.kind === 'exercise' && each.lastDescendantNodeId >= node.nodeId,
    )
    // The coin that a person pays to the DSO is archived in this choice, and no new contract takes it over.
    if (parent?.kind === 'exercise' && parent.choice === 'AnsRules_CollectInitialEntryPayment')
      this.#burned += coin
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }
}

function amountOf(amulet: DamlRecord): bigint {
  return units((amulet['amount'] as DamlRecord)['initialAmount'] as string)
}
