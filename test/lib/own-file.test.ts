import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTables } from '../../src/ledger/embedded/database.ts'
import { createOwnFile } from '../../src/lib/own-file.ts'

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'own-file-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('only its owner can read a new ledger file and the files that lie beside it', () =>
  inFolder(async (folder) => {
    using _ = openTables({ file: join(folder, 'data') }, () => {})
    const names = await readdir(folder)
    expect(names).toContain('data')
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  }))

test('a file that exists keeps its content and its mode', () =>
  inFolder(async (folder) => {
    const file = join(folder, 'data')
    await writeFile(file, 'content')
    await chmod(file, 0o640)
    createOwnFile(file)
    const { mode, size } = await stat(file)
    expect({ mode: mode & 0o777, size }).toEqual({ mode: 0o640, size: 7 })
  }))
