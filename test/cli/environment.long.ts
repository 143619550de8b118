import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { soonerThan } from '../support/eventually.ts'
import { DaemonProcess } from '../support/process.ts'
import { type CommandProcess, command } from './command.ts'

/** OpenShift runs containers so: the system does not know the user, who has no home folder. */
const unknownUser = ['setpriv', '--reuid', '1000680000', '--clear-groups', 'env', '-u', 'HOME']
const asUnknown: CommandProcess = { program: unknownUser }
const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)('a user without a name and without a home folder', () => {
  test('can start a daemon with everything that it can do, and use each command', async () => {
    await using daemon = await DaemonProcess.startUnder(unknownUser, {
      LEDGER_DRIVER: 'embedded',
      MIRROR_LEVEL: 'stream',
      RECEIPTS_SIGN: 'always',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
    })
    const { operations } = await daemon.listening()
    for (const [words, code] of [
      ['check-config', 0],
      ['roster', 0],
      ['lookup dso.cns', 0],
      ['lookup dso.cns --all', 0],
      ['read getDsoInfo', 0],
      ['status', 0],
      ['evidence', 0],
      ['doctor', 0],
      ['token --user alice', 0],
      ['receipts key', 1],
    ] as const) {
      const isAsking = !/^(?:check|token|receipts)/.test(words)
      const args = [...words.split(' '), ...(isAsking ? ['--operations', operations] : [])]
      const { code: ended, err } = await command(args, {}, asUnknown)
      expect({ words, code: ended, err }).toEqual({
        words,
        code,
        err: expect.not.stringContaining('    at '),
      })
    }
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0, errors: [] })
  })

  test('can import the library', async () => {
    const library = new URL('../../src/bft-scan.ts', import.meta.url).href
    const [file = '', ...rest] = [...unknownUser, process.execPath, '--input-type=module', '--eval']
    const child = spawn(file, [...rest, `import '${library}'`], { env: childEnv, stdio: 'ignore' })
    expect(await once(child, 'close')).toEqual([0, null])
  })
})

/** Makes a process send itself a signal while it loads a module. */
function signalledAt(module: string, signal: NodeJS.Signals): Readonly<Record<string, string>> {
  const hooks = `import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (url.endsWith('/src/${module}')) process.kill(process.pid, '${signal}')
        return next(url, context)
      },
    })`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hooks)}` }
}

describe.each([
  'cli/command-line.ts',
  'cli/serve.ts',
  'daemon.ts',
  'server/http/open.ts',
  'localnet/localnet.ts',
])('while a daemon that starts loads %s', (module) => {
  test('SIGHUP does not end it', async () => {
    await using daemon = await DaemonProcess.start(signalledAt(module, 'SIGHUP'))
    await daemon.listening()
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0, errors: [] })
  })

  test('SIGTERM ends it with 0', async () => {
    await using daemon = await DaemonProcess.start(signalledAt(module, 'SIGTERM'))
    expect(await soonerThan(20_000, daemon.ended)).toMatchObject({ code: 0, errors: [] })
  })
})
