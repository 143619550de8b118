import { mkdtempDisposable, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTables } from '../../src/registry/ledger/embedded/database.ts'

test('only its owner can read a new ledger file and the files that lie beside it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'own-file-'))
  using _ = openTables(join(folder.path, 'data'), () => {})
  const names = await readdir(folder.path)
  expect(names).toContain('data')
  for (const name of names) expect((await stat(join(folder.path, name))).mode & 0o777).toBe(0o600)
})
