import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { soonerThan } from '../support/eventually.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess } from '../support/process.ts'
import { command } from './command.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const aKey = 'x'.repeat(43)

const folder = newFolder(afterAll)
beforeAll(async () => {
  await promisify(execFile)('mkfifo', [join(folder, 'pipe.json')])
  await symlink('pipe.json', join(folder, 'link.json'))
  await symlink('/dev/zero', join(folder, 'zero.json'))
  await symlink('loop.json', join(folder, 'loop.json'))
  await writeFile(join(folder, 'huge.json'), '')
  await truncate(join(folder, 'huge.json'), 20 * 2 ** 30)
})

const notFiles = [
  ['pipe.json', 'not a file'],
  ['link.json', 'not a file'],
  ['zero.json', 'not a file'],
  ['huge.json', 'longer than \\d+ bytes'],
  ['loop.json', 'a loop of symbolic links'],
  ['', 'not a file'],
] as const

const commands = [
  ['verify', '--key', aKey],
  ['verify', aKey, '--key'],
  ['doctor', '--diff'],
  ['check-config', '--config'],
  ['serve', '--config'],
]

describe.each(notFiles)(
  'a pipe, a device, a folder, a loop of links or an endless file: %s',
  (name, what) => {
    test.for(commands)('`%s %s` ends at once, and names what it cannot read', async (given) => {
      const path = join(folder, name)
      const { code, err } = await soonerThan(30_000, command([...given, path]))
      expect({ code, err }).toEqual({
        code: given.at(-1) === '--config' ? 78 : 64,
        err: expect.stringMatching(new RegExp(`${path}.* it is (?:a folder, )?${what}`)),
      })
    })

    test.each([
      ['GUARD_FILE', 'guard.file'],
      ['RECEIPTS_KEY_FILE', 'receipts.keyFile'],
    ])('%s does not let a daemon start, and the error names the option', async (variable, option) => {
      await using daemon = await DaemonProcess.start({ [variable]: join(folder, name) })
      const { errors } = await soonerThan(30_000, daemon.ended)
      expect(errors).toEqual([expect.stringContaining(`"problems":["${option}`)])
    })
  },
)

test('SIGHUP with a pipe in place of the configuration file leaves a daemon as it is', async () => {
  const config = newFolder(onTestFinished)
  await using daemon = await DaemonProcess.start({ NODE_CONFIG_DIR: config })
  await daemon.listening()
  await promisify(execFile)('mkfifo', [join(config, 'local.yaml')])
  daemon.signal('SIGHUP')
  const { problems } = await daemon.said('the configuration was not reloaded, because it has problems')
  expect(problems).toEqual([expect.stringMatching(/local\.yaml cannot be read: it is not a file$/)])
  daemon.signal('SIGTERM')
  expect(await soonerThan(20_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
})

test.runIf(process.platform === 'linux')('a file whose reading fails is named', async () => {
  const { code, err } = await command(['check-config', '--config', '/proc/self/mem'])
  expect({ code, err }).toEqual({ code: 78, err: '--config: /proc/self/mem cannot be read: EIO\n' })
})

test('in a folder that was removed, a command ends with one line', async () => {
  const words = 'cd "$1" && rmdir "$1" && exec "$2" "$3" lookup dso.cns'
  const bin = fileURLToPath(new URL('../../src/bin.js', import.meta.url))
  const gone = await mkdtemp(join(tmpdir(), 'gone-'))
  const child = spawn('sh', ['-c', words, 'sh', gone, process.execPath, bin], { env: childEnv })
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ code, err }).toEqual({
    code: 1,
    err: 'bft-scan-proxy: the working folder does not exist any more\n',
  })
})

test('`verify -` reads standard input, up to a size', async () => {
  const ran = async (input: string) => {
    const words = `${input} | '${process.execPath}' '${main}' verify - --key ${aKey}`
    const child = spawn('sh', ['-c', words], { env: childEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    return { code, err }
  }
  expect(await ran('echo {}')).toEqual({ code: 64, err: expect.stringMatching(/^error: - is no receipt: /) })
  expect(await soonerThan(30_000, ran('cat /dev/zero'))).toEqual({
    code: 64,
    err: 'error: - cannot be read: it is longer than 16777216 bytes.\n',
  })
})
