import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consumers } from '../../.ci/consumers.ts'
import { top } from '../arch/sources.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'

const run = promisify(execFile)
const { dependencies, files } = JSON.parse(await readFile(join(top, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
  readonly files: readonly string[]
}

let stage: Stage<undefined>
let folder: string
/** A new folder in which the tarball is unpacked and its dependencies are those of this project. */
let user: string

beforeAll(async () => {
  stage = await startLiveStage()
  folder = await mkdtemp(join(tmpdir(), 'tarball-'))
  user = join(folder, 'user')
  const tarball = await packed(join(folder, 'copy'))
  const installed = join(user, 'node_modules', 'bft-scan-proxy')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  for (const name of [...Object.keys(dependencies), '@types/node']) await link(name, user)
  await writeFile(join(user, 'package.json'), '{ "private": true, "type": "module" }\n')
  for (const [name, text] of Object.entries(consumers)) await writeFile(join(user, name), text)
}, 120_000)
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Packs a copy, because packing builds `dist/`, which other tests are not to see. */
async function packed(copy: string): Promise<string> {
  await mkdir(copy)
  const wanted = ['package.json', 'tsconfig.json', 'LICENSE', 'src', ...files]
  for (const path of new Set(wanted)) {
    if (path === 'dist' || path.startsWith('!')) continue
    await cp(join(top, path), join(copy, path), { recursive: true })
  }
  await symlink(join(top, 'node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  return join(folder, tarball)
}

async function link(name: string, into: string): Promise<void> {
  const path = join(into, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(top, 'node_modules', name), path)
}

/** Runs it as whoever has just installed the tarball, for whom nothing is compiled yet. */
async function program(...args: readonly string[]) {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = await run(process.execPath, args, { cwd: user, env })
  return JSON.parse(stdout)
}

describe('the tarball in a new folder', () => {
  test('brings the library, which answers without a server', async () => {
    const seeds = stage.localnet.superValidators.map(({ url }) => url)
    const { user: owner, expires_at: expires } = stage.localnet.truth.entryByName('dso.cns') ?? {}
    expect(await program('library.ts', ...seeds)).toEqual({
      user: owner,
      expires,
      threshold: 3,
      code: 'limitTooSmall',
    })
  })

  test('brings the client of a daemon', async () => {
    expect(await program('client-main.ts', stage.daemon.http)).toEqual({
      dso: stage.localnet.world.dsoParty,
      voters: 4,
      page: 'string',
    })
  })

  test.each([
    ['tsconfig.json', 'of both for Node'],
    ['tsconfig.browser.json', 'of the client for a browser, without those of Node'],
  ])(
    'brings types: %s, %s',
    async (config) => {
      const tsc = join(top, 'node_modules', 'typescript', 'bin', 'tsc')
      const { stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: user }).catch(
        (error: { stdout: string }) => error,
      )
      expect(stdout).toBe('')
    },
    60_000,
  )

  test('brings nothing of the tests, of the sources or of the ways to make it', async () => {
    const { stdout } = await run('tar', ['-tzf', await only(folder, '.tgz')])
    const paths = stdout.trim().split('\n')
    expect(paths).toEqual(expect.arrayContaining(['package/dist/bft-scan.d.ts', 'package/dist/main.js']))
    expect(paths.filter((path) => path.endsWith('.png'))).toEqual([])
    expect(paths.filter((path) => !/^package\/(dist|config|docs)\//.test(path)).sort()).toEqual([
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/package.json',
      'package/src/bin.js',
      'package/src/ui/assets/icon.svg',
      'package/src/ui/assets/page.css',
      'package/src/ui/assets/page.js',
    ])
  })
})

async function only(where: string, ending: string): Promise<string> {
  return join(where, (await readdir(where)).find((name) => name.endsWith(ending)) ?? '')
}
