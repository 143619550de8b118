import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consumers } from '../../.ci/consumers.ts'
import { packClient } from '../../.ci/pack-client.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { compile, examplesIn, tsc } from './programs.ts'

const run = promisify(execFile)
const folder = newFolder(afterAll)
const user = join(folder, 'user')
const installed = join(user, 'node_modules', '@bft-scan', 'client')

let stage: Stage<undefined>
let tarball: string
/** npm prints this text while it installs the tarball. */
let printed: string

beforeAll(async () => {
  stage = await startLiveStage()
  tarball = await packClient(folder)
  await mkdir(user)
  await writeFile(join(user, 'package.json'), '{ "private": true, "type": "module" }\n')
  const { stdout, stderr } = await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: user })
  printed = `${stdout}${stderr}`
  for (const [name, text] of Object.entries(consumers)) await writeFile(join(user, name), text)
}, 120_000)
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

const readme = () => readFile(join(installed, 'README.md'), 'utf8')

describe('the tarball of the client in a new folder', () => {
  test('installs without a warning and without any other package, from Node 20 on', async () => {
    expect(printed).toMatch(/^\s*added 1 package in \w+\s*$/)
    const { engines, version, ...manifest } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    )
    expect(engines).toEqual({ node: '>=20' })
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([])
  })

  test('brings code, types, a README and a licence, and names no folder of the machine that made it', async () => {
    const { stdout } = await run('tar', ['-xzOf', tarball], { maxBuffer: 2 ** 24 })
    expect(stdout).not.toMatch(/\/(?:work|home|root|tmp|Users)\//)
    const { stdout: paths } = await run('tar', ['-tzf', tarball])
    const others = paths
      .trim()
      .split('\n')
      .filter((path) => !/^package\/(?:types\/.*\.d\.ts|[\w.-]+\.js)$/.test(path))
    expect(others.sort()).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json'])
  })

  test('resolves a name by the first three lines of its README, and needs no token', async () => {
    const [first = ''] = examplesIn(await readme())
    expect(first.trim().split('\n')).toHaveLength(3)
    await writeFile(join(user, 'first.js'), first.replace('http://127.0.0.1:8080', stage.daemon.http))
    const { stdout } = await run(process.execPath, ['first.js'], { cwd: user })
    expect(stdout.trim()).toBe(stage.localnet.world.dsoParty)
  })

  test('has types for a browser and a README of one screen, whose examples are strict TypeScript', async () => {
    expect(await compile(user, 'tsconfig.browser.json')).toBe('')
    const page = await readme()
    expect(page.split('\n').length).toBeLessThan(45)
    for (const [index, text] of examplesIn(page).entries())
      await writeFile(join(user, `example-${index}.ts`), text)
    const config = { extends: './tsconfig.browser.json', files: ['example-0.ts', 'example-1.ts'] }
    await writeFile(join(user, 'tsconfig.examples.json'), JSON.stringify(config))
    expect(await compile(user, 'tsconfig.examples.json')).toBe('')
  }, 60_000)

  test('costs the compiler at most a fifth more than an empty program, in the median', async () => {
    await writeFile(join(user, 'empty.ts'), 'export {}\n')
    // `tsc --init` writes this option. Without it, the types of the browser take most of the time of both.
    const compilerOptions = { skipLibCheck: true }
    for (const name of ['empty', 'first'])
      await writeFile(
        join(user, `tsconfig.${name}.json`),
        JSON.stringify({ extends: './tsconfig.browser.json', compilerOptions, files: [`${name}.ts`] }),
      )
    const [first = ''] = examplesIn(await readme())
    await writeFile(join(user, 'first.ts'), first)
    const taken: Record<'empty' | 'first', number[]> = { empty: [], first: [] }
    for (let round = 0; round < 15; round++)
      for (const name of ['empty', 'first'] as const) taken[name].push(await processorTimeOf(name))
    const ratio = median(taken.first) / median(taken.empty)
    process.stdout.write(
      `tsc with the client takes ${ratio.toFixed(2)} times the processor time of an empty program\n`,
    )
    expect(ratio).toBeLessThan(1.2)
  }, 120_000)
})

/** Compiles a program, and returns the time in seconds for which it kept a processor busy: other programs run meanwhile. */
async function processorTimeOf(name: string): Promise<number> {
  const args = [process.execPath, tsc, '--singleThreaded', '-p', `tsconfig.${name}.json`]
  const timed = ['-c', `TIMEFORMAT='%U %S'; time "$@"`, 'bash', ...args]
  const { stderr } = await run('bash', timed, { cwd: user })
  return stderr.split(' ').reduce((sum, seconds) => sum + Number(seconds), 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
