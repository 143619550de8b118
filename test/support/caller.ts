import { Agent, request } from 'node:http'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what tests are about
  readonly body: any
}

/** A user of the registry and the wallet of a localnet's daemon, over HTTP. */
export class Caller {
  readonly userId: string
  readonly #token: string
  /** Connections are kept, as a busy client does. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })

  private constructor(userId: string, token: string) {
    this.userId = userId
    this.#token = token
  }

  static async of(userId: string): Promise<Caller> {
    return new Caller(userId, (await mintToken(userId, configOf({}))) as string)
  }

  /** Rejects where no whole answer came: the server may have done it or not. */
  call(base: string, line: string, body?: object): Promise<Answer> {
    const [method = '', path = ''] = line.split(' ')
    const { hostname, port } = new URL(base)
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const outgoing = request({ hostname, port, path, method, headers, agent: this.#agent })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('error', reject)
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const heard = Buffer.concat(parts).toString()
        const status = response.statusCode ?? 0
        resolve({ status, body: heard === '' ? undefined : JSON.parse(heard) })
      })
    })
    outgoing.end(text)
    return promise
  }

  /** The body of a 200. */
  async get(base: string, line: string, body?: object): Promise<Answer['body']> {
    const answer = await this.call(base, line, body)
    if (answer.status === 200) return answer.body
    throw new Error(`${this.userId}, ${line}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  /** Asks for a name. */
  ask(base: string, name: string): Promise<Answer['body']> {
    return this.get(base, 'POST /v0/entry/create', { name, url: '', description: '' })
  }

  /** Makes coin worth this much in USD; the same command id does it once. */
  tap(base: string, amount: string, command_id: string = crypto.randomUUID()): Promise<Answer['body']> {
    return this.get(base, 'POST /v0/wallet/tap', { amount, command_id })
  }

  /** Pays what a subscription request asks for. */
  accept(base: string, requestCid: string): Promise<Answer['body']> {
    return this.get(base, `POST /v0/wallet/subscription-requests/${requestCid}/accept`)
  }
}

export const lookUp = (name: string) => `GET /v0/scan-proxy/ans-entries/by-name/${name}`

/** Moves a localnet's time, by nothing too: it answers when automation has nothing left to do. */
export async function advance(control: string, duration: string): Promise<void> {
  const body = JSON.stringify({ duration })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${control}/time/advance`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`time did not move: ${status}`)
}

/** What `/status` says of a ledger. */
export interface LedgerStatus {
  readonly driver: string
  readonly kept?: string
  readonly writesStopped?: string
}

export async function ledgerStatus(operations: string): Promise<LedgerStatus> {
  const response = await fetch(`${operations}/status`)
  return ((await response.json()) as { ledger: LedgerStatus }).ledger
}
