import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Place } from '../place.ts'
import { type ReadId, readIds } from '../reads.ts'
import type { Reply } from '../reply.ts'
import type { Sight } from '../world/registry.ts'
import type { View } from '../world/view.ts'

/** A request to a node, with everything that the effects of faults need to know about it. */
export interface Ask {
  readonly read: ReadId
  readonly method: string
  /** The path with the query, not decoded. */
  readonly target: string
  /** The complete URL of the request. */
  readonly uri: string
  readonly place: Place
  readonly response: ServerResponse
}

/**
 * The effects of a fault on each phase of answering a request. In a phase without an effect, the node behaves
 * honestly.
 */
export interface Effects {
  /** Present if the node's port is closed. */
  readonly refuses?: true
  /**
   * Changes the node's lag, its clock error, the order in which it sorts names, and the delay of its
   * snapshots.
   */
  readonly sight?: Partial<Sight>
  /**
   * Changes the node's view of the ledger. For each read, it is called at the first request after the fault
   * was set. Later requests for that read use the same view.
   */
  readonly see?: (view: View, place: Place) => View
  /** Delays the answer until the returned promise resolves. */
  readonly wait?: (ask: Ask) => Promise<void>
  /** Replaces the reply. `body` is the body of the request. */
  readonly say?: (reply: Reply, ask: Ask, body: string) => Reply
  /**
   * Writes the reply to the connection. If several faults of a node define this, only the last one is called.
   */
  readonly send?: (reply: Reply, ask: Ask) => void | Promise<void>
}

export interface PreparedFault {
  /** The fault as the user set it, with defaults filled in. */
  readonly fault: { readonly kind: string }
  readonly effects: Effects
  appliesTo(read: ReadId): boolean
}

const only = z
  .array(z.enum(readIds))
  .min(1)
  .optional()
  .describe('the reads that the fault concerns; without it, all of them')

const common = { only }

type Options<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape, z.core.$strict>>
type Schema<Kind extends string, Shape extends z.ZodRawShape> = z.ZodObject<
  { kind: z.ZodLiteral<Kind> } & Omit<typeof common, keyof Shape> & Shape,
  z.core.$strict
>

export interface FaultRow<Kind extends string = string, Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: Kind
  /**
   * Describes the behaviour of a node with this fault: the end of a sentence that begins with "a super
   * validator whose scan".
   */
  readonly sentence: string
  readonly schema: Schema<Kind, Shape>
  /**
   * Checks a fault of this kind and fills in its defaults.
   * @throws ZodError if the fault is not valid.
   */
  prepare(fault: unknown): PreparedFault
}

export function defineFault<const Kind extends string, Shape extends z.ZodRawShape>(row: {
  readonly kind: Kind
  readonly sentence: string
  readonly options: Shape
  readonly effects: (options: Options<Shape>) => Effects
}): FaultRow<Kind, Shape> {
  const { kind, sentence } = row
  const schema = z.strictObject({ kind: z.literal(kind), ...common, ...row.options })
  return {
    kind,
    sentence,
    schema: schema as unknown as Schema<Kind, Shape>,
    prepare(input) {
      const fault = schema.parse(input) as Options<Shape> & {
        readonly kind: Kind
        readonly only?: readonly ReadId[]
      }
      const reads = fault.only
      return {
        fault,
        effects: row.effects(fault),
        appliesTo: (read) => reads === undefined || reads.includes(read),
      }
    },
  }
}
