import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import type { Step } from './delivery.ts'

/** A request as one line: method, path and body. */
export type Line = string

interface Asked {
  readonly read: Read
  readonly params: Params
}

/** Returns the lines with which a scan may be asked: first the one of the newest release. */
export function linesOf({ read, params }: Asked): readonly [Line, ...Line[]] {
  const { method, path, olderPaths = [], body = '' } = upstreamOf({ read, params })
  const line = (at: string): Line => `${method} ${at} ${inCanonicalJson(body)}`
  return [line(path), ...olderPaths.map(line)]
}

export function lineOf(asked: Asked): Line {
  return linesOf(asked)[0]
}

function inCanonicalJson(body: string): string {
  return body === '' ? body : canonicalJson(JSON.parse(body))
}

export class RawScans {
  readonly ports: number[] = []
  readonly #answer: (nth: number, line: Line) => readonly Step[]

  constructor(answer: (nth: number, line: Line) => readonly Step[]) {
    this.#answer = answer
  }

  async listen(scans: number): Promise<void> {
    for (let nth = 0; nth < scans; nth++) {
      const server = createServer({ noDelay: true }, (socket) => this.#accept(nth, socket))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      this.ports.push((server.address() as AddressInfo).port)
    }
  }

  #accept(nth: number, socket: Socket): void {
    let buffered = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1')
      for (let end = endOfRequest(buffered); end !== undefined; end = endOfRequest(buffered)) {
        const request = buffered.slice(0, end)
        buffered = buffered.slice(end)
        void perform(socket, this.#answer(nth, lineIn(request)))
      }
    })
  }
}

function lineIn(request: string): Line {
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(request) ?? []
  const body = Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1').toString()
  return `${method} ${path} ${inCanonicalJson(body)}`
}

function endOfRequest(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const end = head + 4 + Number(/^content-length: (\d+)/im.exec(text.slice(0, head))?.[1] ?? 0)
  return text.length < end ? undefined : end
}

async function perform(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return
    if (step.do === 'write') socket.write(step.bytes)
    else if (step.do === 'end') socket.end()
    else if (step.do === 'reset') socket.resetAndDestroy()
    else await new Promise((resolve) => setTimeout(resolve, step.ms))
  }
}
