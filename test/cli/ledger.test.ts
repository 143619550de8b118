import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../ledger/embedded/open.ts'
import { advance, Caller, lookUp } from '../support/caller.ts'
import { DaemonProcess } from '../support/process.ts'
import { command, commandHere } from './command.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const names = ['first.unverified.cns', 'second.unverified.cns']
const alice = await Caller.of('alice')

const serve = (file: string) => DaemonProcess.start({ LEDGER_DRIVER: 'embedded', LEDGER_FILE: file })

async function ledger(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  run = commandHere,
) {
  const { code, out: stdout, err: stderr } = await run(['ledger', ...args], env)
  return { code, stdout, stderr }
}

let folder: Folder
beforeAll(async () => {
  folder = await temporaryFolder()
  await using daemon = await serve(folder.file)
  const { http, control } = await daemon.listening()
  for (const name of names) {
    const { subscriptionRequestCid } = await alice.ask(http, name)
    await alice.tap(http, '1.0')
    await alice.accept(http, subscriptionRequestCid)
    await advance(control, '0s')
  }
  daemon.signal('SIGTERM')
  await daemon.ended
}, 60_000)
afterAll(() => folder[Symbol.asyncDispose]())

/** Overwrites pages of a table or an index with nonsense. The last page is a leaf. */
async function corrupt(file: string, owner: string, which: 'all' | 'last' = 'all'): Promise<void> {
  const pages = pagesOf(file, owner)
  const handle = await open(file, 'r+')
  for (const { at, bytes } of which === 'all' ? pages : pages.slice(-1))
    await handle.write(Buffer.alloc(bytes, 0x5a), 0, bytes, at)
  await handle.close()
}

function pagesOf(file: string, owner: string) {
  using db = new DatabaseSync(file, { readOnly: true })
  const { page_size: bytes } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = ? ORDER BY pagetype = 'leaf', pageno")
  return pages.all(owner).map(({ pageno }) => ({ at: (Number(pageno) - 1) * bytes, bytes }))
}

test('ledger verify says that a file is whole, the configured one where none is named', async () => {
  const whole = {
    code: 0,
    stdout: expect.stringMatching(/ledger\.db is whole: \d+ updates\.\n$/),
    stderr: '',
  }
  expect(await ledger(['verify', folder.file])).toEqual(whole)
  expect(await ledger(['verify'], { LEDGER_FILE: folder.file }, command)).toEqual(whole)
})

test('a file with a damaged index is reported, and rebuilt into a file from which a daemon serves every name', async () => {
  const [damaged, rebuilt] = [`${folder.file}.damaged`, `${folder.file}.rebuilt`]
  expect((await ledger(['rebuild', folder.file, damaged])).code).toBe(0)
  await corrupt(damaged, 'finders')
  {
    await using daemon = await serve(damaged)
    const { code, errors } = await daemon.ended
    expect({ code, errors }).toEqual({
      code: 1,
      errors: [expect.stringMatching(/"problems":\["[^"]* malformed.*`bft-scan-proxy ledger verify`/)],
    })
  }
  const verified = await ledger(['verify', damaged])
  expect(verified).toMatchObject({ code: 1, stdout: '' })
  expect(verified.stderr).toMatch(/malformed|not what the log says/)
  expect(await ledger(['rebuild', damaged, rebuilt])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\S+\.rebuilt has \d+ updates of \S+\.damaged\.\n$/),
    stderr: '',
  })
  expect((await ledger(['verify', rebuilt])).code).toBe(0)
  await using daemon = await serve(rebuilt)
  const { http } = await daemon.listening()
  for (const name of names) expect((await alice.get(http, lookUp(name))).entry.name).toBe(name)
  expect((await alice.call(http, 'POST /v0/wallet/tap', { amount: '1.0' })).status).toBe(200)
})

test('a damaged log is rebuilt up to the damage, the loss is reported, and the exit code is 1', async () => {
  const [damaged, rebuilt] = [`${folder.file}.torn`, `${folder.file}.short`]
  expect((await ledger(['rebuild', folder.file, damaged])).code).toBe(0)
  await corrupt(damaged, 'nodes', 'last')
  const { code, stdout, stderr } = await ledger(['rebuild', damaged, rebuilt], {}, command)
  expect(code).toBe(1)
  expect(stdout).toMatch(/has \d+ updates/)
  expect(stderr).toMatch(/^Those that follow are lost\. After update \d+: /)
  expect((await ledger(['verify', rebuilt])).code).toBe(0)
})

test('a file that a daemon has open, is missing, is no ledger or is there already is refused with a sentence', async () => {
  await using daemon = await serve(`${folder.file}.used`)
  await daemon.listening()
  const refused = async (args: readonly string[], why: RegExp) =>
    expect(await ledger(args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) })
  await refused(['verify', `${folder.file}.used`], /is in use by another process\.\n$/)
  await refused(['verify', `${folder.file}.none`], /cannot be opened/)
  await refused(['verify', '/nowhere/names.sqlite'], /cannot be opened: there is no folder \/nowhere\.\n$/)
  await refused(['verify', main], /is no ledger/)
  await refused(['rebuild', folder.file, folder.file], /holds a ledger already|in use/)
})

test.each([
  [[]],
  [['verify', 'a', 'b']],
  [['rebuild', 'a']],
  [['rebuild', 'a', 'b', 'c']],
  [['verify', '--fast']],
  [['drop', 'a']],
])('ledger %j says how it is used: exit code 64', async (args) => {
  const { code, stdout, stderr } = await ledger(args)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/^(error: |Usage: bft-scan-proxy ledger )/)
})
