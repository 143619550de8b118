import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { NodeContext, RunningRelease } from '../node-context.ts'
import { type ReadId, readIds } from '../reads.ts'
import type { Reply } from '../reply.ts'
import type { NodeTraits } from '../world/node-view.ts'
import type { View } from '../world/view.ts'

export const longestLagMs = 3_600_000

export interface Ask {
  readonly read: ReadId
  readonly method: string
  readonly target: string
  readonly uri: string
  readonly context: NodeContext
  readonly release: RunningRelease
  readonly response: ServerResponse
}

export interface Effects {
  /** If present, the node's port is closed. */
  readonly refuses?: true
  readonly traits?: Partial<NodeTraits>
  /**
   * Changes the node's view of the ledger. It is called once for each read after the fault was set;
   * later requests for that read reuse its result.
   */
  readonly see?: (view: View, context: NodeContext) => View
  readonly wait?: (ask: Ask) => Promise<void>
  readonly say?: (reply: Reply, ask: Ask, body: string) => Reply
  /**
   * Writes the reply to the connection. If several faults of a node define `send`, only the last
   * one is called.
   */
  readonly send?: (reply: Reply, ask: Ask) => void | Promise<void>
}

export interface PreparedFault {
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

type FaultOptions<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape, z.core.$strict>>
type FaultSchema<Kind extends string, Shape extends z.ZodRawShape> = z.ZodObject<
  { kind: z.ZodLiteral<Kind> } & Omit<typeof common, keyof Shape> & Shape,
  z.core.$strict
>

export interface FaultRow<Kind extends string = string, Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: Kind
  /** The end of a sentence that begins with "a super validator whose scan". */
  readonly sentence: string
  readonly schema: FaultSchema<Kind, Shape>
  prepare(fault: unknown): PreparedFault
}

export function defineFault<
  const Kind extends string,
  Shape extends z.ZodRawShape = Record<never, never>,
>(row: {
  readonly kind: Kind
  readonly sentence: string
  readonly options?: Shape
  readonly effects: (options: FaultOptions<Shape>) => Effects
}): FaultRow<Kind, Shape> {
  const { kind, sentence } = row
  const schema = z.strictObject({ kind: z.literal(kind), ...common, ...row.options })
  return {
    kind,
    sentence,
    schema: schema as unknown as FaultSchema<Kind, Shape>,
    prepare(input) {
      const fault = schema.parse(input)
      const { only: reads } = fault as { readonly only?: readonly ReadId[] }
      return {
        fault: fault as { readonly kind: string },
        effects: row.effects(fault as unknown as FaultOptions<Shape>),
        appliesTo: (read) => reads === undefined || reads.includes(read),
      }
    },
  }
}

export function duration(what: string) {
  return z.int().min(0).max(longestLagMs).describe(`${what}, in ms`)
}

export function size(what: string) {
  return z
    .int()
    .min(1)
    .max(4 * 1024 ** 3)
    .describe(`${what}, in bytes`)
}
