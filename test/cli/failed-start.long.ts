import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { soonerThan } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess, type Ended } from '../support/process.ts'
import { startRedisServer } from '../support/redis.ts'

const folder = newFolder(afterAll)
const taken = createServer()

const redis = await startRedisServer()
await chmod(folder, 0o755)
taken.listen(0, '127.0.0.1')
await once(taken, 'listening')
afterAll(async () => {
  taken.close()
  await redis?.[Symbol.asyncDispose]()
})

async function everything(): Promise<Record<string, string>> {
  const own = await mkdtemp(join(folder, 'daemon-'))
  await chmod(own, 0o777)
  return {
    HTTP_HOST: '127.0.0.1',
    LOCALNET_PORT: '0',
    LOCALNET_CONTROL_PORT: '0',
    LEDGER_DRIVER: 'embedded',
    LEDGER_FILE: join(own, 'ledger.db'),
    GUARD_FILE: join(own, 'floors'),
    MIRROR_LEVEL: 'stream',
    MIRROR_FILE: join(own, 'mirror.db'),
    NODE_CONFIG: rosterIn(join(own, 'roster.json')),
    RECEIPTS_KEY_FILE: join(own, 'key.pem'),
    RECEIPTS_SIGN: 'always',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  }
}

/** Returns a `NODE_CONFIG` with the roster's file, because no environment variable of its own sets this file. */
function rosterIn(rosterFile: string): string {
  return JSON.stringify({ scanClient: { rosterFile } })
}

const redisUrls = {
  'without Redis': async () => ({}),
  'with Redis': async () => ({ REDIS_URL: `${redis.url}/7` }),
  'with a Redis that is not there': async () => ({
    REDIS_URL: `redis://127.0.0.1:${await freePort()}/7`,
  }),
}

const missing = '/nowhere/d/file'
const stages = {
  GUARD_FILE: { ends: 1, says: 'guard.file (GUARD_FILE) cannot be used: ' },
  RECEIPTS_KEY_FILE: { ends: 78, says: 'receipts.keyFile: ' },
  LEDGER_FILE: { ends: 1, says: 'The ledger file ' },
}

/** Root may write everywhere. Other users run these tests as themselves. */
const otherUser = process.getuid?.() === 0 ? ['setpriv', '--reuid', '1000680000', '--clear-groups'] : []

interface Place {
  readonly program: readonly string[]
  readonly file: string
  readonly why: string
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder that does not exist': async () => {
    return { program: [], file: missing, why: 'there is no folder /nowhere/d' }
  },
  'a folder that its user may not write': async () => {
    const readOnly = await mkdtemp(join(folder, 'read-only-'))
    await chmod(readOnly, 0o555)
    const why = `the folder ${readOnly} cannot be written (EACCES)`
    return { program: otherUser, file: join(readOnly, 'file'), why }
  },
}

async function failedStart(
  env: Readonly<Record<string, string>>,
  program: readonly string[] = [],
): Promise<Ended> {
  await using daemon = await DaemonProcess.startUnder(program, { ...(await everything()), ...env })
  return await soonerThan(60_000, daemon.ended)
}

async function expectPortTaken(variable: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { port } = taken.address() as AddressInfo
  const { code, errors } = await failedStart({ ...env, [variable]: String(port) })
  expect(code).toBe(1)
  expect(errors).toEqual([expect.stringMatching(`"problems":\\["[^"]*${port}`)])
}

// These starts fail before the daemon connects to Redis, so one kind of Redis is enough.
describe.concurrent('a start with a Redis that is not there', () => {
  const redisUrl = redisUrls['with a Redis that is not there']

  describe.for(Object.entries(places))('with a file in %s', ([, placeOf]) => {
    test.for(Object.entries(stages))(
      'closes what it opened, says so, and ends, if that is the file of %s',
      async ([variable, { ends, says }]) => {
        const { program, file, why } = await placeOf()
        const { code, errors } = await failedStart({ ...(await redisUrl()), [variable]: file }, program)
        expect({ code, errors }).toEqual({ code: ends, errors: [expect.stringContaining(why)] })
        expect(errors[0]).toContain(says)
      },
    )

    test('goes on without the files of the mirror and the roster, and ends at SIGTERM', async () => {
      const { program, file } = await placeOf()
      const files = { MIRROR_FILE: file, NODE_CONFIG: rosterIn(file) }
      const env = { ...(await everything()), ...(await redisUrl()), ...files }
      await using daemon = await DaemonProcess.startUnder(program, env)
      await daemon.listening()
      await daemon.said('the mirror cannot use its file; it goes on in memory')
      await daemon.said('the roster file was not written; the next start has to ask the seeds')
      daemon.signal('SIGTERM')
      expect(await soonerThan(10_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
    })
  })

  test.for(['LOCALNET_PORT', 'LOCALNET_CONTROL_PORT'])(
    'that fails because another program has the port of %s closes what it opened, says so, and ends',
    async (variable) => expectPortTaken(variable, await redisUrl()),
  )
})

describe.concurrent.for(Object.entries(redisUrls))('a start %s', ([, redisUrl]) => {
  test.for(['HTTP_PORT', 'OPERATIONS_PORT'])(
    'that fails because another program has the port of %s closes what it opened, says so, and ends',
    async (variable) => expectPortTaken(variable, await redisUrl()),
  )
})
