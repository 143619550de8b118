import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Json, Reply } from './errors.ts'

/** `huge` sends spaces without end. */
export type HttpFault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly type?: string }
  | { readonly kind: 'reset' | 'hang' | 'huge' | 'gzip' }
  /** The participant performs the request, but the fault `then` takes the place of the answer. */
  | { readonly kind: 'done-then'; readonly then: HttpFault }
  | { readonly kind: 'body'; readonly change: (body: Json) => Json }
  | { readonly kind: 'text'; readonly text: string }

export class HttpFaults {
  readonly #planned: { readonly path: string; readonly fault: HttpFault; times: number }[] = []

  plan(path: string, fault: HttpFault, times: number): void {
    this.#planned.push({ path, fault, times })
  }

  clear(): void {
    this.#planned.length = 0
  }

  take(path: string): HttpFault | undefined {
    const index = this.#planned.findIndex((fault) => fault.path === path)
    const found = this.#planned[index]
    if (found === undefined) return undefined
    if (--found.times === 0) this.#planned.splice(index, 1)
    return found.fault
  }
}

export function answer(response: ServerResponse, fault: HttpFault | undefined, judge: () => Reply): void {
  switch (fault?.kind) {
    case 'status': {
      response.writeHead(fault.status, { 'content-type': fault.type ?? 'text/plain; charset=UTF-8' })
      response.end(fault.body ?? 'out of order')
      return
    }
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'hang':
      return
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('[')
      pourForever(response, Buffer.alloc(65_536, ' '))
      return
    case 'done-then':
      judge()
      answer(response, fault.then, judge)
      return
    case 'gzip':
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync('{}'))
      return
    case 'text':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(fault.text)
      return
  }
  const [status, body] = judge()
  const changed = fault?.kind === 'body' ? fault.change(body) : body
  const plain = typeof changed === 'string'
  const text = plain ? changed : JSON.stringify(changed)
  const type = plain ? 'text/plain; charset=UTF-8' : 'application/json'
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function pourForever(response: ServerResponse, piece: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(piece)) {}
  }
  response.on('drain', more)
  more()
}
