import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { written } from '../config/config.ts'
import { ask } from '../localnet/ask.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess } from '../support/process.ts'
import { byName } from './questions.ts'

type Values = Readonly<Record<string, unknown>>

const alice = byName('alice.unverified.cns')
const sevenNodes = { LOCALNET_SUPER_VALIDATORS: '7' }

/**
 * Starts a daemon in a process of its own, with a configuration file that a test can change. The daemon ends with the test.
 */
export async function startConfigured(values: Values, env: Readonly<Record<string, string>> = sevenNodes) {
  const folder = newFolder(onTestFinished)
  const write = (text: string) => writeFileSync(join(folder, 'local.yaml'), text)
  write(stringify(written(values)))
  const daemon = await DaemonProcess.start({ ...env, NODE_CONFIG_DIR: folder })
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  const { http } = await daemon.listening()
  const hangUp = (msg: string) => {
    const line = daemon.said(msg, daemon.lines.length)
    daemon.signal('SIGHUP')
    return line
  }
  return {
    daemon,
    http,
    write,
    reload(next: Values) {
      write(stringify(written(next)))
      return hangUp('the configuration was reloaded')
    },
    failToReload(text: string) {
      write(text)
      return hangUp('the configuration was not reloaded, because it has problems')
    },
    ask: (path = alice, headers = {}) => ask(http, path, { headers }),
  }
}
