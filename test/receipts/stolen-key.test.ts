import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ReceiptKeyDirectory, verifyReceipt } from '../../src/client/receipts/receipts.ts'
import { FileKeyRing } from '../../src/receipts/file-key-ring.ts'
import { keyDirectory } from '../../src/receipts/key-directory.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { newFolder } from '../support/new-folder.ts'
import { madeReceipt, type TestKey } from '../support/receipt-signer.ts'

const hour = 3_600_000
const day = 24 * hour

test('a stolen old key makes no receipt that a verifier accepts who pinned the keys of after the rotation', async () => {
  const folder = newFolder(onTestFinished)
  const clock = new ManualClock()
  const ring = await FileKeyRing.open(join(folder, 'receipts.pem'), { clock })
  const keyNow = () => {
    const { keyid, x, privateKey } = ring.signing(clock.wall()).key
    return {
      keyid,
      jwk: { kty: 'OKP', crv: 'Ed25519', x },
      privateKey,
    } satisfies TestKey
  }
  const directoryNow = () =>
    JSON.parse(JSON.stringify(keyDirectory(ring.listed(clock.wall())))) as ReceiptKeyDirectory
  const seconds = () => Math.floor(clock.wall() / 1000)
  const signedNow = (key: TestKey, expires = seconds() + 86_400) =>
    madeReceipt(key, { created: seconds(), expires })
  const outcome = async (receipt: ReturnType<typeof signedNow>, directory: ReceiptKeyDirectory) => {
    const pins = [{ name: 'acme', key: directory }]
    const now = new Date(clock.wall())
    const verdict = await verifyReceipt(receipt, { pins, question: receipt.request, now })
    return verdict.kind === 'refused' ? verdict.reason : verdict.kind
  }

  const stolen = keyNow()
  const before = directoryNow()
  const honest = signedNow(stolen)
  await ring.rotate()
  clock.advance(8 * day + hour)
  await ring.refresh()

  expect(keyNow().keyid).not.toBe(stolen.keyid)
  expect(await outcome(signedNow(keyNow()), directoryNow())).toBe('current')
  expect(await outcome(signedNow(stolen), directoryNow())).toBe('unknownKey')
  // A verifier that still pins the old key does not know of the rotation. It accepts what the stolen key signs, until
  // the signature expires, and as proved then after that.
  expect(await outcome(honest, before)).toBe('provedThen')
  expect(await outcome(signedNow(stolen, seconds() + 86_401), before)).toBe('impossibleTimes')
  expect(await outcome(signedNow(stolen), before)).toBe('current')
})
