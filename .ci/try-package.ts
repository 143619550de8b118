/**
 * Packs the project and its client, installs the tarballs into an empty folder and uses them there as a user would: the
 * command (`--help`, then `serve` until it listens, a lookup, a roster, and SIGTERM), library and client with their
 * types. Also installs and runs the client on every Node that it supports, and the command on Nodes that are too old.
 * Exits with 1 and a sentence if one of these fails.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startCannedDaemon } from './canned-daemon.ts'
import { consumers } from './consumers.ts'
import { packClient } from './pack-client.ts'

const run = promisify(execFile)
const top = fileURLToPath(new URL('..', import.meta.url))

const { devDependencies } = JSON.parse(await readFile(join(top, 'package.json'), 'utf8'))
const devTools = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`)

/** Major versions of Node on which the client must run as well. The npm package `node` provides them. */
const clientMajors = [20, 22, 24, 26]
/** Major versions of Node on which the command only says which version it needs. */
const tooOldMajors = [12, 20, 22]

interface Listening {
  readonly msg: string
  readonly http: string
  readonly operations: string
  readonly superValidators: Readonly<Record<string, string>>
}

async function main(folder: string): Promise<void> {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: top })
  const [tarball = ''] = await readdir(folder)
  clientTarball = await packClient(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await run('npm', ['install', join(folder, tarball), clientTarball, ...devTools], { cwd: folder })

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
    const { http, operations, superValidators } = await listening(daemon.stdout)
    const response = await fetch(`${http}/v0/scan-proxy/ans-entries/by-name/dso.cns`)
    assert.equal(response.status, 200, await response.text())
    assert.match(response.headers.get('x-bft-quorum') ?? '', /^agreed=2, threshold=2, asked=\d, voters=4$/)
    const roster = await run(command, ['roster'], {
      cwd: folder,
      env: { ...process.env, OPERATIONS_PORT: new URL(operations).port },
    })
    assert.match(roster.stdout, /^2f\+1 holds: 3 needed, 4 reachable$/m)
    const page = await fetch(operations)
    assert.match(await page.text(), /<h1 [^>]*>Look up a name</)
    const script = await fetch(`${http}/docs/scalar.js`)
    assert.equal(script.status, 200)
    assert.match(await script.text(), /createApiReference/)
    await useImports(http, Object.values(superValidators))
    await useClientEverywhere(http)
    await useCommandOnOldNodes(command)
    daemon.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null], 'SIGTERM ends it with exit code 0')
  } finally {
    daemon.kill('SIGKILL')
  }
}

async function useImports(http: string, seeds: readonly string[]): Promise<void> {
  for (const [name, text] of Object.entries(consumers)) await writeFile(join(folder, name), text)
  for (const project of ['tsconfig.json', 'tsconfig.browser.json'])
    await run(join(folder, 'node_modules', '.bin', 'tsc'), ['-p', project], { cwd: folder })
  const library = await run(process.execPath, ['library.ts', ...seeds], { cwd: folder })
  assert.match(library.stdout, /"threshold":3/)
  const client = await run(process.execPath, ['client-main.ts', http], { cwd: folder })
  assert.match(client.stdout, /"voters":4/)
}

async function useClientEverywhere(daemon: string): Promise<void> {
  await cp(new URL('client-cases.js', import.meta.url), join(folder, 'client-cases.js'))
  await using canned = await startCannedDaemon()
  const addresses = JSON.stringify({ daemon, canned: canned.url, names: canned.names })
  const outcomesOn = async (node: string, cwd = folder) =>
    JSON.parse((await run(node, ['client-cases-main.js', addresses], { cwd })).stdout)
  const { told: expected } = await outcomesOn(process.execPath)
  assert.equal(expected['a value'].kind, 'value')
  assert.equal(expected['nobody at the address'].code, 'unreachable')
  const tried: string[] = []
  for (const major of clientMajors) {
    const node = await installNode(major)
    const { version, told } = await outcomesOn(
      node,
      await installClient(node, join(folder, `client-${major}`)),
    )
    assert.match(version, new RegExp(`^v${major}\\.`))
    assert.deepEqual(told, expected, `the client on ${version}`)
    tried.push(version)
  }
  process.stdout.write(`the client passes its ${Object.keys(expected).length} cases on ${tried.join(', ')}\n`)
}

async function useCommandOnOldNodes(command: string): Promise<void> {
  for (const major of tooOldMajors) {
    const bin = join(await installNode(major), '..')
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` }
    const said = await run(command, ['--help'], { cwd: folder, env }).catch((error: unknown) => error)
    const { code, stdout, stderr } = said as { code?: number; stdout: string; stderr: string }
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    const sentence = new RegExp(
      `^bft-scan-proxy: needs Node \\d+\\.\\d+ or later, this is ${major}\\..*\\n.*node@24.*\\n$`,
    )
    assert.match(stderr, sentence)
  }
}

/** Installs the client alone, by an npm that runs on this Node. Fails if npm prints anything but what it added. */
async function installClient(node: string, at: string): Promise<string> {
  await mkdir(at)
  await writeFile(join(at, 'package.json'), '{ "private": true, "type": "module" }\n')
  const env = { ...process.env, PATH: `${join(node, '..')}${delimiter}${process.env['PATH']}` }
  const { stdout, stderr } = await run('npm', ['install', '--no-audit', clientTarball], { cwd: at, env })
  assert.equal(stderr, '')
  assert.match(stdout, /^\s*added 1 package in \w+\s*$/)
  for (const file of ['client-cases.js', 'client-cases-main.js']) await cp(join(folder, file), join(at, file))
  return at
}

async function installNode(major: number): Promise<string> {
  const at = join(folder, `node-${major}`)
  const node = join(at, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(node)) return node
  await mkdir(at)
  await writeFile(join(at, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }\n')
  await run('npm', ['install', `node@${major}`], { cwd: at })
  return node
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

let clientTarball = ''
const folder = await mkdtemp(join(tmpdir(), 'bft-scan-proxy-'))
try {
  await main(folder)
  process.stdout.write('the packages install, answer and stop, and their imports work\n')
} finally {
  await rm(folder, { recursive: true, force: true })
}
