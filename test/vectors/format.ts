import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { faultKinds } from '../../src/base/errors/fault-kinds.ts'

/** The anchors in docs/quorum.md of the rules that have vectors. */
export const ruleAnchors = [
  'names-count-not-connections',
  'one-vote-each',
  'operators-count-too',
  'thresholds',
  'no-way-around-the-quorum',
  'values-and-refusals-are-votes',
  'faults-never-agree',
  'abstentions-lower-nothing',
  'comparing-votes',
  'only-voted-bytes-are-served',
  'a-value-wins',
  'absence-is-the-weakest-answer',
  'no-verdict-without-asking-all',
  'stragglers-keep-nobody-waiting',
  'lists-item-by-item',
  'the-beginning-of-a-history',
  'several-true-values',
  'a-time-that-was-reached',
  'page-by-page',
  'as-few-as-can-agree',
  'lag-is-not-a-lie',
  'refreshes',
] as const

/**
 * These schemas describe the vectors: the rules of agreement as data, for any programming language. A file's name is
 * the sentence that the vector proves. `quorum` lists the rules that it belongs to.
 */
const ofRules = { quorum: z.array(z.enum(ruleAnchors)).min(1) }

const thresholdRule = z.union([z.enum(['f+1', '2f+1']), z.int().positive()])

/** `operators` and `sameOrigin` list super validators by their names. */
const electorate = {
  superValidators: z.array(z.string()),
  operators: z.record(z.string(), z.array(z.string())).optional(),
  sameOrigin: z.array(z.array(z.string())).optional(),
  threshold: thresholdRule,
}

const policy = {
  agree: z.enum(['whole', 'items', 'ranked', 'history', 'reached']).default('whole'),
  patient: z.boolean().default(false),
  /** Whether the request contains a hash with which a value can be `proven`. */
  provable: z.boolean().default(false),
}

const item = z.strictObject({ key: z.string(), vote: z.string(), later: z.string().default('') })

/** The moment and the vote of a step in a history. */
const step = z.tuple([z.string(), z.string()])

const says = z.union([
  z.strictObject({
    value: z.string(),
    proven: z.literal(true).optional(),
    rank: z.string().optional(),
    time: z.string().optional(),
    continues: z.literal(true).optional(),
    own: z.string().optional(),
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
  /** The verdict on the replies, or `wait` if more replies are needed. */
  decisions: z.strictObject({
    ...ofRules,
    ...electorate,
    ...policy,
    replies: z.array(reply),
    expect: z.union([z.literal('wait'), verdict]),
  }),
  plans: z.strictObject({
    ...ofRules,
    ...electorate,
    ...policy,
    fanout: z.enum(['economical', 'quorum', 'all']),
    spare: z.boolean().default(false),
    order: names,
    script: z.array(z.strictObject({ on: event, expect: z.array(action) })),
  }),
  /** The number of steps at the beginning of the histories that are agreed on, and the names of those who agree. */
  prefixes: z.strictObject({
    ...ofRules,
    ...electorate,
    histories: z.record(z.string(), z.array(step)),
    expect: z.strictObject({ length: z.int(), by: names }),
  }),
  /** For each n, the number f and the number of votes that each threshold requires. */
  thresholds: z.strictObject({
    ...ofRules,
    rows: z.array(z.strictObject({ n: z.int(), f: z.int(), 'f+1': z.int(), '2f+1': z.int() })),
  }),
  /** Whether texts of JSON mean the same. A text that is `misshapen` is no vote. */
  json: z.strictObject({
    ...ofRules,
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

/** Throws an error that names the file if its format is wrong. */
export function vectorsOf<F extends Folder>(folder: F): readonly { sentence: string; vector: Vector<F> }[] {
  const path = join(import.meta.dirname, folder)
  return readdirSync(path)
    .sort()
    .map((file) => ({
      sentence: basename(file, '.json'),
      vector: parseVector(folder, join(path, file), readFileSync(join(path, file), 'utf8')),
    }))
}

function parseVector<F extends Folder>(folder: F, file: string, text: string): Vector<F> {
  if (!file.endsWith('.json')) throw new Error(`${file} is no vector`)
  const parsed = formats[folder].safeParse(JSON.parse(text))
  if (!parsed.success) throw new Error(`${file}\n${z.prettifyError(parsed.error)}`)
  return parsed.data as Vector<F>
}
