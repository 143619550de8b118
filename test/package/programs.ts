import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { top } from '../arch/sources.ts'

const run = promisify(execFile)
export const tsc = join(top, 'node_modules', 'typescript', 'bin', 'tsc')

/** Runs the compiler in a folder, and returns what it prints. */
export async function compile(folder: string, config: string, ...flags: readonly string[]): Promise<string> {
  const args = [tsc, '-p', config, '--singleThreaded', ...flags]
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

/** Returns the programs of a page. Those that begin without an import get the client that others make. */
export function examplesIn(page: string): readonly string[] {
  const [client = ''] = /^import .*createClient.*\n+const client = .*\n/m.exec(page) ?? []
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) =>
    [code.startsWith('import') ? '' : client, code].join('\n'),
  )
}
