import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { upstreamOf } from '../../src/core/reads/request.ts'
import { reads } from '../../src/core/reads/table.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { samples } from '../reads/samples.ts'
import { questionsTo } from '../support/every-question.ts'
import { type Tree, treeOf } from './tree.ts'

/** One question, and the reply that every honest super validator gives to it. */
export interface Truth {
  readonly read: Read
  readonly params: Params
  readonly status: number
  readonly body: Tree
}

const refusal = { status: 400, text: 'The request was refused.' } as const

/** The sample answer of every read, and refusals that could be true instead. */
const shortTruths: readonly Truth[] = readIds.flatMap((id) => [answered(id), ...refused(id)])

export async function allTruths(): Promise<readonly Truth[]> {
  await using localnet = await startLocalnet({ superValidators: 1, seed: 1, releases: ['0.9'] }, {})
  const questions = questionsTo(localnet)
  const url = localnet.superValidators[0]?.url ?? ''
  const told = readIds.map((id) => tellTruth(url, reads[id], shorter(questions[id])))
  return [...shortTruths, ...(await Promise.all(told)).flat()]
}

/** Asks for shorter pages, because a short page is enough to find a lie. */
function shorter(params: Params): Params {
  const texts = Object.entries(params).map(([name, text]) => [
    name,
    name === 'page_size'
      ? '6'
      : text.replace('"page_size":20', '"page_size":4').replace('"count":10', '"count":4'),
  ])
  return Object.fromEntries(texts)
}

async function tellTruth(url: string, read: Read, params: Params): Promise<readonly Truth[]> {
  const { method, path, body } = upstreamOf({ read, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  return text === '' ? [] : [{ read, params, status: response.status, body: treeOf(JSON.parse(text)) }]
}

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
