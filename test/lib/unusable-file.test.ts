import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderProblem, whyUnusable } from '../../src/lib/unusable-file.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unusable-file-'))
  await mkdir(join(folder, 'inner'))
  await writeFile(join(folder, 'data'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}

describe('the problem of a folder', () => {
  test('is none for a file in a folder that exists, whether the file exists or not', () => {
    expect(folderProblem(join(folder, 'data'))).toBeUndefined()
    expect(folderProblem(join(folder, 'new'))).toBeUndefined()
  })

  test('names a folder that does not exist, or that is a file', () => {
    expect(folderProblem(join(folder, 'none', 'data'))).toBe(`there is no folder ${join(folder, 'none')}`)
    expect(folderProblem(join(folder, 'data', 'data'))).toBe(`${join(folder, 'data')} is not a folder`)
  })

  test('names a folder of which a part is a file', () => {
    const inFile = join(folder, 'data', 'inner')
    expect(folderProblem(join(inFile, 'data'))).toBe(`a part of ${inFile} is not a folder`)
  })

  test('names a path that is a folder', () => {
    expect(folderProblem(join(folder, 'inner'))).toBe(`${join(folder, 'inner')} is not a file`)
  })
})

describe('the reason why a file cannot be used', () => {
  const full = (file: string) => systemError('ENOSPC', `no space left on device, write '${file}.tmp'`)

  test('is the problem of its folder if there is one', () => {
    const file = join(folder, 'none', 'data')
    expect(whyUnusable(file, systemError('ENOENT', `no such file or directory, open '${file}.tmp'`))).toBe(
      `there is no folder ${join(folder, 'none')}`,
    )
  })

  test('else is the message of the system, with the file in place of a temporary one', () => {
    const file = join(folder, 'data')
    expect(whyUnusable(file, full(file))).toBe(`ENOSPC: no space left on device: ${file}`)
  })

  test('is the message of an error that is not of the system, unchanged', () => {
    expect(whyUnusable(join(folder, 'none', 'data'), new Error('it is damaged, at line 3'))).toBe(
      'it is damaged, at line 3',
    )
  })
})
