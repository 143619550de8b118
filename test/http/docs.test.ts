import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { codingFor } from '../../src/base/lib/accepted-codings.ts'
import { startStage } from '../support/daemon.ts'

const stage = await startStage()

afterAll(() => stage[Symbol.asyncDispose]())

interface Bytes {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

function bytesOf(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Bytes> {
  const { promise, resolve, reject } = Promise.withResolvers<Bytes>()
  request(`${stage.daemon.http}${path}`, { method, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () =>
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
    )
  })
    .on('error', reject)
    .end()
  return promise
}

describe.each([
  ['/openapi.json', 'application/json', 'no-cache', 100_000],
  ['/docs/scalar.js', 'text/javascript; charset=utf-8', 'public, max-age=3600', 1_600_000],
])('%s', (path, type, cacheControl, mostZipped) => {
  test('goes out by brotli or gzip as the caller takes it, is the same text, and has an ETag', async () => {
    const plain = await bytesOf(path, {})
    const zipped = await bytesOf(path, { 'accept-encoding': 'gzip' })
    const br = await bytesOf(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect([zipped.headers['content-encoding'], br.headers['content-encoding']]).toEqual(['gzip', 'br'])
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(zipped.body.length).toBeLessThan(mostZipped)
    expect(br.body.length).toBeLessThan(zipped.body.length)
    for (const { status, headers, body } of [plain, zipped, br]) {
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': cacheControl,
        'content-length': String(body.length),
        'access-control-allow-origin': '*',
        etag: plain.headers['etag'],
        vary: 'accept-encoding',
      })
    }
  })

  test('is 304 for a caller that has it already, whatever its encoding', async () => {
    const { headers } = await bytesOf(path, { 'accept-encoding': 'br' })
    const again = await bytesOf(path, { 'accept-encoding': 'gzip', 'if-none-match': String(headers['etag']) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect(again.headers).toMatchObject({ etag: headers['etag'], 'cache-control': cacheControl })
  })

  test('has its headers also by HEAD', async () => {
    const { status, headers, body } = await bytesOf(path, { 'accept-encoding': 'br' }, 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
    expect(headers).toMatchObject({ 'content-encoding': 'br', 'content-type': type })
  })
})

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP, deflate', 'gzip'],
  ['br;q=1.0, gzip;q=0.8', 'br'],
  ['br;q=0.1, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *;q=0.5', 'gzip'],
  ['deflate, identity', 'identity'],
  ['br;q=nonsense', 'identity'],
] as const)('accept-encoding %s is answered with %s', (header, coding) => {
  expect(codingFor(header)).toBe(coding)
})

test('/docs is a page that loads its script from the daemon, and may load nothing from anybody else', async () => {
  const { status, headers, text } = await stage.get('/docs')
  expect(status).toBe(200)
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; /)
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
  expect(text).toContain('<script src="docs/scalar.js">')
  expect(text).toContain('<a href="openapi.json">')
  expect(text).not.toMatch(/https?:\/\//)
})

describe('/ of the API', () => {
  test('leads a browser to the description, by a path that also works behind a proxy with a prefix', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const { status, headers } = await stage.get('/', { headers: { accept } })
    expect([status, headers['location'], headers['vary']]).toEqual([302, 'docs', 'accept'])
  })

  test.each([{}, { accept: '*/*' }, { accept: 'application/json' }])(
    'is nothing for a program, which is told where the description is: %j',
    async (headers) => {
      const heard = await stage.get('/', { headers })
      const { http } = stage.daemon
      const error = `The requested resource could not be found: ${http}/ The API is described at ${http}/docs`
      expect([heard.status, JSON.parse(heard.text)]).toEqual([404, { error }])
    },
  )

  test('is the page where ui.public puts it there', async () => {
    await using open = await startStage({ config: { 'ui.public': true } })
    const { status, text } = await open.get('/', { headers: { accept: 'text/html' } })
    expect(status).toBe(200)
    expect(text).toContain('Look up a name')
  })
})
