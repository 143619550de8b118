import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../../src/client/client.ts'
import { lookupWithReceipts } from '../../src/client/receipts/receipts.ts'
import { onLoopback } from '../support/on-loopback.ts'

describe('a read of the client ends when its time is over', () => {
  test.each([
    ['no server answers', () => undefined],
    ['the answer stops in the middle', (response) => void response.writeHead(200).write('{')],
  ] as readonly (readonly [
    string,
    (response: { writeHead: (status: number) => { write: (text: string) => unknown } }) => void,
  ])[])('%s', async (_, answer) => {
    const hanging = createServer((_request, response) => answer(response))
    using server = await onLoopback(hanging)
    const url = `http://127.0.0.1:${server.port}`
    await expect(createClient({ url, timeoutMs: 100 }).getDsoPartyId()).rejects.toMatchObject({
      name: 'ClientError',
      code: 'unreachable',
      retryable: true,
      status: undefined,
      message: `${url} gave no complete answer within 100 ms`,
    })
    hanging.closeAllConnections()
  })

  const noToken = () => new Promise<string>(() => undefined)
  const url = 'http://127.0.0.1:8080'
  const late = {
    name: 'ClientError',
    code: 'unreachable',
    retryable: true,
    message: 'the token function gave no complete answer within 20 ms',
  }

  test('the token function never ends', async () => {
    const client = createClient({ url, timeoutMs: 20, token: noToken })
    await expect(client.getDsoPartyId()).rejects.toMatchObject(late)
  })

  test('the token function of a stream of changes never ends', async () => {
    const client = createClient({ url, token: noToken })
    await expect(client.changes({ idleMs: 20 })[Symbol.asyncIterator]().next()).rejects.toMatchObject(late)
  })

  test('the token function of a look-up with receipts never ends', async () => {
    const pins = [{ name: 'acme', key: 'A'.repeat(43) }]
    const asked = lookupWithReceipts([{ url, token: noToken }], 'alice.cns', { pins, timeoutMs: 20 })
    await expect(asked).rejects.toMatchObject(late)
  })

  test('the token function never ends, and nothing else keeps the process alive', async () => {
    const child = fileURLToPath(new URL('children/token-never-comes.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [child])
    expect(stdout).toBe(late.message)
  })

  test('but not at once where the time is longer than a timer can be', async () => {
    const body = '{"dso_party_id":"DSO::1220ab"}'
    const said = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }
    const slow = createServer((_request, response) =>
      setImmediate(() => response.writeHead(200, said).end(body)),
    )
    using server = await onLoopback(slow)
    const client = createClient({ url: `http://127.0.0.1:${server.port}`, timeoutMs: Number.MAX_VALUE })
    expect(await client.getDsoPartyId()).toMatchObject({ kind: 'value' })
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '30s'])('a time of %s is rejected', (timeoutMs) => {
    expect(() => createClient({ url: 'http://127.0.0.1:8080', timeoutMs } as ClientOptions)).toThrow(
      /^The option timeoutMs of a client must be a finite number above 0; it is /,
    )
  })
})
