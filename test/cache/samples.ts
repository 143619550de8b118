import { digest } from '../../src/base/lib/digest.ts'
import type { Answer, Lifetime } from '../../src/core/cache/answer.ts'
import type { InvalidationPoint } from '../../src/core/cache/invalidation-log.ts'
import { cacheKey } from '../../src/core/cache/key.ts'
import type { Remembered } from '../../src/core/cache/store.ts'

export const trust = 'a-trust-digest'
export const byName = 'lookupAnsEntryByName'
export const list = 'listAnsEntries'

export const minutes: Lifetime = { freshMs: 60_000, staleMs: 300_000 }

export function keyOf(name: string): string {
  return cacheKey(trust, byName, { name })
}

export function answerOf(text: string | Buffer, change: Partial<Answer> = {}): Answer {
  const body = typeof text === 'string' ? Buffer.from(JSON.stringify({ text })) : text
  return {
    kind: 'value',
    status: 200,
    body,
    digest: digest(body),
    agreement: {
      agreed: ['sv-1', 'sv-2'],
      threshold: 2,
      asked: 2,
      voters: 4,
      complete: true,
      protected: true,
    },
    ...change,
  }
}

export function absenceOf(text: string): Answer {
  return answerOf(text, { kind: 'absence', status: 404 })
}

const firstPoint: InvalidationPoint = { count: 0, position: '0-0' }

export function rememberedOf(answer: Answer, change: Partial<Remembered> = {}): Remembered {
  return {
    answer,
    lifetime: minutes,
    agreedAt: { now: 1_000, wall: Date.UTC(2026, 0, 1) },
    point: firstPoint,
    sharedInRedis: true,
    ...change,
  }
}
