/**
 * Packs the project, installs the tarball into an empty folder and runs its command there, as a user would: `--help`,
 * then `serve` until it listens, a lookup, and SIGTERM. Exits with 1 and a sentence where one of these goes wrong.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const top = fileURLToPath(new URL('..', import.meta.url))

interface Listening {
  readonly msg: string
  readonly http: string
}

async function main(folder: string): Promise<void> {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: top })
  const [tarball = ''] = await readdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  await run('npm', ['install', '--omit=dev', join(folder, tarball)], { cwd: folder })

  const command = join(folder, 'node_modules', '.bin', 'bft-scan-proxy')
  const help = await run(command, ['--help'], { cwd: folder })
  assert.match(help.stdout, /^Usage: bft-scan-proxy/)
  await serve(command, folder)
}

async function serve(command: string, folder: string): Promise<void> {
  const env = { ...process.env, HTTP_PORT: '0', OPERATIONS_PORT: '0' }
  const daemon = spawn(command, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(daemon, 'exit')
  try {
    const { http } = await listening(daemon.stdout)
    const response = await fetch(`${http}/v0/scan-proxy/ans-entries/by-name/dso.cns`)
    assert.equal(response.status, 200, await response.text())
    assert.match(response.headers.get('x-bft-quorum') ?? '', /^agreed=2, threshold=2, asked=\d, voters=4$/)
    daemon.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null], 'SIGTERM ends it with exit code 0')
  } finally {
    daemon.kill('SIGKILL')
  }
}

async function listening(output: NodeJS.ReadableStream): Promise<Listening> {
  const seen: string[] = []
  for await (const line of createInterface(output)) {
    seen.push(line)
    const said: Listening = JSON.parse(line)
    if (said.msg === 'listening') return said
  }
  throw new Error(`it ended before it listened:\n${seen.join('\n')}`)
}

const folder = await mkdtemp(join(tmpdir(), 'bft-scan-proxy-'))
try {
  await main(folder)
  process.stdout.write('the package installs, answers and stops\n')
} finally {
  await rm(folder, { recursive: true, force: true })
}
