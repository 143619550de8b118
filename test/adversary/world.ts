import type { Params, Read } from '../../src/reads/read.ts'
import { upstreamOf } from '../../src/reads/request.ts'
import { samples } from '../../src/reads/samples.ts'
import { type ReadId, readIds, reads } from '../../src/reads/table.ts'
import { type Tree, treeOf } from './tree.ts'

/** One question and what every honest super validator says to it. */
export interface Truth {
  readonly read: Read
  readonly params: Params
  readonly status: number
  readonly body: Tree
}

/** What is refused to every caller alike, whatever is asked. */
const refusal = { status: 400, text: 'The request was refused.' } as const

/** For every read a question with a true answer, and where the row knows one, a question that is truly refused. */
export const truths: readonly Truth[] = readIds.flatMap((id) => [answered(id), ...refused(id)])

function answered(id: ReadId): Truth {
  return { read: reads[id], params: samples[id].params, status: 200, body: treeOf(samples[id].reply) }
}

function refused(id: ReadId): readonly Truth[] {
  const { params }: { params: Params } = samples[id]
  const read: Read = reads[id]
  const bad: Truth = { read, params, status: refusal.status, body: treeOf({ error: refusal.text }) }
  const [template] = read.absent
  if (template === undefined || template === '' || template.endsWith('*')) return [bad]
  const error = template.replace(/\{(\w+)\}/g, (all, name: string) => params[name] ?? all)
  return [bad, { read, params, status: 404, body: treeOf({ error }) }]
}

/** Every question that the world has an answer to, by the line of its request and its body. */
export function requestLine({ read, params }: Pick<Truth, 'read' | 'params'>): string {
  const { method, path, body = '' } = upstreamOf(read, params)
  return `${method} ${path}\n${body}`
}
