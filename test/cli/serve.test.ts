import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { freePort, freePorts } from '../support/free-port.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { DaemonProcess } from '../support/process.ts'
import { command } from './command.ts'

describe('serve', () => {
  test('listens where --port says, whatever the environment says', async () => {
    const port = await freePort()
    await using daemon = await DaemonProcess.start({ HTTP_PORT: '0' }, '--port', String(port))
    expect((await daemon.listening()).http).toBe(`http://127.0.0.1:${port}`)
  })

  test.each([
    ['http.port', 'HTTP_PORT', 'OPERATIONS_PORT'],
    ['operations.port', 'OPERATIONS_PORT', 'HTTP_PORT'],
  ])('says that %s (%s) sets the port that another program has', async (option, variable, other) => {
    using taken = await onLoopback(createServer())
    const env = { HTTP_HOST: '127.0.0.1', [variable]: String(taken.port), [other]: '0' }
    const { code, err } = await command(['serve'], env)
    expect(code).toBe(1)
    const why = `listen EADDRINUSE: address already in use 127.0.0.1:${taken.port}; ${option} (${variable}) sets this port`
    expect(JSON.parse(err)).toMatchObject({ level: 'fatal', problems: [why] })
  })

  test.each([
    ['localnet.port', 'LOCALNET_PORT', 0],
    ['localnet.port', 'LOCALNET_PORT', 1],
    ['localnet.controlPort', 'LOCALNET_CONTROL_PORT', 0],
  ])(
    'says that %s (%s) sets the port of the localnet that another program has',
    async (option, variable, place) => {
      const first = await freePorts(place + 1)
      const port = first + place
      const taken = createServer().listen(port, '127.0.0.1')
      await once(taken, 'listening')
      try {
        const env = { HTTP_PORT: '0', OPERATIONS_PORT: '0', [variable]: String(first) }
        const { code, err } = await command(['serve'], env)
        expect(code).toBe(1)
        const why = `listen EADDRINUSE: address already in use 127.0.0.1:${port}; ${option} (${variable}) sets this port`
        expect(JSON.parse(err)).toMatchObject({ level: 'fatal', problems: [why] })
      } finally {
        taken.close()
      }
    },
  )

  test.each([
    ['[::1]', '::1'],
    ['*', '[::]'],
  ])('listens on %s and on %s', async (host, other) => {
    await using daemon = await DaemonProcess.start({ HTTP_HOST: host, OPERATIONS_HOST: other })
    const { http, operations } = await daemon.listening()
    for (const url of [http, operations])
      expect((await fetch(`${url.replace('[::]', '[::1]')}/readyz`)).status).toBe(200)
  })

  test('says that http.host (HTTP_HOST) sets the name that does not resolve', async () => {
    const { code, err } = await command(['serve'], { HTTP_HOST: 'nowhere.invalid', LOG_FORMAT: 'pretty' })
    const why = 'getaddrinfo ENOTFOUND nowhere.invalid; http.host (HTTP_HOST) sets this address'
    expect({ code, err }).toEqual({ code: 1, err: `bft-scan-proxy cannot start: ${why}\n` })
  })

  test('that cannot start says so in one line of the log at level fatal, unless people read the log', async () => {
    const wrong = { HTTP_PORT: 'many', OPERATIONS_PORT: '-1', SCAN_THRESHOLDS: '3' }
    const { code, out, err } = await command(['serve'], wrong)
    expect({ code, out }).toEqual({ code: 78, out: '' })
    expect(JSON.parse(err)).toMatchObject({
      level: 'fatal',
      service: 'bft-scan-proxy',
      msg: 'bft-scan-proxy cannot start',
      problems: expect.arrayContaining([
        expect.stringContaining('HTTP_PORT'),
        expect.stringContaining('OPERATIONS_PORT'),
      ]),
    })
    const pretty = await command(['serve'], { ...wrong, LOG_FORMAT: 'pretty' })
    expect(pretty.err.split('\n')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^http\.port must be .* \(in HTTP_PORT\)$/)]),
    )
    expect(pretty.err).not.toContain('"problems"')
  })

  test.concurrent('writes warnings about the configuration to the log, and nothing to standard error', async () => {
    await using daemon = await DaemonProcess.start({ SCAN_SEEDS: 'x', LOCALNET_SUPER_VALIDATORS: '1' })
    await daemon.listening()
    daemon.signal('SIGTERM')
    expect((await daemon.ended).errors).toEqual([])
    const [first, second] = daemon.lines
    expect(first).toMatchObject({
      level: 'warn',
      msg: 'SCAN_SEEDS: unknown variable; did you mean SCAN_SEED_URLS?',
    })
    expect(second).toMatchObject({
      level: 'warn',
      msg: expect.stringContaining('are not protected against one super validator'),
    })
  })
})
