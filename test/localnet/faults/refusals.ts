import { expect } from 'vitest'
import type { refusalFaults } from '../../../src/localnet/faults/refusals.ts'
import { ask, askJson } from '../ask.ts'
import { alice, type FaultCases, version } from './faulty-localnet.ts'

export const refusalCases: FaultCases<(typeof refusalFaults)[number]> = {
  async unauthorized({ expectStatus }) {
    const heard = await expectStatus({ kind: 'unauthorized' }, 401, /^The resource requires authentication/)
    expect(heard.headers['www-authenticate']).toMatch(/^Bearer realm=/)
  },

  async forbidden({ expectStatus }) {
    await expectStatus({ kind: 'forbidden' }, 403, '{"error":"Authorization Failed for anonymous"}')
  },

  async 'rate-limit'({ expectStatus }) {
    const text = 'Too Many Requests: Server is busy, please try again later.'
    const heard = await expectStatus({ kind: 'rate-limit', retryAfter: 7 }, 429, text)
    expect(heard.headers).toMatchObject({ 'retry-after': '7', 'content-type': 'text/plain; charset=UTF-8' })
  },

  async redirect({ second, expectStatus }) {
    const heard = await expectStatus({ kind: 'redirect' }, 302, '')
    expect(heard.headers['location']).toBe(`${second}${alice}`)
    await expectStatus({ kind: 'redirect', code: 308 }, 308, '')
  },

  async error({ expectStatus }) {
    await expectStatus({ kind: 'error' }, 500, '{\n  "error" : "An unexpected error occurred."\n}')
  },

  async unavailable({ faulty, expectStatus }) {
    const uri = `${faulty}${alice}`
    const error = `The server is taking too long to respond to the (GET) request at ${uri}`
    await expectStatus({ kind: 'unavailable' }, 503, JSON.stringify({ error }))
  },

  async 'bad-gateway'({ expectStatus }) {
    const heard = await expectStatus({ kind: 'bad-gateway' }, 502, /^<html>/)
    expect(heard.headers['content-type']).toBe('text/html')
  },

  async status({ expectStatus }) {
    await expectStatus({ kind: 'status', code: 418 }, 418, `{"error":"418 I'm a Teapot"}`)
    await expectStatus({ kind: 'status', code: 410, error: 'gone' }, 410, '{"error":"gone"}')
    await expectStatus({ kind: 'status', code: 204 }, 204, '')
  },

  async 'old-release'({ faulty, healthy, expectStatus }) {
    const uri = `${faulty}${alice}`
    await expectStatus({ kind: 'old-release' }, 404, new RegExp(`could not be found: ${RegExp.escape(uri)}"`))
    expect((await askJson(faulty, version)).version).not.toBe((await askJson(healthy, version)).version)
    expect((await ask(faulty, '/api/scan/readyz')).status).toBe(200)
  },

  async 'unknown-path'({ faulty, expectStatus }) {
    await expectStatus({ kind: 'unknown-path' }, 404, /The requested resource could not be found/)
    expect((await ask(faulty, version)).status).toBe(404)
  },

  async 'odd-version'({ faulty, set, expectHonestValue }) {
    await set({ kind: 'odd-version' })
    expect((await askJson(faulty, version)).version).toBe('1.0.0-snapshot')
    for (const body of ['{}', 'soon']) {
      await set({ kind: 'odd-version', body })
      expect(await ask(faulty, version)).toMatchObject({ status: 200, text: body })
    }
    await expectHonestValue(alice)
  },
}
