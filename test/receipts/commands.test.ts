import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { LoadConfigOptions } from '../../src/base/config/load.ts'
import { checkConfig } from '../../src/cli/check-config.ts'
import type { Print } from '../../src/cli/print.ts'
import { receiptsKey, receiptsRevoke, receiptsRotate } from '../../src/cli/receipts.ts'
import { serve } from '../../src/cli/serve.ts'
import { FileKeyRing } from '../../src/receipts/file-key-ring.ts'
import { command } from '../cli/command.ts'
import { configOf } from '../config/config.ts'
import { byName } from '../daemon/questions.ts'
import { startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { directory, keysIn, verifies } from './verified.ts'

const packageDir = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let keyFile: string

beforeEach(async () => {
  folder = newFolder(onTestFinished)
  keyFile = join(folder, 'receipts.pem')
})

async function run(use: (print: Print, options: LoadConfigOptions) => Promise<number>, env = {}) {
  const out: string[] = []
  const err: string[] = []
  const print = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  const code = await use(print, { env: { RECEIPTS_KEY_FILE: keyFile, ...env }, cwd: folder, packageDir })
  return { code, out, err }
}

const key = (json: boolean) => (print: Print, options: LoadConfigOptions) =>
  receiptsKey({ json }, print, options)

test('a daemon makes its key, signs with it and rotates it, and never prints it', async () => {
  const config = { 'receipts.keyFile': keyFile, 'receipts.sign': 'always', logLevel: 'trace' }
  await using stage = await startLiveStage({ config })
  const path = byName('alice.unverified.cns')
  const heard = await stage.get(path)
  const [present] = keysIn(await stage.get(directory))
  expect(await verifies(heard, { path }, [present as NonNullable<typeof present>])).toBe(true)
  expect(heard.headers['signature']).toMatch(/^bft=:/)

  const shown = await run(key(true))
  expect(JSON.parse(shown.out[0] ?? '')).toMatchObject({
    keyid: present?.kid,
    publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/),
    directory: { keys: [{ kid: present?.kid }] },
  })
  expect((await run(key(false))).out.join('\n')).toContain(
    `keyid: ${present?.kid}\n-----BEGIN PUBLIC KEY-----`,
  )
  const rotated = await run(receiptsRotate)
  expect([rotated.code, rotated.out[0]]).toEqual([0, expect.stringMatching(/^The next key is made\. /)])
  expect((await run(receiptsRotate)).out[0]).toMatch(/^A rotation is under way: /)

  await stage.daemon.reload(configOf({}))
  const listed = keysIn(await stage.get(directory))
  expect(listed).toHaveLength(2)
  expect(listed[1]?.['cross-signature']?.keyid).toBe(present?.kid)

  const pem = (await readFile(keyFile, 'latin1')).split('\n')[1] as string
  const said = [
    ...stage.lines().map((line) => JSON.stringify(line)),
    ...(await Promise.all(
      ['/status', '/evidence', '/metrics'].map(async (at) => (await stage.operations(at)).text),
    )),
    (await stage.get(directory)).text,
    ...shown.out,
  ].join('\n')
  expect(said).toContain('a read was agreed on')
  expect(said).not.toContain(pem)
  expect(said).not.toContain(pem.slice(-43))
})

test('commands about keys say whether the key or its option is missing', async () => {
  expect(await run(key(false))).toEqual({
    code: 1,
    out: [],
    err: [`There is no key in ${keyFile} yet: the daemon makes it when it starts.`],
  })
  expect(await run(key(false), { RECEIPTS_KEY_FILE: '' })).toMatchObject({
    code: 1,
    err: [expect.stringMatching(/^There is no key: receipts.keyFile is not set. A localnet publishes /)],
  })
})

test('a key file that others may read is a configuration problem, for the daemon and for commands', async () => {
  await writeFile(keyFile, 'x')
  await chmod(keyFile, 0o644)
  const problem = `receipts.keyFile: ${keyFile} can be read or changed by others: its mode is 644, and must be 600`
  const ports = { HTTP_PORT: '0', OPERATIONS_PORT: '0' }
  for (const each of [
    key(false),
    receiptsRotate,
    (print: Print, options: LoadConfigOptions) => checkConfig({ json: false }, print, options),
  ])
    expect(await run(each, ports)).toEqual({ code: 78, out: [], err: [problem] })
  const { code, out, err } = await run(serve, ports)
  expect({ code, out, problems: JSON.parse(err.join('')).problems }).toEqual({
    code: 78,
    out: [],
    problems: [problem],
  })
})

test('a revoked key is listed no more, and the daemon signs kept answers with a new one', async () => {
  const config = { 'receipts.keyFile': keyFile, 'receipts.sign': 'always' }
  await using stage = await startLiveStage({ config })
  const path = byName('alice.unverified.cns')
  const [stolen] = keysIn(await stage.get(directory))
  expect((await stage.get(path)).headers['signature-input']).toContain(`keyid="${stolen?.kid}"`)
  await run(receiptsRotate)

  const revoked = await run((print, options) => receiptsRevoke(String(stolen?.kid), print, options))
  expect([revoked.code, revoked.err]).toEqual([0, []])
  expect(revoked.out.join(' ')).toContain('who verifies offline does not see that it was revoked')
  await stage.daemon.reload(configOf({}))

  const keys = keysIn(await stage.get(directory))
  expect(keys).toHaveLength(1)
  const [fresh] = keys
  expect(fresh?.kid).not.toBe(stolen?.kid)
  expect(JSON.stringify(keys)).not.toContain(stolen?.x)
  const heard = await stage.get(path)
  expect(heard.headers['signature-input']).toContain(`keyid="${fresh?.kid}"`)
  expect(await verifies(heard, { path }, [fresh as NonNullable<typeof fresh>])).toBe(true)
})

test('a next key and a former one can be revoked too, and the present one goes on', async () => {
  const day = 86_400_000
  let wall = Date.UTC(2026, 0, 1)
  const clock = { wall: () => wall }
  const ring = await FileKeyRing.open(keyFile, { clock })
  const ids = () => ring.listed(wall).map(({ keyid }) => keyid)
  const [first = ''] = ids()
  await ring.rotate()
  expect(await ring.revoke(ids()[1] as string)).toBe('removed')
  expect(ids()).toEqual([first])
  await ring.rotate()
  wall += 7 * day + 1_000
  const [, second = ''] = ids()
  expect(await ring.revoke(first)).toBe('removed')
  expect(ids()).toEqual([second])
  expect(await ring.revoke(first)).toBe('unknown')
  const again = await FileKeyRing.open(keyFile, { clock })
  expect(again.listed(wall).map(({ keyid }) => keyid)).toEqual([second])
  expect(again.signing(wall).key.keyid).toBe(second)
})

test('an unlisted key cannot be revoked', async () => {
  await using _ = await startLiveStage({ config: { 'receipts.keyFile': keyFile } })
  expect(await run((print, options) => receiptsRevoke('nobody', print, options))).toMatchObject({
    code: 64,
    err: ['error: there is no key nobody'],
  })
})

// Only the superuser can give a file to somebody else, or run a process as somebody else.
describe.runIf(process.getuid?.() === 0)('a key file of another user', () => {
  const owner = 65_534

  beforeEach(async () => {
    await FileKeyRing.open(keyFile, { clock: { wall: () => Date.now() } })
    for (const each of [folder, keyFile]) await chown(each, owner, owner)
  })

  test('keeps its owner when root rotates and revokes, so that the daemon can go on reading it', async () => {
    const present = async () => JSON.parse((await run(key(true))).out[0] ?? '').keyid
    const owners = async () => {
      const files = (await readdir(folder)).sort()
      const found = await Promise.all(files.map((file) => stat(join(folder, file))))
      return files.map((file, index) => [file, found[index]?.uid, found[index]?.gid])
    }
    expect((await run(receiptsRotate)).code).toBe(0)
    expect(await owners()).toEqual([
      ['receipts.pem', owner, owner],
      ['receipts.pem.next', owner, owner],
      ['receipts.pem.rotation.json', owner, owner],
    ])
    const stolen = await present()
    expect((await run((print, options) => receiptsRevoke(stolen, print, options))).code).toBe(0)
    expect(await present()).not.toBe(stolen)
    expect(await owners()).toEqual([
      ['receipts.pem', owner, owner],
      ['receipts.pem.rotation.json', owner, owner],
    ])
  })

  test('is a configuration problem that names the file which the user may not read', async () => {
    await run(receiptsRotate)
    const state = `${keyFile}.rotation.json`
    await chown(state, 0, 0)
    const problem = `receipts.keyFile: ${state} cannot be read: it belongs to the user 0, and its mode is 600`
    const env = { RECEIPTS_KEY_FILE: keyFile, HTTP_PORT: '0', OPERATIONS_PORT: '0' }
    for (const args of [['check-config'], ['receipts', 'key'], ['serve']]) {
      const { code, out, err } = await command(args, env, { uid: owner, cwd: folder })
      expect([code, out]).toEqual([78, ''])
      expect(err).toContain(problem)
    }
  })
  test('may be one of root that the group of the daemon may read, as Kubernetes mounts a secret', async () => {
    const env = { RECEIPTS_KEY_FILE: keyFile }
    const keyOf = () => command(['receipts', 'key'], env, { uid: owner, cwd: folder })
    await chown(keyFile, 0, owner)
    await chmod(keyFile, 0o440)
    expect((await keyOf()).out).toMatch(/^keyid: /)
    await chmod(keyFile, 0o444)
    expect(await keyOf()).toMatchObject({
      code: 78,
      err: expect.stringMatching(/ its mode is 444, and must be 640\n$/),
    })
  })
})
