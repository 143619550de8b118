import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BftScan, createBftScan } from '../../src/bft-scan.ts'
import type { Answered } from '../../src/client/answered.ts'
import { type Client, createClient, type ReadMethods } from '../../src/client/client.ts'
import type { AnyArguments } from '../../src/core/reads/arguments.ts'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { bodyParam, upstreamOf } from '../../src/core/reads/request.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { reads } from '../../src/core/reads/table.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { type Questions, questionsTo } from '../support/every-question.ts'

let stage: Stage<undefined>
let scan: BftScan
let client: Client
let questions: Questions
beforeAll(async () => {
  stage = await startLiveStage({ config: { 'localnet.releases': ['0.9'] } })
  const { superValidators } = stage.localnet
  questions = questionsTo(stage.localnet)
  client = createClient({ url: stage.daemon.http })
  scan = await createBftScan({
    scanClient: { seedUrls: superValidators.map(({ url }) => url), allowHttp: true, allowPrivate: true },
  })
})
afterAll(async () => {
  await scan[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const began = Date.now()

/** Methods take bodies and lists as values. `Params` has their JSON texts. */
function written(read: Read, params: Params): AnyArguments {
  const lists = read.params.filter(({ list }) => list).map(({ name }) => name)
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => [
      name,
      name === bodyParam || lists.includes(name) ? JSON.parse(text) : text,
    ]),
  )
}

function call(methods: ReadMethods, id: ReadId): Promise<Answered<unknown>> {
  const method = methods[id] as (given: AnyArguments) => Promise<Answered<unknown>>
  return method(written(reads[id], questions[id]))
}

async function askedWithoutClient(read: Read, params: Params): Promise<{ value?: unknown; error?: unknown }> {
  const { forms: _, ...own } = read
  const { method, path, body } = upstreamOf({ read: own, params })
  const { status, text } = await stage.get(path, body === undefined ? { method } : { method, body })
  return status === 200 ? { value: schemaOf(read.reply).parse(JSON.parse(text)) } : JSON.parse(text)
}

function valueOrError(answer: Answered<unknown>) {
  return answer.kind === 'value' ? { value: answer.value } : { error: answer.error }
}

/** Daemon and library seal page tokens with secrets of their own. */
function withoutToken(answer: Answered<unknown>) {
  return JSON.parse(JSON.stringify(valueOrError(answer)), (key, value) =>
    key === 'next_page_token' && typeof value === 'string' ? 'a token' : value,
  )
}

describe('every row goes round: client -> daemon -> localnet -> client, and by the library without a daemon', () => {
  test.each(readIds)('%s', async (id) => {
    const [byClient, byLibrary] = await Promise.all([call(client, id), call(scan, id)])
    expect(valueOrError(byClient)).toEqual(await askedWithoutClient(reads[id], questions[id]))
    expect(withoutToken(byLibrary)).toEqual(withoutToken(byClient))
    for (const methods of [client, scan]) {
      const byId = await methods.read(id, written(reads[id], questions[id]))
      expect(withoutToken(byId)).toEqual(withoutToken(byClient))
    }
    const threshold = reads[id].proves === undefined ? 2 : 1
    for (const { agreement, agreedAt, digest } of [byClient, byLibrary]) {
      expect(agreement).toMatchObject({ threshold, voters: 4, complete: true, protected: true })
      expect(agreement.agreed.length).toBeGreaterThanOrEqual(threshold)
      expect(stage.names).toEqual(expect.arrayContaining([...agreement.agreed]))
      // The daemon states ages in whole seconds, so `agreedAt` may be up to a second too early.
      expect(agreedAt.getTime()).toBeGreaterThan(began - 1_000)
      expect(agreedAt.getTime()).toBeLessThanOrEqual(Date.now())
      expect(digest).toMatch(/^[\w-]{43}$/)
    }
  })
})

test('both resolve a name to its party and a party to its name, and an absent one to nothing', async () => {
  const { user = '' } = stage.localnet.truth.entryByName('alice.unverified.cns') ?? {}
  const nobody = `nobody::${user.split('::')[1]}`
  for (const methods of [scan, client] satisfies ReadMethods[]) {
    expect(await methods.resolve('alice.unverified.cns')).toBe(user)
    expect(await methods.resolve('nobody.unverified.cns')).toBeUndefined()
    expect(await methods.namesOf(user)).toEqual(['alice.unverified.cns'])
    expect(await methods.namesOf(nobody)).toEqual([])
    await expect(methods.namesOf('alice')).rejects.toMatchObject({ code: 'identifierWithoutNamespace' })
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(methods.resolve('bob.unverified.cns', { signal })).rejects.toThrow('enough')
  }
})
