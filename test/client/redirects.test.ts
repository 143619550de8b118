import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { lookupWithReceipts } from '../../src/client/receipts/receipts.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { testKey } from '../support/receipt-signer.ts'

describe('the client follows no redirect', () => {
  test.each([301, 302, 303, 307, 308])('with status %d to another server', async (status) => {
    let heard = 0
    using other = await onLoopback(createServer((_, response) => response.writeHead(404, `${heard++}`).end()))
    const location = `http://127.0.0.1:${other.port}/elsewhere?secret`
    using server = await onLoopback(
      createServer((_, response) => response.writeHead(status, { location }).end('moved')),
    )
    const url = `http://127.0.0.1:${server.port}`
    const message = `${url} redirects to http://127.0.0.1:${other.port}, and the client follows no redirect: its url must be the address to which it leads`
    const error = { name: 'ClientError', code: 'redirected', status, retryable: false, message }
    const client = createClient({ url, token: 'secret' })
    await expect(client.getDsoPartyId()).rejects.toMatchObject(error)
    await expect(client.changes()[Symbol.asyncIterator]().next()).rejects.toMatchObject(error)
    const pins = [{ name: 'one', key: testKey('one').jwk }]
    const { unheard } = await lookupWithReceipts([{ url }], 'alice.cns', { pins })
    expect(unheard).toMatchObject([{ url, says: message }])
    expect(heard).toBe(0)
  })

  test('and says so of one that leads nowhere', async () => {
    using server = await onLoopback(createServer((_, response) => response.writeHead(302).end()))
    const url = `http://127.0.0.1:${server.port}`
    await expect(createClient({ url }).getDsoPartyId()).rejects.toMatchObject({
      code: 'redirected',
      message: expect.stringContaining(`${url} redirects, and the client`),
    })
  })
})
