import { isJsonObject } from '../base/lib/canonical-json.ts'
import { object, type Pattern, string, type TypeOf } from '../core/reads/pattern.ts'
import { misfit, type Shape, shapeOf } from '../core/reads/reading.ts'
import type { EventFields } from './event-stream.ts'
import { jsonIn } from './json-text.ts'

const changed = object({
  recordTime: string,
  name: string,
  user: string,
  url: string,
  description: string,
  contractId: string,
  expiresAt: string,
})

/**
 * The entry of a name after a change. After `expired` and `withdrawn`, the name has no entry, and
 * the fields describe the entry before the change.
 */
export interface ChangedName extends Readonly<TypeOf<typeof changed>> {
  /** The id of this event. Pass it as the option `after` to resume the stream after this event. */
  readonly id: string
}

/** An event of the feed of changes (docs/mirror.md#feed-of-changes). */
export type ChangesEvent =
  | ({ readonly kind: 'created' | 'expired' | 'withdrawn' } & ChangedName)
  | ({
      readonly kind: 'renewed'
      readonly was: { readonly contractId: string; readonly expiresAt: string }
    } & ChangedName)
  /** The stream has sent all changes up to this record time. */
  | { readonly kind: 'reached'; readonly id: string; readonly recordTime: string }
  /** The daemon ends the stream. `reason` is a sentence. */
  | { readonly kind: 'interrupted'; readonly reason: string }

const patterns: Readonly<Record<ChangesEvent['kind'], Pattern>> = {
  created: changed,
  renewed: object({ ...changed.object, was: object({ contractId: string, expiresAt: string }) }),
  expired: changed,
  withdrawn: changed,
  reached: object({ recordTime: string }),
  interrupted: object({ reason: string }),
}

const shapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries(patterns).map(([kind, pattern]) => [kind, shapeOf(pattern)]),
)

/**
 * Returns undefined for an unknown event name, which a later release may have added. Returns
 * `misfit` for a malformed event: the caller must not skip it, because a change would be lost.
 */
export function changeIn(fields: EventFields): ChangesEvent | undefined | typeof misfit {
  const kind = fields.get('event') ?? ''
  const shape = shapes.get(kind)
  if (shape === undefined) return undefined
  const data = jsonIn(fields.get('data') ?? '')
  const value = isJsonObject(data) ? shape.read(data, { filled: false }) : misfit
  if (value === misfit) return misfit
  const id = fields.get('id')
  if (kind === 'interrupted') return { kind, ...(value as object) } as ChangesEvent
  return id ? ({ kind, id, ...(value as object) } as ChangesEvent) : misfit
}
