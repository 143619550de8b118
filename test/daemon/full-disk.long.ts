import { describe, expect, test } from 'vitest'
import { advance, Caller, ledgerStatus, lookUp } from '../support/caller.ts'
import { DaemonProcess } from '../support/process.ts'
import { smallDisks } from '../support/small-disk.ts'

const room = 3 * 2 ** 20
/** This size, in bytes, is enough for the tables of a new ledger, but not for the ledger's first contracts. */
const tooLittle = 220_000
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

describe.each(await smallDisks())('on %s', (_what, openDisk) => {
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
})
