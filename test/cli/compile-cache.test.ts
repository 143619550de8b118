import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { newFolder } from '../support/new-folder.ts'

const run = promisify(execFile)
let folder: string

beforeEach(async () => {
  folder = newFolder(onTestFinished)
})

async function help(env: Readonly<Record<string, string>>): Promise<readonly [string, string]> {
  const args = [join(top, 'src/bin.js'), '--help']
  const { stdout, stderr } = await run(process.execPath, args, { env })
  return [stdout.slice(0, 6), stderr]
}

test('a command keeps the code that Node compiled where NODE_COMPILE_CACHE says', async () => {
  expect(await help({ NODE_COMPILE_CACHE: folder })).toEqual(['Usage:', ''])
  expect(await readdir(folder)).toHaveLength(1)
})

test('a command keeps nothing with NODE_DISABLE_COMPILE_CACHE', async () => {
  const kept = join(folder, 'kept')
  expect(await help({ NODE_COMPILE_CACHE: kept, NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(['Usage:', ''])
  expect(existsSync(kept)).toBe(false)
})

test('a command runs where nothing can be kept', async () => {
  expect(await help({ NODE_COMPILE_CACHE: '/dev/null/kept' })).toEqual(['Usage:', ''])
})
