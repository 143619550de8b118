import { z } from 'zod'
import { issueText } from '../base/lib/issue-text.ts'
import { bodyFaults } from './faults/bodies.ts'
import type { PreparedFault } from './faults/fault.ts'
import { refusalFaults } from './faults/refusals.ts'
import { snapshotFaults } from './faults/snapshots.ts'
import { transportFaults } from './faults/transport.ts'
import { viewFaults } from './faults/views.ts'

/** The groups in which the page lists the faults. */
const groups = {
  'What it says': [...viewFaults, ...snapshotFaults],
  'How it writes it': bodyFaults,
  'What it refuses': refusalFaults,
  'Its connection': transportFaults,
}
const table = Object.values(groups).flat()

type FaultTableRow = (typeof table)[number]

export type NodeFaultKind = FaultTableRow['kind']

export type Fault = z.input<FaultTableRow['schema']>

/**
 * One fault, or several that apply in the given order. Some kinds, such as `hang` and `truncate`,
 * write the reply to the connection themselves. Of several such faults, only the last one does.
 */
export type Faults = Fault | readonly Fault[]

export const nodeFaultKinds: readonly NodeFaultKind[] = table.map(({ kind }) => kind)

export class NoFaultError extends Error {
  override readonly name = 'NoFaultError'
}

/** @throws NoFaultError if one of the faults is not valid. */
export function prepareFaults(input: unknown): readonly PreparedFault[] {
  return Array.isArray(input) ? input.map(prepareFault) : [prepareFault(input)]
}

function prepareFault(input: unknown): PreparedFault {
  const kind: unknown =
    typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined
  const row = table.find((row) => row.kind === kind)
  if (row === undefined) {
    const problem = kind === undefined ? 'a fault has a kind' : `no fault is called ${JSON.stringify(kind)}`
    throw new NoFaultError(`${problem}; known kinds: ${nodeFaultKinds.join(', ')}`)
  }
  try {
    return row.prepare(input)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const problems = error.issues.map((issue) => issueText(issue, input, 'the fault'))
    throw new NoFaultError(`${row.kind}: ${problems.join('; ')}; known kinds: ${nodeFaultKinds.join(', ')}`)
  }
}

/**
 * Describes every kind of fault, with its options as a JSON Schema. The option `only` is left out,
 * because its schema lists all reads.
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

export interface PlainFault {
  readonly kind: NodeFaultKind
  /** The second half of a sentence. The first half is "a super validator whose scan". */
  readonly sentence: string
  readonly group: string
}

/** Returns the kinds of faults that need no options. */
export function plainFaults(): readonly PlainFault[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    rows
      .filter(({ kind, schema }) => schema.safeParse({ kind }).success)
      .map(({ kind, sentence }) => ({ kind, sentence, group })),
  )
}
