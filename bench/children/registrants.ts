import { mintToken } from '../../src/cli/token.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/resolve.ts'
import { serveParent } from '../child.ts'
import { Caller, postRequest } from '../load.ts'

export interface Place {
  readonly url: string
  /** The configuration of the daemon, as in `NODE_CONFIG`. */
  readonly settings: object
  /** The number of users who register at the same time. */
  readonly atOnce: number
}

/** A user who has coin and wants one name. */
interface Customer {
  readonly token: string
  readonly name: string
}

let config: Config
let callers: readonly Caller[] = []
const customers: Customer[] = []
let prepared = 0
let isBusy = false
let workers: Promise<unknown> = Promise.resolve()

serveParent({
  async start({ url, settings, atOnce }: Place) {
    const loaded = loadConfig({ env: { NODE_CONFIG: JSON.stringify(settings) } })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    config = loaded.config
    callers = await Caller.connectMany(url, atOnce)
  },
  /** Makes this many users for the next call of `begin`, and mints coin for each. */
  async prepare(count: number) {
    customers.length = 0
    const users = Array.from({ length: count }, () => `user-${prepared++}`)
    await Promise.all(
      callers.map(async (caller) => {
        for (let user = users.pop(); user !== undefined; user = users.pop())
          customers.push(await withCoin(caller, user))
      }),
    )
  },
  /** Begins to register names, until `stop` is called. Each connection registers one name after the other. */
  begin() {
    isBusy = true
    workers = Promise.all(
      callers.map(async (caller) => {
        while (isBusy) await register(caller, taken(customers.pop()))
      }),
    )
    workers.catch(() => {})
  },
  /** Ends the registrations. Resolves when none is in progress. */
  async stop() {
    isBusy = false
    await workers
  },
})

async function withCoin(caller: Caller, user: string): Promise<Customer> {
  const token = await mintToken(user, config)
  if (token === undefined) throw new Error('the daemon takes no tokens that are made here')
  await post(caller, '/v0/wallet/tap', { amount: '100.0' }, token)
  return { token, name: `${user}.unverified.cns` }
}

/** Requests a name and pays for it. The daemon's automation then registers the name. */
async function register(caller: Caller, { token, name }: Customer): Promise<void> {
  const entry = { name, url: 'https://name.example', description: '' }
  const { subscriptionRequestCid } = await post(caller, '/v0/entry/create', entry, token)
  await post(caller, `/v0/wallet/subscription-requests/${subscriptionRequestCid}/accept`, {}, token)
}

async function post(
  caller: Caller,
  path: string,
  body: object,
  token: string,
): Promise<Record<string, string>> {
  const { status, body: answer } = await caller.ask(postRequest(path, JSON.stringify(body), token))
  if (status !== 200) throw new Error(`${path}: ${status}: ${answer}`)
  return JSON.parse(String(answer))
}

function taken(customer: Customer | undefined): Customer {
  if (customer === undefined) throw new Error('there were too few customers to keep the daemon busy')
  return customer
}
