import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCannedDaemon } from '../../.ci/canned-daemon.ts'
import { outcomes } from '../../.ci/client-cases.js'
import { packClient } from '../../.ci/pack-client.ts'
import { mintToken } from '../../src/cli/token.ts'
import * as client from '../../src/client/client.ts'
import { top } from '../arch/sources.ts'
import { configOf, written } from '../config/config.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { type Opened, open, openBrowser } from './browser.ts'

const run = promisify(execFile)
const name = 'alice.unverified.cns'
const imports = { '@bft-scan/client': '/package/client.js' }
const page = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
  import * as client from '@bft-scan/client'
  import { outcomes } from '/ci/client-cases.js'
  const { ClientError, createClient } = client
  globalThis.outcomes = (addresses) => outcomes(client, addresses)
  globalThis.resolve = (url, name) => createClient({ url }).resolve(name)
  globalThis.ask = (options, read, question) =>
    createClient(options).read(read, question).catch((error) => {
      if (!(error instanceof ClientError)) throw error
      const { code, status, retryable, message } = error
      return { code, status, retryable, message }
    })
</script>`

/** The names of the members that each global had in Node 20. `takeNewerAway` deletes all others. */
const had: Readonly<Record<string, string>> = JSON.parse(
  await readFile(join(top, 'test/client/node-20-globals.json'), 'utf8'),
)
const takeNewerAway = `{
  const had = ${JSON.stringify(had)}
  const strip = (owner, names) => {
    for (const name of Object.getOwnPropertyNames(owner ?? {}))
      if (!names.split(' ').includes(name)) delete owner[name]
  }
  strip(Iterator.prototype, '')
  delete globalThis.Iterator
  for (const name of Object.keys(had)) {
    const [global, prototype] = name.split('.')
    const owner = globalThis[global]
    if (had[name] !== '') strip(prototype === undefined ? owner : owner?.prototype, had[name])
  }
}`

const folder = newFolder(afterAll)
let site: Site
let browser: Browser
let stage: Stage<undefined>
let opened: Opened

beforeAll(async () => {
  await run('tar', ['-xzf', await packClient(folder), '-C', folder])
  site = await startSite({ package: join(folder, 'package'), ci: join(top, '.ci') })
  stage = await startLiveStage()
  browser = await openBrowser()
  opened = await open(browser, site.url)
}, 120_000)
afterAll(async () => {
  await browser.close()
  await stage[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

interface Site extends AsyncDisposable {
  readonly url: string
}

/** Serves the page and the modules in these folders, from another origin than the daemon's. */
async function startSite(folders: Readonly<Record<string, string>>): Promise<Site> {
  const server = createServer(async ({ url = '' }, response) => {
    const [, head = '', ...rest] = url.split('/')
    const root = folders[head]
    if (root === undefined) {
      response.setHeader('content-type', 'text/html').end(page)
      return
    }
    const file = await readFile(join(root, ...rest)).catch(() => undefined)
    if (file === undefined) response.writeHead(404).end()
    else response.setHeader('content-type', 'text/javascript').end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function ask(options: client.ClientOptions, read: client.ReadId, question: object): Promise<unknown> {
  return opened.page.evaluate(`ask(${[options, read, question].map((value) => JSON.stringify(value))})`)
}

function lookUp(url: string, asked: string): Promise<unknown> {
  return ask({ url }, 'lookupAnsEntryByName', { name: asked })
}

async function agreedAt(url: string): Promise<unknown> {
  const call = `ask(${JSON.stringify({ url })}, 'getDsoPartyId', {}).then((answer) => answer.agreedAt.getTime())`
  return opened.page.evaluate(call)
}

/** Starts a server whose answer stays the same, and is older by these seconds at each request. */
async function startAgeing(seconds: number) {
  const asked: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    const said = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'x-bft-quorum, x-bft-agreed, age, etag',
      age: String(asked.length * seconds),
      'cache-control': 'public, max-age=300',
      'content-type': 'application/json',
      etag: '"digest"',
      'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=1',
      'x-bft-agreed': '"sv-1"',
    }
    const known = headers['if-none-match']
    asked.push(known)
    if (known === undefined) response.writeHead(200, said).end('{"dso_party_id":"DSO::1220ab"}')
    else response.writeHead(304, said).end()
  })
  const { port, ...listening } = await onLoopback(server)
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      server.closeAllConnections()
    },
  }
}

describe('the client in a browser, on a page of another origin', () => {
  test('looks a name up at a daemon, and sees who agreed', async () => {
    const answer = await lookUp(stage.daemon.http, name)
    expect(answer).toMatchObject({
      kind: 'value',
      value: { entry: stage.localnet.truth.entryByName(name) },
      agreement: { threshold: 2, voters: 4, complete: true, protected: true },
      digest: expect.stringMatching(/^[\w-]{20,}$/),
    })
    expect(opened.troubles).toEqual([])
  })

  test('resolves a name to its party, and a name that nobody has to nothing', async () => {
    const resolved = (asked: string) =>
      opened.page.evaluate(`resolve(${JSON.stringify(stage.daemon.http)}, '${asked}')`)
    expect(await resolved(name)).toBe(stage.localnet.truth.entryByName(name)?.user)
    expect(await resolved('nobody.cns')).toBeUndefined()
  })

  test('gets an error by its code: no consensus, and nobody there', async () => {
    await stage.fault(stage.names, { kind: 'lie', alone: true })
    expect(await lookUp(stage.daemon.http, 'bob.unverified.cns')).toMatchObject({
      code: 'noConsensus',
      status: 502,
      retryable: true,
    })
    await stage.fault(stage.names, undefined)
    expect(await lookUp('http://127.0.0.1:1', name)).toMatchObject({
      code: 'unreachable',
      retryable: true,
    })
  })

  test('may send what a browser asks the daemon about before: a token, and a body', async () => {
    const token = await mintToken('alice', configOf(written({})))
    const options = { url: stage.daemon.http, token: token as string }
    expect(await ask(options, 'lookupAnsEntryByName', { name })).toMatchObject({ kind: 'value' })
    const [first] = stage.localnet.truth.annals().updates
    expect(await ask(options, 'getUpdateHistoryV2', { body: { page_size: 1 } })).toMatchObject({
      value: { transactions: [{ update_id: first?.body['update_id'] }] },
    })
  })

  test('says how old an answer is, also where the browser kept the first response', async () => {
    await using ageing = await startAgeing(20)
    const { url } = ageing
    const times = [await agreedAt(url), await agreedAt(url)]
    expect(ageing.asked).toEqual([undefined, '"digest"'])
    expect(Number(times[1])).toBeLessThan(Number(times[0]))
  })

  test('gives the same outcomes as in Node, also where everything newer than Node 20 is missing', async () => {
    await using canned = await startCannedDaemon()
    const addresses = { daemon: stage.daemon.http, canned: canned.url, names: canned.names }
    const expected = JSON.parse(JSON.stringify(await outcomes(client, addresses)))
    const call = `outcomes(${JSON.stringify(addresses)})`
    // A browser tells no program why it reached nobody.
    expected['nobody at the address'].message = 'nobody answers at http://127.0.0.1:1'
    expect(await opened.page.evaluate(call)).toEqual(expected)

    await using older = await open(browser, site.url, {}, takeNewerAway)
    expect(await older.page.evaluate('[typeof RegExp.escape, typeof JSON.rawJSON]')).toEqual([
      'undefined',
      'undefined',
    ])
    expect(await older.page.evaluate(call)).toEqual(expected)
  })
})
