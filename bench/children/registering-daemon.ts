import { loadConfig } from '../../src/config/load.ts'
import { startDaemon } from '../../src/daemon.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { changedNames } from '../../src/names/changes.ts'
import { serveParent } from '../child.ts'
import { type Customer, Registrar } from '../registrar.ts'

/** What was registered between `begin` and `stop`. */
export interface Registered {
  readonly registrations: number
  readonly seconds: number
  /** How many customers are left: with none the ledger was idle at the end. */
  readonly left: number
}

const registrationsAtOnce = 64

let url = ''
let registrar: Registrar
let waiting: Customer[] = []
let prepared = 0
let isBusy = false
let registered = 0
let began = 0
let workers: Promise<unknown> = Promise.resolve()
const entered = new Map<string, () => void>()

serveParent({
  /** @param settings as in `NODE_CONFIG`: of a localnet, whose daemon has the embedded ledger. */
  async start(settings: object) {
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { http, names } = await startDaemon(loaded.config, { processMetrics: true })
    if (names === undefined) throw new Error('the daemon has no ledger of its own')
    url = http
    registrar = await Registrar.open(names.ledger, Math.round(systemClock.wall() * 1_000))
    changedNames(names.ledger, (changed) => {
      for (const { name } of changed) entered.get(name)?.()
    })
  },
  url: () => url,
  /** Users with coin, for the next `begin`. */
  async prepare(count: number) {
    waiting = [...(await registrar.customers(`batch-${prepared++}`, count))]
  },
  /** From now on so many registrations are under way, until `stop`. */
  begin() {
    isBusy = true
    registered = 0
    began = performance.now()
    workers = Promise.all(Array.from({ length: registrationsAtOnce }, registerOneByOne))
  },
  async stop(): Promise<Registered> {
    isBusy = false
    const result = {
      registrations: registered,
      seconds: (performance.now() - began) / 1_000,
      left: waiting.length,
    }
    await workers
    return result
  },
})

async function registerOneByOne(): Promise<void> {
  while (isBusy) {
    const customer = waiting.pop()
    if (customer === undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    entered.set(customer.name, resolve)
    await registrar.pay(customer)
    await promise
    entered.delete(customer.name)
    registered++
  }
}
