import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderProblem, whyUnusable } from '../../src/lib/unusable-file.ts'

test('the reason why a file cannot be used is the problem of its folder, or else the message of the system', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'unusable-file-'))
  const at = (...parts: readonly string[]) => join(folder.path, ...parts)
  await writeFile(at('data'), '')
  expect(folderProblem(at('data'))).toBeUndefined()
  expect(folderProblem(at('new'))).toBeUndefined()
  expect(folderProblem(at('none', 'data'))).toBe(`there is no folder ${at('none')}`)
  expect(folderProblem(at('data', 'data'))).toBe(`${at('data')} is not a folder`)
  expect(folderProblem(at('data', 'inner', 'data'))).toBe(`a part of ${at('data', 'inner')} is not a folder`)
  expect(folderProblem(folder.path)).toBe(`${folder.path} is not a file`)

  const failed = (code: string, file: string) =>
    Object.assign(new Error(`${code}: the system says so, write '${file}.tmp'`), { code })
  const lost = at('none', 'data')
  expect(whyUnusable(lost, failed('ENOENT', lost))).toBe(`there is no folder ${at('none')}`)
  expect(whyUnusable(at('data'), failed('ENOSPC', at('data')))).toBe(
    `ENOSPC: the system says so: ${at('data')}`,
  )
  expect(whyUnusable(lost, new Error('it is damaged, at line 3'))).toBe('it is damaged, at line 3')
})
