import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type LoadConfigOptions, loadConfig } from '../../src/base/config/load.ts'
import { newFolder } from '../support/new-folder.ts'

export const packageDir = fileURLToPath(new URL('../..', import.meta.url))

/** Makes a folder with these files, which is gone after the test, and loads the configuration of a daemon in it. */
export function configFolder(files: Readonly<Record<string, string>> = {}) {
  const cwd = newFolder(onTestFinished)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    cwd,
    write,
    load: (env: LoadConfigOptions['env'] = {}, flags: LoadConfigOptions['flags'] = {}) =>
      loadConfig({ env: { HOSTNAME: 'this-host', ...env }, cwd, packageDir, flags }),
  }
}
