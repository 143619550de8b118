import { describe, expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { soonerThan } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startCollector } from '../support/otlp-collector.ts'
import { DaemonProcess } from '../support/process.ts'
import { byName } from './questions.ts'

const alice = byName('alice.unverified.cns')

describe.concurrent('A collector that', () => {
  test.each([
    [
      'is not there',
      async () => ({ url: `http://127.0.0.1:${await freePort()}`, async [Symbol.asyncDispose]() {} }),
    ],
    ['never answers', () => startCollector('never')],
    ['resets each connection', () => startCollector('reset')],
    ['switches protocols', () => startCollector('switch')],
    ['is overloaded', () => startCollector(503)],
    ['refuses', () => startCollector(401)],
  ])('%s harms no read, and keeps the daemon from its end no longer than 3 s', async (_what, start) => {
    await using collector = await start()
    await using daemon = await DaemonProcess.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      NODE_CONFIG: JSON.stringify({
        cache: { times: { lookupAnsEntryByName: { fresh: '0s', stale: '0s' } } },
      }),
    })
    const { http } = await daemon.listening()
    for (let round = 0; round < 50; round++) expect((await ask(http, alice)).status).toBe(200)
    daemon.signal('SIGTERM')
    expect(await soonerThan(4_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
    const lost = daemon.lines.filter(({ msg }) => String(msg).startsWith('spans of traces are lost'))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost[0]).toMatchObject({ level: 'warn', count: expect.any(Number), why: expect.any(String) })
  })
})
