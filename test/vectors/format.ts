import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { faultKinds } from '../../src/quorum/reply.ts'

/**
 * The vectors are data about the rules of agreement, for any programming language. The name of a file is the
 * sentence that it proves, and its folder is its subject. `quorum` has the numbers of the rules to which it
 * belongs.
 */
const numbered = { quorum: z.array(z.int().min(1).max(26)).min(1) }

const thresholdRule = z.union([z.enum(['f+1', '2f+1']), z.int().positive()])

/** The roster by name; operators and shared origins as lists of its names. */
const electorate = {
  superValidators: z.array(z.string()),
  operators: z.record(z.string(), z.array(z.string())).optional(),
  sameOrigin: z.array(z.array(z.string())).optional(),
  threshold: thresholdRule,
}

const policy = {
  agree: z.enum(['whole', 'items', 'ranked', 'history']).default('whole'),
  patient: z.boolean().default(false),
  /** Whether a request names a hash, by which a value can be `proven`. */
  provable: z.boolean().default(false),
}

const item = z.strictObject({ key: z.string(), vote: z.string(), later: z.string().default('') })

/** A step of an ordered history: its moment and its vote. */
const step = z.tuple([z.string(), z.string()])

const says = z.union([
  z.strictObject({
    value: z.string(),
    proven: z.literal(true).optional(),
    rank: z.string().optional(),
    items: z.array(item).optional(),
    steps: z.array(step).optional(),
  }),
  z.strictObject({ refusal: z.string() }),
  z.strictObject({ abstention: z.string() }),
  z.strictObject({ fault: z.enum(faultKinds) }),
])

const reply = z.strictObject({ from: z.string(), says })

const names = z.array(z.string())
const rule = z.string().optional()

const verdict = z.union([
  z.strictObject({ agreed: z.enum(['value', 'refusal']), vote: z.string(), by: names, rule }),
  z.strictObject({
    agreed: z.literal('items'),
    items: z.array(z.strictObject({ key: z.string(), vote: z.string(), by: names })),
    by: names,
    rule,
  }),
  z.strictObject({ agreed: z.literal('history'), vote: z.string(), length: z.int(), by: names, rule }),
  z.strictObject({ failed: z.enum(['disputed', 'undecided', 'unreachable']), rule }),
])

const action = z.union([
  z.strictObject({ ask: z.string() }),
  z.strictObject({ settle: verdict }),
  z.literal('close'),
])

const event = z.union([
  z.enum(['start', 'expire']),
  z.strictObject({ late: z.string() }),
  z.strictObject({ paused: z.string() }),
  reply,
])

const jsonText = z.union([z.string(), z.strictObject({ hex: z.string() })])

export const formats = {
  /** The verdict on these replies; `wait` if more replies are needed. */
  decisions: z.strictObject({
    ...numbered,
    ...electorate,
    ...policy,
    replies: z.array(reply),
    expect: z.union([z.literal('wait'), verdict]),
  }),
  /** The actions of a plan at each event. */
  plans: z.strictObject({
    ...numbered,
    ...electorate,
    ...policy,
    fanout: z.enum(['economical', 'quorum', 'all']),
    spare: z.boolean().default(false),
    order: names,
    script: z.array(z.strictObject({ on: event, expect: z.array(action) })),
  }),
  /** The length of the agreed beginning of an ordered history. */
  prefixes: z.strictObject({
    ...numbered,
    ...electorate,
    histories: z.record(z.string(), z.array(step)),
    expect: z.strictObject({ length: z.int(), by: names }),
  }),
  /** f, and the number of votes that each rule requires. */
  thresholds: z.strictObject({
    ...numbered,
    rows: z.array(z.strictObject({ n: z.int(), f: z.int(), 'f+1': z.int(), '2f+1': z.int() })),
  }),
  /** Whether JSON texts mean the same. None of the texts that are `misshapen` counts as a vote. */
  json: z.strictObject({
    ...numbered,
    texts: z.array(jsonText).min(1),
    are: z.enum(['equal', 'different', 'misshapen']),
  }),
}

export type Folder = keyof typeof formats
export type Vector<F extends Folder> = z.infer<(typeof formats)[F]>
export type VectorEvent = z.infer<typeof event>
export type VectorReply = z.infer<typeof reply>
export type VectorVerdict = z.infer<typeof verdict>
export type VectorElectorate = Pick<
  Vector<'decisions'>,
  'superValidators' | 'operators' | 'sameOrigin' | 'threshold'
>

/**
 * Returns every vector of a folder.
 * @throws an error that names a file which does not have the format of its folder.
 */
export function vectorsOf<F extends Folder>(folder: F): readonly { sentence: string; vector: Vector<F> }[] {
  const path = join(import.meta.dirname, folder)
  return readdirSync(path)
    .sort()
    .map((file) => ({
      sentence: basename(file, '.json'),
      vector: parseVector(folder, join(path, file), readFileSync(join(path, file), 'utf8')),
    }))
}

export function parseVector<F extends Folder>(folder: F, file: string, text: string): Vector<F> {
  if (!file.endsWith('.json')) throw new Error(`${file} is no vector`)
  const parsed = formats[folder].safeParse(JSON.parse(text))
  if (!parsed.success) throw new Error(`${file}\n${z.prettifyError(parsed.error)}`)
  return parsed.data as Vector<F>
}
