import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onLoopback } from './on-loopback.ts'

export interface CollectedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  /** The status code of OpenTelemetry: 0 is unset, 1 is ok, 2 is an error. */
  readonly status: number
}

export interface OtlpCollector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  readonly resource: Readonly<Record<string, unknown>>
  readonly exports: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  readonly text: string
}

export async function startCollector(
  answer: number | 'never' | 'reset' | 'switch' = 200,
): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  const exports: { path: string; headers: IncomingHttpHeaders }[] = []
  let resource: Record<string, unknown> = {}
  let text = ''
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    exports.push({ path: request.url ?? '', headers: request.headers })
    text += body
    for (const resourceSpans of JSON.parse(body).resourceSpans) {
      resource = recordOf(resourceSpans.resource.attributes)
      for (const scope of resourceSpans.scopeSpans) spans.push(...scope.spans.map(spanOf))
    }
    if (answer === 'reset') request.socket.resetAndDestroy()
    else if (answer === 'switch')
      request.socket.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    else if (answer !== 'never') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
  })
  const { port } = await onLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    exports,
    get resource() {
      return resource
    },
    get text() {
      return text
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

type KeyValue = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }

function spanOf(span: {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: readonly KeyValue[]
  status: { code?: number }
}): CollectedSpan {
  const { name, kind, traceId, spanId, parentSpanId, attributes, status } = span
  return {
    name,
    kind,
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    attributes: recordOf(attributes),
    status: status.code ?? 0,
  }
}

function recordOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
