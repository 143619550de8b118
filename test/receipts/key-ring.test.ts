import { createPublicKey, verify } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FileKeyRing } from '../../src/receipts/file-key-ring.ts'
import { keyDirectory } from '../../src/receipts/key-directory.ts'
import { KeyFileProblem } from '../../src/receipts/key-files.ts'
import { crossSignedText, newSigningKey, pemOf, thumbprint } from '../../src/receipts/signing-key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { newFolder } from '../support/new-folder.ts'

const day = 24 * 3_600_000
let folder: string
let path: string
let clock: ManualClock

beforeEach(async () => {
  folder = newFolder(onTestFinished)
  path = join(folder, 'receipts.pem')
  clock = new ManualClock()
})

const open = () => FileKeyRing.open(path, { clock })
const keyidOf = (ring: FileKeyRing) => ring.signing(clock.wall()).key.keyid
const listedBy = (ring: FileKeyRing) => ring.listed(clock.wall()).map(({ keyid }) => keyid)
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

test('thumbprints are equal to those of RFC 8037, appendix A.3', () => {
  expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  )
})

test('the first start makes a key that only its owner can read, and every start has the same one', async () => {
  const ring = await open()
  expect(await modeOf(path)).toBe('600')
  expect(await readFile(path, 'latin1')).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  expect(await readdir(folder)).toEqual(['receipts.pem'])
  expect(keyidOf(await open())).toBe(keyidOf(ring))
})

test('two daemons that start at once have one key', async () => {
  const rings = await Promise.all([open(), open(), open()])
  expect(new Set(rings.map(keyidOf)).size).toBe(1)
})

describe('a key file cannot be used', () => {
  const problem = (words: RegExp) =>
    expect(open()).rejects.toThrow(
      expect.objectContaining({ name: 'KeyFileProblem', message: expect.stringMatching(words) }),
    )

  test.each([
    ['empty', ''],
    ['no PEM', 'x'],
    ['a public key', createPublicKey(newSigningKey().privateKey).export({ format: 'pem', type: 'spki' })],
    ['cut off', pemOf(newSigningKey()).slice(0, 60)],
    ['too long', 'x'.repeat(70_000)],
  ])('if it is %s', async (_what, content) => {
    await writeFile(path, content, { mode: 0o600 })
    await problem(
      /receipts\.pem is (?:damaged: it holds no Ed25519 key in PKCS#8 PEM|longer than 65536 bytes)$/,
    )
  })

  test('if it is a folder, also behind a link', async () => {
    await mkdir(join(folder, 'folder'))
    await symlink('folder', path)
    await problem(/is not a file$/)
  })

  test('if the state of its rotation is damaged, or of another key', async () => {
    await open()
    await writeFile(`${path}.rotation.json`, '{', { mode: 0o600 })
    await problem(/rotation\.json is damaged: it is not the state of a rotation$/)
    const other = { keyid: 'x', x: 'x', nbf: 1 }
    await writeFile(`${path}.rotation.json`, JSON.stringify({ current: other, previous: [] }))
    await problem(/holds another key than .*rotation\.json says/)
  })

  test('if the next key is missing', async () => {
    await (await open()).rotate()
    await rm(`${path}.next`)
    await problem(/receipts\.pem\.next does not hold the next key/)
  })
})

describe('a rotation', () => {
  test('lists the next key seven days ahead, signed by the present one', async () => {
    const ring = await open()
    const old = ring.signing(clock.wall()).key
    expect(await ring.rotate()).toBe(true)
    expect(await ring.rotate()).toBe(false)
    expect([await modeOf(`${path}.next`), await modeOf(`${path}.rotation.json`)]).toEqual(['600', '600'])
    expect(keyidOf(ring)).toBe(old.keyid)
    const [present, next] = ring.listed(clock.wall())
    expect(next?.nbf).toBe((clock.wall() + 7 * day) / 1000)
    expect(present?.exp).toBe((clock.wall() + 8 * day) / 1000)
    if (next?.crossSignature === undefined) throw new Error('no cross-signature')
    const { keyid, signature } = next.crossSignature
    expect(keyid).toBe(old.keyid)
    const text = Buffer.from(crossSignedText(next))
    expect(verify(null, text, createPublicKey(old.privateKey), Buffer.from(signature, 'base64url'))).toBe(
      true,
    )
    expect(keyDirectory(ring.listed(clock.wall())).keys[1]).toMatchObject({
      kid: next.keyid,
      'cross-signature': { keyid: old.keyid, signature },
    })
  })

  test('ends after seven days: the next key signs, and the old one is listed for another 24 hours', async () => {
    const ring = await open()
    const old = keyidOf(ring)
    await ring.rotate()
    const [, next = ''] = listedBy(ring)
    clock.advance(7 * day - 1)
    expect(keyidOf(ring)).toBe(old)
    clock.advance(1)
    expect(keyidOf(ring)).toBe(next)
    expect(listedBy(ring)).toEqual([old, next])
    await ring.refresh()
    expect((await readdir(folder)).sort()).toEqual(['receipts.pem', 'receipts.pem.rotation.json'])
    expect(keyidOf(await open())).toBe(next)
    clock.advance(day - 1_000)
    expect(listedBy(ring)).toEqual([old, next])
    clock.advance(1_000)
    expect(listedBy(ring)).toEqual([next])
  })

  test('that another process begins is seen by a running daemon, and one that ends while none runs at the next start', async () => {
    const running = await open()
    const old = keyidOf(running)
    await (await open()).rotate()
    expect(listedBy(running)).toEqual([old])
    await running.refresh()
    const [, next] = listedBy(running)
    expect(next).toBeDefined()
    clock.advance(8 * day - 1_000)
    const later = await open()
    expect(keyidOf(later)).toBe(next)
    expect(listedBy(later)).toEqual([old, next])
    // The other daemon has already moved the files. The first daemon finds out when it makes the new key its own.
    expect(keyidOf(running)).toBe(next)
    await running.refresh()
    expect(keyidOf(running)).toBe(next)
    expect(await running.rotate()).toBe(true)
  })

  test('that begins right after another one ended waits until the key file has the key that signs now', async () => {
    const failures: unknown[] = []
    const ring = await FileKeyRing.open(path, { clock, failed: (error) => failures.push(error) })
    await ring.rotate()
    clock.advance(7 * day)
    const signing = keyidOf(ring)
    expect(await ring.rotate()).toBe(true)
    expect(keyidOf(ring)).toBe(signing)
    const next = listedBy(ring).at(-1)
    expect(listedBy(await open())).toEqual(listedBy(ring))
    clock.advance(7 * day)
    expect(keyidOf(await open())).toBe(next)
    expect(failures).toEqual([])
  })

  test('is completed if a crash came between its two files', async () => {
    const ring = await open()
    await ring.rotate()
    const state = await readFile(`${path}.rotation.json`)
    const [old, next] = listedBy(ring)
    clock.advance(7 * day)
    keyidOf(ring)
    await ring.refresh()
    await writeFile(`${path}.rotation.json`, state)
    const restarted = await open()
    expect(keyidOf(restarted)).toBe(next)
    expect(listedBy(restarted)).toEqual([old, next])
  })

  test('that cannot be read leaves the daemon with the keys that it has', async () => {
    const failures: unknown[] = []
    const ring = await FileKeyRing.open(path, { clock, failed: (error) => failures.push(error) })
    const keyid = keyidOf(ring)
    await chmod(path, 0o644)
    await ring.refresh()
    expect(keyidOf(ring)).toBe(keyid)
    expect(failures).toEqual([expect.any(KeyFileProblem)])
  })
})

test('a key without a rotation is listed from when its file was written, for at least eight days more', async () => {
  const ring = await open()
  await utimes(path, 1_700_000_000, 1_700_000_000)
  await ring.refresh()
  const [listed] = ring.listed(clock.wall())
  expect(listed?.nbf).toBe(1_700_000_000)
  expect((listed?.exp ?? 0) * 1000).toBeGreaterThanOrEqual(clock.wall() + 8 * day)
})
