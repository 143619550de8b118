import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { newFolder } from '../support/new-folder.ts'

const run = promisify(execFile)

test('the client and all that it imports need ES2023, a browser, and nothing else', async () => {
  const folder = newFolder(onTestFinished)
  const compilerOptions = {
    target: 'es2023',
    // Of ES2024, Node 20 and the browsers of 2023 both have `isWellFormed` only.
    lib: ['es2023', 'es2024.string', 'dom'],
    types: [],
    noEmit: true,
    rootDir: top,
  }
  const files = [join(top, 'src/client/client.ts')]
  const config = { extends: join(top, 'tsconfig.json'), compilerOptions, include: [], files }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(top, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--singleThreaded']).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
}, 180_000)
