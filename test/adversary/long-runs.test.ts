import { expect, test } from 'vitest'
import { parseReceipt, verifyReceipt } from '../../src/client/receipts/receipts.ts'
import { byName } from '../daemon/questions.ts'
import { startRemote, startStage } from '../support/daemon.ts'
import { madeReceipt, testKey } from '../support/receipt-signer.ts'
import { Scans } from '../support/scans.ts'

async function usedMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test.each(['/', '.', '@', '0'])(
  'a start takes no longer where a super validator publishes a long URL of %s',
  async (character) => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const start = async () => {
      await using remote = await startRemote(scans.urls)
      expect((await remote.report('/status')).roster.superValidators).toHaveLength(4)
    }
    await start()
    const usual = await usedMs(start)
    const long = `${scans.urls[3]}/${character.repeat(60_000)}x`
    scans.say({ scans: [...scans.published.slice(0, 3), { svName: 'd', publicUrl: long }] })
    expect(await usedMs(start)).toBeLessThan(usual + 1_000)
  },
)

test.each([' ', ',', '"', 'a'])(
  'callers whose accept-signature is a long run of %j cost no more than others',
  async (character) => {
    await using stage = await startStage()
    const ask = async (header: string) => {
      for (let nth = 0; nth < 90; nth++) {
        const headers = { 'accept-signature': `${header}${nth}` }
        await stage.get(byName('alice.unverified.cns'), { headers })
      }
    }
    await ask('sig=()x')
    const usual = await usedMs(() => ask('sig=()x'))
    expect(await usedMs(() => ask(`sig=()${character.repeat(4_000)}x`))).toBeLessThan(usual + 300)
  },
)

test.each([' ', ',', '"', 'a', '0'])(
  'a receipt with a long run of %j in a header is refused at once',
  async (character) => {
    const made = madeReceipt(testKey('one'))
    const headers = { ...made.response.headers, signature: `a${character.repeat(65_000)}b` }
    const receipt = parseReceipt(JSON.stringify({ ...made, response: { ...made.response, headers } }))
    const pins = [{ name: 'a', key: testKey('one').jwk }]
    const verify = async () =>
      expect(await verifyReceipt(receipt, { pins, question: made.request })).toMatchObject({
        kind: 'refused',
      })
    expect(await usedMs(verify)).toBeLessThan(500)
  },
)
