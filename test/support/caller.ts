import { Agent, request } from 'node:http'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content, whatever its type
  readonly body: any
}

export class Caller {
  readonly userId: string
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })

  private constructor(userId: string, token: string) {
    this.userId = userId
    this.#token = token
  }

  static async of(userId: string): Promise<Caller> {
    return new Caller(userId, (await mintToken(userId, configOf({}))) as string)
  }

  /**
   * Sends a request such as `GET /v0/wallet/amulets`. Rejects if no complete answer arrives, although the server may
   * have performed the request.
   */
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

  async get(base: string, line: string, body?: object): Promise<Answer['body']> {
    const answer = await this.call(base, line, body)
    if (answer.status === 200) return answer.body
    throw new Error(`${this.userId}, ${line}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  ask(base: string, name: string): Promise<Answer['body']> {
    return this.get(base, 'POST /v0/entry/create', { name, url: '', description: '' })
  }

  /** Mints coin worth `amount` USD. A second call with an equal command id mints nothing. */
  tap(base: string, amount: string, command_id: string = crypto.randomUUID()): Promise<Answer['body']> {
    return this.get(base, 'POST /v0/wallet/tap', { amount, command_id })
  }

  accept(base: string, requestCid: string): Promise<Answer['body']> {
    return this.get(base, `POST /v0/wallet/subscription-requests/${requestCid}/accept`)
  }
}

export const lookUp = (name: string) => `GET /v0/scan-proxy/ans-entries/by-name/${name}`

/**
 * Advances a localnet's clock. Resolves when the automation has done everything that is due. A duration of 0 only waits
 * for the automation.
 */
export async function advance(control: string, duration: string): Promise<void> {
  const body = JSON.stringify({ duration })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${control}/time/advance`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`time did not move: ${status}`)
}

export interface LedgerStatus {
  readonly driver: string
  readonly kept?: string
  readonly writesStopped?: string
}

export async function ledgerStatus(operations: string): Promise<LedgerStatus> {
  const response = await fetch(`${operations}/status`)
  return ((await response.json()) as { ledger: LedgerStatus }).ledger
}
