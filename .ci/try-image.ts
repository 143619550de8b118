/**
 * Follows the Dockerfile without Docker: runs its steps in empty folders, with only the files that `.dockerignore` lets
 * through. Then runs its command on a tree that cannot be written, as `nobody` if the present user is root. The daemon
 * has to listen, be healthy by the HEALTHCHECK of the Dockerfile, answer `bft-scan-proxy status` and a lookup, and end on SIGTERM with exit code 0.
 * If no network is chosen, the command has to say so and end with exit code 78.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { dockerfile, type Instruction, type Stage, said, variablesOf } from './dockerfile.ts'

const run = promisify(execFile)
const top = fileURLToPath(new URL('..', import.meta.url))
const nobody = 65534
const mostMebibytes = 150

async function main(folder: string): Promise<void> {
  const stages = dockerfile()
  const roots = new Map<string, string>()
  let root = ''
  for (const [index, stage] of stages.entries()) {
    root = join(folder, `stage-${index}`)
    await mkdir(root)
    if (stage.name !== undefined) roots.set(stage.name, root)
    await build(stage, root, roots)
  }
  const last = stages.at(-1)
  assert(last !== undefined)
  await run('chmod', ['-R', 'a+rX,a-w', root])
  const { stdout } = await run('du', ['-sm', root])
  const mebibytes = Number.parseInt(stdout, 10)
  assert(mebibytes < mostMebibytes, `the tree has ${mebibytes} MiB`)
  await serve(last, root, folder)
  process.stdout.write(`the image's tree has ${mebibytes} MiB, answers and stops\n`)
}

async function build(stage: Stage, root: string, roots: ReadonlyMap<string, string>): Promise<void> {
  let workdir = root
  for (const instruction of stage.instructions) {
    if (instruction.name === 'WORKDIR') {
      workdir = join(root, instruction.rest)
      await mkdir(workdir, { recursive: true })
    }
    if (instruction.name === 'COPY') await copy(instruction, root, workdir, roots)
    if (instruction.name === 'RUN') await run('sh', ['-c', instruction.rest], { cwd: workdir })
  }
}

async function copy(
  { rest }: Instruction,
  root: string,
  workdir: string,
  roots: ReadonlyMap<string, string>,
): Promise<void> {
  const words = rest.split(' ')
  const [, from] = /--from=(\S+)/.exec(rest) ?? []
  const sources = words.filter((word) => !word.startsWith('--'))
  const target = sources.pop() ?? ''
  const into = target.startsWith('/') ? join(root, target) : join(workdir, target)
  for (const source of sources) {
    const found = from === undefined ? await fromContext(source) : join(roots.get(from) ?? '', source)
    await cp(found, target.endsWith('/') ? join(into, basename(source)) : into, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/config\/local[^/]*\.yaml$/.test(path),
    })
  }
}

async function fromContext(source: string): Promise<string> {
  const ignored = (await readFile(join(top, '.dockerignore'), 'utf8')).split('\n')
  assert.equal(ignored[0], '*')
  assert(ignored.includes(`!${source}`), `.dockerignore keeps ${source} out`)
  return join(top, source)
}

async function serve(stage: Stage, root: string, folder: string): Promise<void> {
  const node = join(folder, 'node')
  await copyFile(process.execPath, node)
  await chmod(node, 0o755)
  await chmod(folder, 0o755)
  const cwd = join(root, said(stage, 'WORKDIR').at(-1) ?? '')
  const env = {
    PATH: `${join(root, 'usr/local/bin')}:${dirname(node)}:/usr/bin:/bin`,
    ...variablesOf(stage),
    NETWORK: 'localnet',
    HTTP_PORT: String(await freePort()),
    OPERATIONS_PORT: String(await freePort()),
  }
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const listOf = (name: string): string[] => JSON.parse(said(stage, name).at(-1) ?? '[]')
  const [command = '', ...args] = [...listOf('ENTRYPOINT'), ...listOf('CMD')]
  const { NETWORK: _, ...undecided } = env
  await assert.rejects(run(command, args, { cwd, env: undecided, ...user }), {
    code: 78,
    stderr: /"problems":\["network must be set where NODE_ENV or NODE_CONFIG_ENV is production: /,
  })
  const daemon = spawn(command, args, { cwd, env, ...user, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(daemon, 'exit')
  try {
    await listening(daemon.stdout)
    const [, health = '[]'] = /CMD (\[.*\])$/.exec(said(stage, 'HEALTHCHECK').at(-1) ?? '') ?? []
    const [check = '', ...checkArgs]: string[] = JSON.parse(health)
    await run(check, checkArgs, { cwd, env, ...user })
    const { stdout: status } = await run('bft-scan-proxy', ['status'], { cwd: '/', env, ...user })
    assert.match(status, /sv-4/)
    const answer = await fetch(`http://127.0.0.1:${env.HTTP_PORT}/v0/scan-proxy/ans-entries/by-name/dso.cns`)
    assert.equal(answer.status, 200, await answer.text())
    const page = await fetch(`http://127.0.0.1:${env.OPERATIONS_PORT}/`)
    assert.match(await page.text(), /<h1 [^>]*>Look up a name</)
    daemon.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null], 'SIGTERM ends it with exit code 0')
    await assert.rejects(run(check, checkArgs, { cwd, env, ...user }), 'who is gone is not healthy')
  } finally {
    daemon.kill('SIGKILL')
  }
}

async function listening(output: NodeJS.ReadableStream): Promise<void> {
  const seen: string[] = []
  for await (const line of createInterface(output)) {
    seen.push(line)
    if (JSON.parse(line).msg === 'listening') return
  }
  throw new Error(`it ended before it listened:\n${seen.join('\n')}`)
}

const folder = await mkdtemp(join(tmpdir(), 'bft-scan-proxy-image-'))
try {
  await main(folder)
} finally {
  await run('chmod', ['-R', 'u+w', folder])
  await rm(folder, { recursive: true, force: true })
}
