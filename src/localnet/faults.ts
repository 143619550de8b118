import { z } from 'zod'
import { issueText } from '../lib/issue-text.ts'
import { bodyFaults } from './faults/bodies.ts'
import type { PreparedFault } from './faults/fault.ts'
import { refusalFaults } from './faults/refusals.ts'
import { snapshotFaults } from './faults/snapshots.ts'
import { transportFaults } from './faults/transport.ts'
import { viewFaults } from './faults/views.ts'

/** Every fault that a node of the localnet can have. A new fault becomes a new row in one of these lists. */
const table = [...transportFaults, ...refusalFaults, ...bodyFaults, ...viewFaults, ...snapshotFaults] as const

type Row = (typeof table)[number]

export type FaultKind = Row['kind']

/** A fault as users write it: its kind, and the options that differ from the defaults. */
export type Fault = z.input<Row['schema']>

/**
 * One fault or several. Several faults apply one after the other in the given order. If several of them
 * define the effect `send`, only the last one writes the reply.
 */
export type Faults = Fault | readonly Fault[]

export const faultKinds: readonly FaultKind[] = table.map(({ kind }) => kind)

/** The error for a value that is not a valid fault. The message says why. */
export class NoFaultError extends Error {
  override readonly name = 'NoFaultError'
}

/**
 * Checks the faults for a node, and fills in their defaults.
 * @throws NoFaultError if one of the faults is not valid.
 */
export function prepareFaults(input: unknown): readonly PreparedFault[] {
  return Array.isArray(input) ? input.map(prepareFault) : [prepareFault(input)]
}

function prepareFault(input: unknown): PreparedFault {
  const kind: unknown =
    typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined
  const row = table.find((row) => row.kind === kind)
  if (row === undefined) {
    const problem = kind === undefined ? 'a fault has a kind' : `no fault is called ${JSON.stringify(kind)}`
    throw new NoFaultError(`${problem}; known kinds: ${faultKinds.join(', ')}`)
  }
  try {
    return row.prepare(input)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const problems = error.issues.map((issue) => issueText(issue, input, 'the fault'))
    throw new NoFaultError(`${row.kind}: ${problems.join('; ')}; known kinds: ${faultKinds.join(', ')}`)
  }
}

/**
 * Describes the faults for users: each kind of fault with its sentence, and its options as a JSON Schema.
 * Leaves out the option `only`, because its schema is a long list of all reads.
 */
export function describeFaults(): readonly { kind: string; sentence: string; options: unknown }[] {
  return table.map(({ kind, sentence, schema }) => {
    const {
      kind: _kind,
      only: _only,
      ...options
    } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}
    return { kind, sentence, options }
  })
}

/** Returns the faults that need no option: the kind and the sentence of each. */
export function plainFaults(): readonly { kind: FaultKind; sentence: string }[] {
  return table
    .filter(({ kind, schema }) => schema.safeParse({ kind }).success)
    .map(({ kind, sentence }) => ({ kind, sentence }))
}
