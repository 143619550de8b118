import fc from 'fast-check'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { Visit } from './calls.ts'
import { exchange } from './exchange.ts'
import { type Bounds, tooCostly, wrongWith } from './oracle.ts'
import { targetsOf } from './targets.ts'
import { type Addresses, Victim } from './victim.ts'
import { visits } from './visits.ts'
import { sentOf, type Tokens } from './wire.ts'

export interface SiegeOptions {
  readonly seed: number
  readonly visits: number
  readonly bounds: Bounds
}

export interface Siege {
  readonly visits: number
  readonly answers: number
  readonly byStatus: ReadonlyMap<number, number>
  readonly longestBlockMs: number
  readonly mostRss: number
}

/** The maximum number of times that a visit is tried while it costs too much, because a visit may be slow by chance. */
const repeats = 6

/**
 * Sends random visits to a daemon. Rejects with the smallest visit found that gets a wrong answer or costs more than
 * `bounds` allows.
 */
export async function besiege(options: SiegeOptions): Promise<Siege> {
  let victim = await Victim.start()
  await using _ = { [Symbol.asyncDispose]: () => victim[Symbol.asyncDispose]() }
  const tokens = await makeTokens()
  const targets = await targetsOf(victim.addresses)
  const byStatus = new Map<number, number>()
  const seen = { visits: 0, answers: 0, longestBlockMs: 0, mostRss: 0 }

  const once = async (visit: Visit) => {
    if (!victim.isAlive) victim = await Victim.start()
    const heard = await exchange(victim.addresses[addressOf(visit)], sentOf(visit, tokens))
    const cost = await victim.cost()
    if (addressOf(visit) === 'control')
      await fetch(`${victim.addresses.control}/faults`, { method: 'DELETE' })
    const wrong = wrongWith(visit, heard) ?? cost.faults[0]
    if (wrong !== undefined) throw new Error(wrong)
    return { heard, cost }
  }
  const attempt = async (visit: Visit) => {
    let { heard, cost } = await once(visit)
    for (let again = 1; again < repeats && tooCostly(cost, options.bounds) !== undefined; again++) {
      ;({ heard, cost } = await once(visit))
    }
    const costly = tooCostly(cost, options.bounds)
    if (costly !== undefined) throw new Error(costly)
    seen.visits++
    seen.answers += heard.answers.length
    seen.longestBlockMs = Math.max(seen.longestBlockMs, cost.blockedMs)
    seen.mostRss = Math.max(seen.mostRss, cost.rss)
    for (const { status } of heard.answers) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }
  await warmUp((visit) => exchange(victim.addresses[addressOf(visit)], sentOf(visit, tokens)), targets)
  await victim.cost()
  const property = fc.asyncProperty(visits(targets), attempt)
  await fc.assert(property, { seed: options.seed, numRuns: options.visits, endOnFailure: false })
  return { ...seen, byStatus }
}

/** Calls every target once. The first call of a target is slow, because it compiles code and loads modules. */
async function warmUp(
  send: (visit: Visit) => Promise<unknown>,
  targets: Awaited<ReturnType<typeof targetsOf>>,
): Promise<void> {
  const calls = targets.map((target) => {
    const { method, path } = target
    const plain = { target, method, path: path.replaceAll(/\{\w+\}/g, 'a'), query: [], headers: [] }
    return { ...plain, token: 'anyone', body: { kind: 'sample' }, framing: 'right' } as const
  })
  await Promise.all(calls.map((call) => send({ kind: 'requests', calls: [call] })))
}

function addressOf(visit: Visit): keyof Addresses {
  switch (visit.kind) {
    case 'requests':
      return visit.calls[0]?.target.at ?? 'http'
    case 'garbage':
      return visit.at
    case 'socket':
      return 'http'
  }
}

async function makeTokens(): Promise<Tokens> {
  const secret = new TextEncoder().encode('unsafe')
  const sign = (user: string, key = secret, ends: string | number = '24h') =>
    new SignJWT({ scope: 'daml_ledger_api' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(user)
      .setExpirationTime(ends)
      .sign(key)
  const alice = await sign('alice')
  const header = Buffer.from('{"alg":"RS256","kid":"made-up","typ":"JWT"}').toString('base64url')
  const tokens = {
    alice,
    anyone: await sign('ledger-api-user'),
    expired: await sign('alice', secret, 1),
    forged: await sign('alice', new TextEncoder().encode('guessed')),
    unsigned: new UnsecuredJWT({ scope: 'daml_ledger_api' }).setSubject('alice').encode(),
    'public-key': `${header}.${alice.split('.')[1]}.AAAA`,
    garbage: 'a.b.c',
    huge: 'a'.repeat(120_000),
    spaces: `a${' '.repeat(60_000)}a${' '.repeat(60_000)}x`,
    empty: '',
  }
  const bearers = Object.entries(tokens).map(([kind, token]) => [kind, `Bearer ${token}`])
  return { ...Object.fromEntries(bearers), none: undefined } as Tokens
}
