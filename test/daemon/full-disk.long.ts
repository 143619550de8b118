import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { advance, Caller, ledgerStatus, lookUp } from '../support/caller.ts'
import { eventually, soonerThan } from '../support/eventually.ts'
import { untilNextSnapshot } from '../support/next-snapshot.ts'
import { DaemonProcess } from '../support/process.ts'
import { smallDisks } from '../support/small-disk.ts'
import { byName } from './questions.ts'

const room = 3 * 2 ** 20
/** This size, in bytes, is enough for the tables of a new ledger, but not for the ledger's first contracts. */
const tooLittle = 100_000
const refusal = { status: 503, body: { error: 'The ledger takes no changes now.' } }

async function registerUntilRefused(base: string, user: Caller) {
  const names: string[] = []
  for (;;) {
    const name = `${user.userId}-${names.length}.unverified.cns`
    const asked = await user.call(base, 'POST /v0/entry/create', { name, url: '', description: '' })
    if (asked.status !== 200) return { names, refused: asked }
    const accept = `POST /v0/wallet/subscription-requests/${asked.body.subscriptionRequestCid}/accept`
    for (const [line, body] of [['POST /v0/wallet/tap', { amount: '1.0' }], [accept]] as const) {
      const answer = await user.call(base, line, body)
      if (answer.status !== 200) return { names, refused: answer }
    }
    names.push(name)
  }
}

const disks = await smallDisks()

describe.each(disks)('on %s', (_what, openDisk) => {
  test('a full disk stops writes with a clear error and keeps reads, and writes go on as soon as there is room; /status says so', async () => {
    await using disk = await openDisk(room)
    const env = { LEDGER_DRIVER: 'embedded', LEDGER_FILE: disk.file }
    const alice = await Caller.of('alice')
    let paid: string[]
    let kept: string[]
    {
      await using daemon = await DaemonProcess.startUnder(disk.program, env)
      const { http, control, operations } = await daemon.listening()
      expect(await ledgerStatus(operations)).toEqual({ driver: 'embedded', kept: disk.file })
      const { names, refused } = await registerUntilRefused(http, alice)
      paid = names
      expect(refused).toEqual(refusal)
      const { reason } = await daemon.said('ledger: writes-stopped')
      expect(reason).toMatch(
        /^The ledger takes no writes until .*: (database or disk is full|disk I\/O error)\.$/,
      )
      expect((await ledgerStatus(operations)).writesStopped).toBe(reason)
      await advance(control, '0s')
      kept = (await alice.get(http, 'GET /v0/entry/all')).entries.map(({ name }: { name: string }) => name)
      expect(paid).toEqual(expect.arrayContaining(kept))
      for (const name of kept) expect((await alice.get(http, lookUp(name))).entry.name).toBe(name)
      expect(kept.length).toBeGreaterThan(5)
      daemon.signal('SIGKILL')
    }
    await using daemon = await DaemonProcess.startUnder(disk.program, env)
    const { http, control, operations } = await daemon.listening()
    for (const name of kept) expect((await alice.get(http, lookUp(name))).entry.name).toBe(name)
    // The ledger refuses the first request of a new user, because it would have to write the user's party.
    const bob = await Caller.of('bob')
    const { refused } = await registerUntilRefused(http, bob)
    expect(refused).toEqual(refusal)

    await disk.makeRoom(daemon.pid)
    const { subscriptionRequestCid } = await bob.ask(http, 'last.unverified.cns')
    await bob.tap(http, '1.0')
    await bob.accept(http, subscriptionRequestCid)
    await advance(control, '0s')
    expect((await bob.get(http, lookUp('last.unverified.cns'))).entry.name).toBe('last.unverified.cns')
    await daemon.said('ledger: writes-resumed')
    expect(await ledgerStatus(operations)).toEqual({ driver: 'embedded', kept: disk.file })
    const all = (await alice.get(http, 'GET /v0/entry/all')).entries
    expect(all.map(({ name }: { name: string }) => name)).toEqual(paid)
  })

  test('a daemon that finds no room to found its ledger says so, and does not call the file damaged', async () => {
    await using disk = await openDisk(tooLittle)
    const env = { LEDGER_DRIVER: 'embedded', LEDGER_FILE: disk.file }
    await using daemon = await DaemonProcess.startUnder(disk.program, env)
    const { code, errors } = await daemon.ended
    expect({ code, errors }).toEqual({
      code: 1,
      errors: [
        expect.stringMatching(
          /"problems":\["(The ledger takes no writes until [^`]*|There is no room for the ledger file \S+): (database or disk is full|disk I\/O error)\."\]/,
        ),
      ],
    })
  })

  test('a disk that fills under the guard, the mirror, the roster and the keys of receipts costs no answer, also after a restart, and they are written when there is room', async () => {
    await using disk = await openDisk(room)
    const folder = dirname(disk.file)
    const env = {
      GUARD_FILE: join(folder, 'floors'),
      MIRROR_LEVEL: 'stream',
      MIRROR_FILE: join(folder, 'mirror.db'),
      RECEIPTS_SIGN: 'always',
      RECEIPTS_KEY_FILE: join(folder, 'key.pem'),
      NODE_CONFIG: JSON.stringify({ scanClient: { rosterFile: join(folder, 'roster.json') } }),
    }
    let reads = 0
    /** The guard keeps the age of the answer to each new question. */
    const readMore = async (http: string) => {
      const body = JSON.stringify({ page_size: 1 + (reads++ % 1_000) })
      const { status, headers } = await ask(http, '/api/scan/v2/updates', { method: 'POST', body })
      expect({ status, isSigned: 'signature' in headers }).toEqual({ status: 200, isSigned: true })
    }
    const readUntil = async (http: string, said: Promise<unknown>) => {
      const isSaid = said.then(() => true)
      while (!(await Promise.race([isSaid, readMore(http)])));
    }
    const guardFails = 'guard.file cannot be written; ages of answers are in memory only'
    const mirrorFails = 'the mirror cannot use its file; it goes on in memory'
    {
      await using daemon = await DaemonProcess.startUnder(disk.program, env)
      const { http, control, operations } = await daemon.listening()
      await readMore(http)
      await disk.fill(daemon.pid)
      await readUntil(http, daemon.said(guardFails))
      await untilNextSnapshot(control)
      await daemon.said(mirrorFails)
      await readMore(http)
      const { mirror } = JSON.parse((await ask(operations, '/status')).text)
      expect(mirror.unkeptBecause).toMatch(/^There is no room for the mirror file/)
      expect((await ask(operations, '/metrics')).text).toMatch(/^scan_proxy_floor_file_writable 0$/m)
      daemon.signal('SIGTERM')
      expect(await soonerThan(10_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
    }
    await using daemon = await DaemonProcess.startUnder(disk.program, env)
    const { http, control, operations } = await daemon.listening()
    await daemon.said(guardFails)
    await daemon.said('the roster file was not written; the next start has to ask the seeds')
    await eventually(async () => (await ask(http, byName('dso.cns'))).status === 200)
    await disk.makeRoom(daemon.pid)
    await readUntil(http, daemon.said('guard.file is written'))
    await untilNextSnapshot(control)
    await daemon.said('the mirror serves names')
    await readMore(http)
    const { mirror } = JSON.parse((await ask(operations, '/status')).text)
    expect(mirror.unkeptBecause).toBeNull()
    daemon.signal('SIGTERM')
    expect(await soonerThan(10_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
  })
})

test('a daemon that finds no room for the key of its receipts says so, and leaves no file behind', async () => {
  const [[, openDisk]] = disks
  await using disk = await openDisk(0)
  const env = { RECEIPTS_SIGN: 'always', RECEIPTS_KEY_FILE: disk.file }
  await using daemon = await DaemonProcess.startUnder(disk.program, env)
  const { code, errors } = await daemon.ended
  const why = 'receipts.keyFile (RECEIPTS_KEY_FILE) cannot be used: EFBIG: file too large: '
  expect({ code, errors }).toEqual({ code: 1, errors: [expect.stringContaining(why + disk.file)] })
  expect(await readdir(dirname(disk.file))).toEqual([])
})
