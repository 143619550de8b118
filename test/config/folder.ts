import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from '../../src/config/load.ts'

export const packageDir = fileURLToPath(new URL('../..', import.meta.url))

export class ConfigFolder implements AsyncDisposable {
  readonly cwd: string

  private constructor(cwd: string) {
    this.cwd = cwd
  }

  static async create(files: Readonly<Record<string, string>> = {}): Promise<ConfigFolder> {
    const folder = new ConfigFolder(await mkdtemp(join(tmpdir(), 'config-')))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.cwd, path)), { recursive: true })
      await writeFile(join(folder.cwd, path), text)
    }
    return folder
  }

  load(
    env: Readonly<Record<string, string>> = {},
    flags: NonNullable<LoadConfigOptions['flags']> = {},
  ): LoadedConfig {
    return loadConfig({ env: { HOSTNAME: 'this-host', ...env }, cwd: this.cwd, packageDir, flags })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.cwd, { recursive: true, force: true })
  }
}
