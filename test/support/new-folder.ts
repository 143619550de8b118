import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @param atEnd a hook of vitest, such as `afterAll`. The folder is removed when the hook runs. */
export function newFolder(atEnd: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
