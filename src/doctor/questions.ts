import { isJsonObject, type Json } from '../base/lib/canonical-json.ts'
import type { Holding, Question, Read } from '../core/reads/read.ts'
import { readingOf } from '../core/reads/reading.ts'
import { maxElementsOf } from '../core/reads/request.ts'
import { getDateOfMostRecentSnapshotBefore } from '../core/reads/snapshots.ts'
import { tryParse } from '../core/scan/judgement.ts'
import { type RequestGroup, requestOf, type ScanNode, type ScanRequest } from '../core/scan/node.ts'
import type { QuestionOutcome } from './observation.ts'
import { errorTextIn } from './texts.ts'

export interface QuestionLimits {
  readonly requestTimeoutMs: number
  readonly maxResponseBytes: number
}

/** Asks one scan the doctor's questions. The promises never reject. */
export class Questions {
  readonly #node: ScanNode
  readonly #group: RequestGroup
  readonly #limits: () => QuestionLimits

  /**
   * @param limits called before each question, because the time limit depends on the time that is
   * left.
   */
  constructor(node: ScanNode, group: RequestGroup, limits: () => QuestionLimits) {
    this.#node = node
    this.#group = group
    this.#limits = limits
  }

  version(): Promise<QuestionOutcome<string>> {
    return this.#aside({ method: 'GET', path: '/version' }, (json) =>
      isJsonObject(json) && typeof json['version'] === 'string' ? json['version'] : undefined,
    )
  }

  /**
   * Asks for the time of the latest snapshot at or before `before`. Both times are milliseconds
   * since 1970. The value is null if the scan has no such snapshot.
   */
  async latestSnapshot(before: number, migrationId: number): Promise<QuestionOutcome<number | null>> {
    const params = { before: new Date(before).toISOString(), migration_id: String(migrationId) }
    const asked = await this.read<{ record_time: string }>(getDateOfMostRecentSnapshotBefore, params)
    const isNone =
      asked.kind === 'status' && asked.status === 404 && asked.text.startsWith('No snapshots found')
    return isNone
      ? { kind: 'said', value: null }
      : mapSaid(asked, ({ record_time }) => Date.parse(record_time))
  }

  read<Value>(read: Read, params: Question['params'] = {}): Promise<QuestionOutcome<Value>> {
    const question: Question = { read, params }
    const request = requestOf(question, this.#limits())
    return this.#ask(
      request,
      (length) => maxElementsOf(question, length),
      (json) => readingOf(read, json)?.value as Value | undefined,
    )
  }

  holding<Value>(holding: Holding): Promise<QuestionOutcome<Value>> {
    return this.#aside(holding, (json) => readingOf(holding, json)?.value as Value | undefined)
  }

  /** Asks about the scan itself, such as its version. The table of reads has no such questions. */
  #aside<Value>(
    { method, path, body }: Pick<Holding, 'method' | 'path' | 'body'>,
    read: (json: Json) => Value | undefined,
  ): Promise<QuestionOutcome<Value>> {
    const { requestTimeoutMs: timeoutMs } = this.#limits()
    const request = { method, path: `/api/scan${path}`, maxBytes: 65_536, timeoutMs, ...(body && { body }) }
    return this.#ask(request, () => 4_096, read)
  }

  async #ask<Value>(
    request: ScanRequest,
    maxElements: (length: number) => number,
    read: (json: Json) => Value | undefined,
  ): Promise<QuestionOutcome<Value>> {
    const response = await this.#node.ask(request, this.#group)
    if (response.kind === 'fault') return { kind: 'fault', fault: response.fault, detail: response.detail }
    const { status, body } = response
    try {
      if (status !== 200) return { kind: 'status', status, text: errorTextIn(body.toString('utf8')) }
      const parsed = tryParse(body, { maxElements: maxElements(body.length) })
      const value = typeof parsed === 'string' ? undefined : read(parsed.value)
      return value === undefined ? { kind: 'misshapen' } : { kind: 'said', value }
    } finally {
      response.release()
    }
  }
}

/**
 * Converts the value of an answered question. Other outcomes stay as they are. If `convert` returns
 * undefined, the result is `misshapen`.
 */
export function mapSaid<From, To>(
  asked: QuestionOutcome<From>,
  convert: (value: From) => To | undefined,
): QuestionOutcome<To> {
  if (asked.kind !== 'said') return asked
  const value = convert(asked.value)
  return value === undefined ? { kind: 'misshapen' } : { kind: 'said', value }
}
