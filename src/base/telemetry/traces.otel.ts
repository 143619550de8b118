import { setTimeout } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { isFault } from './label-values.ts'
import type { AboutRead, AskReason, AskTrace, ReadTrace, Traces } from './traces.ts'

export interface OtelTracesOptions {
  readonly endpoint: string
  readonly sampler: keyof typeof roots | `parentbased_${keyof typeof roots}`
  readonly samplerRatio: number
  readonly version: string
}

export interface OtelTracesDeps {
  readonly lost: (spans: number, why: string) => void
}

/** This limits one export with its retries, also the last export at shutdown. */
const exportTimeoutMs = 3_000
const mostMs = exportTimeoutMs + 400
const maxQueuedSpans = 2_048

/**
 * The provider is not registered globally, because it must not export the spans of other code.
 * OpenTelemetry itself reads environment variables, for example for headers and certificates.
 */
export class OtelTraces implements Traces {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor(options: OtelTracesOptions, { lost }: OtelTracesDeps) {
    const { endpoint, version } = options
    const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href
    const exporter = new ToldExporter({ url, timeoutMillis: exportTimeoutMs }, lost)
    this.#provider = new TracerProvider({
      resource: resourceOf(version),
      sampler: samplerOf(options),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: maxQueuedSpans,
          exportTimeoutMillis: mostMs + 100,
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('bft-scan-proxy', version)
  }

  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace {
    const context = caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(caller))
    const { threshold, voters, cache } = about
    const attributes = { 'bft.threshold': threshold, 'bft.voters': voters, 'bft.cache': cache }
    const kind = caller === undefined ? SpanKind.INTERNAL : SpanKind.SERVER
    const span = this.#tracer.startSpan(read, { kind, attributes }, context)
    const inside = trace.setSpan(context, span)
    return {
      ask: (sv, reason) => this.#ask(sv, reason, inside),
      settled: ({ outcome, rule, agreed, asked }) =>
        finish(span, outcome, outcome !== 'agreed', {
          'bft.rule': rule,
          'bft.agreed': agreed,
          'bft.asked': asked,
        }),
      abandoned: () => finish(span, 'abandoned', false),
    }
  }

  #ask(sv: string, reason: AskReason, inside: Context): AskTrace {
    const attributes = { 'bft.sv': sv, 'bft.reason': reason }
    const span = this.#tracer.startSpan('ask', { kind: SpanKind.CLIENT, attributes }, inside)
    return {
      traceParent: traceParentOf(span.spanContext()),
      heard: (outcome, { status, bytes, resent }) =>
        finish(span, outcome, isFault(outcome), {
          ...(status !== undefined && { 'http.response.status_code': status }),
          ...(bytes !== undefined && { 'http.response.body.size': bytes }),
          ...(resent && { 'http.request.resend_count': 1 }),
        }),
      abandoned: () => finish(span, 'abandoned', false),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // If the shutdown fails, `lost` has already reported the spans.
    const ended = this.#provider.shutdown().catch(() => {})
    await Promise.race([ended, setTimeout(mostMs + 200, undefined, { ref: false })])
  }
}

class ToldExporter extends OTLPTraceExporter {
  readonly #lost: OtelTracesDeps['lost']

  constructor(config: ConstructorParameters<typeof OTLPTraceExporter>[0], lost: OtelTracesDeps['lost']) {
    super(config)
    this.#lost = lost
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    const ended = Promise.withResolvers<Parameters<typeof done>[0]>()
    super.export(spans, ended.resolve)
    // The exporter itself waits for ever for a collector that switches protocols.
    const late = setTimeout(
      mostMs,
      { code: 1, error: new Error('the collector did not answer') },
      { ref: false },
    )
    void Promise.race([ended.promise, late]).then((result) => {
      if (result.error !== undefined) this.#lost(spans.length, result.error.message)
      done(result)
    })
  }
}

function finish(span: Span, outcome: string, isError: boolean, attributes: Attributes = {}): void {
  if (!span.isRecording()) return
  span.setAttributes({ 'bft.outcome': outcome, ...attributes, ...(isError && { 'error.type': outcome }) })
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** Attributes from environment variables override this program's own. */
function resourceOf(version: string): Resource {
  const own = resourceFromAttributes({ 'service.name': 'bft-scan-proxy', 'service.version': version })
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  return defaultResource().merge(own).merge(detectResources({ detectors }))
}

function samplerOf({ sampler, samplerRatio }: OtelTracesOptions): Sampler {
  const root = roots[sampler.replace('parentbased_', '') as keyof typeof roots](samplerRatio)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

const roots = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio: number) => new TraceIdRatioBasedSampler(ratio),
}

function remote(traceParent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceParent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

function traceParentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`
}
