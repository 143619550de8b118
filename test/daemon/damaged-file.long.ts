import { appendFile, copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../ledger/embedded/open.ts'
import { ask } from '../localnet/ask.ts'
import { advance, Caller, lookUp } from '../support/caller.ts'
import { DaemonProcess } from '../support/process.ts'

const names = Array.from({ length: 6 }, (_, at) => `name-${at}.unverified.cns`)
/** The number of payments that are written after the names, so that the end of the log contains no name. */
const taps = 20
const alice = await Caller.of('alice')

const serve = ({ file }: Folder) => DaemonProcess.start({ LEDGER_DRIVER: 'embedded', LEDGER_FILE: file })

async function register(base: string, control: string, name: string): Promise<void> {
  const { subscriptionRequestCid } = await alice.ask(base, name)
  await alice.tap(base, '1.0')
  await alice.accept(base, subscriptionRequestCid)
  await advance(control, '0s')
}

let killed: Folder
beforeAll(async () => {
  killed = await temporaryFolder()
  await using daemon = await serve(killed)
  const { http, control } = await daemon.listening()
  for (const name of names) await register(http, control, name)
  for (let count = 0; count < taps; count++) await alice.tap(http, '1.0')
  daemon.signal('SIGKILL')
  await daemon.ended
}, 60_000)
afterAll(() => killed[Symbol.asyncDispose]())

async function copied(): Promise<Folder> {
  const folder = await temporaryFolder()
  for (const suffix of ['', '-wal']) await copyFile(`${killed.file}${suffix}`, `${folder.file}${suffix}`)
  return folder
}

async function expectNames(base: string): Promise<void> {
  for (const name of names) expect((await alice.get(base, lookUp(name))).entry.name).toBe(name)
  const listed = JSON.parse((await ask(base, '/v0/ans-entries?page_size=100&name_prefix=name-')).text)
  expect(listed.entries.map(({ name }: { name: string }) => name)).toEqual(names)
}

const free = async (base: string) =>
  Number((await alice.get(base, 'GET /v0/wallet/balance')).effective_unlocked_qty)

test('a torn log tail is cut, and the daemon serves on', async () => {
  await using folder = await copied()
  const wal = `${folder.file}-wal`
  // Appends bytes of the log after its header of 32 bytes: the beginning of a transaction that was never committed.
  await appendFile(wal, (await readFile(wal)).subarray(32, 32 + 3_000))
  {
    await using daemon = await serve(folder)
    const { http, control } = await daemon.listening()
    await expectNames(http)
    expect(await free(http)).toBe(taps * 200)
    await register(http, control, 'later.unverified.cns')
    await alice.tap(http, '1.0')
    daemon.signal('SIGKILL')
    await daemon.ended
  }
  await truncate(wal, (await stat(wal)).size - 1)
  await using daemon = await serve(folder)
  const { http } = await daemon.listening()
  await expectNames(http)
  expect((await alice.get(http, lookUp('later.unverified.cns'))).entry.name).toBe('later.unverified.cns')
  expect(await free(http)).toBe(taps * 200)
})

test('a file that is damaged keeps its content under another name, says so once, and a new ledger begins', async () => {
  await using folder = await copied()
  {
    using db = new DatabaseSync(folder.file)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  const damaged = await readFile(folder.file)
  damaged.fill(0x5a, 0, 4_096)
  await writeFile(folder.file, damaged)
  await using daemon = await serve(folder)
  const { http, control } = await daemon.listening()
  const { as, reason } = await daemon.said('ledger: set-aside')
  expect(as).toMatch(new RegExp(`^${folder.file}\\.unreadable-\\d{8}T\\d{6}Z$`))
  expect(reason).toEqual(expect.any(String))
  expect((await readFile(String(as))).equals(damaged)).toBe(true)
  const { text } = await ask(http, '/v0/ans-entries?page_size=100&name_prefix=name-')
  expect(JSON.parse(text).entries).toEqual([])
  await register(http, control, names[0] as string)
  expect((await alice.get(http, lookUp(names[0] as string))).entry.name).toBe(names[0])
  daemon.signal('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
  expect(daemon.lines.filter(({ msg }) => msg === 'ledger: set-aside')).toHaveLength(1)
})
