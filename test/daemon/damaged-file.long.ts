import { appendFile, copyFile, open, readFile, stat, truncate } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../ledger/embedded/open.ts'
import { ask } from '../localnet/ask.ts'
import { advance, Caller, ledgerStatus, lookUp } from '../support/caller.ts'
import { startEmbedded } from '../support/daemon.ts'
import { DaemonProcess } from '../support/process.ts'

const names = Array.from({ length: 6 }, (_, at) => `name-${at}.unverified.cns`)
/** The number of payments that are written after the names, so that the end of the log contains no name. */
const taps = 20
const alice = await Caller.of('alice')
const refusal = { status: 503, body: { error: 'The ledger takes no changes now.' } }

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

/** Returns a copy whose write-ahead log is empty, as after a clean end of the daemon. */
async function closed(): Promise<Folder> {
  const folder = await copied()
  using db = new DatabaseSync(folder.file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return folder
}

async function expectNames(base: string): Promise<void> {
  for (const name of names) expect((await alice.get(base, lookUp(name))).entry.name).toBe(name)
  const listed = JSON.parse((await ask(base, '/v0/ans-entries?page_size=100&name_prefix=name-')).text)
  expect(listed.entries.map(({ name }: { name: string }) => name)).toEqual(names)
}

const free = async (base: string) =>
  Number((await alice.get(base, 'GET /v0/wallet/balance')).effective_unlocked_qty)

test('a torn log tail is cut and said so in the log, and the daemon serves on', async () => {
  await using folder = await copied()
  const wal = `${folder.file}-wal`
  // Appends bytes of the log after its header of 32 bytes: the beginning of a transaction that was never committed.
  await appendFile(wal, (await readFile(wal)).subarray(32, 32 + 3_000))
  {
    await using daemon = await serve(folder)
    const { http, control } = await daemon.listening()
    expect(await daemon.said('ledger: tail-cut')).toMatchObject({ level: 'warn', bytes: 3_000, commits: 0 })
    await expectNames(http)
    expect(await free(http)).toBe(taps * 200)
    await register(http, control, 'later.unverified.cns')
    await alice.tap(http, '1.0')
    daemon.signal('SIGKILL')
    await daemon.ended
  }
  await truncate(wal, (await stat(wal)).size - 1)
  for (const isTorn of [true, false]) {
    await using daemon = await serve(folder)
    const { http } = await daemon.listening()
    expect(daemon.lines.some(({ msg }) => msg === 'ledger: tail-cut')).toBe(isTorn)
    await expectNames(http)
    expect((await alice.get(http, lookUp('later.unverified.cns'))).entry.name).toBe('later.unverified.cns')
    expect(await free(http)).toBe(taps * 200)
  }
})

describe('a file that is damaged', () => {
  const overwriteLastLeaf = async ({ file }: Folder, owner: string) => {
    let page: number
    let bytes: number
    {
      using db = new DatabaseSync(file, { readOnly: true })
      bytes = (db.prepare('PRAGMA page_size').get() as { page_size: number }).page_size
      const last = db.prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
      page = (last.get(owner) as { page: number }).page
    }
    const handle = await open(file, 'r+')
    await handle.write(Buffer.alloc(bytes, 0x5a), 0, bytes, (page - 1) * bytes)
    await handle.close()
  }

  test.each([
    ['the end of the log', 'log'],
    ['the nodes of the last updates', 'nodes'],
    ['the commands that were done', 'log_by_command'],
    ['what is due', 'due'],
  ])(
    'a corrupted page (%s) stops writes with a clear error and keeps reads, and /status says why',
    async (_what, owner) => {
      await using folder = await closed()
      await overwriteLastLeaf(folder, owner)
      await using running = await startEmbedded({ 'ledger.file': folder.file })
      const { http, operations } = running.daemon
      const bob = await Caller.of('bob')
      const line = 'POST /v0/entry/create'
      const body = { name: 'bob.unverified.cns', url: '', description: '' }
      let answer = await bob.call(http, line, body)
      if (answer.status === 200) {
        await bob.tap(http, '1.0')
        answer = await bob.call(
          http,
          `POST /v0/wallet/subscription-requests/${answer.body.subscriptionRequestCid}/accept`,
        )
      }
      expect(answer).toEqual(refusal)
      const stopped = running.lines().find(({ msg }) => msg === 'ledger: writes-stopped')
      expect(stopped).toMatchObject({
        level: 'warn',
        reason: expect.stringMatching(/^The ledger takes no writes, its file is damaged: .*\.$/),
      })
      await expectNames(http)
      expect(await alice.call(http, 'POST /v0/wallet/tap', { amount: '1.0' })).toEqual(refusal)
      await expectNames(http)
      expect(await ledgerStatus(operations)).toMatchObject({
        kept: folder.file,
        writesStopped: stopped?.['reason'],
      })
      const metrics = await (await fetch(`${operations}/metrics`)).text()
      expect(metrics).toMatch(/^scan_proxy_ledger_writes_total\{outcome="unavailable"\} [1-9]/m)
    },
  )

  test('a write-ahead log that is damaged in its middle stops writes, and what stands before that is read', async () => {
    await using folder = await copied()
    const wal = `${folder.file}-wal`
    const handle = await open(wal, 'r+')
    const { size } = await handle.stat()
    await handle.write(Buffer.alloc(100, 0x5a), 0, 100, size - 40 * 4_120)
    await handle.close()
    const before = await readFile(wal)
    await using daemon = await serve(folder)
    const { http, operations } = await daemon.listening()
    const { reason } = await daemon.said('ledger: writes-stopped')
    expect((await ledgerStatus(operations)).writesStopped).toBe(reason)
    expect(reason).toMatch(/write-ahead log is damaged \d+ bytes and \d+ commits before its end\.$/)
    await expectNames(http)
    expect(await alice.call(http, 'POST /v0/wallet/tap', { amount: '1.0' })).toEqual(refusal)
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0 })
    expect((await readFile(wal)).equals(before), 'the log stays as it was found').toBe(true)
  })

  test('a file whose beginning is damaged is refused with a sentence: exit code 1', async () => {
    await using folder = await closed()
    const handle = await open(folder.file, 'r+')
    await handle.write(Buffer.alloc(4_096, 0x5a), 0, 4_096, 0)
    await handle.close()
    await using daemon = await serve(folder)
    const { code, errors } = await daemon.ended
    expect(code).toBe(1)
    expect(errors).toEqual([
      expect.stringMatching(
        /"problems":\["The ledger file .*ledger\.db is damaged, or is no ledger: .*\."\]/,
      ),
    ])
  })
})
